/**
 * What a server's result must look like, method by method, as the protocol's schemas have it and clients check it.
 *
 * A repair is made only where the meaning is certain: `null` in a field that may be missing, no `content` beside
 * `structuredContent`, a hint (annotations, icons, `_meta`) of the wrong kind, which says nothing about the data beside
 * it. Anything else is a misfit: an answer that is guessed at is worse than one that failed.
 */
import {
  anyObject,
  flag,
  integer,
  listOf,
  Misfit,
  oneOf,
  record,
  text,
  type Fit,
  type RecordFields,
} from "../../text/fit.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { CONTENT_BLOCK, ICONS, MESSAGE_META, RESOURCE_CONTENTS, ROLE } from "../../text/mcp-fields.ts";

const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

/** The key of each list. Its entries are bounded one by one where they are admitted, not here. */
export const LIST_KEYS: Readonly<Record<string, string>> = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
  "skills/list": "skills",
};

const wholeMs: Fit = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? value
    : new Misfit(" must be a number of milliseconds");
const anyList: Fit = (value) => (Array.isArray(value) ? value : new Misfit(" must be a list"));

function resultOf({ needs, may, hints }: RecordFields): Fit {
  const caching = { ttlMs: wholeMs, cacheScope: oneOf("public", "private") };
  return record({
    needs,
    may: { resultType: text, ...may },
    hints: { _meta: MESSAGE_META, ...caching, ...hints },
  });
}

const TOOL_ANSWER = resultOf({
  needs: { content: listOf(CONTENT_BLOCK) },
  may: { structuredContent: anyObject, isError: flag },
});

const INPUT_REQUEST = record({ needs: { method: text }, may: { params: anyObject } });
/** What a modern server asks before it answers. What it asks for is checked where it is asked. */
const INPUT_REQUIRED = resultOf({
  may: { inputRequests: mapOf(INPUT_REQUEST), requestState: text },
});

/** It travels in a header, and in ids of our own. */
const TASK_ID_LENGTH_MAX = 512;
const taskId: Fit = (value) =>
  typeof value === "string" && value !== "" && value.length <= TASK_ID_LENGTH_MAX
    ? value
    : new Misfit(` must be a string of 1 to ${TASK_ID_LENGTH_MAX} characters`);

/**
 * A server of the modern era may answer a call with a task: what comes of the call is asked for later. Its `ttlMs` is
 * its own, and no hint for a cache.
 */
const BEGUN_TASK = record({
  needs: {
    taskId,
    status: oneOf("working", "input_required", "completed", "failed", "cancelled"),
    createdAt: text,
    lastUpdatedAt: text,
    ttlMs: (value) => (value === null ? value : wholeMs(value)),
  },
  may: { resultType: text },
  hints: { statusMessage: text, pollIntervalMs: wholeMs, _meta: MESSAGE_META },
});

/** What else a task has in each state. */
const taskStates: Readonly<Record<string, Fit>> = {
  completed: record({ needs: { result: (value, drops) => toolAnswer(value, drops) } }),
  failed: record({ needs: { error: record({ needs: { code: integer, message: text } }) } }),
  input_required: record({ needs: { inputRequests: mapOf(INPUT_REQUEST) } }),
};

const knownTask: Fit = (value, drops) => {
  const fitted = BEGUN_TASK(value, drops);
  if (fitted instanceof Misfit) return fitted;
  const { status } = fitted as JsonObject;
  return taskStates[status as string]?.(fitted, drops) ?? fitted;
};

const toolAnswer: Fit = (value, drops) => {
  if (!isJsonObject(value)) return new Misfit(" must be an object");
  const { content, structuredContent, resultType } = value;
  if ((content === undefined || content === null) && isJsonObject(structuredContent)) {
    return TOOL_ANSWER({ ...value, content: [] }, drops);
  }
  const isAnyValue = typeof resultType === "string" && structuredContent !== undefined;
  return TOOL_ANSWER(isAnyValue ? projectStructure(value) : value, drops);
};

/**
 * In the modern era the structure may be any value. Here it is an object for everybody, made in the way of the SDK's
 * own servers when they answer a legacy client: under `result`, and as a text where there is none.
 */
function projectStructure(answer: JsonObject): JsonObject {
  const { structuredContent, content = [] } = answer;
  if (isJsonObject(structuredContent) || structuredContent === null || !Array.isArray(content)) return answer;
  const hasText = content.some((block) => isJsonObject(block) && block["type"] === "text");
  const said = hasText ? [] : [{ type: "text", text: JSON.stringify(structuredContent) }];
  return { ...answer, structuredContent: { result: structuredContent! }, content: [...content, ...said] };
}

