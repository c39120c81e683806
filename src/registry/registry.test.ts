import { describe, expect, it, vi } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { silentLog } from "../core/log.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Offer } from "../core/tool.ts";
import { createMemoryCache } from "./cached-lists.ts";
import { createRegistry, type RegistryDeps } from "./registry.ts";
import { createTestTime, settle } from "./time.testkit.ts";

const MINUTE_MS = 60_000;

function openRig(deps: RegistryDeps = {}) {
  const time = createTestTime();
  const registry = createRegistry({ ...time, random: () => 1, ...deps });
  const names = () => registry.catalogue().components.map((component) => component.name);
  const discover = (options = {}) => registry.discover({ waitMs: 1000, ...options }, contextOf());
  return { registry, time, names, discover };
}

describe("the catalogue", () => {
  it("merges all sources in the order of exposed names", async () => {
    const { registry, discover } = openRig();
    registry.add(createFixtureSource("slack", [toolOf("post"), toolOf("a.b")]));
    registry.add(createFixtureSource("github", [toolOf("create_issue")]));
    const { components, pending, failed } = await discover();
    expect(components.map((item) => item.name)).toEqual([
      "github__create_issue",
      "slack__a_b",
      "slack__post",
    ]);
    expect(components[1]).toMatchObject({ source: "slack", definition: { name: "a.b" } });
    expect({ pending, failed }).toEqual({ pending: [], failed: [] });
  });

  it("T098: keeps tools of the same name apart, each with its server", async () => {
    const { registry, discover } = openRig();
    const sources = ["a", "b"].map((id) => createFixtureSource(id, [toolOf("send")]));
    for (const source of sources) registry.add(source);
    await discover();
    await registry.call("b__send", {}, contextOf());
    expect(sources.map((source) => source.calls.length)).toEqual([0, 1]);
  });

  it("asks no server until somebody needs it", async () => {
    const { registry, names } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    expect(names()).toEqual([]);
    expect(registry.catalogue().pending).toEqual(["s"]);
    expect(source.listCount).toBe(0);
  });

  it("refuses a source whose id could not be told apart in an exposed name", () => {
    const { registry } = openRig();
    for (const id of ["a__b", "a_", "", "a/b"]) {
      expect(() => registry.add(createFixtureSource(id, []))).toThrow("serverIdOf");
    }
  });

  it("T093: takes the first 2,000 tools of a server and reports the rest", async () => {
    const { registry, discover } = openRig();
    registry.add(
      createFixtureSource(
        "s",
        Array.from({ length: 2001 }, (_, i) => toolOf(`t${i}`)),
      ),
    );
    const { components, rejected } = await discover();
    expect(components).toHaveLength(2000);
    expect(rejected).toEqual([
      {
        source: "s",
        kind: "list",
        code: "validation_error",
        name: "tools",
        reason: "the server lists 2001 tools; the limit is 2000, and those after it are left out",
      },
    ]);
  });

  it("has resources, templates and prompts under names that lead back", async () => {
    const { registry, discover } = openRig();
    const source = createFixtureSource("s", []);
    source.onList = async () =>
      succeed({
        tools: [],
        resources: [{ uri: "file:///etc/passwd", name: "passwd", size: 3 }],
        resourceTemplates: [{ uriTemplate: "memo:///{id}", name: "memo" }],
        prompts: [{ name: "re view", arguments: [{ name: "code" }] }],
        incomplete: ["page 3 of tools/list failed"],
      });
    registry.add(source);
    const { resources, resourceTemplates, prompts, rejected } = await discover();
    expect(resources[0]!.definition).toEqual({
      uri: "repertoire://server/s/file:///etc/passwd",
      name: "passwd",
      size: 3,
    });
    expect(resourceTemplates[0]!.definition["uriTemplate"]).toBe("repertoire://server/s/memo:///{id}");
    expect(prompts[0]).toMatchObject({ name: "s__re_view", original: "re view", source: "s" });
    expect(registry.resolvePrompt("s__re_view")).toBe(prompts[0]);
    expect(rejected).toMatchObject([{ code: "load_error", reason: "page 3 of tools/list failed" }]);
  });

  it("T033: routes a URI only to the server that it names, as it is", async () => {
    const { registry } = openRig();
    registry.add(createFixtureSource("a", []));
    registry.add(createFixtureSource("b", []));
    const route = (uri: string) => registry.findUri(uri);
    expect(route("repertoire://server/a/ui://b/../%2e?x#y")).toEqual(
      succeed({ source: "a", uri: "ui://b/../%2e?x#y" }),
    );
    expect(route("ui://a+b/../%2e?x#y")).toEqual(succeed({ source: "a", uri: "ui://b/../%2e?x#y" }));
    expect(route("skill://b+/a+b/SKILL.md")).toEqual(succeed({ source: "b", uri: "skill://a+b/SKILL.md" }));
    for (const uri of [
      "ui://nobody+x",
      "ui://a+",
      "file://a+x",
      "ui://a/x",
      "file:///etc/passwd",
      "repertoire://server/nobody/x:y",
      "repertoire://server/a",
      "repertoire://server/a/",
      "repertoire://server//x:y",
      "repertoire://library/a/b",
    ]) {
      expect(route(uri)).toBeUndefined();
    }
  });
});

