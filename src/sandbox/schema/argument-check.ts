/**
 * Whether a tool's arguments fit its JSON Schema, told before the call.
 *
 * Schemas come from servers, and some of them, or some arguments, would keep a thread busy for hours. So they are compiled
 * and run in a thread of their own with a budget. The check is a help for the caller and no guard of the server, which
 * checks for itself: whatever is in doubt is `unchecked`, never `invalid`. Nothing here throws.
 */
import {
  canonicalJson,
  findJsonProblem,
  hashText,
  JSON_LIMITS,
  type Json,
  type JsonObject,
} from "../../core/json.ts";
import { createWorkerThread, type ThreadReply } from "../../process/worker-thread.ts";
import { dialectOf } from "./dialect.ts";
import type { ArgumentProblem } from "./finding.ts";
import { plainCheckOf, type PlainCheck } from "./plain-schema.ts";
import type { SchemaVerdict } from "./validator.ts";

type ArgumentVerdict =
  /** `args` has the schema's defaults where they were asked for; otherwise it is what was given. */
  | { readonly kind: "valid"; readonly args: JsonObject }
  | { readonly kind: "invalid"; readonly problems: readonly ArgumentProblem[] }
  /** The schema cannot be compiled, or the check took too long. */
  | { readonly kind: "unchecked"; readonly reason: string };

