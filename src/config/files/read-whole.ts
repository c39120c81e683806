import { hashText } from "../../core/json.ts";
import { readTextFile } from "./read-file.ts";

/** Other programs keep more than settings in their files: sessions, history. */
export const CLIENT_FILE_BYTES_MAX = 16 * 1024 * 1024;

/** The text with its byte order mark, `undefined` where there is no file, or what is wrong with it. */
export function readWhole(
  path: string,
  bytesMax?: number,
): string | undefined | { readonly message: string } {
  const read = readTextFile(path, bytesMax);
  if (!read.ok) return read.missing ? undefined : { message: read.message };
  // The reader drops the mark. UTF-8 that is valid has one spelling, so the hash tells whether there was one.
  return hashText(read.text) === read.sha256 ? read.text : `\uFEFF${read.text}`;
}
