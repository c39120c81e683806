/** A call as the call log keeps it: who, what, what was decided, how it ended; of the arguments a digest. */
import { createHmac, type KeyObject } from "node:crypto";
import type { PassedCall } from "../core/guard.ts";
import { canonicalJson, isJsonObject, NO_LIMITS, type JsonObject } from "../core/json.ts";
import { LOCAL } from "../core/principal.ts";
import type { ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import type { CallEntry } from "../core/trust-store.ts";
import { cut } from "../text/cut.ts";
import { escapeUnprintable } from "../text/printable.ts";
import { createRedactor, KNOWN_SECRET_LENGTH_MIN } from "../text/redaction.ts";
import type { Redactors } from "../text/redactors.ts";

export interface CallEntryOptions {
  /** The secret that digests are keyed with; as bytes, Node would make a key of them for each digest, which takes ten times as long. */
  readonly key: KeyObject;
  readonly keepsArguments: boolean;
  readonly redactors: Pick<Redactors, "current" | "known">;
}

/** An entry, and about how many characters were read to make it. */
export interface MadeEntry {
  readonly entry: CallEntry;
  readonly readLength: number;
}

/** 128 bits: equal digests are equal arguments. */
const DIGEST_LENGTH = 32;
/** A resource's URI can be of any length; a person knows it by its beginning. */
const NAME_LENGTH_MAX = 500;
/** What is larger is data, and would make the log as large as the traffic. */
export const KEPT_ARGUMENTS_LENGTH_MAX = 16_384;

export function createCallEntry(passed: PassedCall, endedAt: number, options: CallEntryOptions): MadeEntry {
  const { call, context, decision, result, elapsedMs } = passed;
  const text = textOf(call.args);
  const { bytes, readLength } = measureAnswer(result);
  const entry: CallEntry = {
    at: Math.round(endedAt - elapsedMs),
    principal: context.principal?.id ?? LOCAL,
    client: context.clientName ?? null,
    profile: context.view?.profile ?? null,
    kind: call.kind,
    tool: nameOf(call, options),
    effect: decision.effect,
    decision: decision.do,
    rule: decision.rule.name,
    argsDigest: createHmac("sha256", options.key).update(text).digest("hex").slice(0, DIGEST_LENGTH),
    args: options.keepsArguments ? keptArguments(call.args, text.length, context, options) : null,
    outcome: outcomeOf(result),
    elapsedMs: Math.round(elapsedMs * 100) / 100,
    bytes,
    runId: context.runId ?? null,
    traceId: context.traceId,
  };
  return { entry, readLength: text.length + readLength };
}

/** Only an address is the client's own word, and can carry a secret or what cannot be stored: other names are from lists. */
function nameOf({ kind, name }: PassedCall["call"], { redactors }: CallEntryOptions): string {
  const short = cut(name, NAME_LENGTH_MAX);
  return kind === "resource" ? redactors.current().text(escapeUnprintable(short)) : short;
}

/** Arguments were bounded where they came in; what is no JSON after all must not stop the log. */
function textOf(args: JsonObject): string {
  try {
    return canonicalJson(args, NO_LIMITS);
  } catch {
    return "";
  }
}

/** Nothing is kept where a sensitive value is too short to be told from ordinary text. */
function keptArguments(
  args: JsonObject,
  length: number,
  { sensitive = [] }: CallContext,
  { redactors }: CallEntryOptions,
): JsonObject | null {
  if (sensitive.some(({ value }) => value.length < KNOWN_SECRET_LENGTH_MIN)) return null;
  if (length > KEPT_ARGUMENTS_LENGTH_MAX) return { "repertoire/notKept": `${length} characters` };
  const redactor =
    sensitive.length === 0
      ? redactors.current()
      : createRedactor([...redactors.known(), ...sensitive.map(({ value }) => value)]);
  const redacted = redactor.value(args);
  return isJsonObject(redacted) ? redacted : null;
}

/** `tool_error` is the tool's own word; everything else that went wrong has a code of ours. */
function outcomeOf(result: ToolResult<unknown>): string {
  if (result.success)
    return isJsonObject(result.data) && result.data["isError"] === true ? "tool_error" : "ok";
  const { code, reason } = result.error;
  return reason === undefined ? code : `${code} ${reason}`;
}

interface Measured {
  readonly bytes: number;
  readonly readLength: number;
}

/** Of the texts of an answer, a resource or a prompt; of the structure where there is no text. */
function measureAnswer(result: ToolResult<unknown>): Measured {
  if (!result.success) return { bytes: 0, readLength: 0 };
  const answer = result.data;
  if (!isJsonObject(answer)) return measureJson(answer);
  const lists = [answer["content"], answer["contents"], answer["messages"]];
  const bytes = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? blocksBytes(list) : 0), 0);
  if (bytes > 0) return { bytes, readLength: 0 };
  const hasList = lists.some(Array.isArray);
  const structure = answer["structuredContent"] ?? (hasList ? undefined : answer);
  return structure === undefined ? { bytes: 0, readLength: 0 } : measureJson(structure);
}

function blocksBytes(blocks: readonly unknown[]): number {
  let bytes = 0;
  for (const block of blocks) bytes += blockBytes(block);
  return bytes;
}

/** A block of content, a content of a resource, or a message of a prompt with one or more blocks in it. */
function blockBytes(block: unknown): number {
  if (!isJsonObject(block)) return 0;
  const { text, data, blob, resource, content } = block;
  const inner = Array.isArray(content) ? blocksBytes(content) : blockBytes(content);
  return textBytes(text) + textBytes(data) + textBytes(blob) + blockBytes(resource) + inner;
}

function textBytes(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

/** More values are not counted: writing a large structure once more would cost as much as the call itself. */
const COUNTED_VALUES_MAX = 20_000;

/** As many bytes as its JSON has, escapes aside; of a very large structure, at least so many. */
function measureJson(root: unknown): Measured {
  if (typeof root === "string") return { bytes: Buffer.byteLength(root), readLength: root.length };
  let bytes = 0;
  let count = 0;
  try {
    const waiting: unknown[] = [root];
    for (; waiting.length > 0 && count < COUNTED_VALUES_MAX; count++)
      bytes += measureValue(waiting.pop(), waiting);
  } catch {
    // It is no JSON after all.
  }
  return { bytes, readLength: bytes };
}

/** A value without those in it, which are left for later. */
function measureValue(value: unknown, waiting: unknown[]): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  const inner = Array.isArray(value) ? value : Object.values(value);
  for (const item of inner.slice(0, COUNTED_VALUES_MAX)) waiting.push(item);
  const commas = Math.max(0, inner.length - 1);
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(key) + 3, 2 + commas);
}
