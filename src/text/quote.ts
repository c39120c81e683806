import { cut } from "./cut.ts";

/** Enough to recognise a name by. */
const NAME_LENGTH_MAX = 80;

/** A text from outside as a message names it: in quotes, on one line, and no longer than that. */
export function quote(text: string, lengthMax = NAME_LENGTH_MAX): string {
  return JSON.stringify(cut(text, lengthMax));
}
