/**
 * The static tools of a program as a source of tools, like any server: found, called by code and workflows, decided on by
 * rules, journalled and logged as theirs are.
 *
 * A handler is code of the program and cannot be ended: when its call is cancelled or takes too long, the caller is
 * answered, and what the handler does after that is not looked at. It gets a copy of the arguments and its result is
 * copied, so that what is on record cannot change behind a call. Nothing that a handler does makes a call throw.
 */
import { messageOf } from "../core/errors.ts";
import { DATA_LIMITS, findJsonProblem, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer, ToolSource } from "../core/tool.ts";
import { checkArguments } from "../runs/runs.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import type { StaticCallContext } from "./public-gateway.ts";
import type { ReadTool, StaticTools } from "./static-tools.ts";

export function createProgramSource({ namespace, tools }: StaticTools, check: ArgumentCheck): ToolSource {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const closing = new AbortController();

  async function call(
    name: string,
    given: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    if (closing.signal.aborted) return closed();
    const tool = byName.get(name);
    if (tool === undefined) return fail("TOOL_NOT_FOUND", `The program has no tool ${JSON.stringify(name)}.`);
    const args = await checkArguments(check, tool.definition.inputSchema, given);
    if (!args.success) return args;
    const overdue = new AbortController();
    const timer = startTimer(tool.timeoutMs, overdue);
    const signal = AbortSignal.any([context.signal, closing.signal, overdue.signal]);
    // Nothing has happened yet.
    if (signal.aborted) return fail("CANCELLED", `The call of ${name} was cancelled.`);
    try {
      const returned = await untilAborted(callHandler(tool, args.data, { ...context, signal }), signal);
      return await answerOf(tool, returned ?? null, check);
    } catch (error) {
      if (overdue.signal.aborted) return tookTooLong(tool);
      if (closing.signal.aborted && !context.signal.aborted) return closed(true);
      if (context.signal.aborted) return cancelled(name);
      return fail("TOOL_EXECUTION_FAILED", wordsOf(error) || `${name} failed and did not say why.`);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    id: namespace,
    list: () => Promise.resolve(succeed({ tools: tools.map(({ definition }) => definition) })),
    call,
    changed: () => () => {},
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

/** An async function, so that what a handler throws at once is a rejection. */
async function callHandler(
  tool: ReadTool,
  args: JsonObject,
  { traceId, signal, onProgress }: CallContext,
): Promise<unknown> {
  const context: StaticCallContext = {
    traceId,
    signal,
    onProgress(progress) {
      // It may come from a timer of the program, where an error would end the program.
      const isSound = isJsonObject(progress) && typeof progress["progress"] === "number";
      if (isSound && !signal.aborted && findJsonProblem(progress) === undefined)
        onProgress?.(structuredClone(progress));
    },
  };
  return tool.call(structuredClone(args), context);
}

/** It keeps the process alive: somebody waits for the answer. */
function startTimer(timeoutMs: number | undefined, overdue: AbortController): NodeJS.Timeout | undefined {
  return timeoutMs === undefined ? undefined : setTimeout(() => overdue.abort(), timeoutMs);
}

/** Rejects as soon as the signal says so: a program's function may never look at it. */
async function untilAborted(value: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Error("aborted"));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { signal: done.signal });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    done.abort();
  }
}

async function answerOf(
  { definition: { name, outputSchema } }: ReadTool,
  value: unknown,
  check: ArgumentCheck,
): Promise<ToolResult<ToolAnswer>> {
  const problem = findJsonProblem(value, DATA_LIMITS);
  if (problem !== undefined) return badResult(name, `is not plain JSON: ${problem}`);
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > DATA_LIMITS.bytesMax)
    return badResult(name, `is ${bytes} bytes as JSON; the limit is ${DATA_LIMITS.bytesMax}`);
  const data = JSON.parse(text) as Json;
  const misfit = outputSchema === undefined ? undefined : await findMisfit(outputSchema, data, check);
  if (misfit !== undefined) return badResult(name, `does not fit its outputSchema: ${misfit}`);
  return succeed({
    content: [{ type: "text", text: typeof data === "string" ? data : text }],
    ...(isJsonObject(data) && { structuredContent: data }),
  });
}

/** Code and clients rely on what is declared. A schema that cannot be checked in time is believed. */
async function findMisfit(schema: JsonObject, data: Json, check: ArgumentCheck): Promise<string | undefined> {
  if (!isJsonObject(data)) return "it must be an object";
  const verdict = await check.check(schema, data);
  if (verdict.kind !== "invalid") return undefined;
  return verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
}

function badResult(name: string, why: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", `What ${name} returned ${why}.`, { mayHaveHappened: true });
}

function cancelled(name: string): ToolResult<never> {
  return fail("CANCELLED", `The call of ${name} was cancelled.`, { mayHaveHappened: true });
}

function tookTooLong({ definition: { name }, timeoutMs }: ReadTool): ToolResult<never> {
  return fail("TOOL_TIMEOUT", `${name} did not answer within ${timeoutMs} ms.`, {
    // It goes on, so the call must not be repeated blindly.
    retryable: false,
    mayHaveHappened: true,
    hint: "It may still take effect. Check before you call again, or raise timeoutMs of this tool.",
  });
}

function closed(mayHaveHappened?: true): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", "The gateway is closed.", {
    retryable: false,
    ...(mayHaveHappened && { mayHaveHappened }),
  });
}

/** More is no message. */
const MESSAGE_LENGTH_MAX = 10_000;

/** Anything can be thrown, also what has no words. */
function wordsOf(error: unknown): string {
  try {
    const words: unknown = error === undefined || error === null ? "" : messageOf(error);
    return String(words).slice(0, MESSAGE_LENGTH_MAX);
  } catch {
    return "";
  }
}
