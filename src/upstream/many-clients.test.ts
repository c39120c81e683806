import { describe, expect, it, onTestFinished, vi } from "vitest";
import { evilCommand } from "../../test/rig/evil-process.ts";
import { UI_EXTENSION, UI_SETTINGS } from "../core/declared.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { createRedactor } from "../text/redaction.ts";
import { fail, type ToolResult } from "../core/result.ts";
import { openTransport } from "./transport/open-transport.ts";
import { CHANNEL_COUNT_MAX } from "./connection/channel-pool.ts";
import { createUpstreamServer } from "./upstream-server.ts";
import {
  clientOf,
  CONFIG,
  contextOf,
  heardBy,
  makeAsking,
  makeModern,
  openMany,
  principalOf,
  soon,
} from "./many-clients.testkit.ts";
import { questionOf } from "./memory-server.testkit.ts";

const answerOf = (name: string) => ({ data: { structuredContent: { answer: { content: { name } } } } });
const modernOf = (capabilities = { elicitation: {} }) => ({ modern: { capabilities } });

describe("a legacy client that can be asked", () => {
  it("has a channel of its own, with its capabilities, and answers what is asked on it", async () => {
    const { upstream, servers } = openMany(makeAsking);
    const [ann, bob] = [clientOf("Ann"), clientOf("Bob", { elicitation: {}, roots: {}, odd: {} })];
    const results = await Promise.all(
      [ann, bob, ann, bob].map((client, i) => upstream.call("greet", { who: i }, contextOf({ client }))),
    );
    results.forEach((result, i) => expect(result).toMatchObject(answerOf(i % 2 === 0 ? "Ann" : "Bob")));
    expect(ann.asked).toEqual(["for 0", "for 2"]);
    expect(bob.asked).toEqual(["for 1", "for 3"]);
    expect(upstream.status()).toMatchObject({ state: "idle", ownChannelCount: 2 });
    expect(servers.map((server) => heardBy(server, "initialize")[0]?.["params"])).toMatchObject([
      { capabilities: { elicitation: {} } },
      { capabilities: { elicitation: {}, roots: {} } },
    ]);
    expect(JSON.stringify(servers[1]!.heard)).not.toContain("odd");
  });

  it("is asked also between its calls", async () => {
    const { upstream, servers } = openMany();
    const ann = clientOf("Ann");
    await upstream.call("echo", {}, contextOf({ client: ann }));
    expect(await servers[0]!.ask("elicitation/create", questionOf("later"))).toMatchObject({
      result: { content: { name: "Ann" } },
    });
  });

  it("hears alone what is said on its channel", async () => {
    const { upstream, servers } = openMany();
    const [ann, bob] = [clientOf("Ann"), clientOf("Bob")];
    for (const client of [ann, bob]) await upstream.call("echo", {}, contextOf({ client }));
    await upstream.list(contextOf());
    const heard: unknown[] = [];
    upstream.notified!((method, params, client) => heard.push([method, params["data"], client]));
    servers.forEach((server, i) => server.notify("notifications/message", { level: "info", data: i }));
    await soon();
    expect(heard).toEqual([
      ["notifications/message", 0, ann],
      ["notifications/message", 1, bob],
      ["notifications/message", 2, undefined],
    ]);
  });

  it("subscribes, sets its log level and tells of its roots over its own channel", async () => {
    const { upstream, servers } = openMany((server) => {
      server.handlers["initialize"] = () => ({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
      });
      server.handlers["resources/subscribe"] = () => ({});
      server.handlers["logging/setLevel"] = () => ({});
    });
    const [ann, bob] = [clientOf("Ann"), clientOf("Bob")];
    upstream.setLogLevel("warning", ann);
    for (const client of [ann, bob]) await upstream.call("echo", {}, contextOf({ client }));
    await upstream.request!("resources/subscribe", { uri: "x:y" }, contextOf({ client: bob }));
    upstream.setLogLevel("debug", bob);
    upstream.notify("notifications/roots/list_changed", {}, ann);
    await soon();
    const [first, second] = servers;
    expect(heardBy(first!, "logging/setLevel")).toMatchObject([{ params: { level: "warning" } }]);
    expect(heardBy(second!, "logging/setLevel")).toMatchObject([{ params: { level: "debug" } }]);
    expect(servers.map((server) => heardBy(server, "resources/subscribe").length)).toEqual([0, 1]);
    expect(servers.map((server) => heardBy(server, "notifications/roots/list_changed").length)).toEqual([
      1, 0,
    ]);
  });

  it("that has gone takes its channel with it, and gets no new one", async () => {
    const { upstream, servers } = openMany();
    const [ann, bob] = [clientOf("Ann"), clientOf("Bob")];
    for (const client of [ann, bob]) await upstream.call("echo", {}, contextOf({ client }));
    ann.leave();
    await vi.waitFor(() => expect(servers[0]!.transport!.isClosed).toBe(true), { timeout: 20_000 });
    expect(servers[1]!.transport!.isClosed).toBe(false);
    expect(upstream.status().ownChannelCount).toBe(1);
    expect(await upstream.call("echo", {}, contextOf({ client: ann }))).toMatchObject({
      error: { code: "CANCELLED" },
    });
    expect(servers).toHaveLength(2);
  });

  it("loses a channel that it has not used for a while, and gets a new one", async () => {
    const { upstream, servers } = openMany(undefined, { idleMs: 1 });
    const client = clientOf("Ann");
    await upstream.call("echo", {}, contextOf({ client }));
    await vi.waitFor(() => expect(upstream.status().ownChannelCount).toBe(0), { timeout: 20_000 });
    expect(await upstream.call("echo", {}, contextOf({ client }))).toMatchObject({ success: true });
    expect(servers).toHaveLength(2);
  });

  it("needs no channel of its own for a modern server, which is told with each request what its caller can do", async () => {
    const { upstream, servers } = openMany((server) => {
      makeModern(server);
      server.handlers["tools/call"] = (params) => {
        const { inputResponses } = params;
        if (inputResponses !== undefined) return { content: [], structuredContent: inputResponses };
        return {
          resultType: "input_required",
          inputRequests: { who: { method: "elicitation/create", params: questionOf("Who?") } },
        };
      };
    });
    await upstream.list(contextOf());
    const clients = [clientOf("Ann"), clientOf("Bob")];
    const results = await Promise.all(
      clients.map((client) => upstream.call("greet", {}, contextOf({ client }))),
    );
    expect(results).toMatchObject(
      ["Ann", "Bob"].map((name) => ({ data: { structuredContent: { who: { content: { name } } } } })),
    );
    expect(servers).toHaveLength(1);
    for (const call of heardBy(servers[0]!, "tools/call")) {
      expect(call["params"]).toMatchObject({
        _meta: {
          "io.modelcontextprotocol/clientCapabilities": {
            elicitation: {},
            extensions: { [UI_EXTENSION]: UI_SETTINGS },
          },
        },
      });
    }
  });
});

