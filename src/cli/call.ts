import type { Command } from "commander";
import { parseJson, type Json, type JsonObject } from "../core/json.ts";
import { parseToolName } from "../core/names.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { refuse } from "./app-call.ts";
import { EXIT, exitCodeOfToolError } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession, openSessionFor, type GlobalOptions } from "./session.ts";
import { escapeLines, note, print, printJson } from "./terminal.ts";
import { toolErrorIn, type ToolError } from "../core/errors.ts";

interface CallOptions extends GlobalOptions {
  readonly args?: string;
}

export function addCall(program: Command, finish: Finish): void {
  program
    .command("call")
    .description("Call a tool as a client would")
    .argument("<tool>", "server.tool, or the tool's exposed name")
    .argument(
      "[key=value...]",
      "arguments; numbers, booleans, lists and objects as JSON where the tool wants them",
    )
    .option("--args <json>", "all arguments as one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  $ repertoire call files.read_text_file path=/tmp/notes.txt
  $ repertoire call github.create_issue --args '{"repo": "me/it", "title": "Broken"}' --json`,
    )
    .action(async (tool: string, pairs: string[], _options: unknown, command: Command) => {
      finish(await call(tool, pairs, { ...globalOptionsOf(command), ...command.opts<CallOptions>() }));
    });
}

async function call(tool: string, pairs: readonly string[], options: CallOptions): Promise<number> {
  const name = tool.includes("__") ? tool : tool.replace(".", "__");
  const parsed = parseToolName(name);
  const session = await (parsed.kind === "upstream"
    ? openSessionFor(parsed.server, options)
    : openSession(options));
  try {
    const onProgress = (progress: JsonObject): void => {
      const { message } = progress;
      note(escapeUnprintable(typeof message === "string" ? message : JSON.stringify(progress)));
    };
    const definition = await session.app.findTool(name, { onProgress });
    const args = readArguments(pairs, options.args, definition);
    if (!args.success) return refuse(args.error, options);
    const abort = new AbortController();
    process.once("SIGINT", () => abort.abort());
    const answer = await session.app.gateway.callTool(name, args.data, {
      signal: abort.signal,
      onProgress,
    });
    return show(answer, options);
  } finally {
    await session.close();
  }
}

function readArguments(
  pairs: readonly string[],
  json: string | undefined,
  definition: ToolDefinition | undefined,
): ToolResult<JsonObject> {
  const parsed = json === undefined ? ({ ok: true, value: {} } as const) : parseJson(json);
  if (
    !parsed.ok ||
    typeof parsed.value !== "object" ||
    parsed.value === null ||
    Array.isArray(parsed.value)
  ) {
    return fail("TOOL_INVALID_INPUT", "--args is not a JSON object.", { field: "args" });
  }
  const properties = (definition?.inputSchema["properties"] ?? {}) as Record<string, JsonObject>;
  const args: Record<string, Json> = { ...(parsed.value as JsonObject) };
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at <= 0) return fail("TOOL_INVALID_INPUT", `${JSON.stringify(pair)} is not key=value.`);
    const key = pair.slice(0, at);
    args[key] = readValue(pair.slice(at + 1), properties[key]);
  }
  return succeed(args);
}

/** Text where the tool wants text or says nothing; otherwise JSON, and text where it is none. */
function readValue(text: string, schema: JsonObject | undefined): Json {
  if (schema?.["type"] === undefined || schema["type"] === "string") return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

function show(answer: ToolAnswer, options: CallOptions): number {
  const error = answer.isError === true ? (toolErrorIn(answer) ?? errorOf(answer)) : undefined;
  if (options.json === true) printJson(error === undefined ? answer : { ...answer, error });
  else for (const block of answer.content) print(escapeLines(textOf(block)));
  return error === undefined ? EXIT.ok : exitCodeOfToolError(error);
}

/** A server's own failure is only words. */
function errorOf({ content }: ToolAnswer): ToolError {
  return fail("TOOL_EXECUTION_FAILED", content.map(textOf).join("\n")).error;
}

function textOf(block: JsonObject): string {
  return typeof block["text"] === "string" ? block["text"] : JSON.stringify(block);
}
