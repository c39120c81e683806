/** A place in a workflow, as keys and indexes and as one would write it. */
import { cut } from "../text/cut.ts";

export type Path = readonly (string | number)[];

/** A key longer than this is cut, so that a hostile text cannot flood the list of its problems. */
const SHOWN_KEY_LENGTH_MAX = 80;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** `nodes[2].params.list[0]`; a prefix is continued. */
export function formatPlace(path: Path, prefix = ""): string {
  return path.reduce<string>((text, part) => text + formatPart(part, text === ""), prefix);
}

function formatPart(part: string | number, isFirst: boolean): string {
  if (typeof part === "number") return `[${part}]`;
  const key = cut(part, SHOWN_KEY_LENGTH_MAX);
  if (!PLAIN_KEY.test(part)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}
