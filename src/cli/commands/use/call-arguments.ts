/** The arguments of a call, as a person writes them on a command line. */
import { readFile } from "node:fs/promises";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { define } from "./call-expression.ts";
import { typesOf } from "./parameters.ts";
import { readSource, STDIN } from "../runs/run-request.ts";
import { quote } from "../../../text/quote.ts";

const FILE_MARK = "@";

/**
 * Everything that was given, the later over the earlier: those of a call expression, `--args`, one JSON object,
 * `key=value`.
 */
export async function readArguments(
  words: readonly string[],
  given: { readonly json?: string; readonly expression?: JsonObject },
  inputSchema: JsonObject,
): Promise<ToolResult<JsonObject>> {
  const args: Record<string, Json> = {};
  const take = (object: JsonObject): void => {
    for (const [key, value] of Object.entries(object)) define(args, key, value);
  };
  take(given.expression ?? {});
  if (given.json !== undefined) {
    const object = await readObject(given.json);
    if (!object.success) return object;
    take(object.data);
  }
  for (const word of words) {
    if (word.startsWith("{")) {
      const object = objectIn(word, "The argument");
      if (!object.success) return object;
      take(object.data);
      continue;
    }
    const pair = await readPair(word, inputSchema);
    if (!pair.success) return pair;
    define(args, ...pair.data);
  }
  return succeed(args);
}

/** `--args`: JSON, `@file` or `-` for standard input. */
async function readObject(written: string): Promise<ToolResult<JsonObject>> {
  const file = written === STDIN ? STDIN : written.startsWith(FILE_MARK) ? written.slice(1) : undefined;
  if (file === undefined) return objectIn(written, "--args");
  const text = await readSource(file);
  return text.success ? objectIn(text.data, `--args ${written}`) : text;
}

function objectIn(text: string, what: string): ToolResult<JsonObject> {
  const parsed = parseJson(text.replace(/^\uFEFF/, ""));
  if (parsed.ok && isJsonObject(parsed.value)) return succeed(parsed.value);
  return fail("TOOL_INVALID_INPUT", `${what} is not a JSON object.`, { field: "args" });
}

async function readPair(word: string, { properties }: JsonObject): Promise<ToolResult<[string, Json]>> {
  const known = isJsonObject(properties) ? properties : {};
  const at = word.indexOf("=");
  if (at <= 0) {
    return fail("TOOL_INVALID_INPUT", `${quote(word, 200)} is not key=value.`, {
      field: "args",
      hint: "Write key=value, key:=JSON or key=@file; or all of it as one JSON object.",
    });
  }
  const written = word.slice(at + 1);
  const key = word.slice(0, at);
  if (key.endsWith(":") && key.length > 1 && !Object.hasOwn(known, key)) {
    const parsed = parseJson(written);
    if (parsed.ok) return succeed([key.slice(0, -1), parsed.value]);
    return fail("TOOL_INVALID_INPUT", `The value of ${key.slice(0, -1)} is not JSON.`, {
      field: key.slice(0, -1),
      hint: `Write = instead of := for text.`,
    });
  }
  if (written.startsWith(FILE_MARK) && written.length > 1) return readFilePair(key, written);
  return succeed([key, readValue(written, Object.hasOwn(known, key) ? known[key] : undefined)]);
}

async function readFilePair(key: string, written: string): Promise<ToolResult<[string, Json]>> {
  const file = written.slice(1);
  try {
    return succeed([key, await readFile(file, "utf8")]);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return fail(
      isMissing ? "TOOL_NOT_FOUND" : "TOOL_INVALID_INPUT",
      `The file ${JSON.stringify(file)} for ${key} cannot be read.`,
      { field: key, hint: `To pass the text itself: '${key}:=${JSON.stringify(written)}'` },
    );
  }
}

/** Text where the tool takes text or says nothing; otherwise JSON, and text where it is none. */
function readValue(text: string, schema: unknown): Json {
  const types = typesOf(schema);
  if (types.size === 0 || types.has("string")) return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}
