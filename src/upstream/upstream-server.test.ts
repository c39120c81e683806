import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UI_EXTENSION, UI_SETTINGS } from "../core/declared.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { fail, succeed } from "../core/result.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import { MemoryServer, questionOf } from "./memory-server.testkit.ts";
import type { UpstreamConfig } from "./upstream-config.ts";
import { createUpstreamServer, type UpstreamDeps } from "./upstream-server.ts";

const CONFIG: UpstreamConfig = {
  id: "memory",
  transport: { kind: "stdio", command: "none", args: [], env: {} },
  callTimeoutMs: 5_000,
  connectTimeoutMs: 1_000,
  idleMs: 0,
};

function open(config: Partial<UpstreamConfig> = {}, deps: Partial<UpstreamDeps> = {}) {
  const server = new MemoryServer();
  let now = 0;
  const upstream = createUpstreamServer(
    { ...CONFIG, ...config },
    {
      clientInfo: { name: "repertoire", version: "0" },
      log: silentLog,
      clock: { now: () => now, elapsed: () => now },
      random: () => 0,
      openTransport: async () => ({ transport: server.connect() }),
      ...deps,
    },
  );
  onTestFinished(() => upstream.close());
  return { server, upstream, pass: (ms: number) => (now += ms) };
}

function contextOf(overrides: Partial<CallContext> = {}): CallContext {
  return { traceId: "t", signal: new AbortController().signal, ...overrides };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("connecting", () => {
  it("happens with the first need, once for all who come meanwhile", async () => {
    const { server, upstream } = open();
    expect(upstream.status()).toMatchObject({ state: "idle" });
    expect(server.connectCount).toBe(0);
    const calls = Array.from({ length: 10 }, (_, i) => upstream.call("echo", { i }, contextOf()));
    expect(upstream.status().state).toBe("connecting");
    const results = await Promise.all(calls);
    results.forEach((result, i) =>
      expect(result).toMatchObject({ data: { content: [{ text: `{"i":${i}}` }] } }),
    );
    expect(server.connectCount).toBe(1);
    expect(upstream.status()).toMatchObject({
      state: "ready",
      era: "legacy",
      serverInfo: { name: "memory" },
    });
  });

  it("tells the server what the client can do, and nothing else of it", async () => {
    const { server, upstream } = open();
    const extensions = { "x.example/other": {}, [UI_EXTENSION]: { mimeTypes: ["text/odd"] } };
    const capabilities = { roots: { listChanged: true }, sampling: {}, experimental: { x: {} }, extensions };
    await upstream.call("echo", {}, contextOf({ client: handleOf({ capabilities }) }));
    expect(server.heard[0]).toMatchObject({
      method: "initialize",
      params: {
        capabilities: {
          roots: { listChanged: true },
          sampling: {},
          extensions: { [UI_EXTENSION]: UI_SETTINGS },
        },
        clientInfo: { name: "repertoire" },
      },
    });
    expect(JSON.stringify(server.heard[0])).not.toMatch(/experimental|x\.example|odd/);
  });

  it("is how it says what it is, and that it is not there", async () => {
    const { server, upstream } = open();
    const capabilities = { tools: { listChanged: true }, odd: {} };
    const serverInfo = { name: "memory", version: "1", icons: [] };
    server.handlers["initialize"] = () => ({
      protocolVersion: "2025-11-25",
      capabilities,
      serverInfo,
      instructions: "Be kind.",
    });
    const described = { capabilities, serverInfo, instructions: "Be kind." };
    expect(await upstream.describe!(contextOf())).toEqual(succeed(described));
    expect(server.connectCount).toBe(1);
    await upstream.close();
    expect(await upstream.describe!(contextOf())).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
  });

  it("that fails says why, and is not tried on every call", async () => {
    const { server, upstream, pass } = open({}, { random: () => 1 });
    server.handlers["initialize"] = () => ({ error: { code: -32000, message: "no licence" } });
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", retryable: true, message: expect.stringContaining("no licence") },
    });
    pass(600);
    await upstream.call("echo", {}, contextOf());
    pass(900);
    await upstream.call("echo", {}, contextOf());
    const before = server.connectCount;
    for (let i = 0; i < 20; i++) {
      expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
        error: { hint: expect.stringContaining("in 2 s") },
      });
    }
    expect(server.connectCount).toBe(before);
    pass(3_000);
    server.handlers["initialize"] = new MemoryServer().handlers["initialize"]!;
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
  });

  it("that hangs is given up after the limit", async () => {
    const { server, upstream } = open({ connectTimeoutMs: 30 });
    server.handlers["initialize"] = () => undefined;
    expect(await upstream.list(contextOf())).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", message: expect.stringContaining("did not answer initialize") },
    });
    expect(server.transport?.isClosed).toBe(true);
  });

  it("goes on for the others when one caller gives up", async () => {
    const { server, upstream } = open();
    const gate = Promise.withResolvers<object>();
    const answer = await server.handlers["initialize"]!({}, server, 0);
    server.handlers["initialize"] = () => gate.promise;
    const abort = new AbortController();
    const leaver = upstream.call("echo", {}, contextOf({ signal: abort.signal }));
    const stayer = upstream.call("echo", {}, contextOf());
    abort.abort();
    expect(await leaver).toMatchObject({ error: { code: "CANCELLED" } });
    gate.resolve(answer!);
    expect(await stayer).toMatchObject({ success: true });
  });

  it("T076: stops for a while when the server dies again and again", async () => {
    const { server, upstream, pass } = open();
    for (let i = 0; i < 5; i++) {
      expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
      await server.crash();
      await soon();
      pass(2_000);
    }
    expect(upstream.status()).toMatchObject({ state: "broken", failureCount: 5 });
    const before = server.connectCount;
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE" },
    });
    expect(server.connectCount).toBe(before);
    pass(30_000);
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
  });
});

