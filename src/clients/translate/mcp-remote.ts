/**
 * `npx mcp-remote URL` is a bridge for clients that can only start programs. Repertoire reaches remote servers itself,
 * so what is meant is the server behind the bridge.
 */

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** The server behind the bridge, in the client's own texts. */
export interface Bridged {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly isSse: boolean;
  /** Tools that the bridge hides. */
  readonly hidden: readonly string[];
  /** Its other flags, which have no meaning here. */
  readonly dropped: readonly string[];
}

const LAUNCHERS: ReadonlySet<string> = new Set(["npx", "bunx", "pnpx", "pnpm", "yarn", "bun", "npm"]);
const PACKAGE = /^(?:@[\w.-]+\/)?mcp-remote(?:@[\w.^~-]+)?$/;
/** Flags of the bridge that are followed by a value. */
const FLAGS_WITH_VALUE: ReadonlySet<string> = new Set(
  (
    "--host --transport --header --ignore-tool --resource --auth-timeout " +
    "--static-oauth-client-info --static-oauth-client-metadata"
  ).split(" "),
);

/** What a command line bridges to, if it is that bridge. */
export function findBridged(line: CommandLine): Bridged | undefined {
  const args = argsOfBridge(line);
  const at = args?.findIndex((arg) => /^https?:\/\//i.test(arg)) ?? -1;
  if (args === undefined || at === -1) return undefined;
  const headers: [string, string][] = [];
  const hidden: string[] = [];
  const dropped: string[] = [];
  let isSse = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    // The number after the address is the port for its own login.
    if (index === at || (index === at + 1 && /^\d+$/.test(arg))) continue;
    const value = FLAGS_WITH_VALUE.has(arg) ? (args[++index] ?? "") : "";
    if (arg === "--header") headers.push(splitHeader(value));
    else if (arg === "--ignore-tool") hidden.push(value);
    else if (arg === "--transport") isSse = value === "sse-only" || value === "sse-first";
    else if (arg.startsWith("-")) dropped.push(arg.split("=", 1)[0]!);
  }
  return { url: args[at]!, headers: headers.filter(([name]) => name !== ""), isSse, hidden, dropped };
}

/** The arguments after the name of the package; undefined where something else is started. */
function argsOfBridge({ command, args }: CommandLine): readonly string[] | undefined {
  const words = [command, ...args];
  // Windows starts npx through its shell.
  const start = /^cmd(?:\.exe)?$/i.test(baseName(command)) && /^\/c$/i.test(args[0] ?? "") ? 2 : 0;
  const program = baseName(words[start] ?? "").replace(/\.(?:cmd|exe)$/i, "");
  if (PACKAGE.test(program)) return words.slice(start + 1);
  if (!LAUNCHERS.has(program)) return undefined;
  const at = words.findIndex(
    (word, index) => index > start && !word.startsWith("-") && !SUBCOMMANDS.has(word),
  );
  return at !== -1 && PACKAGE.test(words[at]!) ? words.slice(at + 1) : undefined;
}

const SUBCOMMANDS: ReadonlySet<string> = new Set(["dlx", "exec", "x"]);

function splitHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  return colon === -1 ? ["", ""] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