describe("discovery", () => {
  it("keeps what it read for five minutes, and then reads again (002 AC2)", async () => {
    const { registry, time, discover } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    await discover();
    await time.advance(5 * MINUTE_MS - 1);
    expect((await discover()).stale).toEqual([]);
    expect(source.listCount).toBe(1);
    await time.advance(1);
    expect(registry.catalogue().stale).toEqual(["s"]);
    await discover();
    expect(source.listCount).toBe(2);
  });

  it.each([
    [30_000, 30_000],
    [0, 1000],
    [-5, 1000],
    [1500.7, 1500],
    [Number.NaN, 5 * MINUTE_MS],
    [Infinity, 60 * MINUTE_MS],
    [1e300, 60 * MINUTE_MS],
    ["60" as unknown as number, 5 * MINUTE_MS],
  ])("T069: takes a server's hint of %s ms as %s ms", async (ttlMs, expected) => {
    const { registry, time, discover } = openRig();
    const source = createFixtureSource("s", []);
    source.onList = async () => succeed({ tools: [], ttlMs });
    registry.add(source);
    await discover();
    await time.advance(expected - 1);
    expect(registry.catalogue().stale).toEqual([]);
    await time.advance(1);
    expect(registry.catalogue().stale).toEqual(["s"]);
  });

  it("T073 T092: names a source that hangs, fails or throws, and has all the others", async () => {
    const { registry, time, discover } = openRig();
    const [hangs, fails, throws] = ["hangs", "fails", "throws"].map((id) => createFixtureSource(id, []));
    hangs!.onList = () => new Promise(() => {});
    fails!.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    throws!.onList = () => {
      throw new Error("broke the contract");
    };
    for (const source of [hangs!, fails!, throws!, createFixtureSource("well", [toolOf("x")])])
      registry.add(source);
    const first = discover();
    await time.advance(1000);
    expect(await first).toMatchObject({
      components: [{ name: "well__x" }],
      pending: ["hangs"],
      failed: [
        { source: "fails", code: "TOOL_UNAVAILABLE", reason: "is down" },
        { source: "throws", code: "TOOL_EXECUTION_FAILED", reason: "broke the contract" },
      ],
    });
    // Nobody waits for the same silence twice.
    expect((await discover()).pending).toEqual(["hangs"]);
    expect(hangs!.listCount).toBe(1);
  });

  it("gives a refresh up after a minute, and starts another", async () => {
    const { registry, time, discover } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    source.onList = () => new Promise(() => {});
    registry.add(source);
    void discover();
    await time.advance(MINUTE_MS);
    expect(registry.catalogue().failed).toMatchObject([{ source: "s", code: "TOOL_TIMEOUT" }]);
    source.onList = undefined;
    await time.advance(500);
    expect((await discover()).components).toHaveLength(1);
  });

  it("is one refresh for everybody, and a late one still fills the catalogue", async () => {
    const { registry, time, discover, names } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
    source.onList = () => promise;
    registry.add(source);
    const all = Promise.all([discover(), discover(), discover({ force: true })]);
    await time.advance(1000);
    expect((await all).map((catalogue) => catalogue.pending)).toEqual([["s"], ["s"], ["s"]]);
    expect(source.listCount).toBe(1);
    resolve(succeed({ tools: [toolOf("late")] }));
    await settle();
    expect(names()).toEqual(["s__late"]);
  });

  it("does not stop when the one who asked leaves", async () => {
    const { registry, names } = openRig();
    const source = createFixtureSource("s", []);
    const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
    source.onList = () => promise;
    registry.add(source);
    const leaving = new AbortController();
    const left = registry.discover({ waitMs: 1000 }, { ...contextOf(), signal: leaving.signal });
    leaving.abort();
    await left;
    resolve(succeed({ tools: [toolOf("t")] }));
    await settle();
    expect(names()).toEqual(["s__t"]);
  });

  it("that fails keeps the tools, says so, and leaves the server alone for a while (002 AC5)", async () => {
    const { registry, time, discover, names } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    await discover();
    source.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    expect(await registry.refresh("s", contextOf())).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", message: "is down" },
    });
    expect(registry.catalogue()).toMatchObject({ stale: ["s"], failed: [{ source: "s" }] });
    expect(names()).toEqual(["s__t"]);
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ success: true });

    await time.advance(5 * MINUTE_MS);
    await discover(); // 2nd failure: not again before 1 s
    await time.advance(999);
    await discover();
    expect(source.listCount).toBe(3);
    await discover({ force: true });
    expect(source.listCount).toBe(4);
    source.onList = undefined;
    await time.advance(2000);
    expect(await discover()).toMatchObject({ stale: [], failed: [] });
  });

  it("of a source that answers nonsense has failed, and is tried again later", async () => {
    const { registry, time, discover, names } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    source.onList = async () => succeed(undefined as unknown as Offer);
    registry.add(source);
    expect((await discover()).failed).toMatchObject([{ source: "s", code: "TOOL_EXECUTION_FAILED" }]);
    source.onList = async () => undefined as unknown as ToolResult<Offer>;
    expect((await discover({ force: true })).failed).toHaveLength(1);
    source.onList = undefined;
    await time.advance(30_000);
    await discover();
    expect(names()).toEqual(["s__t"]);
  });

  it("asks only the servers that it is told to", async () => {
    const { registry, discover } = openRig();
    const [a, b] = ["a", "b"].map((id) => createFixtureSource(id, []));
    registry.add(a!);
    registry.add(b!);
    await discover({ servers: ["b", "nobody"] });
    expect([a!.listCount, b!.listCount]).toEqual([0, 1]);
  });

  it("writes its events with the trace id", async () => {
    const info = vi.fn();
    const warn = vi.fn();
    const { registry, discover } = openRig({ log: { ...silentLog, info, warn }, reservedNames: ["execute"] });
    registry.add(createFixtureSource("s", [toolOf("t")]));
    const down = createFixtureSource("down", []);
    down.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    registry.add(down);
    await discover();
    await registry.remove("s", { traceId: "why" });
    const traceId = "test";
    expect(info.mock.calls).toEqual([
      ["tools.discovery.started", { traceId, serverCount: 2 }],
      ["tools.registry.updated", { traceId, serverName: "s", staticCount: 1, mcpCount: 1 }],
      ["tools.discovery.server.success", { traceId, serverName: "s", toolCount: 1, rejectedCount: 0 }],
      ["tools.registry.updated", { traceId: "why", serverName: "s", staticCount: 1, mcpCount: 0 }],
      ["tools.registry.server.removed", { traceId: "why", serverName: "s", removedCount: 1 }],
    ]);
    expect(warn.mock.calls).toEqual([
      [
        "tools.discovery.server.failed",
        { traceId, serverName: "down", code: "TOOL_UNAVAILABLE", errorMessage: "is down" },
      ],
    ]);
  });
});