describe("S6: a server that ends on the question of the other era", () => {
  /** Ends on one of the two questions, as a process that knows only the other would. */
  function openEnding(question: "initialize" | "server/discover", deps: Partial<UpstreamDeps>) {
    const opened = open({}, deps);
    const { server } = opened;
    const discover = () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    server.handlers["server/discover"] = discover;
    server.handlers["subscriptions/listen"] = () => undefined;
    server.handlers[question] = () => {
      void server.crash();
      return undefined;
    };
    const asked = () =>
      server.heard.flatMap(({ method }) =>
        method === "initialize" || method === "server/discover" ? [method] : [],
      );
    return { ...opened, asked };
  }

  it.each([
    ["server/discover", true, ["server/discover", "initialize"], "legacy"],
    ["initialize", false, ["initialize", "server/discover"], "modern"],
  ] as const)(
    "(%s) is asked in its own, and from then on in no other",
    async (question, isModern, both, era) => {
      const { server, upstream, asked } = openEnding(question, { prefersModern: () => isModern });
      expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
      expect(asked()).toEqual(both);
      expect(upstream.status()).toMatchObject({ era, failureCount: 0 });
      await server.crash();
      await soon();
      expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
      expect(asked()).toEqual([...both, both[1]]);
    },
  );

  it("and has changed its era since is found out again", async () => {
    const { server, upstream, asked } = openEnding("initialize", {});
    await upstream.call("echo", {}, contextOf());
    await server.crash();
    await soon();
    server.handlers["initialize"] = new MemoryServer().handlers["initialize"]!;
    server.handlers["server/discover"] = () => {
      void server.crash();
      return undefined;
    };
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
    expect(asked()).toEqual(["initialize", "server/discover", "server/discover", "initialize"]);
  });

  it("in both is started twice and is one failure", async () => {
    const { server, upstream } = openEnding("initialize", {});
    server.handlers["server/discover"] = server.handlers["initialize"]!;
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE" },
    });
    expect(upstream.status()).toMatchObject({ failureCount: 1 });
    expect(server.connectCount).toBe(2);
  });
});