describe("the shared channel", () => {
  it("serves clients that cannot be asked, and says that nobody can", async () => {
    const { upstream, servers } = openMany();
    // Whichever client makes it connect, all clients share it.
    await upstream.list(contextOf({ client: clientOf("Cid"), ...modernOf() }));
    for (const name of ["Ann", "Bob"]) {
      await upstream.call("echo", {}, contextOf({ client: clientOf(name, { experimental: {} }) }));
    }
    expect(servers).toHaveLength(1);
    const { extensions, ...askable } = (servers[0]!.heard[0]!["params"] as JsonObject)[
      "capabilities"
    ] as JsonObject;
    expect([askable, extensions]).toEqual([{}, { [UI_EXTENSION]: UI_SETTINGS }]);
    expect(upstream.status()).toMatchObject({ state: "ready", ownChannelCount: 0 });
  });

  it("passes a question to the one client whose call is under way, and to none of several", async () => {
    const { upstream, servers } = openMany();
    await upstream.list(contextOf());
    const server = servers[0]!;
    const gate = Promise.withResolvers<object>();
    server.handlers["tools/call"] = () => gate.promise;
    const [ann, bob] = [clientOf("Ann", {}), clientOf("Bob", {})];
    expect(await server.ask("elicitation/create", questionOf("Who?"))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("no call is under way") },
    });
    const first = upstream.call("x", {}, contextOf({ client: ann }));
    await soon();
    expect(await server.ask("elicitation/create", questionOf("Who?"))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("has not declared elicitation") },
    });
    const second = upstream.call("x", {}, contextOf({ client: bob }));
    await soon();
    expect(await server.ask("elicitation/create", questionOf("Who?"))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("several clients") },
    });
    gate.resolve({ content: [] });
    await Promise.all([first, second]);
    expect([ann.asked.length, bob.asked.length]).toEqual([0, 0]);
  });

  it("passes a question to the one client whose call is under way, where that can be asked", async () => {
    // A server that was modern before: its clients come over the shared channel until it has shown that it is not.
    let isFirst = true;
    const { upstream, servers } = openMany((server) => {
      if (isFirst) makeModern(server);
      else makeAsking(server);
      isFirst = false;
    });
    await upstream.list(contextOf());
    await servers[0]!.crash();
    await vi.waitFor(() => expect(upstream.status().state).not.toBe("ready"), { timeout: 20_000 });
    const ann = clientOf("Ann");
    expect(await upstream.call("greet", { who: "Ann" }, contextOf({ client: ann }))).toMatchObject(
      answerOf("Ann"),
    );
    expect(servers).toHaveLength(2);
    expect(upstream.status().ownChannelCount).toBe(0);
  });

  it("S12: a client that never answers stops the timeout of no other client's call", async () => {
    const { upstream, servers } = openMany(undefined, { callTimeoutMs: 50 });
    await upstream.list(contextOf());
    const server = servers[0]!;
    server.handlers["tools/call"] = () => undefined;
    const silent = { ...clientOf("Ann", {}), request: () => new Promise<never>(() => {}) };
    const own = new AbortController();
    const first = upstream.call("x", {}, contextOf({ client: silent, signal: own.signal }));
    await soon();
    void server.ask("elicitation/create");
    await soon();
    expect(
      await upstream.call(
        "x",
        {},
        contextOf({ client: clientOf("Bob", {}), signal: AbortSignal.timeout(5_000) }),
      ),
    ).toMatchObject({ error: { code: "TOOL_TIMEOUT" } });
    own.abort();
    await first;
  });

  it("S12: a question that is never answered ends with its call, at the client and at the server", async () => {
    const { upstream, servers } = openMany(makeAsking);
    const abort = new AbortController();
    const ended: string[] = [];
    const ann = clientOf("Ann");
    const client = {
      ...ann,
      request: (method: string, _: JsonObject, signal: AbortSignal) =>
        new Promise<ToolResult<JsonObject>>((resolve) => {
          signal.addEventListener("abort", () => {
            ended.push(method);
            resolve(fail("CANCELLED", "no longer asked"));
          });
          abort.abort();
        }),
    };
    const call = upstream.call("greet", { who: "Ann" }, contextOf({ client, signal: abort.signal }));
    expect(await call).toMatchObject({ error: { code: "CANCELLED" } });
    await vi.waitFor(() => expect(ended).toEqual(["elicitation/create"]), { timeout: 20_000 });
    const isTold = () => servers[0]!.heard.some(({ id, error }) => error !== undefined && id !== undefined);
    await vi.waitFor(() => expect(isTold()).toBe(true), { timeout: 20_000 });
  });

  it("T062: passes no question to a client while the server may be asking for a call that another gave up", async () => {
    const { upstream, servers } = openMany();
    await upstream.list(contextOf());
    const server = servers[0]!;
    const gate = Promise.withResolvers<object>();
    server.handlers["tools/call"] = () => gate.promise;
    const abort = new AbortController();
    const [ann, bob] = [clientOf("Ann", {}), clientOf("Bob", {})];
    const first = upstream.call("x", {}, contextOf({ client: ann, signal: abort.signal }));
    const second = upstream.call("x", {}, contextOf({ client: bob }));
    await soon();
    abort.abort();
    expect(await first).toMatchObject({ error: { code: "CANCELLED" } });
    expect(await server.ask("elicitation/create", questionOf("for Ann"))).toMatchObject({
      error: { code: -32601 },
    });
    gate.resolve({ content: [] });
    await second;
    expect(bob.asked).toEqual([]);
  });

  it("keeps a subscription until the last client that wants it does not, or has gone", async () => {
    const { upstream, servers } = openMany((server) => {
      server.handlers["resources/subscribe"] = () => ({});
      server.handlers["resources/unsubscribe"] = () => ({});
    });
    const clients = ["Ann", "Bob", "Cid"].map((name) => clientOf(name, {}));
    const [ann, bob, cid] = clients;
    for (const client of clients) {
      await upstream.request!("resources/subscribe", { uri: "x:y" }, contextOf({ client }));
    }
    const endings = () => heardBy(servers[0]!, "resources/unsubscribe").length;
    await upstream.request!("resources/unsubscribe", { uri: "x:y" }, contextOf({ client: ann! }));
    bob!.leave();
    await soon();
    expect(endings()).toBe(0);
    cid!.leave();
    await soon();
    expect(endings()).toBe(1);
  });

  it("asks for the log that the most curious client wants", async () => {
    const { upstream, servers } = openMany((server) => {
      server.handlers["initialize"] = () => ({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {} },
      });
      server.handlers["logging/setLevel"] = () => ({});
    });
    const [ann, bob] = [clientOf("Ann", {}), clientOf("Bob", {})];
    upstream.setLogLevel("info", ann);
    upstream.setLogLevel("error", bob);
    await upstream.list(contextOf());
    await soon();
    expect(heardBy(servers[0]!, "logging/setLevel")).toMatchObject([{ params: { level: "info" } }]);
  });
});