/** More than the protocol allows is cut in its own way: a hundred, and the word that there are more. */
const COMPLETION_COUNT_MAX = 100;
const COMPLETION = record({
  needs: { values: listOf(text) },
  hints: { total: integer, hasMore: flag },
});
const completion: Fit = (value, drops) => {
  const fitted = COMPLETION(value, drops);
  if (fitted instanceof Misfit) return fitted;
  const { values } = fitted as { values: readonly string[] };
  if (values.length <= COMPLETION_COUNT_MAX) return fitted;
  return { ...(fitted as JsonObject), values: values.slice(0, COMPLETION_COUNT_MAX), hasMore: true };
};

// ── what a server says of itself ────────────────────────────────────────────────────────────────────────────────────

const IMPLEMENTATION = record({
  hints: { title: text, icons: ICONS, websiteUrl: text, description: text },
});

/** Clients want a name and a version of whatever they are told of. */
const serverInfo: Fit = (value, drops) => {
  const given = isJsonObject(value) ? value : {};
  const { name, version } = given;
  const isNamed = typeof name === "string" && typeof version === "string";
  const said = {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
  };
  return IMPLEMENTATION(isNamed ? given : { ...given, ...said }, drops);
};

/**
 * A capability is declared by its key: `true` and the like mean that it is there, `null` and `false` that it is not.
 */
function declared(flags: Readonly<Record<string, Fit>> = {}): Fit {
  const fit = record({ hints: flags });
  return (value, drops) => {
    if (value === false) return new Misfit(" is false");
    return fit(isJsonObject(value) ? value : {}, drops);
  };
}

/** Without those entries that do not fit. */
function looseMapOf(fit: Fit): Fit {
  return (value) => {
    if (!isJsonObject(value)) return new Misfit(" must be an object");
    const entries = Object.entries(value);
    const fitting = entries.filter(([, entry]) => !(fit(entry) instanceof Misfit));
    return fitting.length === entries.length ? value : Object.fromEntries(fitting);
  };
}

const CAPABILITIES = record({
  hints: {
    tools: declared({ listChanged: flag }),
    prompts: declared({ listChanged: flag }),
    resources: declared({ subscribe: flag, listChanged: flag }),
    logging: declared(),
    completions: declared(),
    experimental: looseMapOf(anyObject),
    extensions: looseMapOf(anyObject),
    // Not passed on to anybody.
    tasks: anyObject,
  },
});
const capabilities: Fit = (value, drops) => CAPABILITIES(isJsonObject(value) ? value : {}, drops);

const discoverMeta: Fit = (value, drops) =>
  isJsonObject(value) && value[SERVER_INFO_KEY] !== undefined
    ? MESSAGE_META({ ...value, [SERVER_INFO_KEY]: serverInfo(value[SERVER_INFO_KEY]) }, drops)
    : MESSAGE_META(value, drops);

const DISCOVERED = resultOf({
  needs: { capabilities },
  hints: { serverInfo, instructions: text, _meta: discoverMeta },
});
/** A modern server may say who it is in either of two places, or in none. */
const discovered: Fit = (value, drops) => {
  if (!isJsonObject(value)) return new Misfit(" must be an object");
  const meta = value["_meta"];
  const isNamed =
    value["serverInfo"] !== undefined || (isJsonObject(meta) && meta[SERVER_INFO_KEY] !== undefined);
  return DISCOVERED(isNamed ? value : { ...value, serverInfo: {} }, drops);
};

// ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────────

const RESULTS: Readonly<Record<string, Fit>> = {
  "tools/call": toolAnswer,
  "tasks/get": knownTask,
  "resources/read": resultOf({ needs: { contents: listOf(RESOURCE_CONTENTS) } }),
  "prompts/get": resultOf({
    needs: { messages: listOf(record({ needs: { role: ROLE, content: CONTENT_BLOCK } })) },
    hints: { description: text },
  }),
  "completion/complete": resultOf({ needs: { completion } }),
  "skills/get": resultOf({ needs: { skill: anyObject } }),
  initialize: resultOf({ needs: { capabilities, serverInfo }, hints: { instructions: text } }),
  "server/discover": discovered,
  ...Object.fromEntries(
    Object.entries(LIST_KEYS).map(([method, key]) => [
      method,
      resultOf({ needs: { [key]: anyList }, hints: { nextCursor: text } }),
    ]),
  ),
};
/** For methods whose result says nothing. */
const EMPTY = resultOf({});

/** The result as it may be used, or what is wrong with it. */
export function fitResult(method: string, result: unknown): unknown {
  if (isJsonObject(result) && result["resultType"] === "input_required") return INPUT_REQUIRED(result);
  if (method === "tools/call" && isJsonObject(result) && result["resultType"] === "task")
    return BEGUN_TASK(result);
  const fit = RESULTS[method];
  return fit === undefined ? EMPTY(result ?? {}) : fit(result);
}

function mapOf(fit: Fit): Fit {
  return (value) => {
    if (!isJsonObject(value)) return new Misfit(" must be an object");
    for (const [key, entry] of Object.entries(value)) {
      const fitted = fit(entry);
      if (fitted instanceof Misfit) return fitted.in(key);
    }
    return value;
  };
}