export interface ArgumentCheck {
  /** Schemas are known by identity: the same object is hashed once. `args` is never changed. */
  check(
    schema: JsonObject,
    args: JsonObject,
    options?: { readonly fillDefaults?: boolean },
  ): Promise<ArgumentVerdict>;
  /** Starts the thread before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

/** What the thread is asked. The schema's text comes along when the thread may not have it. */
export interface SchemaRequest {
  readonly hash: string;
  readonly schemaText?: string;
  readonly args: JsonObject;
  readonly fillDefaults: boolean;
}

export type SchemaReply = SchemaVerdict | { readonly kind: "unknown schema" };

/** The slowest of 364 real schemas takes 60 ms on a busy machine; a call must not wait longer than this for advice. */
const ARGUMENT_CHECK_BUDGET_MS = 250;
/** 500 compiled schemas take about 15 MB; the rest is for what a check makes of arguments. */
const MEMORY_MB_MAX = 128;
/** As much as a server may send; larger schemas do not reach the registry. */
const SCHEMA_LIMITS = { ...JSON_LIMITS, bytesMax: 256 * 1024 };
/** Hashes that are remembered, for what the thread has and for what it failed at. */
const REMEMBERED_COUNT_MAX = 1000;

/**
 * A thread that runs out of memory within one native step, such as taking in a message, can end the whole process. So
 * many values take about a tenth of its memory.
 */
const ARGUMENT_VALUE_COUNT_MAX = 100_000;
/** Keywords that refuse no object when their value is one of these; all others are left to the thread. */
const REFUSE_NOTHING: Readonly<Record<string, (value: Json) => boolean>> = {
  $schema: () => true,
  $comment: () => true,
  title: () => true,
  description: () => true,
  type: (value) => value === "object",
  properties: isEmptyObject,
  required: (value) => Array.isArray(value) && value.length === 0,
  additionalProperties: (value) => value === true || isEmptyObject(value),
};

/** What was found out about a schema without the thread. */
type Glance =
  | { readonly kind: "open" }
  | { readonly kind: "hashed"; readonly hash: string; readonly fits: PlainCheck | undefined }
  | Unchecked;
type Unchecked = { readonly kind: "unchecked"; readonly reason: string };

export function createArgumentCheck(options: { readonly budgetMs?: number } = {}): ArgumentCheck {
  const budgetMs = options.budgetMs ?? ARGUMENT_CHECK_BUDGET_MS;
  const thread = createWorkerThread<SchemaRequest, SchemaReply>({
    program: "schema-worker",
    budgetMs,
    memoryMbMax: MEMORY_MB_MAX,
  });
  const glances = new WeakMap<JsonObject, Glance>();
  const sent = new Set<string>();
  /** Schemas that cost a thread are not tried again. */
  const given = new Map<string, Unchecked>();

  function glanceAt(schema: JsonObject): Glance {
    let glance = glances.get(schema);
    if (glance === undefined) {
      glance = glanceAtNew(schema);
      glances.set(schema, glance);
    }
    return glance;
  }

  async function ask(schema: JsonObject, request: SchemaRequest): Promise<SchemaVerdict> {
    const { hash } = request;
    const isSent = sent.has(hash);
    remember(sent, hash);
    const reply = await thread.ask(isSent ? request : withText(request, schema));
    if (reply.kind !== "answered") return lost(hash, reply);
    if (reply.reply.kind !== "unknown schema") return reply.reply;
    const again = await thread.ask(withText(request, schema));
    if (again.kind !== "answered") return lost(hash, again);
    return again.reply.kind === "unknown schema" ? NOT_TAKEN : again.reply;
  }

  function lost(hash: string, reply: Exclude<ThreadReply<SchemaReply>, { kind: "answered" }>): Unchecked {
    if (reply.kind === "closed") return { kind: "unchecked", reason: "the gateway is stopping" };
    sent.clear();
    const why =
      reply.kind === "overran"
        ? `took more than ${reply.budgetMs} ms of processor time`
        : `broke the thread that ran it (${reply.reason})`;
    const verdict: Unchecked = { kind: "unchecked", reason: `the check against the schema ${why}` };
    if (given.size >= REMEMBERED_COUNT_MAX) given.delete(given.keys().next().value!);
    given.set(hash, verdict);
    return verdict;
  }

  return {
    async check(schema, args, { fillDefaults = false } = {}) {
      const glance = glanceAt(schema);
      if (glance.kind === "open") return { kind: "valid", args };
      if (glance.kind === "unchecked") return glance;
      if (glance.fits?.(args) === true) return { kind: "valid", args };
      const before = given.get(glance.hash);
      if (before !== undefined) return before;
      const problem = findArgumentProblem(args);
      if (problem !== undefined)
        return { kind: "unchecked", reason: `the arguments cannot be checked: ${problem}` };
      const verdict = await ask(schema, { hash: glance.hash, args, fillDefaults });
      return verdict.kind === "valid" ? { kind: "valid", args: verdict.filled ?? args } : verdict;
    },
    warm: () => thread.warm(),
    close: () => thread.close(),
  };
}

const NOT_TAKEN: Unchecked = {
  kind: "unchecked",
  reason: "the schema did not reach the thread that checks it",
};

function glanceAtNew(schema: JsonObject): Glance {
  try {
    return acceptsEveryObject(schema)
      ? { kind: "open" }
      : { kind: "hashed", hash: hashText(canonicalJson(schema, SCHEMA_LIMITS)), fits: plainCheckOf(schema) };
  } catch (error) {
    return { kind: "unchecked", reason: `the schema cannot be used: ${(error as Error).message}` };
  }
}

/** Whether a schema says so little that there is nothing to check, as for most tools without arguments. */
function acceptsEveryObject(schema: JsonObject): boolean {
  if (dialectOf(schema) === undefined) return false;
  return Object.entries(schema).every(
    ([keyword, value]) => Object.hasOwn(REFUSE_NOTHING, keyword) && REFUSE_NOTHING[keyword]!(value),
  );
}

function isEmptyObject(value: Json): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

/** Why arguments cannot be handed to the thread; what passes is plain data and can be copied. */
function findArgumentProblem(args: unknown): string | undefined {
  if (hasMoreValuesThan(ARGUMENT_VALUE_COUNT_MAX, args))
    return `they have more than ${ARGUMENT_VALUE_COUNT_MAX} values`;
  return findJsonProblem(args);
}

function hasMoreValuesThan(countMax: number, root: unknown): boolean {
  let count = 1;
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += children.length;
    if (count > countMax) return true;
    for (const child of children) stack.push(child);
  }
  return false;
}

/** The text is made again rather than kept: it is needed once for each thread. */
function withText(request: SchemaRequest, schema: JsonObject): SchemaRequest {
  return { ...request, schemaText: canonicalJson(schema, SCHEMA_LIMITS) };
}

/** A hash that falls out is sent once more, so all of them may fall out together. */
function remember(hashes: Set<string>, hash: string): void {
  if (hashes.size >= REMEMBERED_COUNT_MAX) hashes.clear();
  hashes.add(hash);
}