describe("a call of a modern client to a legacy server", () => {
  it("has a channel for itself while it is under way, and leaves it to the next with the same capabilities", async () => {
    const { upstream, servers } = openMany(makeAsking);
    const call = (name: string) =>
      upstream.call("greet", { who: name }, contextOf({ client: clientOf(name), ...modernOf() }));
    expect(await Promise.all([call("Ann"), call("Bob")])).toMatchObject([answerOf("Ann"), answerOf("Bob")]);
    // The first found out the era on the shared channel.
    expect(servers).toHaveLength(3);
    expect(servers.map((server) => heardBy(server, "tools/call").length)).toEqual([0, 1, 1]);
    expect(await call("Cid")).toMatchObject(answerOf("Cid"));
    expect(servers).toHaveLength(3);
    expect(upstream.status().ownChannelCount).toBe(2);
  });

  it("shares no channel with other capabilities or another principal", async () => {
    const { upstream } = openMany();
    const client = clientOf("Ann");
    await upstream.call("echo", {}, contextOf({ client, ...modernOf() }));
    await upstream.call("echo", {}, contextOf({ client, modern: { capabilities: { sampling: {} } } }));
    for (const id of ["ann", "bob"]) {
      await upstream.call("echo", {}, contextOf({ client, ...modernOf(), principal: principalOf(id) }));
    }
    expect(upstream.status().ownChannelCount).toBe(4);
  });

  it("goes over the shared channel if it can be asked nothing, or the server is modern", async () => {
    const legacy = openMany();
    await legacy.upstream.call("echo", {}, contextOf({ modern: { capabilities: { experimental: {} } } }));
    await legacy.upstream.request!("completion/complete", {}, contextOf(modernOf()));
    expect(legacy.upstream.status().ownChannelCount).toBe(0);
    const modern = openMany(makeModern);
    await modern.upstream.call("echo", {}, contextOf({ client: clientOf("Ann"), ...modernOf() }));
    expect(modern.servers).toHaveLength(1);
    expect(modern.upstream.status().ownChannelCount).toBe(0);
  });

  it("T062: that is cancelled leaves its channel to nobody: the server may still ask for it", async () => {
    const { upstream, servers } = openMany((server) => {
      server.handlers["tools/call"] = () => undefined;
    });
    const abort = new AbortController();
    const ann = clientOf("Ann");
    const first = upstream.call("x", {}, contextOf({ client: ann, ...modernOf(), signal: abort.signal }));
    await vi.waitFor(() => expect(servers.map((one) => heardBy(one, "tools/call").length)).toEqual([0, 1]), {
      timeout: 20_000,
    });
    abort.abort();
    expect(await first).toMatchObject({ error: { code: "CANCELLED" } });
    await vi.waitFor(() => expect(servers[1]!.transport!.isClosed).toBe(true), { timeout: 20_000 });
    expect(heardBy(servers[1]!, "notifications/cancelled")).toHaveLength(1);
    expect(upstream.status().ownChannelCount).toBe(0);
  });

  it("gets the log that it asked for, and the next that did not ask gets none", async () => {
    const { upstream, servers } = openMany((server) => {
      server.handlers["initialize"] = () => ({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {} },
      });
      server.handlers["logging/setLevel"] = () => ({});
      server.handlers["tools/call"] = () => {
        server.notify("notifications/message", { level: "info", data: "a line" });
        return { content: [] };
      };
    });
    const heard: unknown[] = [];
    upstream.notified!((method, _, client) => heard.push([method, client]));
    const client = clientOf("Ann");
    const modern = { capabilities: { elicitation: {} }, logLevel: "info" };
    await upstream.call("x", {}, contextOf({ client, modern }));
    await upstream.call("x", {}, contextOf({ client, ...modernOf() }));
    expect(heardBy(servers[1]!, "logging/setLevel")).toMatchObject([{ params: { level: "info" } }]);
    expect(heard).toEqual([["notifications/message", client]]);
  });

  it("with a state that a legacy server cannot have given is refused, and not made again", async () => {
    const { upstream, servers } = openMany();
    const modern = { capabilities: { elicitation: {} }, serverState: { server: "memory", state: "s" } };
    expect(await upstream.call("echo", {}, contextOf({ modern }))).toMatchObject({
      error: {
        code: "TOOL_INVALID_INPUT",
        field: "requestState",
        hint: expect.stringContaining("Call again"),
      },
    });
    expect(servers.flatMap((server) => heardBy(server, "tools/call"))).toEqual([]);
  });
});