describe("servers that come and go", () => {
  it("lose their tools at once when disabled, and have them back at once (002 AC6)", async () => {
    const { registry, discover, names } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    await discover();
    const gone = registry.remove("s");
    expect(names()).toEqual([]);
    expect(registry.search("t").total).toBe(0);
    await gone;
    expect(source.closed).toBe(true);
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    const again = createFixtureSource("s", [toolOf("t")]);
    registry.add(again);
    expect(names()).toEqual(["s__t"]);
    expect(again.listCount).toBe(0);
  });

  it("are replaced without a gap, and calls go to the new source", async () => {
    const { registry, discover, names } = openRig();
    const [old, next] = [createFixtureSource("s", [toolOf("t")]), createFixtureSource("s", [toolOf("t")])];
    registry.add(old);
    await discover();
    registry.add(next);
    expect(names()).toEqual(["s__t"]);
    await registry.call("s__t", {}, contextOf());
    expect([old.closed, old.calls.length, next.calls.length]).toEqual([true, 0, 1]);
  });

  it("start anew when they are started with something else", async () => {
    const { registry, discover, names } = openRig();
    registry.add(createFixtureSource("s", [toolOf("t")]), { configHash: "1" });
    await discover();
    registry.add(createFixtureSource("s", [toolOf("u")]), { configHash: "2" });
    expect(names()).toEqual([]);
    await discover();
    expect(names()).toEqual(["s__u"]);
  });

  it("bring nothing back and report nothing when they answer after their removal", async () => {
    const warn = vi.fn();
    const cache = createMemoryCache();
    const { registry, discover, names } = openRig({ cache, log: { ...silentLog, warn } });
    const source = createFixtureSource("s", []);
    const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
    source.onList = () => promise;
    registry.add(source);
    const waiting = discover();
    await registry.remove("s");
    expect((await waiting).pending).toEqual([]);
    resolve(succeed({ tools: [toolOf("t")] }));
    await settle();
    expect({ names: names(), warnings: warn.mock.calls }).toEqual({ names: [], warnings: [] });
    await registry.close();
    expect(await cache.list()).toEqual([]);
  });

  it("are forgotten on request", async () => {
    const cache = createMemoryCache();
    const { registry, discover, names } = openRig({ cache });
    registry.add(createFixtureSource("s", [toolOf("t")]));
    await discover();
    await registry.remove("s", { forget: true });
    registry.add(createFixtureSource("s", [toolOf("t")]));
    expect(names()).toEqual([]);
    await registry.close();
    expect(await cache.list()).toEqual([]);
  });
});

