/**
 * What every gateway must do: the whole one, a masked one, a profile, and a server fronted as it is. An
 * implementation calls `describeGateway` with a way to open itself over one server; what is its own it tests beside
 * itself.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { contextOf } from "../../test/fixtures/tool-source.ts";
import { ERROR_KEY } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ListKind, ToolAnswer } from "../core/tool.ts";
import type { ForwardedMethod } from "./forwarding.ts";
import { LIST_METHODS, type Gateway, type ListPage } from "./gateway.ts";
import { listAll, LIST_KEYS, listTools } from "./list-all.ts";

/** Over a server that has the tools `list` and `wait`, a resource and a prompt. */
export interface GatewayFixture {
  readonly gateway: Gateway;
  /** The names that its clients call the tools by. */
  readonly list: string;
  readonly wait: string;
  /** How a client names the resource and the prompt. */
  readonly uri: string;
  readonly prompt: string;
  /** Gives the server one more tool and has it announced. */
  readonly addTool: () => Promise<void>;
  /** Resolves when `wait` has been called. */
  readonly waiting: Promise<void>;
}

const UNKNOWN = ["", "nobody__has_it", "mcp__no__such", "__proto__", "constructor", "x".repeat(1_000)];

const WRONG_PARAMS: readonly [ForwardedMethod, JsonObject][] = [
  ["resources/read", {}],
  ["resources/read", { uri: 5 }],
  ["resources/subscribe", { uri: null }],
  ["resources/unsubscribe", { uri: ["x"] }],
  ["prompts/get", { name: { a: 1 } }],
  ["prompts/get", { name: "nobody__has_it", arguments: 5 }],
  ["completion/complete", {}],
  ["completion/complete", { ref: "x" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: 5 } }],
  ["skills/list", { cursor: { a: 1 } }],
  ["skills/get", {}],
  ["skills/get", { uri: "skill://__proto__/constructor/SKILL.md" }],
  ["skills/get", { uri: ["skill://a/b/SKILL.md"] }],
  ["resources/directory/read", { uri: 5 }],
  ["resources/directory/read", { uri: "skill://".repeat(2_000), cursor: null }],
  ["tasks/get", {}],
  ["tasks/get", { taskId: 5 }],
  ["tasks/update", { taskId: "nobody's", inputResponses: 5 }],
  ["tasks/cancel", { taskId: "__proto__" }],
];

export function describeGateway(name: string, open: () => Promise<GatewayFixture>): void {
  describe(`${name}, as every gateway,`, () => {
    let fixture: GatewayFixture;
    beforeEach(async () => {
      fixture = await open();
    });

    it("describes itself", async () => {
      const described = await fixture.gateway.describe();
      expect(described).toMatchObject({
        success: true,
        data: { serverInfo: { name: expect.any(String) }, capabilities: {} },
      });
    });

    describeLists(() => fixture);
    describeCalls(() => fixture);
    describeForwarding(() => fixture);
  });
}