describe("at the limit of channels", () => {
  /** So many calls under way that every channel is in use. */
  async function fill() {
    const gate = Promise.withResolvers<object>();
    const many = openMany((server) => {
      server.handlers["tools/call"] = () => gate.promise;
    });
    const calls = Array.from({ length: CHANNEL_COUNT_MAX }, (_, i) =>
      many.upstream.call("x", {}, contextOf({ client: clientOf(`${i}`) })),
    );
    await soon();
    expect(many.upstream.status().ownChannelCount).toBe(CHANNEL_COUNT_MAX);
    return { ...many, calls, gate };
  }

  it("the next call waits for a channel, and the oldest that is not used is closed for it", async () => {
    const { upstream, servers, calls, gate } = await fill();
    const next = upstream.call("x", {}, contextOf({ client: clientOf("next") }));
    await soon();
    expect(servers).toHaveLength(CHANNEL_COUNT_MAX);
    gate.resolve({ content: [] });
    expect(await next).toMatchObject({ success: true });
    await Promise.all(calls);
    expect(upstream.status().ownChannelCount).toBe(CHANNEL_COUNT_MAX);
    expect(servers[0]!.transport!.isClosed).toBe(true);
    expect(servers.filter((server) => server.transport!.isClosed)).toHaveLength(1);
  });

  it("a call that is cancelled while it waits is not sent, and those who wait behind it are not held up", async () => {
    const { upstream, servers, gate } = await fill();
    const abort = new AbortController();
    const leaver = upstream.call("x", {}, contextOf({ client: clientOf("a"), signal: abort.signal }));
    const stayer = upstream.call("x", {}, contextOf({ ...modernOf(), client: clientOf("b") }));
    const late = upstream.call(
      "x",
      {},
      contextOf({ client: clientOf("c"), deadlineAt: performance.now() + 20 }),
    );
    await soon();
    abort.abort();
    expect(await leaver).toMatchObject({ error: { code: "CANCELLED" } });
    expect(await late).toMatchObject({
      error: {
        code: "RATE_LIMITED",
        retryable: true,
        message: expect.stringContaining(`it holds ${CHANNEL_COUNT_MAX}`),
      },
    });
    gate.resolve({ content: [] });
    expect(await stayer).toMatchObject({ success: true });
    expect(servers.flatMap((server) => heardBy(server, "tools/call"))).toHaveLength(CHANNEL_COUNT_MAX + 1);
  });

  it("S15: a principal that has none gets a channel at once, and one that has some does not", async () => {
    const { upstream, servers, gate } = await fill();
    const bob = principalOf("bob");
    const bobs = ["b1", "b2"].map((name) =>
      upstream.call("x", {}, contextOf({ client: clientOf(name), principal: bob })),
    );
    await soon();
    expect(servers).toHaveLength(CHANNEL_COUNT_MAX + 1);
    gate.resolve({ content: [] });
    expect(await Promise.all(bobs)).toMatchObject([{ success: true }, { success: true }]);
  });

  it("a client whose calls all wait gets one channel for them", async () => {
    const { upstream, servers, gate } = await fill();
    const client = clientOf("next");
    const waiting = Array.from({ length: 3 }, () => upstream.call("x", {}, contextOf({ client })));
    gate.resolve({ content: [] });
    expect(await Promise.all(waiting)).toMatchObject([
      { success: true },
      { success: true },
      { success: true },
    ]);
    expect(servers).toHaveLength(CHANNEL_COUNT_MAX + 1);
    expect(heardBy(servers.at(-1)!, "tools/call")).toHaveLength(3);
  });

  it("a server that is removed fails those who wait, and ends every channel", async () => {
    const { upstream, servers, calls } = await fill();
    const next = upstream.call("x", {}, contextOf({ client: clientOf("next") }));
    await upstream.close();
    expect(await next).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    expect(servers.every((server) => server.transport!.isClosed)).toBe(true);
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ success: false });
  });
});

