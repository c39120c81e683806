/**
 * Saves the code of a run as a draft. Its name is made of the run's intent and the hash of the code, so the same code
 * is saved once. A file whose name no longer matches its text was edited by somebody and is never deleted here.
 */
import { mkdir, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashText } from "../core/json.ts";
import { REDACTED } from "../text/redaction.ts";

const HASH_DIGITS = 8;
const WORDS_LENGTH_MAX = 40;
/** Beyond this, the oldest are deleted. */
const SAVED_MAX = 200;
const SAVED_NAME = /^[a-z][a-z0-9-]*-([0-9a-f]{8})\.ts$/;

export async function saveDraft(folder: string, code: string, intent?: string): Promise<string> {
  const name = `${wordsOf(intent)}-${hashText(code).slice(0, HASH_DIGITS)}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(join(folder, `${name}.ts`), code, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await removeOldest(folder);
  return name;
}

/** Longer than any word of a sentence, and letters and digits in a row: more likely a key of some kind. */
const KEY_LIKE = /\S{25,}|(?=[^\s]*\d)(?=[^\s]*[A-Za-z])\S{10,}/g;

/**
 * `list-open-issues` of "List open issues!". What may be a key, or was one, is left out: names are shown everywhere.
 */
function wordsOf(intent = ""): string {
  const words = intent
    .replaceAll(REDACTED, " ")
    .replace(KEY_LIKE, " ")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, WORDS_LENGTH_MAX)
    .replace(/-+$/, "");
  return words === "" ? "run" : words;
}

async function removeOldest(folder: string): Promise<void> {
  const saved = (await readdir(folder)).filter((file) => SAVED_NAME.test(file));
  if (saved.length <= SAVED_MAX) return;
  const dated = await Promise.all(
    saved.map(async (file) => ({
      file,
      at: (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const old = dated.sort((a, b) => a.at - b.at).slice(0, saved.length - SAVED_MAX);
  for (const { file } of old) await removeUntouched(join(folder, file), SAVED_NAME.exec(file)![1]!);
}

async function removeUntouched(path: string, hash: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text !== undefined && hashText(text).startsWith(hash)) await unlink(path).catch(() => {});
}
