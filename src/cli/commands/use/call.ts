import { readFile } from "node:fs/promises";
import { toolErrorIn, type ToolError } from "../../../core/errors.ts";
import { type JsonObject, isJsonObject, parseJson, type Json } from "../../../core/json.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { missingFrom } from "../../../text/schema-type.ts";
import type { ToolAnswer } from "../../../core/tool.ts";
import { showAnswer, textOf, writeAnswer } from "../../terminal/answer-view.ts";
import { refuse } from "../../app-call.ts";
import { parseCallExpression, define } from "./call-expression.ts";
import { signatureOfCallable, type Callable } from "../../../operator/tools/callables.ts";
import { findCallable } from "./callable.ts";
import { EXIT, exitCodeOfToolError } from "../../terminal/exit-code.ts";
import { parametersOf, typesOf } from "../../../operator/tools/parameters.ts";
import { parameterLines } from "./parameter-lines.ts";
import { openSession, openSessionFor, type Session } from "../../session.ts";
import { folderSession } from "../runs/run-reference.ts";
import type { GlobalOptions } from "../../global-options.ts";
import {
  dim,
  green,
  note,
  noteProgress,
  print,
  printJson,
  printToolError,
  tell,
  yellow,
} from "../../terminal/terminal.ts";
import { commandLine } from "../../command-line.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { defineCommand } from "../../command.ts";
import { readSource, STDIN } from "../runs/run-request.ts";
import { quote } from "../../../text/quote.ts";

interface CallOptions extends GlobalOptions {
  readonly args?: string;
  readonly out?: string;
  readonly dryRun?: boolean;
}

export const callCommand = defineCommand({
  name: "call",
  group: "use",
  summary: "Call a tool as a client would",
  arguments: [
    {
      words: "<tool>",
      about: "server.tool, its bare name if it is unique, a library item, or a whole call as in code",
      completes: ["tools"],
    },
    {
      words: "[key=value...]",
      about:
        "arguments. key=value is text, or JSON if the tool takes no text; key:=JSON is JSON; key=@file is the text of a file; {…} is all arguments",
      completes: ["parameters"],
    },
  ],
  options: [
    {
      flags: "--args <json>",
      about: "all arguments as one JSON object, @file, or - for standard input",
      completes: ["files"],
    },
    {
      flags: "--out <file>",
      about: "write the result to a file: the first image, sound or blob, or the text",
      completes: ["files"],
    },
    { flags: "--dry-run", about: "Check the arguments and show what would be called, and call nothing" },
  ],
  examples: [
    "repertoire call files.read_text_file path=/tmp/notes.txt",
    "repertoire call read_text_file path=/tmp/notes.txt head:=3",
    'repertoire call \'github.create_issue(owner: "me", repo: "it", title: "Broken", labels: ["bug"])\'',
    "repertoire call notes.add text=@letter.txt",
    'repertoire call github.create_issue --args \'{"repo": "me/it", "title": "Broken"}\' --json',
    "repertoire call math:sum a=1 b=2 --dry-run",
  ],
  run: (options: CallOptions, tool: string, words: string[]) => call(tool, words, options),
});

async function call(given: string, words: readonly string[], options: CallOptions): Promise<number> {
  const expression = await parseCallExpression(given);
  if (expression?.success === false) return refuse(expression.error, options);
  const name = expression?.data.tool ?? given;
  const server = /^(?:mcp\.)?([^.:]+?)(?:\.|__)/.exec(name)?.[1];
  const session = await (server === undefined ? openSession(options) : openSessionFor(server, options));
  try {
    const servers = session.config.current().servers.map(({ id }) => id);
    const found = await findCallable(session.app, name, servers);
    if (!found.success) return refuse(found.error, options);
    // A bare name may be another server's tool than was meant, while the right server is down.
    if (found.data.bare === name && found.data.written !== name) note(dim(`calling ${found.data.written}`));
    const from = {
      json: options.args,
      expression: expression?.data.args,
    };
    const args = await readArguments(words, from, found.data.definition.inputSchema);
    const checked = args.success ? checkNames(found.data, args.data) : args;
    if (!checked.success) return refuseArguments(checked.error, found.data, options);
    if (options.dryRun === true) return await checkOnly(session, found.data, checked.data, options);
    return await perform(session, found.data, checked.data, options);
  } finally {
    await session.close();
  }
}