describe("what the config allows", () => {
  it("is all that is listed, and a call of the rest is refused with the reason", async () => {
    const { registry, discover, names } = openRig();
    const source = createFixtureSource("s", [toolOf("read"), toolOf("write"), toolOf("drop")]);
    registry.add(source, { allow: ["read", "write"], deny: ["write"] });
    // Before anybody listed it, too.
    expect(await registry.call("s__drop", {}, contextOf())).toMatchObject({
      error: {
        code: "SECURITY_ERROR",
        message: 'The tool "s__drop" is denied by the config of the server "s".',
      },
    });
    await discover();
    expect(names()).toEqual(["s__read"]);
    expect(registry.route("s__write")).toBeUndefined();
    expect(await registry.call("s__write", {}, contextOf())).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
    expect(source.calls).toEqual([]);
    registry.restrict("s", { deny: ["read"] });
    expect(names()).toEqual(["s__drop", "s__write"]);
    expect(source.closed).toBe(false);
  });

  it("never gives a static tool's name away (002 AC3)", async () => {
    const { registry, discover, names } = openRig({ reservedNames: ["s__t"] });
    registry.add(createFixtureSource("s", [toolOf("t"), toolOf("u")]));
    expect((await discover()).rejected).toMatchObject([{ source: "s", code: "invalid_tool", name: "t" }]);
    expect(names()).toEqual(["s__u"]);
  });
});

