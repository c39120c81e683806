/**
 * The thread that counts. It alone loads the tokenizer, which takes 70 MB that are free again when the thread has
 * ended.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { serveThread } from "../../process/thread-program.ts";
import { piecesOf } from "./pieces.ts";

/** What looks like a mark of the model's own is text like any other here. */
const PLAIN = { disallowedSpecial: new Set<string>() };

function countText(text: string): number {
  let count = 0;
  for (const piece of piecesOf(text)) count += countTokens(piece, PLAIN);
  return count;
}

serveThread((texts: readonly string[]) => ({ reply: texts.map(countText) }));
