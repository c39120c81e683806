import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import type { Command } from "commander";
import type { ToolError } from "../core/errors.ts";
import { messageOf } from "../core/errors.ts";
import { parseJson, type Json, type JsonObject } from "../core/json.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { EXIT, exitCodeOfToolError } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { startProgressLine } from "./progress-line.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "./session.ts";
import { escapeLines, dim, note, print, printJson, printToolError, yellow } from "./terminal.ts";

interface RunOptions extends GlobalOptions {
  readonly input: readonly string[];
  readonly intent?: string;
  readonly timeout?: string;
}

/** What `execute` answers. */
interface Executed {
  readonly success: boolean;
  readonly outputs: Json;
  readonly error: ToolError | null;
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly calls: readonly {
    readonly tool: string;
    readonly success: boolean;
    readonly elapsed_ms: number;
  }[];
  readonly warnings: readonly string[];
  readonly draft: string | null;
}

export function addRun(program: Command, finish: Finish): void {
  program
    .command("run")
    .description("Run a file of TypeScript, or a draft, against your tools")
    .argument("<file>", "a .ts or .js file, - for standard input, or the name of a draft")
    .option(
      "--input <key=value>",
      "an input, args.key in the code; JSON where it is JSON, else text",
      collect,
      [],
    )
    .option("--intent <text>", "what the run is for, in one sentence")
    .option("--timeout <ms>", "the time limit of the run")
    .addHelpText(
      "after",
      `
Examples:
  $ repertoire run report.ts --input repo=me/it --input days=7
  $ echo 'return Object.keys(args)' | repertoire run - --input a=1 --json`,
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      finish(await run(file, { ...globalOptionsOf(command), ...command.opts<RunOptions>() }));
    });
}

function collect(value: string, all: readonly string[]): string[] {
  return [...all, value];
}

async function run(file: string, options: RunOptions): Promise<number> {
  const request = await readRequest(file, options);
  if (!request.success) return refuse(request.error, options);
  const session = await openSession(options);
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once("SIGINT", interrupt);
  const progress = startProgressLine();
  try {
    const answer = await session.app.gateway.callTool("execute", request.data, {
      signal: abort.signal,
      onProgress: (step) =>
        progress.show(`${step["progress"] as number} calls · ${step["message"] as string}`),
    });
    progress.end();
    const executed = answer.structuredContent as unknown as Executed;
    return options.json === true ? showJson(executed) : show(executed);
  } finally {
    progress.end();
    process.off("SIGINT", interrupt);
    await session.close();
  }
}

async function readRequest(file: string, options: RunOptions): Promise<ToolResult<JsonObject>> {
  const inputs = readInputs(options.input);
  if (!inputs.success) return inputs;
  const what = await readCode(file);
  if (!what.success) return what;
  return succeed({
    ...what.data,
    inputs: inputs.data,
    ...(options.timeout !== undefined && { timeout_ms: Number(options.timeout) }),
    ...(options.intent !== undefined && { intent: options.intent }),
  });
}

/** A path is a file; anything else is a name. */
async function readCode(file: string): Promise<ToolResult<JsonObject>> {
  const isPath = file === "-" || /[./\\]/.test(file);
  if (!isPath) return succeed({ name: file });
  try {
    return succeed({ code: file === "-" ? await readText(process.stdin) : await readFile(file, "utf8") });
  } catch (error) {
    return fail("TOOL_INVALID_INPUT", `The file cannot be read: ${messageOf(error)}`, { field: "file" });
  }
}

function readInputs(pairs: readonly string[]): ToolResult<JsonObject> {
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
    Object.defineProperty(inputs, pair.slice(0, at), {
      value: parsed.ok ? parsed.value : written,
      enumerable: true,
    });
  }
  return succeed(inputs);
}

function refuse(error: ToolError, options: RunOptions): number {
  if (options.json === true) printJson({ success: false, error });
  else printToolError(error);
  return exitCodeOfToolError(error.code);
}

function showJson(executed: Executed): number {
  printJson(executed);
  return exitCodeOf(executed);
}

/** The result is the output; everything else is about it. A request that was refused has no logs and calls. */
function show(executed: Executed): number {
  const { success, outputs, error } = executed;
  const { logs = [], calls = [], warnings = [], draft = null } = executed as Partial<Executed>;
  for (const { level, message } of logs) note(dim(`${level.padEnd(5)} ${escapeLines(message)}`));
  for (const warning of warnings) note(`${yellow("warning")} ${escapeLines(warning)}`);
  if (calls.length > 0) note(dim(summaryOf(calls)));
  if (success) print(typeof outputs === "string" ? escapeLines(outputs) : JSON.stringify(outputs, null, 2));
  if (error !== null) showError(error);
  if (draft !== null) note(dim(`draft ${draft}`));
  return exitCodeOf(executed);
}

function summaryOf(calls: Executed["calls"]): string {
  const ms = calls.reduce((sum, call) => sum + call.elapsed_ms, 0);
  const failed = calls.filter((call) => !call.success).length;
  const tools = [...new Set(calls.map((call) => call.tool))].join(", ");
  return `${calls.length} calls (${tools}), ${failed} failed, ${Math.round(ms)} ms in all`;
}

function showError(error: ToolError): void {
  printToolError(error);
  if (error.place !== undefined) note(dim(`  ${error.place.line} | ${escapeUnprintable(error.place.text)}`));
}

function exitCodeOf({ success, error }: Executed): number {
  if (success) return EXIT.ok;
  return error === null ? EXIT.failed : exitCodeOfToolError(error.code);
}