/**
 * Only what is certainly wrong is refused here: schemas are often wrong in detail, and the server checks for itself.
 */
function checkNames({ definition: { inputSchema } }: Callable, args: JsonObject): ToolResult<JsonObject> {
  const names = parametersOf(inputSchema).map(({ name }) => name);
  const unknown = Object.keys(args).filter((key) => !names.includes(key));
  const isClosed = inputSchema["additionalProperties"] === false;
  const missing = missingFrom(inputSchema, Object.keys(args));
  const [stranger] = missing.length > 0 || isClosed ? unknown : [];
  const said = [
    ...(missing.length > 0 ? [`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing.`] : []),
    ...(stranger === undefined
      ? []
      : [
          `${JSON.stringify(stranger)} is not a parameter of this tool.${didYouMean(nearest(stranger, names))}`,
        ]),
  ];
  if (said.length === 0) return succeed(args);
  return fail("TOOL_INVALID_INPUT", said.join(" "), {
    reason: "invalid_arguments",
    field: missing[0] ?? stranger!,
    ...(missing.length > 0 && { missing }),
  });
}

/** A person who got the arguments wrong is told what they are. */
function refuseArguments(error: ToolError, one: Callable, options: CallOptions): number {
  const exitCode = refuse({ ...error, signature: signatureOfCallable(one) }, options);
  if (options.json !== true && error.code === "TOOL_INVALID_INPUT") tellParameters(one);
  return exitCode;
}

function tellParameters(one: Callable): void {
  const width = process.stderr.isTTY ? process.stderr.columns : Number.POSITIVE_INFINITY;
  for (const line of wrapText(escapeUnprintable(signatureOfCallable(one)), width, "  ", "      ")) tell(line);
  for (const line of parameterLines(parametersOf(one.definition.inputSchema), width)) tell(`  ${line}`);
}

async function checkOnly(
  { app }: Session,
  one: Callable,
  args: JsonObject,
  options: CallOptions,
): Promise<number> {
  const checked = await app.runs.checkArguments(one.definition.inputSchema, args);
  if (!checked.success) return refuseArguments(checked.error, one, options);
  if (options.json === true) printJson({ dryRun: true, tool: one.name, arguments: args });
  else {
    print(`${green("would call")} ${escapeUnprintable(one.written)}`);
    print(escapeUnprintable(JSON.stringify(args)));
    note(dim("The arguments are valid. Nothing was called (--dry-run)."));
  }
  return EXIT.ok;
}

async function perform(
  { app }: Session,
  one: Callable,
  args: JsonObject,
  options: CallOptions,
): Promise<number> {
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort());
  const answer = await app.gateway.callTool(one.name, args, {
    signal: abort.signal,
    session: folderSession(),
    onProgress: noteProgress,
  });
  const told = toolErrorIn(answer);
  const isOver = answer.isError === true || told?.code === "APPROVAL_REQUIRED";
  const error = isOver ? (told ?? errorOf(answer)) : undefined;
  if (options.json === true) printJson(error === undefined ? answer : { ...answer, error });
  if (error !== undefined) return tellError(error, one, options);
  if (options.out !== undefined) return writeAnswer(answer, options.out);
  if (options.json !== true) showAnswer(answer);
  return EXIT.ok;
}

function tellError(error: ToolError, one: Callable, options: CallOptions): number {
  if (options.json !== true) {
    if (error.code === "APPROVAL_REQUIRED") tellWaiting(error, options);
    else printToolError(error);
    if (error.code === "TOOL_INVALID_INPUT") tellParameters(one);
  }
  return exitCodeOfToolError(error);
}

/** The call has not failed: a person decides first. */
function tellWaiting({ message, runId = "" }: ToolError, options: CallOptions): void {
  tell(`${yellow("paused")} ${runId}`);
  tell(`  ${escapeUnprintable(message)}`);
  tell(`  decide with:   ${commandLine(["approve", runId], options)}`);
  tell(`  continue with: ${commandLine(["resume", runId], options)}`);
}

/** A server's own failure is only words. */
function errorOf(answer: ToolAnswer): ToolError {
  return fail("TOOL_EXECUTION_FAILED", textOf(answer)).error;
}

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
