import type { JsonObject } from "../../core/json.ts";
import type { CommandLine } from "../translate/mcp-remote.ts";
import { literalOf } from "../translate/references.ts";

const OWN_NAME = "repertoire";
const LAUNCHERS = /^(?:npx|bunx|pnpx|pnpm|yarn|bun|npm|cmd|node|deno)(?:\.exe|\.cmd)?$/i;
const PACKAGE = /^repertoire(?:@[\w.^~-]+)?$/;
const OWN_MAIN = /(?:^|[\\/])repertoire[\\/]dist[\\/]main\.js$/;

/** Whether an entry is Repertoire itself: a gateway that is its own server would start itself for ever. */
export function isOwnEntry(key: string, entry: JsonObject, own?: CommandLine): boolean {
  // Only its name tells a remote gateway from another server.
  if (typeof entry["url"] === "string") return key.trim().toLowerCase() === OWN_NAME;
  const args: readonly unknown[] = Array.isArray(entry["args"]) ? entry["args"] : [];
  const words = [entry["command"], ...args].map((word) =>
    typeof word === "string" ? (literalOf(word) ?? word) : "",
  );
  // The server of the demo comes with the same program, and is a server like any other.
  if (words.includes("demo-server")) return false;
  const program = baseName(words[0] ?? "");
  if (/^repertoire(?:\.exe|\.cmd)?$/i.test(program)) return true;
  if (own !== undefined && startsWith(words, [own.command, ...own.args])) return true;
  if (!LAUNCHERS.test(program)) return false;
  const started = words.slice(1).find((word) => !/^[-/][A-Za-z-]*$/.test(word) && !isLauncherWord(word));
  return (
    started !== undefined && (PACKAGE.test(started) || OWN_MAIN.test(started) || started === own?.args[0])
  );
}

function isLauncherWord(word: string): boolean {
  return (
    word === "dlx" || word === "exec" || word === "x" || word === "run" || LAUNCHERS.test(baseName(word))
  );
}

function startsWith(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((word, index) => words[index] === word);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