describe("calls", () => {
  it("T135: are not made for a token that is not good any more", async () => {
    const { registry, discover } = openRig();
    const source = createFixtureSource("a", [toolOf("send")]);
    registry.add(source);
    await discover();
    const revoked = AbortSignal.abort();
    const principal = { id: "token:x", name: "x", permissions: new Set<never>(), revoked };
    const answer = await registry.call("a__send", {}, { ...contextOf(), principal });
    expect(answer).toMatchObject({ error: { code: "CANCELLED" } });
    expect(source.calls).toEqual([]);
  });

  it("go to the source under the name that it knows", async () => {
    const { registry, discover } = openRig();
    const source = createFixtureSource("s", [toolOf("a.b"), toolOf("a b")]);
    registry.add(source);
    const { components } = await discover();
    for (const { name } of components) await registry.call(name, { x: 1 }, contextOf());
    expect(source.calls.map((call) => call.name).sort()).toEqual(["a b", "a.b"]);
    expect(registry.route(components[0]!.name)).toMatchObject({
      source,
      definition: { name: expect.any(String) },
    });
  });

  it("of a route hold the same checks as calls by name", async () => {
    const { registry, discover } = openRig();
    const source = createFixtureSource("a", [toolOf("send")]);
    registry.add(source);
    expect(registry.route("a__send")).toBeUndefined();
    await discover();
    const route = registry.route("a__send")!;
    expect(route).toMatchObject({ name: "a__send", source, definition: { name: "send" } });
    expect(await route.call({ to: 1 }, contextOf())).toMatchObject({ success: true });

    const principal = { id: "t", name: "t", permissions: new Set<never>(), revoked: AbortSignal.abort() };
    const view = { profile: "p", allows: () => false, allowsServer: () => false };
    const shown = { ...view, nameOf: (tool: string) => tool, descriptionOf: () => undefined };
    for (const context of [
      { ...contextOf(), principal },
      { ...contextOf(), view: shown },
    ])
      expect(await route.call({}, context)).toEqual(await registry.call("a__send", {}, context));
    expect(source.calls).toHaveLength(1);
  });

  it("list the source first when nobody has yet, and only that one", async () => {
    const { registry } = openRig();
    const other = createFixtureSource("other", []);
    registry.add(other);
    registry.add(createFixtureSource("s", [toolOf("t")]));
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ success: true });
    expect(other.listCount).toBe(0);
  });

  it("T073: fail fast where the server cannot be read", async () => {
    const { registry, time } = openRig();
    const [down, silent] = [createFixtureSource("down", []), createFixtureSource("silent", [])];
    down.onList = async () => fail("TOOL_UNAVAILABLE", "no such command");
    silent.onList = () => new Promise(() => {});
    registry.add(down);
    registry.add(silent);
    const expected = { code: "TOOL_UNAVAILABLE", message: expect.stringContaining("no such command") };
    expect(await registry.call("down__t", {}, contextOf())).toMatchObject({ error: expected });
    expect(await registry.call("down__t", {}, contextOf())).toMatchObject({ error: expected });
    expect(down.listCount).toBe(1);
    const answer = registry.call("silent__t", {}, contextOf());
    await time.advance(10_000);
    expect(await answer).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: true } });
  });

  it("to an unknown tool answer with the nearest names", async () => {
    const { registry } = openRig();
    registry.add(createFixtureSource("github", [toolOf("create_issue")]));
    expect(await registry.call("github__crate_issue", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: ["github__create_issue"] },
    });
    for (const name of ["nowhere__x", "", "__", "mcp__a__b", "x".repeat(100_000)]) {
      expect(await registry.call(name, {}, contextOf())).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    }
  });

  it("find near names in a large catalogue without comparing each", async () => {
    const { registry, discover } = openRig();
    for (const id of ["a", "b", "c"]) {
      registry.add(
        createFixtureSource(
          id,
          Array.from({ length: 900 }, (_, i) => toolOf(`read_${id}_${i}`)),
        ),
      );
    }
    registry.add(createFixtureSource("github", [toolOf("create_issue")]));
    await discover();
    expect(await registry.call("gihub__create_issue", {}, contextOf())).toMatchObject({
      error: { nearest: ["github__create_issue"] },
    });
  });

  it("never throw, even where the source does (002 AC7)", async () => {
    const { registry } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add({
      ...source,
      call: () => Promise.reject(new Error("boom")),
      request() {
        throw new Error("bang");
      },
    });
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: "boom" },
    });
    expect(await registry.request("s", "prompts/get", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: "bang" },
    });
    expect(await registry.refresh("nobody", contextOf())).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", hint: "The servers are s." },
    });
  });

  it("of other methods need a source that answers them", async () => {
    const { registry } = openRig();
    registry.add(createFixtureSource("s", []));
    expect(await registry.request("s", "prompts/get", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_NOT_IMPLEMENTED" },
    });
    expect(await registry.request("x", "prompts/get", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_NOT_FOUND" },
    });
  });
});

