#!/usr/bin/env bash
# The first minute with Repertoire, in a home of its own: nothing of yours is read or changed.
# From a checkout: npm ci && npm run build && examples/first-minute/first-minute.sh
set -eu

examples=$(cd "$(dirname "$0")/.." && pwd)
# npm ci brings the right Node.
PATH="${examples%/*}/node_modules/.bin:$PATH"
REPERTOIRE=${REPERTOIRE:-"node ${examples%/*}/dist/main.js"}
HOME=$(mktemp -d "${TMPDIR:-/tmp}/XXXXXX")
trap 'rm -rf "$HOME"' EXIT
export HOME NO_COLOR=1
unset XDG_CONFIG_HOME XDG_DATA_HOME REPERTOIRE_HOME REPERTOIRE_CONFIG CLAUDE_CONFIG_DIR CODEX_HOME
mkdir "$HOME/work" && cd "$HOME/work"

# Shows a command and runs it.
repertoire() {
  printf '\n$ repertoire'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  # shellcheck disable=SC2086 # it may be several words
  $REPERTOIRE "$@" 2>&1
}

echo 'Cursor has a server that keeps notes, Claude Code has one that knows the weather.'
cp "$examples/first-minute/notes-server.mjs" "$HOME/notes.mjs"
cp "$examples/first-capability/weather-server.mjs" "$HOME/weather.mjs"
mkdir "$HOME/.cursor"
cat > "$HOME/.cursor/mcp.json" <<JSON
{
  // My servers.
  "mcpServers": {
    "notes": { "command": "node", "args": ["$HOME/notes.mjs"] }
  }
}
JSON
cat > "$HOME/.claude.json" <<JSON
{ "mcpServers": { "weather": { "command": "node", "args": ["$HOME/weather.mjs", "1.0"] } } }
JSON

repertoire init --yes
repertoire tools
repertoire tools "write something down"
repertoire call notes.add text="Try Repertoire"

cat > weather.ts <<'TS'
const { days } = await mcp.weather.forecast({ city: args.city, days: 3 });
await Promise.all(days.map((day, index) => mcp.notes.add({ text: `Day ${index + 1}: ${day.degrees} degrees` })));
const notes: string[] = await mcp.notes.list();
return { umbrella: days.some((day) => day.rain), notes: notes.length };
TS
printf '\n$ cat weather.ts\n' && cat weather.ts
repertoire run weather.ts --input city=Rome --intent "Note the weather"
repertoire save note-the-weather-190c3c1e trip:note --description "Notes the weather of the next days."
repertoire run trip:note --input city=Bergen

repertoire connect cursor --yes
repertoire connect cursor --undo