it("a server that dies on the channels of clients is not started again for each new channel", async () => {
  let opened = 0;
  let now = 0;
  const { upstream } = openMany(
    (server) => {
      opened++;
      server.handlers["initialize"] = () => ({ error: { code: -32000, message: "no licence" } });
    },
    {},
    { random: () => 1, clock: { now: () => now, elapsed: () => now } },
  );
  const call = (name: string) => upstream.call("x", {}, contextOf({ client: clientOf(name) }));
  for (const name of ["a", "b", "c"]) {
    now += 1_000;
    await call(name);
  }
  expect(upstream.status()).toMatchObject({ lastError: { reason: expect.stringContaining("no licence") } });
  const before = opened;
  expect(await call("g")).toMatchObject({ error: { message: expect.stringContaining("no licence") } });
  expect(opened).toBe(before);
});

it("D9: no secret of the config is in a question that reaches a client", async () => {
  const redactor = createRedactor(["CANARY-config-secret"]);
  const { upstream, servers } = openMany(undefined, {}, { mask: (value) => redactor.mask(value) });
  const ann = clientOf("Ann");
  await upstream.call("echo", {}, contextOf({ client: ann }));
  await servers[0]!.ask("elicitation/create", questionOf("type CANARY-config-secret"));
  expect(ann.asked).toHaveLength(1);
  expect(JSON.stringify(ann.asked)).toContain("type [redacted]");
});

