import { specTypeSchemas } from "@modelcontextprotocol/client";
import {
  CallToolResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_LIMITS, type JsonObject } from "../../core/json.ts";
import { readAnswer } from "./message-bound.ts";

function read(method: string, result: unknown) {
  return readAnswer(method, { jsonrpc: "2.0", id: 1, result });
}

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function keys(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));
}

describe("an answer", () => {
  it("that fits is the very same object", () => {
    const result = { content: [{ type: "text", text: "x" }], structuredContent: { a: 1 }, future: [1] };
    const reply = read("tools/call", result);
    expect(reply.kind === "result" && reply.result).toBe(result);
  });

  it("S1, S2: may nest as deep as the store keeps, and no deeper, wherever it nests", () => {
    const max = DATA_LIMITS.depthMax;
    const fitting = { content: [], structuredContent: { a: nest(max - 1) } };
    expect(read("tools/call", fitting)).toMatchObject({ kind: "result" });
    const deep = { content: [], structuredContent: { a: nest(max) } };
    expect(read("tools/call", deep)).toEqual({
      kind: "unusable",
      reason: "answer_too_deep",
      problem: "it nests deeper than 64 levels, which is the limit",
    });
    const error = (data: unknown) =>
      readAnswer("tools/call", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m", data } });
    expect(error(nest(max))).toMatchObject({ kind: "error" });
    expect(error(nest(max + 1))).toMatchObject({ reason: "answer_too_deep" });
    expect(error(nest(100_000))).toMatchObject({ reason: "answer_too_deep" });
  });

  it("may have as many keys as the store keeps", () => {
    const max = DATA_LIMITS.keyCountMax;
    const answer = (count: number) => read("tools/call", { content: [], structuredContent: keys(count) });
    expect(answer(max - 2)).toMatchObject({ kind: "result" });
    expect(answer(max - 1)).toMatchObject({ kind: "unusable", reason: "answer_too_large" });
  });

  it("leaves the depth of a list's entries to admission, and of nothing else", () => {
    expect(read("tools/list", { tools: [nest(10_000)] })).toMatchObject({ kind: "result" });
    expect(read("tools/list", { tools: [], _meta: { a: nest(100) } })).toMatchObject({ kind: "unusable" });
    expect(read("tools/list", { tools: {} })).toMatchObject({ problem: "result.tools must be a list" });
    expect(read("tools/list", { tools: [], nextCursor: 5, ttlMs: "x" })).toEqual({
      kind: "result",
      result: { tools: [] },
    });
  });

  it.each([
    [{ content: "s" }, "result.content must be a list"],
    [{ content: [{ type: "text", text: 5 }] }, "result.content[0].text must be a string"],
    [
      { content: [{ type: "resource", resource: { uri: "x:" } }] },
      "result.content[0].resource must have text or blob",
    ],
    [{ content: [], structuredContent: [] }, "result.structuredContent must be an object"],
    ["s", "result must be an object"],
    [undefined, "it has neither result nor error"],
  ])("S10: says where it is malformed: %j", (result, problem) => {
    expect(read("tools/call", result)).toEqual({ kind: "unusable", reason: "malformed_answer", problem });
  });

  it("of a modern server may have any structure; clients get it as an object and a text", () => {
    expect(read("tools/call", { resultType: "complete", content: [], structuredContent: [1] })).toEqual({
      kind: "result",
      result: {
        resultType: "complete",
        content: [{ type: "text", text: "[1]" }],
        structuredContent: { result: [1] },
      },
    });
  });

  it("that asks for input must say what it asks with", () => {
    const asking = (inputRequests: unknown) =>
      read("tools/call", { resultType: "input_required", inputRequests });
    expect(asking({ a: { method: "roots/list" } })).toMatchObject({ kind: "result" });
    expect(asking({ a: {} })).toMatchObject({ problem: "result.inputRequests.a.method must be a string" });
    expect(asking([])).toMatchObject({ kind: "unusable" });
  });

  it("that should be empty may be nothing", () => {
    for (const result of [undefined, null, {}]) {
      expect(read("resources/subscribe", result)).toEqual({ kind: "result", result: {} });
    }
    expect(read("resources/subscribe", "yes")).toMatchObject({ reason: "malformed_answer" });
  });

  it("to a completion has a hundred values at most", () => {
    const values = Array.from({ length: 150 }, (_, at) => `v${at}`);
    expect(read("completion/complete", { completion: { values, total: "many" } })).toEqual({
      kind: "result",
      result: { completion: { values: values.slice(0, 100), hasMore: true } },
    });
  });

  it("that is an error stays one, however badly it is told", () => {
    const error = (given: unknown) => readAnswer("x", { jsonrpc: "2.0", id: 1, error: given });
    expect(error("oops")).toEqual({ kind: "error", error: { code: -32603, message: "oops" } });
    expect(error({ code: 1.5, data: 1 })).toMatchObject({ kind: "error", error: { code: -32603, data: 1 } });
    expect(error(null)).toMatchObject({ kind: "result" });
  });
});

describe("what a server says of itself", () => {
  it.each([
    [
      { tools: true, prompts: 1, logging: "yes" },
      { tools: {}, prompts: {}, logging: {} },
    ],
    [{ tools: false, resources: null }, {}],
    [{ tools: { listChanged: "yes", future: 1 } }, { tools: { future: 1 } }],
    [{ experimental: { a: {}, b: 5 }, extensions: [] }, { experimental: { a: {} } }],
    [[], {}],
  ])("has capabilities that clients can read: %j", (capabilities, expected) => {
    expect(read("initialize", { capabilities, serverInfo: { name: "n", version: "1" } })).toMatchObject({
      result: { capabilities: expected },
    });
  });

  it.each([
    [{ name: "n" }, { name: "n", version: "" }],
    ["n", { name: "", version: "" }],
    [
      { name: 5, version: "1", icons: "x", title: 5 },
      { name: "", version: "1" },
    ],
  ])("has a name and a version: %j", (serverInfo, expected) => {
    expect(read("initialize", { serverInfo })).toMatchObject({ result: { serverInfo: expected } });
    const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
    expect(read("server/discover", { _meta })).toMatchObject({
      result: { _meta: { "io.modelcontextprotocol/serverInfo": expected } },
    });
  });
});

// ── whatever passes, both generations of the SDK take ───────────────────────────────────────────────────────────────

const odd = fc.constantFrom<unknown>(null, 5, 1.5, -1, "", "x", true, [], {}, [1], [{}], { a: 1 }, "AAAA");
/** Mostly the right value, so that many answers pass. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: odd });
const word = fc.constantFrom("a", "AAAA", "x:y");
const meta = mostly(
  fc.record(
    { progressToken: odd, "io.modelcontextprotocol/related-task": odd, a: odd },
    { requiredKeys: [] },
  ),
);
const annotations = mostly(
  fc.record(
    {
      audience: mostly(fc.constant(["user"])),
      priority: mostly(fc.constantFrom(0, 0.5, 1, 2)),
      lastModified: mostly(
        fc.constantFrom("2025-01-12T15:00:58Z", "2025-02-29T00:00:00Z", "2025-01-12", "2025-01-12T15:00Z"),
      ),
    },
    { requiredKeys: [] },
  ),
);
const icons = mostly(
  fc.array(mostly(fc.record({ src: word, theme: odd, sizes: odd }, { requiredKeys: ["src"] }))),
);
const resource = fc.record(
  { uri: mostly(word), text: mostly(word), blob: mostly(word), mimeType: mostly(word), _meta: odd },
  { requiredKeys: ["uri"] },
);
const block = mostly(
  fc.record(
    {
      type: fc.constantFrom("text", "image", "audio", "resource", "resource_link"),
      text: mostly(word),
      data: mostly(fc.constantFrom("AAAA", "AA==", "A", "-_", "A A=", "")),
      mimeType: mostly(word),
      name: mostly(word),
      uri: mostly(word),
      size: odd,
      icons,
      title: odd,
      description: odd,
      resource: mostly(resource),
      annotations,
      _meta: odd,
    },
    { requiredKeys: ["type", "text", "data", "name", "uri", "mimeType", "resource"] },
  ),
);
const blocks = mostly(fc.array(block, { maxLength: 3 }));
const ANSWERS = {
  "tools/call": {
    arbitrary: fc.record(
      { content: blocks, structuredContent: odd, isError: odd, _meta: meta },
      { requiredKeys: [] },
    ),
    first: CallToolResultSchema,
    second: "CallToolResult",
  },
  "resources/read": {
    arbitrary: fc.record(
      { contents: mostly(fc.array(mostly(resource))), _meta: meta },
      { requiredKeys: ["contents"] },
    ),
    first: ReadResourceResultSchema,
    second: "ReadResourceResult",
  },
  "prompts/get": {
    arbitrary: fc.record({
      messages: mostly(fc.array(mostly(fc.record({ role: mostly(fc.constant("user")), content: block })))),
      description: odd,
      _meta: meta,
    }),
    first: GetPromptResultSchema,
    second: "GetPromptResult",
  },
  "completion/complete": {
    arbitrary: fc.record({
      completion: mostly(
        fc.record(
          { values: mostly(fc.array(mostly(word))), total: odd, hasMore: odd },
          { requiredKeys: ["values"] },
        ),
      ),
      _meta: meta,
    }),
    first: CompleteResultSchema,
    second: "CompleteResult",
  },
  initialize: {
    arbitrary: fc.record({
      protocolVersion: fc.constant("2025-11-25"),
      serverInfo: mostly(fc.record({ name: odd, version: odd, icons, title: odd, websiteUrl: odd })),
      capabilities: mostly(
        fc.dictionary(
          fc.constantFrom(
            "tools",
            "resources",
            "prompts",
            "logging",
            "completions",
            "experimental",
            "extensions",
          ),
          mostly(fc.record({ listChanged: odd, subscribe: odd }, { requiredKeys: [] })),
        ),
      ),
      instructions: odd,
    }),
    first: InitializeResultSchema,
    second: "InitializeResult",
  },
} as const;

it.each(Object.entries(ANSWERS))(
  "whatever passes as an answer to %s, both SDKs take",
  (method, { arbitrary, first, second }) => {
    let passedCount = 0;
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<unknown>, (result) => {
        const reply = read(method, result);
        if (reply.kind !== "result") return;
        passedCount++;
        expect(first.safeParse(reply.result).error?.message).toBeUndefined();
        expect(specTypeSchemas[second]["~standard"].validate(reply.result)).not.toHaveProperty("issues");
      }),
      { numRuns: 2_000 },
    );
    expect(passedCount).toBeGreaterThan(50);
  },
);