it("gives static and MCP tools in Anthropic's format, by name, with the very schemas (002 AC3)", async () => {
  const { registry, discover } = openRig();
  const inputSchema = {
    type: "object",
    "x-own": [1],
    $defs: { a: { const: null } },
    additionalProperties: false,
  };
  registry.add(createFixtureSource("s", [{ name: "z", description: "Does z.", inputSchema }, toolOf("a")]));
  await discover();
  const tools = registry.getToolDefinitions([toolOf("t_static", "Static."), toolOf("s__a", "Also static.")]);
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ["s__a", "Also static."],
    ["s__z", "Does z."],
    ["t_static", "Static."],
  ]);
  expect(tools[1]!.input_schema).toBe(inputSchema);
});

it("closes every source, one that will not too, and knows nothing afterwards", async () => {
  const { registry, discover, names } = openRig();
  const source = createFixtureSource("s", [toolOf("t")]);
  registry.add(source);
  registry.add({ ...createFixtureSource("bad", []), close: () => Promise.reject(new Error("no")) });
  await discover();
  await registry.close();
  expect(source.closed).toBe(true);
  expect(names()).toEqual([]);
  expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ success: false });
});

describe("a view", () => {
  const view = {
    profile: "p",
    allows: (tool: string) => tool === "a__one" || tool === "mcp__x__y",
    allowsServer: (id: string) => id === "a",
    nameOf: (tool: string) => (tool === "a__one" ? "first" : tool),
    descriptionOf: () => undefined,
  };

  async function openViewed() {
    const rig = openRig();
    const source = createFixtureSource("a", [toolOf("one", "send"), toolOf("two", "send")]);
    const other = createFixtureSource("b", [toolOf("one", "send")]);
    rig.registry.add(Object.assign(source, { request: async () => succeed({}) }));
    rig.registry.add(Object.assign(other, { request: async () => succeed({}) }));
    await rig.discover();
    return { ...rig, source, other };
  }

  it.each(["a__two", "b__one", "c__none"])(
    "T020: calls and finds no %s, and names what it shows",
    async (name) => {
      const { registry, source, other } = await openViewed();
      const context = { ...contextOf(), view };
      const error = { code: "TOOL_NOT_FOUND", reason: "not_granted" };
      expect(await registry.call(name, {}, context)).toMatchObject({ success: false, error });
      expect(await registry.find(name, context)).toMatchObject({ success: false, error });
      expect([...source.calls, ...other.calls]).toEqual([]);
      expect(await registry.call("firt", {}, context)).toMatchObject({ error: { nearest: ["first"] } });
      expect(await registry.call("a__one", {}, context)).toMatchObject({ success: true });
    },
  );

  it("counts no longer inside of something kept, and counts inside of a draft", async () => {
    const { registry } = await openViewed();
    const call = (path: string[]) => registry.call("b__one", {}, { ...contextOf(), view, path });
    expect(await call(["mcp__x__y"])).toMatchObject({ success: true });
    expect(await call(["draft:x", "mcp__x__y"])).toMatchObject({ success: true });
    // S8: a client that may change the draft would otherwise reach what only the saved workflow may.
    expect(await call(["draft:x", "mcp__x__y", "draft:z"])).toMatchObject({ success: false });
    expect(await call(["draft:mcp__x__y"])).toMatchObject({ success: false });
    expect(await call([])).toMatchObject({ success: false });
  });

  it("passes no request to a server that it does not show, and names none", async () => {
    const { registry } = await openViewed();
    const ask = (id: string) => registry.request(id, "prompts/get", {}, { ...contextOf(), view });
    expect(await ask("a")).toEqual({ success: true, data: {} });
    for (const id of ["b", "none"]) {
      expect(await ask(id)).toMatchObject({ error: { code: "TOOL_NOT_FOUND", reason: "not_granted" } });
      expect(JSON.stringify(await ask(id))).not.toContain("servers are");
    }
  });

  it.each(["", "send"])("searches for %j only among what is allowed", async (query) => {
    const { registry } = await openViewed();
    const { hits, total } = registry.search(query, { limit: 1, allows: (tool) => tool !== "a__one" });
    expect([hits.map(({ component }) => component.name), total]).toEqual([["a__two"], 2]);
  });
});

