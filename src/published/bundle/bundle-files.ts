/**
 * The files of a bundle that was unpacked, by their hashes. The list is beside them, and its own hash is in the
 * config: whoever changes a file, or the list, changes what the config says that was approved. What the server adds
 * itself, such as a cache, is not looked at.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../core/json.ts";
import { quote } from "../../text/quote.ts";
import { findNameProblem } from "./entry-name.ts";

/** Below the place of a bundle. */
export const FILES_FOLDER = "files";
export const LIST_FILE = "files.json";

/** The folder of all bundles of a home. */
export function bundlesFolder(home: string): string {
  return join(home, "bundles");
}

const listSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));
/** 50,000 names with a hash each. */
const LIST_BYTES_MAX = 32 * 1024 * 1024;
const LIST_LIMITS = { depthMax: 2, keyCountMax: 100_000, bytesMax: LIST_BYTES_MAX };

/** The text of the list, the same for the same files. */
export function writeFileList(hashes: ReadonlyMap<string, string>): string {
  const sorted = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`;
}

export function hashOfList(list: string): string {
  return createHash("sha256").update(list).digest("hex");
}

/** What has changed since it was unpacked; undefined where everything is as it was. */
export async function findChangedFile(
  home: string,
  bundle: string,
  listHash: string,
): Promise<string | undefined> {
  const place = join(bundlesFolder(home), bundle);
  let list: string;
  try {
    list = await readFile(join(place, LIST_FILE), "utf8");
  } catch {
    return `its files are not in ${place}`;
  }
  if (hashOfList(list) !== listHash) return `the list of its files in ${place} is another one`;
  const parsed = parseJson(list, LIST_LIMITS);
  const read = parsed.ok ? listSchema.safeParse(parsed.value) : undefined;
  if (read?.success !== true) return `the list of its files in ${place} cannot be read`;
  for (const [path, hash] of Object.entries(read.data)) {
    if (findNameProblem(path) !== undefined) return `the list of its files in ${place} cannot be used`;
    if ((await hashOfFile(join(place, FILES_FOLDER, path))) !== hash)
      return `${quote(path, 200)} in ${place} has changed, or is gone`;
  }
  return undefined;
}

/** Undefined for what is no file: a link would lead to what can be changed elsewhere. */
async function hashOfFile(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}