describe("calls", () => {
  it("pass the answer untouched, `isError` and unknown fields as well", async () => {
    const { server, upstream } = open();
    const answer = {
      content: [{ type: "hologram", x: 1 }],
      isError: true,
      structuredContent: { a: null },
      _meta: { b: 2 },
      c: 3,
    };
    server.handlers["tools/call"] = () => answer;
    expect(await upstream.call("echo", {}, contextOf())).toEqual(succeed(answer));
  });

  it("pass `_meta` on, and progress back", async () => {
    const { server, upstream } = open();
    server.handlers["tools/call"] = (params) => {
      const { progressToken } = params["_meta"] as JsonObject;
      server.notify("notifications/progress", { progressToken: progressToken!, progress: 1, total: 2 });
      return { content: [] };
    };
    const progress: JsonObject[] = [];
    await upstream.call(
      "echo",
      { a: 1 },
      contextOf({ meta: { trace: "x" }, onProgress: (step) => progress.push(step) }),
    );
    expect(server.heard.at(-1)).toMatchObject({
      params: { name: "echo", arguments: { a: 1 }, _meta: { trace: "x" } },
    });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
  });

  it("S18: pass on the newest of a flood of progress now and then, and the last before the answer", async () => {
    const { server, upstream } = open();
    const count = 5_000;
    server.handlers["tools/call"] = (params) => {
      const { progressToken } = params["_meta"] as JsonObject;
      for (let progress = 1; progress <= count; progress++)
        server.notify("notifications/progress", { progressToken: progressToken!, progress, total: count });
      return { content: [] };
    };
    const heard: unknown[] = [];
    const onProgress = ({ progress }: JsonObject) => heard.push(progress);
    await upstream.call("echo", {}, contextOf({ onProgress })).then(() => heard.push("answer"));
    expect(heard.slice(-2)).toEqual([count, "answer"]);
    expect(heard.length).toBeLessThanOrEqual(21);
    const steps = heard.slice(0, -1) as number[];
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  });

  it.each([
    [-32602, "TOOL_INVALID_INPUT"],
    [-32601, "TOOL_NOT_FOUND"],
    [-32000, "TOOL_EXECUTION_FAILED"],
  ])("give a JSON-RPC error %i as %s, in the server's own words", async (code, expected) => {
    const { server, upstream } = open();
    server.handlers["tools/call"] = () => ({
      error: { code, message: "city unknown", data: { near: "Rome" } },
    });
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
      error: {
        code: expected,
        message: "city unknown",
        upstream: { code, message: "city unknown", data: { near: "Rome" } },
      },
    });
  });

  it("T075: all fail at once when the server dies, are not sent again, and the next call starts it anew", async () => {
    const { server, upstream, pass } = open();
    await upstream.call("echo", {}, contextOf());
    server.handlers["tools/call"] = () => undefined;
    const calls = Array.from({ length: 20 }, () => upstream.call("echo", {}, contextOf()));
    await soon();
    await server.crash();
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject({
        error: {
          code: "TOOL_UNAVAILABLE",
          retryable: false,
          hint: expect.stringContaining("may have taken effect"),
        },
      });
    }
    await soon();
    pass(600);
    server.handlers["tools/call"] = () => ({ content: [] });
    const sentBefore = server.heard.filter((message) => message["method"] === "tools/call").length;
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
    expect(server.connectCount).toBe(2);
    expect(server.heard.filter((message) => message["method"] === "tools/call")).toHaveLength(sentBefore + 1);
  });

  it("end at the deadline of the caller, if that comes first", async () => {
    const { server, upstream } = open();
    server.handlers["tools/call"] = () => undefined;
    expect(await upstream.call("echo", {}, contextOf({ deadlineAt: 20 }))).toMatchObject({
      error: { code: "TOOL_TIMEOUT", retryable: false, message: expect.stringContaining("20 ms") },
    });
  });

  it("that are cancelled cancel the server's work and nobody else's", async () => {
    const { server, upstream } = open();
    await upstream.call("echo", {}, contextOf());
    const gate = Promise.withResolvers<object>();
    server.handlers["tools/call"] = () => gate.promise;
    const abort = new AbortController();
    const first = upstream.call("echo", {}, contextOf({ signal: abort.signal }));
    const second = upstream.call("echo", {}, contextOf());
    await soon();
    abort.abort();
    expect(await first).toMatchObject({ error: { code: "CANCELLED" } });
    gate.resolve({ content: [] });
    expect(await second).toMatchObject({ success: true });
    const cancelled = server.heard.filter((message) => message["method"] === "notifications/cancelled");
    expect(cancelled).toHaveLength(1);
  });
});

