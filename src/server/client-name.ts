import { isJsonObject } from "../core/json.ts";
import { cut } from "../text/cut.ts";
import { escapeUnprintable } from "../text/printable.ts";

/** Enough for any name with a version; it is kept with every call. */
const NAME_LENGTH_MAX = 80;

/** What a client calls itself, with its version, in one line: `claude-code 2.1.0`. It is the client's own word. */
export function clientNameOf(info: unknown): string | undefined {
  if (!isJsonObject(info)) return undefined;
  const said = [info["name"], info["version"]].filter((word) => typeof word === "string" && word !== "");
  if (said.length === 0) return undefined;
  // Cut before as well: it may be as long as a message.
  const short = said.map((word) => cut(word as string, NAME_LENGTH_MAX)).join(" ");
  return cut(escapeUnprintable(short), NAME_LENGTH_MAX);
}
