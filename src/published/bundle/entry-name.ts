/**
 * Which names the entries of an archive may have: those that mean one place below the folder, on every system.
 */
import { quote } from "../../text/quote.ts";

/** What systems allow for a path and for a name in it. */
const PATH_LENGTH_MAX = 512;
const NAME_LENGTH_MAX = 200;
const DEPTH_MAX = 32;
/** Names of devices on Windows, whatever ends them. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Why an entry is refused; undefined for a name that can be used. A folder ends with a slash. */
export function findNameProblem(name: string): string | undefined {
  const shown = quote(name, 200);
  if (name.length > PATH_LENGTH_MAX) return `${shown} is too long`;
  if (/[\\:]/.test(name)) return `${shown} has a backslash or a colon`;
  if (/[\p{Cc}\p{Cf}\p{Cs}<>"|?*]/u.test(name)) return `${shown} has a character that file names do not have`;
  if (name.startsWith("/") || name.startsWith("~")) return `${shown} is not relative to the bundle`;
  const parts = name.replace(/\/$/, "").split("/");
  if (parts.length > DEPTH_MAX) return `${shown} is more than ${DEPTH_MAX} folders deep`;
  const bad = parts.find((part) => part === "" || part === "." || part === ".." || isNoName(part));
  return bad === undefined ? undefined : `${shown} leads out of the bundle, or is no name of a file`;
}

function isNoName(part: string): boolean {
  return part.length > NAME_LENGTH_MAX || /[. ]$/.test(part) || part.startsWith(" ") || DEVICE.test(part);
}

/** Equal for names that one file system or another takes for the same. */
export function foldPath(name: string): string {
  return name.replace(/\/$/, "").normalize("NFKC").toLowerCase();
}
