/**
 * Why a process ended, read from what it wrote to stderr: the line that names the cause, which is rarely the last one,
 * and what cures it. The text is a stranger's: it comes without secrets, and leaves printable and cut.
 */
import { escapeUnprintable, withoutColours } from "../../text/printable.ts";
import { cut } from "../../text/cut.ts";

export interface CrashCause {
  /** In the words of the process. */
  readonly line: string;
  readonly hint?: string;
}

/** More is no message any more. */
const LINE_LENGTH_MAX = 300;

interface Found {
  readonly match: RegExpExecArray;
  /** All lines, and the place of the one that matched. */
  readonly lines: readonly string[];
  readonly at: number;
  readonly server: string;
}

interface Rule {
  readonly find: RegExp;
  /** Without it, the whole line. */
  readonly line?: (found: Found) => string;
  readonly hint?: (found: Found) => string;
  /** For what looks like the rule and is something else. */
  readonly unless?: (match: RegExpExecArray) => boolean;
}

const NODE_HINT = "Put the Node that it needs first in PATH, or name it by its whole path as the command.";

/** The most telling first. Of each, the last line that fits counts. */
const RULES: readonly Rule[] = [
  {
    find: /Cannot connect to the Docker daemon|failed to connect to the docker API|error during connect:|Cannot connect to Podman/i,
    hint: () => "Start Docker or Podman, or set DOCKER_HOST to where it listens.",
  },
  {
    find: /^bwrap: .+/,
    hint: ({ server }) =>
      `Its sandbox could not be made: ask repertoire doctor, and look at "sandbox" of mcpServers.${server}.`,
  },
  {
    find: /npm (?:error|ERR!) 404\s.*'((?:@[^'@]+)?[^'@]*)(?:@[^']*)?'.*(?:could not be found|is not in this registry)/,
    hint: ({ match, server }) =>
      `The package ${match[1]} is not in the registry: correct its name in "args" of mcpServers.${server}, or the registry of npm.`,
  },
  {
    find: /Because (\S+) was not found in the package registry/,
    hint: ({ match, server }) =>
      `The package ${match[1]} is not in the index: correct its name in "args" of mcpServers.${server}.`,
  },
  {
    find: /npm (?:error|ERR!) could not determine executable to run/,
    hint: ({ server }) =>
      `The package has no program to run: correct its name in "args" of mcpServers.${server}.`,
  },
  {
    find: /npm (?:error|ERR!) .*(?:ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ECONNRESET|EAI_AGAIN|SELF_SIGNED_CERT|UNABLE_TO_)/,
    hint: () =>
      "npm cannot reach its registry: check the network, and behind a proxy set HTTPS_PROXY and NODE_EXTRA_CA_CERTS where the gateway is started.",
  },
  {
    find: /Cannot find (?:module|package) '([^']+)'/,
    hint: ({ match, lines, server }) => hintForModule(match[1]!, lines, server),
  },
  {
    find: /ModuleNotFoundError: No module named '([^']+)'/,
    hint: ({ match }) =>
      `Install ${match[1]} for the Python that runs it, or start it with uvx, which brings its packages along.`,
  },
  {
    find: /^KeyError: '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'$/,
    hint: ({ match, server }) => hintForVariable(match[1]!, server),
  },
  {
    find: /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b.*\b(?:required|missing|not set|unset|not provided|not defined|undefined|must be set|must be provided|not found)\b/,
    unless: isErrorCode,
    hint: ({ match, server }) => hintForVariable(match[1]!, server),
  },
  {
    find: /\b(?:required|missing|please set|please provide|must set|no value for|set the)\b.*\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/i,
    unless: isErrorCode,
    hint: ({ match, server }) => hintForVariable(match[1]!, server),
  },
  {
    find: /^(?!\s*code:).*EADDRINUSE.*/,
    hint: () => "Another process has the port: end it, or have the server use another one.",
  },
  {
    find: /^(?:\S*[Ee]rror.*)?(?:EACCES: permission denied|PermissionError: |.*: Permission denied$).*/,
    hint: () => "Let the user of the gateway read and execute it, or write to it.",
  },
  {
    find: /env: [‘'"]?([^’'":\s]+)[’'"]?: No such file or directory/,
    hint: ({ match }) => hintForProgram(match[1]!),
  },
  {
    find: /(?:^|: )([\w./@+-]+): (?:command )?not found$/,
    hint: ({ match }) => hintForProgram(match[1]!),
  },
  {
    find: /(?:requires|needs) (?:at least )?node(?:\.js)?\b.*\d.*/i,
    hint: () => NODE_HINT,
  },
  {
    find: /^SyntaxError: .*/,
    line: ({ match, lines, at }) => `${match[0]}${placeBefore(lines, at)}`,
    hint: ({ lines }) =>
      `The program has a mistake, or its runtime is too old for it${nodeVersionIn(lines)}. ${NODE_HINT}`,
  },
  {
    find: /^UnhandledPromiseRejection.*The promise rejected with the reason "(.*)"\.?$/,
    line: ({ match }) => `a promise was rejected with: ${match[1]}`,
  },
  // Of JavaScript, Python, Java: a name and a text at the beginning of a line. What a stack has below it is indented.
  {
    find: /^(?:Uncaught )?(?:[a-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Exit)(?: \[[A-Z0-9_]+\])?(?:: .*|$)/,
    hint: hintForEngine,
  },
  { find: /^Error(?: \[[A-Z0-9_]+\])?: .+/, hint: hintForEngine },
  { find: /^(?:panic|fatal error|fatal|error|ERROR|FATAL):? .+/, hint: hintForEngine },
  { find: /^thread '.*' panicked at .*/ },
];

