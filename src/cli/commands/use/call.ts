import { toolErrorIn, type ToolError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { missingFrom } from "../../../text/schema-type.ts";
import type { ToolAnswer } from "../../../core/tool.ts";
import { showAnswer, textOf, writeAnswer } from "../../terminal/answer-view.ts";
import { refuse } from "../../app-call.ts";
import { parseCallExpression } from "./call-expression.ts";
import { readArguments } from "./call-arguments.ts";
import { findCallable, signatureOfCallable, type Callable } from "./callable.ts";
import { EXIT, exitCodeOfToolError } from "../../terminal/exit-code.ts";
import { parameterLines, parametersOf } from "./parameters.ts";
import { openSession, openSessionFor, type Session } from "../../session.ts";
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
} from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { defineCommand } from "../../command.ts";

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
      ...(options.args !== undefined && { json: options.args }),
      ...(expression !== undefined && { expression: expression.data.args }),
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
    onProgress: noteProgress,
  });
  const error = answer.isError === true ? (toolErrorIn(answer) ?? errorOf(answer)) : undefined;
  if (options.json === true) printJson(error === undefined ? answer : { ...answer, error });
  if (error !== undefined) return tellError(error, one, options);
  if (options.out !== undefined) return writeAnswer(answer, options.out);
  if (options.json !== true) showAnswer(answer);
  return EXIT.ok;
}

function tellError(error: ToolError, one: Callable, options: CallOptions): number {
  if (options.json !== true) {
    printToolError(error);
    if (error.code === "TOOL_INVALID_INPUT") tellParameters(one);
  }
  return exitCodeOfToolError(error);
}

/** A server's own failure is only words. */
function errorOf(answer: ToolAnswer): ToolError {
  return fail("TOOL_EXECUTION_FAILED", textOf(answer)).error;
}
