import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType } from "../../core/tool.ts";
import { FILE_LIMITS, readFileDefinition } from "./definitions.ts";
import { fileFailure, irregularFailure, linkedFailure, movedFailure } from "./failure.ts";
import { locateFile, precheckFile, splitPlace, type FilePlace } from "./place.ts";
import { openFolder } from "./folder.ts";
import { readCount, readText } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { showName } from "../shown.ts";

/** A link in the last place is not followed, and opening a pipe does not wait for its other end. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function createReadFile(policy: () => NodePolicy): NodeType {
  return {
    definition: readFileDefinition,
    rawParams: [],
    isRepeatable: () => true,
    precheck: (params) => precheckFile(readText(params, "path"), policy().fileRoots),
    call: (params, context) => callReadFile(params, context, policy()),
  };
}

async function callReadFile(
  params: JsonObject,
  context: CallContext,
  policy: NodePolicy,
): Promise<ToolResult<Json>> {
  if (context.signal.aborted) return fail("CANCELLED", "Reading the file was cancelled.");
  const path = readText(params, "path") ?? "";
  const bytesMax = readCount(params, "max_bytes", FILE_LIMITS.bytes, FILE_LIMITS.bytesMax);
  try {
    const place = await locateFile(path, policy.fileRoots);
    if (!place.success) return place;
    const bytes = await readPlace(path, place.data, bytesMax);
    if (!bytes.success) return bytes;
    return describe(path, bytes.data, readText(params, "encoding") === "base64");
  } catch (error) {
    return fileFailure("read", path, error);
  }
}

async function readPlace(path: string, place: FilePlace, bytesMax: number): Promise<ToolResult<Buffer>> {
  const { folder: real, name } = splitPlace(place);
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await openFolder(real), (held) => held.close());
  // What is missing was missing when the path was looked at; opening it says so in the system's own code.
  const file = stack.adopt(await open(folder.at(place.missing[0] ?? name), READ_FLAGS), (held) =>
    held.close(),
  );
  if (!(await folder.isInPlace())) return movedFailure(path);
  const found = await file.stat();
  if (!found.isFile()) return irregularFailure("read", path);
  if (found.nlink > 1) return linkedFailure("read", path);
  const bytes = await readAtMost(file, bytesMax + 1);
  return bytes.length > bytesMax
    ? tooLarge(path, Math.max(found.size, bytes.length), bytesMax)
    : succeed(bytes);
}

/** Reads until the end and does not believe the size: it may grow meanwhile, and some files say 0. */
async function readAtMost(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const { bytesRead } = await file.read(buffer, length, bytesMax - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function tooLarge(path: string, size: number, bytesMax: number): ReturnType<typeof fail> {
  return fail(
    "TOOL_EXECUTION_FAILED",
    `The file ${showName(path)} is ${size} bytes; max_bytes is ${bytesMax}.`,
    {
      reason: "too_large",
      hint: `max_bytes can be up to ${FILE_LIMITS.bytesMax}; read a larger file in parts with another tool.`,
    },
  );
}

function describe(path: string, bytes: Buffer, asBase64: boolean): ToolResult<Json> {
  if (asBase64) return succeed({ path, bytes: bytes.length, content: bytes.toString("base64") });
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return succeed({ path, bytes: bytes.length, content });
  } catch {
    return fail("TOOL_EXECUTION_FAILED", `The file ${showName(path)} is not text in UTF-8.`, {
      reason: "not_text",
      hint: 'Read it with encoding "base64".',
    });
  }
}
