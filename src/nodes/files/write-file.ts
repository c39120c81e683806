/**
 * Writes a file inside the allowed roots. A plain write is all or nothing: the content goes to a temporary file in the
 * same folder, to the disk, and then takes the place of the old one by a rename. A process that dies before leaves the
 * old content and a `.repertoire-….tmp`; one that dies after leaves the new. Appending has no such point, so it is not
 * repeatable.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType } from "../../core/tool.ts";
import { writeFileDefinition } from "./definitions.ts";
import { errnoOf, fileFailure, irregularFailure, linkedFailure, movedFailure } from "./failure.ts";
import { locateFile, precheckFile, splitPlace, type FilePlace } from "./place.ts";
import { openFolder, type Folder } from "./folder.ts";
import { readFlag, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { showName } from "../shown.ts";

const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const APPEND_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW;
/** For its owner only: what a workflow writes may be private. */
const NEW_MODE = 0o600;
const PERMISSION_BITS = 0o777;

export function createWriteFile(policy: () => NodePolicy): NodeType {
  return {
    definition: writeFileDefinition,
    rawParams: [],
    isRepeatable: (params) => !readFlag(params, "append", false),
    precheck: (params) => precheckFile(readText(params, "path"), policy().fileRoots),
    call: (params, context) => callWriteFile(params, context, policy()),
  };
}

async function callWriteFile(
  params: JsonObject,
  context: CallContext,
  policy: NodePolicy,
): Promise<ToolResult<Json>> {
  if (context.signal.aborted) return fail("CANCELLED", "Writing the file was cancelled.");
  const path = readText(params, "path") ?? "";
  const content = decode(readText(params, "content") ?? "", readText(params, "encoding") === "base64");
  if (content === undefined) {
    return fail("TOOL_INVALID_INPUT", "The content is not valid base64.", { field: "content" });
  }
  try {
    const place = await locateFile(path, policy.fileRoots);
    if (!place.success) return place;
    return await writePlace({ path, content, params }, place.data);
  } catch (error) {
    return fileFailure("write", path, error);
  }
}

interface Writing {
  /** As it was given. */
  readonly path: string;
  readonly content: Buffer;
  readonly params: JsonObject;
}

async function writePlace(writing: Writing, place: FilePlace): Promise<ToolResult<Json>> {
  const { folder: real, absent, name } = splitPlace(place);
  if (absent.length > 0 && !readFlag(writing.params, "create_folders", true)) {
    return fail(
      "TOOL_EXECUTION_FAILED",
      `Cannot write ${showName(writing.path)}: its folder does not exist.`,
      {
        reason: "not_found",
        hint: "Set create_folders to true.",
      },
    );
  }
  await using stack = new AsyncDisposableStack();
  let folder = stack.adopt(await openFolder(real), (held) => held.close());
  if (!(await folder.isInPlace())) return movedFailure(writing.path);
  for (const part of absent) {
    await makeFolder(folder.at(part));
    folder = stack.adopt(await folder.enter(part), (held) => held.close());
  }
  const write = readFlag(writing.params, "append", false) ? append : replace;
  // Awaited here: the folders are closed when this function is left.
  return await write(writing, folder, name);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process made it meanwhile; whether it is a folder shows when it is entered.
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

async function append({ path, content }: Writing, folder: Folder, name: string): Promise<ToolResult<Json>> {
  const file = await open(folder.at(name), APPEND_FLAGS, NEW_MODE);
  try {
    const found = await file.stat();
    if (!found.isFile()) return irregularFailure("write", path);
    if (found.nlink > 1) return linkedFailure("write", path);
    if (!(await folder.isInPlace())) return movedFailure(path);
    try {
      await file.writeFile(content);
      await file.sync();
    } catch (error) {
      const failure = fileFailure("write", path, error);
      return { ...failure, error: { ...failure.error, retryable: false, mayHaveHappened: true } };
    }
    return succeed({ path, bytes: content.length });
  } finally {
    await file.close();
  }
}

async function replace(writing: Writing, folder: Folder, name: string): Promise<ToolResult<Json>> {
  const { path, content } = writing;
  const mode = await findMode(folder.at(name));
  if (mode === "irregular") return irregularFailure("write", path);
  const temporary = `.repertoire-${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeNew(folder.at(temporary), content, mode);
    if (!(await folder.isInPlace())) return movedFailure(path);
    await rename(folder.at(temporary), folder.at(name));
  } finally {
    await rm(folder.at(temporary), { force: true });
  }
  await folder.sync();
  return succeed({ path, bytes: content.length });
}

/** The mode that the file has or is to have. A file that may not be written to is not replaced either. */
async function findMode(path: string): Promise<number | "irregular"> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return "irregular";
    await access(path, constants.W_OK);
    return found.mode & PERMISSION_BITS;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return NEW_MODE;
    throw error;
  }
}

async function writeNew(path: string, content: Buffer, mode: number): Promise<void> {
  const file = await open(path, NEW_FLAGS, NEW_MODE);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Undefined for what is not base64: Node would skip what it does not know. */
function decode(content: string, isBase64: boolean): Buffer | undefined {
  if (!isBase64) return Buffer.from(content);
  const compact = content.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.replace(/=+$/, "").length % 4 === 1)
    return undefined;
  return Buffer.from(compact, "base64");
}
