/** Programs that fetch what they run: their first start takes as long as the download. */
import type { Config, ServerConfig } from "../config.ts";

/** Those that do so with any arguments, and those that do so with one of these words. */
const INSTALLERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npx", []],
  ["pnpx", []],
  ["bunx", []],
  ["uvx", []],
  ["docker", []],
  ["podman", []],
  ["deno", []],
  ["npm", ["exec", "x"]],
  ["pnpm", ["dlx"]],
  ["yarn", ["dlx"]],
  ["bun", ["x"]],
  ["uv", ["run", "tool"]],
  ["pipx", ["run"]],
]);

/** What a command has to start and answer the handshake, where its config says nothing. */
const START_MS = 60_000;
const INSTALLER_START_MS = 120_000;
/** The longest, for one that still writes to stderr. */
const START_MS_MAX = 10 * 60 * 1000;

export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash"]);

/** Whether a command may first download what it runs; also behind `env`, `cmd /c` and `sh -c`. */
export function isInstaller(command: string, args: readonly string[]): boolean {
  const program = programOf(command);
  const inner = unwrap(program, args);
  if (inner !== undefined) return inner.length > 0 && isInstaller(inner[0]!, inner.slice(1));
  const words = INSTALLERS.get(program);
  if (words === undefined) return false;
  return words.length === 0 || words.includes(args.find((word) => !word.startsWith("-")) ?? "");
}

/** How long the start of a server may take: `ms`, and up to `msMax` while it shows that it is at work. */
export function startLimitOf(
  { transport, startTimeoutMs }: Pick<ServerConfig, "transport" | "startTimeoutMs">,
  { connectTimeoutMs }: Pick<Config["limits"], "connectTimeoutMs">,
): { readonly ms: number; readonly msMax: number } {
  if (transport.kind !== "stdio") return { ms: connectTimeoutMs, msMax: connectTimeoutMs };
  if (startTimeoutMs !== undefined) return { ms: startTimeoutMs, msMax: startTimeoutMs };
  const { command, args } = transport;
  const ms = isInstaller(command, args) ? INSTALLER_START_MS : START_MS;
  return { ms: Math.max(ms, connectTimeoutMs), msMax: START_MS_MAX };
}

/** `C:\nodejs\npx.cmd` is `npx`. */
export function programOf(command: string): string {
  const base = command.split(/[\\/]/).at(-1)!.toLowerCase();
  return base.replace(/\.(?:cmd|exe|bat|ps1)$/, "");
}

/** The command that a wrapper starts; undefined where the program is not a wrapper. */
function unwrap(program: string, args: readonly string[]): readonly string[] | undefined {
  if (program === "env") return args.slice(indexOfCommand(args));
  if (program === "cmd") {
    const at = args.findIndex((word) => /^\/[ck]$/i.test(word));
    return at === -1 ? [] : wordsOf(args.slice(at + 1).join(" "));
  }
  if (SHELLS.has(program)) {
    const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
    return at === -1 ? [] : wordsOf((args[at + 1] ?? "").replace(/^\s*exec\s+/, ""));
  }
  return undefined;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** After the options of `env` and its assignments. */
export function indexOfCommand(args: readonly string[]): number {
  let at = 0;
  while (at < args.length) {
    const word = args[at]!;
    if (["-u", "--unset", "-C", "--chdir"].includes(word)) at += 2;
    else if (word.startsWith("-") || /^[A-Za-z_]\w*=/.test(word)) at += 1;
    else break;
  }
  return at;
}
