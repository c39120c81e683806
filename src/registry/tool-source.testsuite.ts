/**
 * What every source of tools promises, whether it is a server, the library or a server that cannot start. An
 * implementation calls `describeToolSource` with a way to open itself; what is its own it tests beside itself.
 */
import { describe, expect, it } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import { TOOL_ERROR_CODES } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { CallContext, ToolSource } from "../core/tool.ts";

export interface SourceFixture {
  readonly source: ToolSource;
  /** A call that succeeds; a source without it has nothing that works. */
  readonly works?: SourceCall;
  /** A call that ends only when it is cancelled, and whether it has begun. */
  readonly hangs?: SourceCall & { readonly hasBegun: () => boolean };
  /** Changes what the source lists. */
  readonly change?: () => Promise<unknown>;
}

interface SourceCall {
  /** By the name that the source knows. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** Arguments that no schema asks for. JSON, as every argument here has passed the limits of JSON. */
const ODD_ARGUMENTS: readonly JsonObject[] = [
  {},
  { "": "", toString: 1, constructor: null, __proto__: { a: 1 } },
  JSON.parse('{"__proto__": {"isAdmin": true}, "requestState": "x", "inputResponses": 5}') as JsonObject,
  { text: "\uD800 \u0000 \u202E 😀", key: [[[[[]]]]], ms: -1e308 },
  { text: "x".repeat(100_000) },
];

/** Every test gets a source of its own, which it closes. `open` ends what it started with the test. */
export function describeToolSource(name: string, open: () => Promise<SourceFixture>): void {
  describe(name, () => {
    it("has an id that can begin an exposed name", async () => {
      const { source } = await open();
      expect(source.id).toMatch(/^[^/]+$/);
      expect(source.id).not.toMatch(/__|_$/);
      await source.close();
    });

    it("lists each tool once, with a name and an object as its input schema", async () => {
      const { source, works } = await open();
      const listed = checked(await source.list(contextOf()));
      expect(listed.success).toBe(works !== undefined);
      const tools = listed.success ? listed.data.tools : [];
      expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
      for (const tool of tools) {
        expect(tool.name).not.toBe("");
        expect(isJsonObject(tool.inputSchema)).toBe(true);
      }
      if (works !== undefined) expect(tools.map((tool) => tool.name)).toContain(works.tool);
      await source.close();
    });

    it("answers a call with content, and so without having been listed", async () => {
      const { source, works = ABSENT } = await open();
      const result = checked(await source.call(works.tool, works.args, contextOf()));
      expect(result.success).toBe(works !== ABSENT);
      if (result.success) expect(Array.isArray(result.data.content)).toBe(true);
      await source.close();
    });

    it("answers a tool that it does not have with a value", async () => {
      const { source } = await open();
      for (const tool of ["no such tool", "", "__proto__", "a__b__c", "x".repeat(5_000)])
        checked(await source.call(tool, {}, contextOf()));
      await source.close();
    });

    it("answers any arguments with a value, and works afterwards", async () => {
      const { source, works = ABSENT } = await open();
      for (const args of ODD_ARGUMENTS) checked(await source.call(works.tool, args, contextOf()));
      const result = await source.call(works.tool, works.args, contextOf());
      expect(result.success).toBe(works !== ABSENT);
      await source.close();
    });

    it("makes no call that was cancelled before it began", async () => {
      const { source, works = ABSENT } = await open();
      const result = await source.call(works.tool, works.args, contextOf(AbortSignal.abort()));
      const code = works === ABSENT ? "TOOL_UNAVAILABLE" : "CANCELLED";
      expect(checked(result)).toMatchObject({ success: false, error: { code } });
      await source.close();
    });

    it("ends a call under way when it is cancelled, and works afterwards", async ({ skip }) => {
      const { source, hangs, works } = await open();
      if (hangs === undefined || works === undefined) return skip();
      const cancelling = new AbortController();
      const calling = source.call(hangs.tool, hangs.args, contextOf(cancelling.signal));
      await eventually("the call to begin", hangs.hasBegun);
      cancelling.abort();
      expect(checked(await calling)).toMatchObject({ success: false, error: { code: "CANCELLED" } });
      expect(await source.call(works.tool, works.args, contextOf())).toMatchObject({ success: true });
      await source.close();
    });

    it("answers a request that it does not know, and what it says of itself, with a value", async () => {
      const { source } = await open();
      const result = await source.request?.("no/such/method", { name: 1 }, contextOf());
      if (result !== undefined) expect(checked(result).success).toBe(false);
      const described = await source.describe?.(contextOf());
      if (described !== undefined && checked(described).success)
        expect(described).toMatchObject({ data: { capabilities: {}, serverInfo: {} } });
      await source.close();
    });

    it("tells every listener of a change, until that listener stops", async ({ skip }) => {
      const { source, change } = await open();
      if (change === undefined) return skip();
      const heard = { first: 0, second: 0 };
      const stop = source.changed(() => heard.first++);
      source.changed(() => heard.second++);
      await change();
      await eventually("the change", () => heard.first > 0 && heard.second > 0);
      stop();
      stop();
      const before = { ...heard };
      await change();
      await eventually("the second change", () => heard.second > before.second);
      expect(heard.first).toBe(before.first);
      await source.close();
    });

    it("refuses every call after it was closed, and can be closed again", async () => {
      const { source, works = ABSENT } = await open();
      await source.call(works.tool, works.args, contextOf());
      await Promise.all([source.close(), source.close()]);
      const refused = { success: false, error: { code: "TOOL_UNAVAILABLE" } };
      expect(checked(await source.call(works.tool, works.args, contextOf()))).toMatchObject(refused);
      const asked = await source.request?.("resources/read", { uri: "x:y" }, contextOf());
      if (asked !== undefined) expect(checked(asked)).toMatchObject(refused);
      const described = await source.describe?.(contextOf());
      if (described !== undefined) expect(checked(described)).toMatchObject(refused);
      checked(await source.list(contextOf()));
      source.notify?.("notifications/roots/list_changed", {});
      expect(source.starting?.()).toBeUndefined();
      source.changed(() => {})();
      source.notified?.(() => {})();
      await source.close();
    });

    it("can be closed before anything was asked of it", async () => {
      const { source, works = ABSENT } = await open();
      await source.close();
      const result = await source.call(works.tool, works.args, contextOf());
      expect(checked(result)).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE" } });
    });
  });
}

/** For a source that has no tool that works. */
const ABSENT: SourceCall = { tool: "anything", args: {} };

function contextOf(signal: AbortSignal = new AbortController().signal): CallContext {
  return { traceId: "test", signal };
}

/** A failure has a code that is known and says something. */
function checked<T>(result: ToolResult<T>): ToolResult<T> {
  if (result.success) return result;
  expect(TOOL_ERROR_CODES).toContain(result.error.code);
  expect(result.error.message).not.toBe("");
  return result;
}
