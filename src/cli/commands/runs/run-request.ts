/** What the commands that run something are given: a file, inputs, a time limit. */
import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { messageOf } from "../../../core/errors.ts";
import { parseJson, type Json, type JsonObject } from "../../../core/json.ts";
import { parseReference } from "../../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";

/** For an option that may be given several times. */
export function collect(value: string, all: readonly string[]): string[] {
  return [...all, value];
}

export const STDIN = "-";

export async function readSource(file: string): Promise<ToolResult<string>> {
  try {
    return succeed(file === STDIN ? await readText(process.stdin) : await readFile(file, "utf8"));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const code = isMissing ? "TOOL_NOT_FOUND" : "TOOL_INVALID_INPUT";
    return fail(code, `Cannot read the file: ${messageOf(error)}`, { field: "file" });
  }
}

/** A FQDN has dots too, and is a name. */
export function isPath(text: string): boolean {
  if (text === STDIN) return true;
  const reference = parseReference(text);
  return /[./\\]/.test(text) && !(reference.success && reference.data.kind === "fqdn");
}

export function isWorkflowFile(file: string): boolean {
  return file.endsWith(".json");
}

export function readInputs(pairs: readonly string[]): ToolResult<JsonObject> {
  const inputs: Record<string, Json> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at <= 0) {
      return fail("TOOL_INVALID_INPUT", `--input ${JSON.stringify(pair)} is not key=value.`, {
        field: "input",
      });
    }
    const written = pair.slice(at + 1);
    const parsed = parseJson(written);
    // Defined, so that no name reaches a prototype; of one name twice, the last counts.
    Object.defineProperty(inputs, pair.slice(0, at), {
      value: parsed.ok ? parsed.value : written,
      enumerable: true,
      configurable: true,
    });
  }
  return succeed(inputs);
}

/** Undefined where none was given. */
export function readTimeout(written: string | undefined): ToolResult<number | undefined> {
  if (written === undefined) return succeed(undefined);
  const timeoutMs = Number(written);
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0) return succeed(timeoutMs);
  return fail("TOOL_INVALID_INPUT", `--timeout ${JSON.stringify(written)} is not a number of ms above 0.`, {
    field: "timeout",
  });
}