function describeLists(fixture: () => GatewayFixture): void {
  it.each(LIST_METHODS)("answers %s with entries under their key", async (method) => {
    const { page } = await pageOf(fixture(), method);
    expect(page[LIST_KEYS[method]]).toBeInstanceOf(Array);
  });

  it("refuses a cursor that it has not given", async () => {
    for (const method of LIST_METHODS) {
      const listed = await fixture().gateway.list(method, { cursor: "no such page" }, contextOf());
      expect([method, listed.success]).toEqual([method, false]);
    }
  });

  it("lists each tool once, page after page to the end, and finds and calls what it lists", async () => {
    const { gateway, list, wait } = fixture();
    const names = (await listTools(gateway)).map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([list, wait]));
    expect(await listAll(gateway, "prompts/list")).toMatchObject([{ name: fixture().prompt }]);
  });

  it("gives a list of tools the same version for as long as nothing changes, and no other list one", async () => {
    const { gateway } = fixture();
    const watch = gateway.watch(() => {});
    const [one, other] = [await pageOf(fixture(), "tools/list"), await pageOf(fixture(), "tools/list")];
    expect(other.version).toBe(one.version);
    expect(watch.toolsVersion()).toBe(one.version);
    watch.stop();
    for (const method of LIST_METHODS.slice(1))
      expect((await pageOf(fixture(), method)).version).toBeUndefined();
  });

  it("tells when the list of tools has changed, with another version, until it is stopped", async () => {
    const { gateway, addTool } = fixture();
    const before = (await pageOf(fixture(), "tools/list")).version;
    const told = Promise.withResolvers<ListKind>();
    const late: ListKind[] = [];
    const stopped = gateway.watch((what) => late.push(what));
    const watch = gateway.watch((what) => what === "tools" && told.resolve(what));
    stopped.stop();
    await addTool();
    expect(await told.promise).toBe("tools");
    expect(watch.toolsVersion()).not.toBe(before);
    expect((await pageOf(fixture(), "tools/list")).version).toBe(watch.toolsVersion());
    expect(late).toEqual([]);
    watch.stop();
  });

  it("gives the bytes of a page only where they are the page", async () => {
    const { page, bytes } = await pageOf(fixture(), "tools/list");
    const again = await pageOf(fixture(), "tools/list");
    if (bytes === undefined) return expect(again.bytes).toBeUndefined();
    expect(bytes().toString()).toBe(JSON.stringify(page));
    expect(again.bytes!()).toBe(bytes());
  });
}

function describeCalls(fixture: () => GatewayFixture): void {
  it("answers a call of a tool that was found as a call by its name", async () => {
    const { gateway, list } = fixture();
    await listTools(gateway);
    const found = gateway.find(list)!;
    expect(found.definition).toMatchObject({ inputSchema: { type: "object" } });
    const answer = await found.call({ a: 1 }, contextOf());
    expect(answer).toMatchObject({ content: [{ type: "text" }] });
    expect(answer).toEqual(await gateway.callTool(list, { a: 1 }));
  });

  it.each(UNKNOWN)("says that %s is no tool, and finds nothing to show of it", async (unknown) => {
    const { gateway } = fixture();
    expect(gateway.find(unknown)?.definition).toBeUndefined();
    expect(await gateway.callTool(unknown, {})).toMatchObject({ isError: true });
  });

  it("refuses arguments that are no bounded JSON", async () => {
    const { gateway, list } = fixture();
    const wrong = [nested(100), { big: 1n }, { not: Number.NaN }] as unknown as JsonObject[];
    for (const args of wrong) expect(codeOf(await gateway.callTool(list, args))).toBe("TOOL_INVALID_INPUT");
  });

  it("ends a call whose signal aborts", async () => {
    const { gateway, wait, waiting } = fixture();
    const abort = new AbortController();
    const called = gateway.callTool(wait, {}, { signal: abort.signal });
    await waiting;
    abort.abort();
    expect(codeOf(await called)).toBe("CANCELLED");
  });
}

function describeForwarding(fixture: () => GatewayFixture): void {
  it("forwards what is asked about a resource and a prompt to their server", async () => {
    const { gateway, uri, prompt } = fixture();
    await listTools(gateway);
    expect(await gateway.forward("resources/read", { uri }, contextOf())).toMatchObject({
      success: true,
      data: { method: "resources/read" },
    });
    expect(await gateway.forward("prompts/get", { name: prompt }, contextOf())).toMatchObject({
      success: true,
      data: { method: "prompts/get" },
    });
  });

  it.each(WRONG_PARAMS)("answers %s with %j with a failure", async (method, params) => {
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    for (const context of [contextOf(), { ...contextOf(), modern: { capabilities } }]) {
      const answer = await fixture().gateway.forward(method, params, context);
      expect(answer).toMatchObject({ success: false, error: { message: expect.any(String) } });
    }
  });
}

async function pageOf({ gateway }: GatewayFixture, method: (typeof LIST_METHODS)[number]): Promise<ListPage> {
  const listed = await gateway.list(method, {}, contextOf());
  if (!listed.success) throw new Error(listed.error.message);
  return listed.data;
}

function codeOf(answer: ToolAnswer): Json | undefined {
  return (answer._meta?.[ERROR_KEY] as JsonObject | undefined)?.["code"];
}

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}
