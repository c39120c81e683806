/**
 * The library as folders of skills, for clients that read `<folder>/<name>/SKILL.md`.
 *
 * The folder may be a person's own, with skills from elsewhere in it. So a file is replaced only if it is still what
 * was written here: a record beside the skills has the digest of each. Without that, and without force, nothing is
 * written at all. The record is written before the files and again after them, with the old digests beside the new
 * ones in between: after a crash, each file is known by one of them. What is in it is read as a stranger's.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../core/json.ts";
import { parseSkillName } from "../../core/names.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import { replaceFile, SHARED_MODES } from "../../process/replace-file.ts";
import { compareText } from "../../text/compare-text.ts";
import { failOutside, kindAt, readBytes, refuse } from "../portable/folder.ts";
import { digestOf, SKILL_FILE, type LibrarySkill } from "./library-skill.ts";

const RECORD_FILE = ".repertoire-skills.json";
/** Each file takes the place of what has its name and follows no link. It can be written again: no flush is needed. */
const AS_NEW = { mode: "new", isFlushed: false, followsLink: false } as const;
const HINT =
  "Nothing was written. Move these away, choose another folder, or replace files with --force; links and devices are " +
  "never replaced.";

export interface SkillsWritten {
  /** Relative to the folder, in the order of their names. */
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  /** Written here earlier, of items that are not in the library any more. They are left where they are. */
  readonly stale: readonly string[];
}

export interface SkillFolderOptions {
  /** Replaces files that were not written here, or were changed since. */
  readonly isForced?: boolean;
  /** Says what would be written, and writes nothing. */
  readonly isDry?: boolean;
  /** The names of all skills of the library, written now or not. */
  readonly known: ReadonlySet<string>;
}

/** By the name of a skill, the digests that its file may have. */
type WrittenRecord = ReadonlyMap<string, readonly string[]>;

export async function writeSkills(
  folder: string,
  skills: readonly LibrarySkill[],
  { isForced = false, isDry = false, known }: SkillFolderOptions,
): Promise<ToolResult<SkillsWritten>> {
  const sorted = skills.toSorted((a, b) => compareText(nameOf(a), nameOf(b)));
  const record = await readRecord(folder);
  const states = await Promise.all(sorted.map((skill) => inspect(folder, skill, record, isForced)));
  const refused = [await refuseRecord(folder), ...states.map(({ refusal }) => refusal)];
  if (refused.some((one) => one !== undefined))
    return refuse(
      refused.flatMap((one) => one ?? []),
      HINT,
    );
  const changed = states.filter(({ differs }) => differs).map(({ skill }) => skill);
  const result = {
    written: changed.map(pathOf),
    unchanged: states.filter(({ differs }) => !differs).map(({ skill }) => pathOf(skill)),
    stale: await findStale(folder, record, known),
  };
  if (isDry) return succeed(result);
  try {
    await mkdir(folder, { recursive: true });
    writeRecord(folder, withDigests(record, sorted));
    for (const skill of changed) replaceFile(join(folder, pathOf(skill)), skill.text, SHARED_MODES, AS_NEW);
    writeRecord(folder, new Map([...record, ...digestsOf(sorted)]));
    return succeed(result);
  } catch (error) {
    return failOutside(`Writing into the folder failed: ${messageOf(error)}`);
  }
}

function nameOf({ frontmatter: { name } }: LibrarySkill): string {
  return name;
}

function pathOf(skill: LibrarySkill): string {
  return `${nameOf(skill)}/${SKILL_FILE}`;
}

interface SkillState {
  readonly skill: LibrarySkill;
  readonly differs: boolean;
  readonly refusal?: string;
}

/** A skill's name has letters, digits and hyphens, so no path of it leads out of the folder. */
async function inspect(
  folder: string,
  skill: LibrarySkill,
  record: WrittenRecord,
  isForced: boolean,
): Promise<SkillState> {
  const path = pathOf(skill);
  const parent = await kindAt(join(folder, dirname(path)));
  if (parent === undefined) return { skill, differs: true };
  if (parent !== "folder")
    return { skill, differs: true, refusal: `${dirname(path)}: this is a ${parent}, not a folder` };
  const kind = await kindAt(join(folder, path));
  if (kind === undefined) return { skill, differs: true };
  if (kind !== "file") return { skill, differs: true, refusal: `${path}: this is a ${kind}, not a file` };
  const bytes = await readBytes(join(folder, path));
  const digest = "problem" in bytes ? "" : digestOf(bytes.value);
  if (digest === skill.digest) return { skill, differs: false };
  if (isForced || record.get(nameOf(skill))?.includes(digest) === true) return { skill, differs: true };
  return { skill, differs: true, refusal: `${path}: this file was not written here, or was changed since` };
}

async function findStale(
  folder: string,
  record: WrittenRecord,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const gone = [...record.keys()].filter((name) => !known.has(name)).map((name) => `${name}/${SKILL_FILE}`);
  const kinds = await Promise.all(gone.map((path) => kindAt(join(folder, path)).catch(() => undefined)));
  return gone.filter((_, at) => kinds[at] === "file").sort(compareText);
}

// ── the record ──────────────────────────────────────────────────────────────────────────────────────────────────────

function digestsOf(skills: readonly LibrarySkill[]): [string, readonly string[]][] {
  return skills.map((skill) => [nameOf(skill), [skill.digest]]);
}

function withDigests(record: WrittenRecord, skills: readonly LibrarySkill[]): WrittenRecord {
  const both = skills.map((skill): [string, readonly string[]] => [
    nameOf(skill),
    [...(record.get(nameOf(skill)) ?? []), skill.digest],
  ]);
  return new Map([...record, ...both]);
}

async function refuseRecord(folder: string): Promise<string | undefined> {
  const parent = await kindAt(folder);
  if (parent !== undefined && parent !== "folder" && parent !== "link")
    return `${folder}: this is a ${parent}, not a folder`;
  const kind = await kindAt(join(folder, RECORD_FILE)).catch(() => undefined);
  return kind === undefined || kind === "file" ? undefined : `${RECORD_FILE}: this is a ${kind}, not a file`;
}

/** Nothing, where there is none or it cannot be read: then no file counts as written here. */
async function readRecord(folder: string): Promise<WrittenRecord> {
  const bytes = await readBytes(join(folder, RECORD_FILE));
  const parsed = "problem" in bytes ? undefined : parseJson(bytes.value.toString());
  const skills = parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value["skills"] : undefined;
  if (!isJsonObject(skills)) return new Map();
  const entries = Object.entries(skills).filter(([name]) => parseSkillName(name) !== undefined);
  return new Map(entries.map(([name, digests]) => [name, Array.isArray(digests) ? digests.map(String) : []]));
}

function writeRecord(folder: string, record: WrittenRecord): void {
  const skills = Object.fromEntries([...record].sort(([a], [b]) => compareText(a, b))) as JsonObject;
  const text = `${JSON.stringify({ note: "Written by repertoire export --skills.", skills }, null, 2)}\n`;
  replaceFile(join(folder, RECORD_FILE), text, SHARED_MODES, AS_NEW);
}
