/** Files that someone else may have put there, as the config reads them: a client's settings, an `envFile`. */
import { parseEnv } from "node:util";
import { hashText } from "../../core/json.ts";
import { readTextFile } from "../../process/text-file.ts";

export { FILE_BYTES_MAX, readTextFile } from "../../process/text-file.ts";

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

type EnvFileRead =
  | { readonly ok: true; readonly env: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/**
 * The variables of an `envFile`: KEY=VALUE lines, with comments and quotes as in a `.env`. No variable in it is
 * expanded.
 */
export function readEnvFile(path: string): EnvFileRead {
  const read = readTextFile(path);
  if (!read.ok) return { ok: false, message: read.message };
  const pairs = Object.entries(parseEnv(read.text)).flatMap(([name, value]): [string, string][] =>
    value === undefined || value.includes("\0") ? [] : [[name, value]],
  );
  return { ok: true, env: Object.fromEntries(pairs) };
}