it("a server of the legacy era that answers input_required has broken the protocol", async () => {
  const { upstream } = openMany((server) => {
    server.handlers["tools/call"] = () => ({ resultType: "input_required", requestState: "bare" });
  });
  const error = { code: "TOOL_EXECUTION_FAILED", reason: "malformed_answer" };
  expect(await upstream.call("echo", {}, contextOf({ client: clientOf("Ann") }))).toMatchObject({ error });
});

it("real processes: two clients whose calls overlap are asked each for their own", async () => {
  const question = { method: "elicitation/create", params: questionOf("Who?") };
  const script = { era: "legacy" as const, rules: [{ tool: "echo", request: question }] };
  const upstream = createUpstreamServer(
    { ...CONFIG, connectTimeoutMs: 20_000, transport: { kind: "stdio", env: {}, ...evilCommand(script) } },
    { clientInfo: { name: "t", version: "0" }, log: silentLog, openTransport, hasManyClients: true },
  );
  onTestFinished(() => upstream.close());
  const [ann, bob] = [clientOf("Ann"), clientOf("Bob")];
  const results = await Promise.all(
    [ann, bob, ann, bob].map((client) => upstream.call("echo", { text: "x" }, contextOf({ client }))),
  );
  expect(results).toMatchObject([answerOf("Ann"), answerOf("Bob"), answerOf("Ann"), answerOf("Bob")]);
  expect([ann.asked.length, bob.asked.length]).toEqual([2, 2]);
  await upstream.close();
  expect(upstream.status().ownChannelCount).toBe(0);
});

it(
  "S12: real processes: a client that declared nothing is asked nothing, by whatever name",
  { timeout: 30_000 },
  async () => {
    const questions = {
      "elicitation/create": questionOf("Who?"),
      "sampling/createMessage": { messages: [], maxTokens: 1 },
      "roots/list": {},
      "tools/call": {},
      shutdown: {},
    };
    const rules = Object.entries(questions).map(([method, params], i) => ({
      tool: "echo",
      nth: i + 1,
      request: { method, params },
    }));
    const upstream = createUpstreamServer(
      {
        ...CONFIG,
        connectTimeoutMs: 20_000,
        transport: { kind: "stdio", env: {}, ...evilCommand({ era: "legacy", rules }) },
      },
      { clientInfo: { name: "t", version: "0" }, log: silentLog, openTransport },
    );
    onTestFinished(() => upstream.close());
    const client = clientOf("Ann", {});
    for (const method of Object.keys(questions)) {
      expect({
        method,
        ...(await upstream.call("echo", { text: "x" }, contextOf({ client }))),
      }).toMatchObject({
        method,
        data: { structuredContent: { answer: { code: -32601 } } },
      });
    }
    expect(client.asked).toEqual([]);
  },
);