function handleOf(overrides: Partial<ClientHandle> = {}): ClientHandle {
  return {
    capabilities: {},
    gone: new AbortController().signal,
    request: async () => succeed({}),
    notify() {},
    ...overrides,
  };
}

describe("a server that asks back", () => {
  it("gets the answer of the client whose call is under way", async () => {
    const { server, upstream } = open();
    const asked: unknown[] = [];
    const client = handleOf({
      capabilities: { elicitation: {} },
      request: async (method, params) => {
        asked.push([method, params]);
        return succeed({ action: "accept", content: { name: "Ann" } });
      },
    });
    server.handlers["tools/call"] = async () => {
      const answer = await server.ask("elicitation/create", questionOf("Who?"));
      return { content: [], structuredContent: answer["result"] };
    };
    expect(await upstream.call("greet", {}, contextOf({ client }))).toMatchObject({
      data: { structuredContent: { content: { name: "Ann" } } },
    });
    expect(asked).toEqual([["elicitation/create", questionOf("Who?")]]);
  });

  it("gets the client's own error, or is told that nobody is there", async () => {
    const { server, upstream } = open();
    server.handlers["tools/call"] = async () => ({
      content: [],
      structuredContent: (await server.ask("roots/list"))["error"],
    });
    const upstreamError = { code: -1, message: "User rejected" };
    const client = handleOf({
      capabilities: { roots: {} },
      request: async () => fail("TOOL_EXECUTION_FAILED", "x", { upstream: upstreamError }),
    });
    expect(await upstream.call("x", {}, contextOf({ client }))).toMatchObject({
      data: { structuredContent: upstreamError },
    });
    expect(await upstream.call("x", {}, contextOf())).toMatchObject({
      data: { structuredContent: { code: -32601 } },
    });
  });
});

describe("a modern server", () => {
  function openModern() {
    const opened = open();
    delete opened.server.handlers["initialize"];
    opened.server.handlers["server/discover"] = () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "new" },
    });
    opened.server.handlers["subscriptions/listen"] = () => undefined;
    return opened;
  }

  it("gets the envelope with every request, and is asked to tell of changes", async () => {
    const { server, upstream } = openModern();
    await upstream.call("echo", {}, contextOf({ meta: { a: 1 } }));
    expect(upstream.status()).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
    for (const method of ["tools/call", "subscriptions/listen"]) {
      const message = server.heard.find((heard) => heard["method"] === method);
      expect(message).toMatchObject({
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
      });
    }
  });

  it("that needs input gets it from the client, round by round", async () => {
    const { server, upstream } = openModern();
    const seen: JsonObject[] = [];
    server.handlers["tools/call"] = (params) => {
      seen.push(params);
      if (params["inputResponses"] !== undefined)
        return { content: [], structuredContent: params["inputResponses"] };
      const inputRequests = { who: { method: "elicitation/create", params: questionOf("Who?") } };
      return { resultType: "input_required", inputRequests, requestState: "sealed" };
    };
    const capabilities = { elicitation: {} };
    const client = handleOf({ capabilities, request: async () => succeed({ action: "accept" }) });
    expect(await upstream.call("greet", { a: 1 }, contextOf({ client }))).toMatchObject({
      data: { structuredContent: { who: { action: "accept" } } },
    });
    expect(seen[1]).toMatchObject({ name: "greet", arguments: { a: 1 }, requestState: "sealed" });
  });

  it("that asks for ever is stopped, and one without a client to ask fails", async () => {
    const { server, upstream } = openModern();
    const inputRequests = { who: { method: "elicitation/create", params: questionOf("Who?") } };
    server.handlers["tools/call"] = () => ({ resultType: "input_required", inputRequests });
    const client = handleOf({ capabilities: { elicitation: {} } });
    expect(await upstream.call("x", {}, contextOf({ client }))).toMatchObject({
      error: { message: expect.stringContaining("more than 8 times") },
    });
    expect(await upstream.call("x", {}, contextOf())).toMatchObject({
      error: { message: expect.stringContaining("no client to ask") },
    });
  });
});