describe("what a server says of its own", () => {
  it("is passed on at once, also by a source that takes the place of another, and not after its end", async () => {
    const { registry } = openRig();
    const [first, second] = [createFixtureSource("a", []), createFixtureSource("a", [])];
    const heard: unknown[] = [];
    registry.sourceChanged((id, what) => heard.push([id, what]));
    registry.add(first);
    first.announce();
    registry.add(second);
    first.announce();
    second.announce();
    await registry.remove("a");
    second.announce();
    expect(heard).toEqual([
      ["a", undefined],
      ["a", undefined],
    ]);
  });

  it("is asked of a source that can tell", async () => {
    const { registry } = openRig();
    const told = { capabilities: {}, serverInfo: { name: "a" } };
    registry.add(Object.assign(createFixtureSource("a", []), { describe: async () => succeed(told) }));
    registry.add(createFixtureSource("b", []));
    expect(await registry.describe("a", contextOf())).toEqual({ success: true, data: told });
    expect(await registry.describe("b", contextOf())).toMatchObject({
      error: { code: "TOOL_NOT_IMPLEMENTED" },
    });
    expect(await registry.describe("c", contextOf())).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });

  it("is permitted by its own names", () => {
    const { registry } = openRig();
    registry.add(createFixtureSource("a", []), { allow: ["x.y", "z"], deny: ["z"] });
    registry.add(createFixtureSource("b", []));
    expect(["x.y", "z", "other"].map((tool) => registry.permits("a", tool))).toEqual([true, false, false]);
    expect(registry.permits("b", "any")).toBe(true);
  });
});

describe("the tools of the program that embeds the gateway", () => {
  const PROGRAM = { isOwn: true, isProgram: true };

  it("are searched among those of servers, and what is in the library is not", async () => {
    const { registry } = openRig();
    registry.add(createFixtureSource("mcp", [toolOf("trip__order")]), { isOwn: true });
    registry.add(createFixtureSource("program", [toolOf("order")]), PROGRAM);
    for (const id of ["mcp", "program"]) await registry.refresh(id, contextOf());
    const found = (query: string, own: boolean) =>
      registry.search(query, { own }).hits.map(({ component }) => component.name);
    for (const query of ["order", ""]) {
      expect(found(query, false)).toEqual(["program__order"]);
      expect(found(query, true)).toEqual(["mcp__trip__order"]);
    }
    expect([...registry.explainHits("order", registry.catalogue().components).keys()]).toContain(
      "program__order",
    );
  });

  it("are checked like those of a server, and are kept nowhere", async () => {
    const cache = createMemoryCache();
    const { registry } = openRig({ cache });
    const broken = { ...toolOf("broken"), inputSchema: { type: "object", properties: 5 } };
    registry.add(createFixtureSource("program", [toolOf("order"), broken]), PROGRAM);
    await registry.refresh("program", contextOf());
    expect(registry.catalogue()).toMatchObject({
      components: [{ name: "program__order" }],
      rejected: [{ source: "program", name: "broken", code: "invalid_tool" }],
      pending: [],
      stale: [],
      failed: [],
    });
    await registry.close();
    expect(await cache.list()).toEqual([]);
  });
});

describe("events about what is our own", () => {
  it("tell of what comes, changes and goes after the first list, which is no news", async () => {
    const { registry } = openRig();
    const heard: string[] = [];
    registry.subscribe(({ kind, ...event }) =>
      heard.push(`${kind} ${event.server} ${"name" in event ? event.name : ""}`),
    );
    const library = createFixtureSource("mcp", [toolOf("a__one"), toolOf("a__two")]);
    registry.add(library, { isOwn: true });
    await registry.refresh("mcp", contextOf());
    expect(heard).toEqual([]);
    library.tools = [toolOf("a__two", "It is another one."), toolOf("a__three")];
    await registry.refresh("mcp", contextOf());
    expect(heard).toEqual([
      "capability.tool.removed mcp mcp__a__one",
      "capability.tool.registered mcp mcp__a__three",
      "capability.tool.updated mcp mcp__a__two",
    ]);
  });
});
