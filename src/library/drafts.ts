/**
 * The drafts folder: workflows (`name.json`) and code (`name.ts`) that are not kept yet. It is read fresh each time,
 * because agents and people write into it with whatever they like. A name is parsed before any path is made, and only a
 * regular file inside the folder is read: a link could lead anywhere.
 *
 * Drafts belong to a scope, like the library and the runs. Those of the default scope are in the folder itself, those
 * of any other in `<org>/<project>` below it; the parts of a scope are safe in a path, and no draft is called like one:
 * it has an extension.
 */
import { constants } from "node:fs";
import { open, readdir, unlink, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson, hashText } from "../core/json.ts";
import { DEFAULT_SCOPE, parseReference, type Scope } from "../core/names.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CapabilityKind } from "../core/store.ts";
import { REDACTED } from "../text/redaction.ts";

/** The limit of code in the sandbox; a workflow has no need for more. */
export const DRAFT_BYTES_MAX = 256 * 1024;

export interface Draft {
  readonly name: string;
  readonly kind: CapabilityKind;
  readonly path: string;
  readonly text: string;
}

export interface Drafts {
  find(name: string, field?: string): Promise<ToolResult<Draft>>;
  names(): Promise<string[]>;
  /** Saves code, or a workflow, that worked as a draft and returns its name. The same for the same purpose is one draft. */
  save(source: string, intent?: string, kind?: CapabilityKind): Promise<string>;
  /** Deletes a draft after it was saved to the library; a file that has changed since stays. */
  remove(draft: Draft): Promise<void>;
}

const KINDS: readonly { extension: string; kind: CapabilityKind }[] = [
  { extension: ".json", kind: "workflow" },
  { extension: ".ts", kind: "code" },
];

export function createDrafts(root: string, scope: () => Scope = () => DEFAULT_SCOPE): Drafts {
  const folderNow = (): string => folderOf(root, scope());

  async function names(): Promise<string[]> {
    const files = await readdir(folderNow()).catch(() => []);
    return files.flatMap((file) => {
      const kind = KINDS.find(({ extension }) => file.endsWith(extension));
      return kind === undefined ? [] : [file.slice(0, -kind.extension.length)];
    });
  }

  async function find(name: string, field = "name"): Promise<ToolResult<Draft>> {
    const reference = parseReference(name, field);
    if (!reference.success) return reference;
    if (reference.data.kind !== "bare") return noDraft(name, field, await names());
    const { action } = reference.data;
    const folder = folderNow();
    for (const spelling of new Set([name, action, action.replaceAll("_", "-")])) {
      for (const { extension, kind } of KINDS) {
        const path = join(folder, spelling + extension);
        const text = await readDraft(path, field);
        if (text === undefined) continue;
        return text.success ? checkDraft({ name: spelling, kind, path, text: text.data }, field) : text;
      }
    }
    return noDraft(name, field, await names());
  }

  return {
    find,
    names,
    save: (source, intent, kind) => saveDraft(folderNow(), source, intent, kind),
    remove: removeDraft,
  };
}

function folderOf(root: string, { org, project }: Scope): string {
  const isDefault = org === DEFAULT_SCOPE.org && project === DEFAULT_SCOPE.project;
  return isDefault ? root : join(root, org, project);
}

async function removeDraft({ path, text }: Draft): Promise<void> {
  const now = await readDraft(path, "name");
  if (now?.success === true && now.data === text) await unlink(path).catch(() => {});
}

/** The text of a regular file; `undefined` when there is none. */
async function readDraft(path: string, field: string): Promise<ToolResult<string> | undefined> {
  let file;
  try {
    // Non-blocking, so that a pipe in the folder cannot hold the gateway.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      return fail("SECURITY_ERROR", "The draft is a link; a draft must be a file.", { field });
    // The system's own words have the path in them.
    return fail("TOOL_EXECUTION_FAILED", `The draft cannot be read (${String(code)}).`, { field });
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) return fail("SECURITY_ERROR", "The draft is not a regular file.", { field });
    if (info.size > DRAFT_BYTES_MAX) {
      return fail(
        "TOOL_INVALID_INPUT",
        `The draft has ${info.size} bytes; the limit is ${DRAFT_BYTES_MAX}.`,
        { field },
      );
    }
    return succeed(await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}

function checkDraft(draft: Draft, field: string): ToolResult<Draft> {
  if (draft.kind === "code") return succeed(draft);
  const parsed = parseJson(draft.text);
  if (parsed.ok) return succeed(draft);
  const place = parsed.position === undefined ? "" : ` (${placeOf(draft.text, parsed.position)})`;
  return fail("TOOL_INVALID_INPUT", `The draft ${draft.name} is not a workflow: ${parsed.message}${place}`, {
    reason: "validation_error",
    field,
    hint: "Correct the file in the drafts folder and call again; it is read fresh each time.",
  });
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function noDraft(name: string, field: string, known: readonly string[]): ToolResult<never> {
  const near = nearest(name, known);
  return fail("TOOL_NOT_FOUND", `There is no draft called ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field,
    nearest: near,
    hint: known.length === 0 ? "The drafts folder is empty." : `Drafts: ${known.slice(0, 20).join(", ")}.`,
  });
}

const HASH_DIGITS = 8;
const WORDS_LENGTH_MAX = 40;
/** Beyond this, the oldest are deleted. */
const SAVED_MAX = 200;
const SAVED_NAME = /^[a-z][a-z0-9-]*-([0-9a-f]{8})\.(?:ts|json)$/;

/**
 * Saves what a run executed as a draft. Its name is made of the run's intent and the hash of the source, so the same
 * source is saved once. A file whose name no longer matches its text was edited by somebody and is never deleted here.
 */
async function saveDraft(
  folder: string,
  source: string,
  intent?: string,
  kind: CapabilityKind = "code",
): Promise<string> {
  const name = `${wordsOf(intent)}-${hashText(source).slice(0, HASH_DIGITS)}`;
  const { extension } = KINDS.find((one) => one.kind === kind)!;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(join(folder, `${name}${extension}`), source, { flag: "wx", mode: 0o600 });
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