describe("S12: a modern server that needs what the client cannot be asked for", () => {
  it.each([
    ["elicitation/create", { sampling: {} }],
    ["tools/call", { elicitation: {} }],
  ])("%s: the call fails, and no client of either era is asked", async (method, capabilities) => {
    const { server, upstream } = open();
    delete server.handlers["initialize"];
    server.handlers["server/discover"] = () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
    });
    server.handlers["subscriptions/listen"] = () => undefined;
    const inputRequests = { q: { method, params: {} } };
    server.handlers["tools/call"] = () => ({ resultType: "input_required", inputRequests });
    const asked: string[] = [];
    const client = handleOf({
      capabilities,
      request: async (one) => {
        asked.push(one);
        return succeed({});
      },
    });
    const refused = { error: { message: expect.stringContaining(method) } };
    expect(await upstream.call("x", {}, contextOf({ client }))).toMatchObject(refused);
    expect(await upstream.call("x", {}, contextOf({ modern: { capabilities } }))).toMatchObject(refused);
    expect(asked).toEqual([]);
  });
});

describe("listing", () => {
  it("asks only for what the server says that it has, page by page", async () => {
    const { server, upstream } = open();
    server.handlers["tools/list"] = (params) =>
      params["cursor"] === undefined
        ? { tools: [{ name: "a" }], nextCursor: "2", ttlMs: 9 }
        : { tools: [{ name: "b" }], ttlMs: 5 };
    expect(await upstream.list(contextOf())).toEqual(
      succeed({
        about: { title: "memory" },
        self: { serverInfo: { name: "memory", version: "" } },
        tools: [{ name: "a" }, { name: "b" }],
        resources: [],
        resourceTemplates: [],
        prompts: [],
        ttlMs: 5,
      }),
    );
    expect(server.heard.map((message) => message["method"])).not.toContain("resources/list");
  });

  it("T093: ends where a cursor repeats or the pages do not end, and says so", async () => {
    const { server, upstream } = open();
    server.handlers["tools/list"] = () => ({ tools: [{ name: "a" }], nextCursor: "again" });
    expect(await upstream.list(contextOf())).toMatchObject({
      data: { incomplete: [expect.stringContaining("repeats")] },
    });
    let page = 0;
    server.handlers["tools/list"] = () => ({ tools: [], nextCursor: `${page++}` });
    expect(await upstream.list(contextOf())).toMatchObject({
      data: { incomplete: [expect.stringContaining("100 pages")] },
    });
    server.handlers["tools/list"] = () => ({
      tools: Array.from({ length: 100_000 }, (_, i) => ({ name: `t${i}` })),
    });
    const result = await upstream.list(contextOf());
    expect(result).toMatchObject({
      data: { tools: { length: 1_000 }, incomplete: [expect.stringContaining("first 1000")] },
    });
  });

  it("fails only when the tools cannot be had", async () => {
    const { server, upstream } = open();
    server.handlers["initialize"] = () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, prompts: {} },
    });
    server.handlers["prompts/list"] = () => ({ error: { code: -32603, message: "broken" } });
    expect(await upstream.list(contextOf())).toMatchObject({
      success: true,
      data: { incomplete: [expect.any(String)] },
    });
    server.handlers["tools/list"] = () => ({ error: { code: -32603, message: "broken too" } });
    expect(await upstream.list(contextOf())).toMatchObject({
      success: false,
      error: { message: "broken too" },
    });
  });
});

describe("what the server says unasked", () => {
  it("tells of changed lists, and passes the rest on", async () => {
    const { server, upstream } = open();
    await upstream.list(contextOf());
    const changes: unknown[] = [];
    const notes: unknown[] = [];
    upstream.changed((what) => changes.push(what));
    upstream.notified!((method, params) => notes.push([method, params]));
    for (const list of ["tools", "resources", "prompts"]) server.notify(`notifications/${list}/list_changed`);
    server.notify("notifications/message", { level: "info", data: "hi" });
    await soon();
    expect(changes).toEqual(["tools", "resources", "prompts"]);
    expect(notes).toEqual([["notifications/message", { level: "info", data: "hi" }]]);
  });
});