/** Undefined where nothing that it wrote names a cause. */
export function findCrashCause(stderr: readonly string[], server: string): CrashCause | undefined {
  const lines = stderr.map(withoutColours);
  for (const rule of RULES) {
    const found = findLast(rule, lines, server);
    if (found === undefined) continue;
    const line = printable(rule.line?.(found) ?? found.match.input);
    const hint = rule.hint?.(found) ?? "";
    return hint === "" ? { line } : { line, hint: printable(hint) };
  }
  return undefined;
}

function findLast(rule: Rule, lines: readonly string[], server: string): Found | undefined {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const match = rule.find.exec(lines[at]!);
    if (match !== null && rule.unless?.(match) !== true) return { match, lines, at, server };
  }
  return undefined;
}

function printable(text: string): string {
  const line = escapeUnprintable(text.trim());
  return cut(line, LINE_LENGTH_MAX);
}

/** `ERR_MODULE_NOT_FOUND` looks like a variable. */
function isErrorCode([, name = ""]: RegExpExecArray): boolean {
  return /^(?:ERR_|E[A-Z]+_)|_NOT_FOUND$|^MODULE_/.test(name);
}

function hintForVariable(name: string, server: string): string {
  return `Set ${name} under "env" of mcpServers.${server}; a secret as an input: "\${input:ID}" there, and repertoire input set ID.`;
}

function hintForProgram(name: string): string {
  return `Install ${name}, or have PATH lead to it where the gateway is started.`;
}

function hintForModule(name: string, lines: readonly string[], server: string): string {
  if (lines.some((line) => /[\\/]_npx[\\/]/.test(line)))
    return `The copy of npx is not whole: remove the folder _npx in the cache of npm (npm config get cache), and ask again.`;
  if (/^(?:\.|\/|[A-Za-z]:[\\/]|file:)/.test(name))
    return `The file is not there: build the server, or correct "args" of mcpServers.${server}.`;
  return `Install the packages of the server: npm install in its folder.`;
}

/** npm warns of a runtime that a package does not support, and starts it all the same. */
function hintForEngine({ lines }: Found): string {
  return lines.some((line) => /EBADENGINE|Unsupported engine/.test(line))
    ? `npm says that the package does not support this Node. ${NODE_HINT}`
    : "";
}

/** Node and Python name the file before the line with the mistake. */
function placeBefore(lines: readonly string[], at: number): string {
  for (let line = at - 1; line >= Math.max(0, at - 6); line -= 1) {
    const node = /^(?:file:\/\/)?((?:\/|[A-Za-z]:\\).+):(\d+)$/.exec(lines[line]!);
    const python = /^\s*File "(.+)", line (\d+)/.exec(lines[line]!);
    const [, file, row] = node ?? python ?? [];
    if (file !== undefined) return ` (${file}:${row})`;
  }
  return "";
}

function nodeVersionIn(lines: readonly string[]): string {
  const version = lines
    .map((line) => /^Node\.js (v\d[\w.]*)$/.exec(line)?.[1])
    .find((one) => one !== undefined);
  return version === undefined ? "" : `, which is Node ${version}`;
}
