import type { GlobalOptions } from "../global-options.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { print } from "../terminal/terminal.ts";
import { defineCommand } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof SHELLS)[number];

export const completionsCommand = defineCommand({
  name: "completions",
  group: "operate",
  summary: "Print a completion script for your shell",
  arguments: [{ words: "<shell>", about: "the shell", choices: SHELLS }],
  help: `It completes commands, options, servers, tools and their parameters, library items, drafts and runs, from what is
already known: it starts no server. Where a file fits, file names are completed as usual.`,
  examples: [
    "source <(repertoire completions bash)                                      in ~/.bashrc",
    `repertoire completions zsh > "\${fpath[1]}/_repertoire"`,
    "repertoire completions fish > ~/.config/fish/completions/repertoire.fish",
    "repertoire completions powershell >> $PROFILE",
  ],
  run: (options: GlobalOptions, shell: Shell) => {
    print(SCRIPTS[shell]);
    return EXIT.ok;
  },
});

/** In the scripts, `@{` is the shell's `${`, which would end a text of ours. */
const script = (text: TemplateStringsArray): string => text.raw.join("").replaceAll("@{", "${");

/**
 * bash breaks words at = and : and replaces only what comes after them. So they are put together again for the
 * question, and what comes before the last break is taken off the answers.
 */
const BASH = script`# repertoire: bash completion
_repertoire() {
  local words=() word glue="" line value marks="" current prefix i
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="@{COMP_WORDS[i]}"
    if ((@{#words[@]} > 0)) && { [[ $word =~ ^[=:]+$ ]] || [[ -n $glue ]]; }; then
      words[@{#words[@]} - 1]+="$word"
    else
      words+=("$word")
    fi
    [[ $word =~ ^[=:]+$ ]] && glue=1 || glue=""
  done
  current="@{words[@{#words[@]} - 1]}"
  prefix="@{current%"@{current##*[=:]}"}"
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      marks="@{line#:}"
    else
      value="@{line%%$'\t'*}"
      COMPREPLY+=("$(printf '%q' "@{value#"$prefix"}")")
    fi
  done < <("@{COMP_WORDS[0]}" __complete -- "@{words[@]}" 2>/dev/null)
  [[ $marks == *nospace* ]] && compopt -o nospace 2>/dev/null
  if [[ $marks == *files* || $marks == *dirs* ]]; then
    local file="@{current##*[=@]}" kind=-f
    [[ $marks == *dirs* ]] && kind=-d
    compopt -o filenames 2>/dev/null
    while IFS= read -r value; do
      [[ $current == *=@* ]] && value="@$value"
      COMPREPLY+=("$value")
    done < <(compgen $kind -- "$file")
  fi
}
complete -o default -o nosort -F _repertoire repertoire 2>/dev/null || complete -o default -F _repertoire repertoire`;

const ZSH = script`#compdef repertoire
_repertoire() {
  local -a lines values shown
  local line value about marks=""
  lines=("@{(@f)$("@{words[1]}" __complete -- "@{(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == :* ]]; then
      marks="@{line#:}"
    else
      value="@{line%%$'\t'*}"
      about="@{line#*$'\t'}"
      values+=("$value")
      shown+=("$value@{about:+  -- $about}")
    fi
  done
  if (( $#values )); then
    if [[ $marks == *nospace* ]]; then
      compadd -V repertoire -l -S '' -d shown -- $values
    else
      compadd -V repertoire -l -d shown -- $values
    fi
  fi
  if [[ $marks == *files* ]]; then
    compset -P '*=@'
    _files
  elif [[ $marks == *dirs* ]]; then
    _files -/
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _repertoire "$@"
else
  compdef _repertoire repertoire
fi`;

const FISH = script`# repertoire: fish completion
function __repertoire_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in ($before[1] __complete -- $before[2..-1] $current 2>/dev/null)
    switch $line
      case ':*dirs*'
        __fish_complete_directories $current
      case ':*files*'
        __fish_complete_path $current
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c repertoire -f -k -a '(__repertoire_complete)'`;

const POWERSHELL = script`# repertoire: PowerShell completion
Register-ArgumentCompleter -Native -CommandName repertoire -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $marks = ''
  repertoire __complete -- @before $wordToComplete 2>$null | ForEach-Object {
    if ($_.StartsWith(':')) { $marks = $_; return }
    $value, $about = $_ -split [char]9, 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
  if ($marks -match 'files|dirs') {
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
  }
}`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