describe("the end", () => {
  it("is put off by each call", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { upstream } = open({ idleMs: 1_000 });
      await upstream.call("echo", {}, contextOf());
      await vi.advanceTimersByTimeAsync(600);
      await upstream.call("echo", {}, contextOf());
      await vi.advanceTimersByTimeAsync(900);
      expect(upstream.status().state).toBe("ready");
      await vi.advanceTimersByTimeAsync(200);
      expect(upstream.status().state).toBe("idle");
    } finally {
      vi.useRealTimers();
    }
  });

  it("comes to every call of a server that dies, whatever its caller does with progress", async () => {
    const { server, upstream } = open();
    await upstream.call("echo", {}, contextOf());
    const answer = server.handlers["tools/call"]!;
    server.handlers["tools/call"] = () => undefined;
    const onProgress = (): void => {
      throw new Error("the caller's own mistake");
    };
    const calls = Array.from({ length: 3 }, () => upstream.call("echo", {}, contextOf({ onProgress })));
    await soon();
    for (let progress = 0; progress < 15; progress++)
      for (const progressToken of [2, 3, 4])
        server.notify("notifications/progress", { progressToken, progress });
    await server.crash();
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ success: false });
    expect(upstream.status()).toMatchObject({ callCount: 0 });
    server.handlers["tools/call"] = answer;
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
  });

  it("comes when nobody used it for a while, and not while a call or a subscription is open", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { server, upstream } = open({ idleMs: 1_000 });
      server.handlers["resources/subscribe"] = () => ({});
      server.handlers["resources/unsubscribe"] = () => ({});
      await upstream.call("echo", {}, contextOf());
      await upstream.request!("resources/subscribe", { uri: "x:y" }, contextOf());
      await vi.advanceTimersByTimeAsync(2_000);
      expect(upstream.status().state).toBe("ready");
      await upstream.request!("resources/unsubscribe", { uri: "x:y" }, contextOf());
      await vi.advanceTimersByTimeAsync(1_100);
      expect(upstream.status()).toMatchObject({ state: "idle", failureCount: 0 });
      expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
      expect(server.connectCount).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("of an old connection does not touch the one that came after it", async () => {
    const { server, upstream } = open({ idleMs: 1 });
    await upstream.call("echo", {}, contextOf());
    await vi.waitFor(() => expect(upstream.status().state).toBe("idle"), { timeout: 20_000 });
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({ success: true });
    await soon();
    expect(upstream.status()).toMatchObject({ failureCount: 0 });
    expect(server.connectCount).toBe(2);
  });

  it("is final: a closed server fails every call and starts nothing", async () => {
    const { server, upstream } = open();
    await upstream.call("echo", {}, contextOf());
    await upstream.close();
    expect(server.transport?.isClosed).toBe(true);
    expect(await upstream.call("echo", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE" },
    });
    expect(server.connectCount).toBe(1);
  });
});

describe("D5: the deadline of the run", () => {
  const silent = (): never => undefined as never;

  it("D5: is named as what ended the call, and the server is not blamed", async () => {
    const { server, upstream } = open();
    await upstream.call("echo", {}, contextOf());
    server.handlers["tools/call"] = silent;
    const result = await upstream.call("echo", {}, contextOf({ deadlineAt: 40, deadlineMs: 30_000 }));
    const error = result.success ? undefined : result.error;
    expect(error).toMatchObject({
      code: "TOOL_TIMEOUT",
      reason: "run_deadline",
      message:
        "The time limit of the run, 30000 ms, was reached before the server memory answered tools/call.",
      mayHaveHappened: true,
    });
    expect(error?.hint).toContain("timeout_ms of execute, --timeout");
    expect(error?.hint).not.toContain("timeoutMs of this server");
    expect(upstream.status()).toMatchObject({ state: "ready", failureCount: 0 });
  });

  it("D5: is not named where the server's own limit was nearer", async () => {
    const { server, upstream } = open({ callTimeoutMs: 30 });
    await upstream.call("echo", {}, contextOf());
    server.handlers["tools/call"] = silent;
    const result = await upstream.call("echo", {}, contextOf({ deadlineAt: 60_000, deadlineMs: 60_000 }));
    expect(result).toMatchObject({
      error: { message: "The server memory did not answer tools/call within 30 ms." },
    });
  });
});
