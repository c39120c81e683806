/** Reading a folder of capabilities, all of it or nothing. */
import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { compareText } from "../../text/compare-text.ts";
import {
  codeOf,
  failOutside,
  findTwins,
  kindOf,
  problemsOf,
  readBytes,
  refuse,
  type Outcome,
} from "./folder.ts";
import { PORTABLE_EXTENSIONS } from "./header.ts";
import { checkPortable, failWith, type PortableCapability } from "./portable.ts";

/** Far more than any library that people can look through. */
const FILE_COUNT_MAX = 10_000;
/** All of them are held in memory at once; a file of a real capability has about 4 KiB. */
const FOLDER_BYTES_MAX = 256 * 1024 * 1024;
/** More than are shown; a hostile folder must not be read to its end. */
const PROBLEMS_ENOUGH = 1_000;

const EXTENSIONS = Object.values(PORTABLE_EXTENSIONS);
const READ_HINT = "Correct or remove these files and read the folder again; nothing was taken over.";

/**
 * Reads every capability of a folder, or tells every problem of every file. Other files, and folders whose name begins
 * with a dot, do not count.
 */
export async function readPortable(
  folder: string,
  fileCountMax: number = FILE_COUNT_MAX,
): Promise<ToolResult<readonly PortableCapability[]>> {
  try {
    const found = await findFiles(folder, fileCountMax);
    if ("problem" in found) return failWith([found.problem], READ_HINT);
    return await readAll(folder, found.value);
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return fail("TOOL_NOT_FOUND", `There is no folder ${JSON.stringify(folder)}.`);
    return failOutside(`The folder ${JSON.stringify(folder)} cannot be read: ${messageOf(error)}`);
  }
}

async function readAll(
  folder: string,
  { paths, refused }: FoundFiles,
): Promise<ToolResult<readonly PortableCapability[]>> {
  const items: PortableCapability[] = [];
  const problems = findTwins(paths);
  let bytesLeft = FOLDER_BYTES_MAX;
  for (const path of paths) {
    const bytes = await readBytes(join(folder, path));
    const text = "problem" in bytes ? bytes : decode(bytes.value);
    if ("value" in bytes) bytesLeft -= bytes.value.length;
    if (bytesLeft < 0)
      return failWith([`the files have more than ${FOLDER_BYTES_MAX} bytes together`], READ_HINT);
    if ("problem" in text) {
      problems.push(escapeUnprintable(`${path}: ${text.problem}`));
      continue;
    }
    const checked = checkPortable(path, text.value);
    if (checked.ok) items.push(checked.item);
    problems.push(...problemsOf(checked));
    if (problems.length > PROBLEMS_ENOUGH) break;
  }
  if (refused.length > 0) return refuse([...refused, ...problems], READ_HINT);
  return problems.length > 0 ? failWith(problems, READ_HINT) : succeed(items);
}

interface FoundFiles {
  readonly paths: string[];
  readonly refused: string[];
}

async function findFiles(folder: string, fileCountMax: number): Promise<Outcome<FoundFiles>> {
  const found: FoundFiles = { paths: [], refused: [] };
  const namespaces = await listFolder(
    folder,
    (entry) => !entry.name.startsWith(".") && !entry.isFile(),
    fileCountMax,
  );
  if ("problem" in namespaces) return namespaces;
  for (const { name, kind } of namespaces.value) {
    if (kind === "link" && (await leadsToFolder(join(folder, name))))
      found.refused.push(`${name}: this is a link; make it a folder`);
    if (kind !== "folder") continue;
    const files = await listFolder(
      join(folder, name),
      (entry) => EXTENSIONS.some((end) => entry.name.endsWith(end)),
      fileCountMax,
    );
    if ("problem" in files) return files;
    for (const file of files.value) {
      if (file.kind === "file") found.paths.push(`${name}/${file.name}`);
      else found.refused.push(`${name}/${file.name}: this is a ${file.kind}, not a file`);
    }
    if (found.paths.length > fileCountMax) return tooMany(fileCountMax);
  }
  return { value: found };
}

/** The wanted entries in the order of their names. It stops at the limit instead of listing a million. */
async function listFolder(
  path: string,
  isWanted: (entry: Dirent) => boolean,
  fileCountMax: number,
): Promise<Outcome<{ readonly name: string; readonly kind: string }[]>> {
  const entries: { name: string; kind: string }[] = [];
  for await (const entry of await opendir(path)) {
    if (isWanted(entry)) entries.push({ name: entry.name, kind: kindOf(entry) });
    if (entries.length > fileCountMax) return tooMany(fileCountMax);
  }
  return { value: entries.sort((a, b) => compareText(a.name, b.name)) };
}

function tooMany(countMax: number): { readonly problem: string } {
  return { problem: `there are more than ${countMax} files; split the folder into several` };
}

/** A link to a file beside the namespaces, such as a README, is none of our business. */
async function leadsToFolder(path: string): Promise<boolean> {
  const target = await stat(path).catch(() => undefined);
  return target?.isDirectory() ?? false;
}

function decode(bytes: Buffer): Outcome<string> {
  try {
    // A byte order mark is part of the text: the source may begin with one.
    return { value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: "the file is not valid UTF-8; save it as UTF-8" };
  }
}
