import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import {
  clientOf,
  contextOf,
  heardBy,
  makeAsking,
  makeModern,
  openMany,
  principalOf,
  soon,
} from "../upstream/many-clients.testkit.ts";
import { questionOf } from "../upstream/memory-server.testkit.ts";
import { HELD_MS } from "./held-call.ts";
import {
  createHeldCalls,
  HELD_COUNT_MAX,
  HELD_RESERVED_COUNT,
  heldRequestOf,
  type HeldCallsDeps,
  type HeldRequest,
} from "./held-calls.ts";
import { useSealedStates } from "./sealed-state.testkit.ts";

const REQUEST: HeldRequest = {
  method: "tools/call",
  name: "memory__greet",
  args: { who: "Ann", list: [1] },
  server: () => "memory",
};
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

const openStates = useSealedStates();

/** As one process has them; all share the store. */
function openHeldCalls(deps: Partial<HeldCallsDeps> = {}) {
  return createHeldCalls({ states: openStates(), ...deps });
}

interface Asked {
  readonly inputRequests: Record<string, { method: string; params: JsonObject }>;
  readonly requestState: string;
}

function modernContext(modern: JsonObject = {}, more: Partial<CallContext> = {}): CallContext {
  return contextOf({ ...more, modern: { capabilities: CAPABILITIES, ...modern } });
}

/** What the client was asked; fails if it got anything else. */
function askedOf(result: ToolResult<JsonObject>): Asked {
  expect(result).toMatchObject({ success: true, data: { resultType: "input_required" } });
  return (result as unknown as { data: Asked }).data;
}

/** Every question answered with the same. */
function backWith(asked: Asked, response: JsonObject, more: Partial<CallContext> = {}): CallContext {
  const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, response]));
  return modernContext({ inputResponses, requestState: asked.requestState }, more);
}

/** Held calls over a legacy server in memory. */
function openHeld(
  prepare: Parameters<typeof openMany>[0] = makeAsking,
  config: Parameters<typeof openMany>[1] = {},
) {
  const many = openMany(prepare, config);
  const held = openHeldCalls();
  const answer = (context: CallContext, request = REQUEST, calls = held) =>
    calls.answer(request, context, async (next) => {
      const result = await many.upstream.call("greet", request.args, next);
      return result as ToolResult<JsonObject>;
    });
  const server = () => many.servers.findLast((one) => heardBy(one, "tools/call").length > 0)!;
  const count = (method: string) => many.servers.flatMap((one) => heardBy(one, method)).length;
  return { ...many, held, answer, server, count };
}

/** Held calls over a call that asks through the handle that it is handed, as often as the test says. */
function openAsking() {
  const held = openHeldCalls();
  const { promise, resolve } = Promise.withResolvers<ToolResult<JsonObject>>();
  const sent = Promise.withResolvers<CallContext>();
  const begin = (first: CallContext) =>
    held.answer(REQUEST, first, (next) => {
      sent.resolve(next);
      return promise;
    });
  const ask = async (method = "elicitation/create", signal = new AbortController().signal) =>
    (await sent.promise).client!.request(method, { message: method }, signal);
  return { held, begin, ask, finish: resolve, sent: sent.promise };
}

const never = () => Promise.reject(new Error("it is sent a second time"));

describe("a call that a legacy server asks back", () => {
  it("is held until the client comes back with the answer, and goes on where it was", async () => {
    const { held, answer, count } = openHeld();
    const asked = askedOf(await answer(modernContext()));
    expect(asked.inputRequests).toEqual({
      q1: { method: "elicitation/create", params: questionOf("for Ann") },
    });
    expect(held.heldCount()).toBe(1);
    expect(await answer(backWith(asked, { action: "accept", content: { ok: true } }))).toMatchObject({
      data: { structuredContent: { who: "Ann", answer: { action: "accept", content: { ok: true } } } },
    });
    expect(count("tools/call")).toBe(1);
    expect(held.heldCount()).toBe(0);
  });

  it("asks round by round, for each kind of input, and all at once what it asks at once", async () => {
    const { held, begin, ask, finish } = openAsking();
    const first = begin(modernContext());
    const answers = [ask("elicitation/create"), ask("roots/list")];
    const round1 = askedOf(await first);
    expect(Object.values(round1.inputRequests).map(({ method }) => method)).toEqual([
      "elicitation/create",
      "roots/list",
    ]);
    const second = held.answer(REQUEST, backWith(round1, { n: 1 }), never);
    expect(await Promise.all(answers)).toEqual([succeed({ n: 1 }), succeed({ n: 1 })]);
    void ask("sampling/createMessage").then(() => finish(succeed({ done: true })));
    const round2 = askedOf(await second);
    expect(Object.keys(round2.inputRequests)).toEqual(["q3"]);
    expect(await held.answer(REQUEST, backWith(round2, { n: 2 }), never)).toEqual(succeed({ done: true }));
  });

  it("asks again what the client left out or answered with nothing", async () => {
    const { held, begin, ask } = openAsking();
    const first = begin(modernContext());
    const answers = [ask(), ask(), ask()];
    const { requestState } = askedOf(await first);
    const inputResponses = { q1: { ok: true }, q2: null, q9: { odd: true } };
    const again = await held.answer(REQUEST, modernContext({ requestState, inputResponses }), never);
    expect(await answers[0]).toEqual(succeed({ ok: true }));
    expect(Object.keys(askedOf(again).inputRequests)).toEqual(["q2", "q3"]);
  });

  it("keeps a question that comes while no request is under way for the next that comes back", async () => {
    const { held, begin, ask } = openAsking();
    const first = begin(modernContext());
    void ask();
    const asked = askedOf(await first);
    const late = ask("roots/list");
    await soon();
    const again = await held.answer(REQUEST, backWith(asked, { ok: true }), never);
    expect(Object.values(askedOf(again).inputRequests)).toMatchObject([{ method: "roots/list" }]);
    await held.answer(
      REQUEST,
      backWith(askedOf(again), { roots: [] }, { signal: AbortSignal.abort() }),
      never,
    );
    expect(await late).toMatchObject({ error: { code: "CANCELLED" } });
  });

  it("keeps a result that comes while no request is under way", async () => {
    const { held, begin, ask, finish } = openAsking();
    const first = begin(modernContext());
    void ask();
    const asked = askedOf(await first);
    finish(succeed({ done: true }));
    await soon();
    expect(await held.answer(REQUEST, backWith(asked, {}), never)).toEqual(succeed({ done: true }));
    expect(held.heldCount()).toBe(0);
  });

  it("does not ask what the server does not want to know any more, nor what the client has not declared", async () => {
    const { begin, ask, finish } = openAsking();
    const answer = begin(modernContext({ capabilities: { elicitation: {} } }));
    expect(await ask("roots/list")).toMatchObject({ error: { upstream: { code: -32601 } } });
    expect(await ask("tools/call")).toMatchObject({ error: { upstream: { code: -32601 } } });
    const abort = new AbortController();
    const given = ask("elicitation/create", abort.signal);
    abort.abort();
    expect(await given).toMatchObject({ error: { code: "CANCELLED" } });
    finish(succeed({ done: true }));
    expect(await answer).toEqual(succeed({ done: true }));
  });

  it("takes a bounded number of questions at once", async () => {
    const { begin, ask } = openAsking();
    const first = begin(modernContext());
    for (let i = 0; i < 16; i++) void ask();
    expect(await ask()).toMatchObject({ error: { upstream: { code: -32603 } } });
    expect(Object.keys(askedOf(await first).inputRequests)).toHaveLength(16);
  });

  it("reports progress and passes notices to the request that is under way", async () => {
    const told: unknown[] = [];
    const held = openHeldCalls({ tell: (context, method) => void told.push([context.traceId, method]) });
    let sent: CallContext | undefined;
    const on = (traceId: string) => ({
      traceId,
      onProgress: (step: JsonObject) => told.push([traceId, step["progress"]]),
    });
    const first = held.answer(REQUEST, modernContext({}, on("one")), (next) => {
      sent = next;
      return new Promise(() => {});
    });
    await vi.waitFor(() => expect(sent).toBeDefined(), { timeout: 20_000 });
    expect([held.isHandle(sent!.client!), held.isHandle(clientOf("Bob"))]).toEqual([true, false]);
    sent!.onProgress!({ progress: 1 });
    void sent!.client!.request("roots/list", {}, new AbortController().signal);
    const asked = askedOf(await first);
    sent!.onProgress!({ progress: 2 });
    sent!.client!.notify("notifications/message", {});
    void held.answer(REQUEST, backWith(asked, {}, on("two")), never);
    await vi.waitFor(() => expect(held.heldCount()).toBe(0), { timeout: 20_000 });
    sent!.onProgress!({ progress: 3 });
    sent!.client!.notify("notifications/message", {});
    expect(told).toEqual([
      ["one", 1],
      ["two", 3],
      ["two", "notifications/message"],
    ]);
    held.close();
  });
});

describe("a store that does not answer", () => {
  const broken = {
    sealer: () => Promise.reject(new Error("the disk is full")),
    open: async () => succeed(undefined),
  };

  it("costs nothing as long as nobody is asked, and a question is refused to the server", async () => {
    const held = openHeldCalls({ states: broken });
    expect(await held.answer(REQUEST, modernContext(), async () => succeed({ done: true }))).toEqual(
      succeed({ done: true }),
    );
    const asked = await held.answer(REQUEST, modernContext(), ({ client, signal }) =>
      client!.request("roots/list", {}, signal),
    );
    expect(asked).toMatchObject({ error: { upstream: { code: -32603 } } });
    expect(held.heldCount()).toBe(0);
  });
});

describe("what is not held", () => {
  it("is a call of a legacy client, and one of a client that can be asked nothing: both go as they are", async () => {
    const held = openHeldCalls();
    for (const context of [contextOf(), modernContext({ capabilities: { experimental: {} } })]) {
      let sent: CallContext | undefined;
      await held.answer(REQUEST, context, async (next) => {
        sent = next;
        return succeed({});
      });
      expect(sent).toBe(context);
    }
  });

  it("S5: is a modern server's own round, whose state the client gets sealed and the server gets back as it was", async () => {
    const { answer, servers, held } = openHeld(asksInAnswer("a.1.b"));
    const asked = askedOf(await answer(modernContext()));
    expect(asked).toMatchObject({ inputRequests: { x: { method: "roots/list" } } });
    expect(Buffer.from(asked.requestState, "base64url").toString("latin1")).not.toContain("a.1.b");
    expect(held.heldCount()).toBe(0);
    expect(await answer(backWith(asked, { roots: [] }))).toMatchObject({
      data: { structuredContent: { requestState: "a.1.b", inputResponses: { x: { roots: [] } } } },
    });
    expect(servers).toHaveLength(1);
  });

  it("S5: is bound all the same where the server gave no state, and the server gets none", async () => {
    const { answer, count } = openHeld(asksInAnswer(undefined));
    const asked = askedOf(await answer(modernContext()));
    const other = { ...REQUEST, args: { who: "Eve" } };
    expect(await answer(backWith(asked, { roots: [] }), other)).toMatchObject(REFUSED);
    const result = await answer(backWith(asked, { roots: [] }));
    expect(result).toMatchObject({ data: { structuredContent: { inputResponses: { x: { roots: [] } } } } });
    expect(JSON.stringify(result)).not.toContain("requestState");
    expect(await answer(backWith(asked, { roots: [] }))).toMatchObject(REFUSED);
    expect(count("tools/call")).toBe(2);
  });

  it("S5: and its state does not go to another server that has the name now", async () => {
    const { answer, count } = openHeld(asksInAnswer("mine"));
    const asked = askedOf(await answer(modernContext(), { ...REQUEST, server: () => "another" }));
    expect(await answer(backWith(asked, { roots: [] }))).toMatchObject(REFUSED);
    expect(count("tools/call")).toBe(1);
  });
});

const REFUSED = { error: { code: "TOOL_INVALID_INPUT", reason: "request_state_refused" } };

/** A modern server that asks once, and tells what it was sent back. */
function asksInAnswer(requestState: string | undefined): Parameters<typeof openMany>[0] {
  return (server) => {
    makeModern(server);
    server.handlers["tools/call"] = (params) =>
      params["inputResponses"] === undefined
        ? {
            resultType: "input_required",
            inputRequests: { x: { method: "roots/list" } },
            ...(requestState !== undefined && { requestState }),
          }
        : { content: [], structuredContent: params };
  };
}

it("prompts and resources are held like tools, by their name and arguments", () => {
  const find = (name: string) => `server of ${name}`;
  const resource = heldRequestOf("resources/read", { uri: "x:y", _meta: {} }, find);
  expect(resource).toMatchObject({ method: "resources/read", name: "x:y", args: {} });
  expect(resource?.server()).toBe("server of x:y");
  expect(
    heldRequestOf("prompts/get", { name: "p", arguments: { a: "1" }, requestState: "s" }, find),
  ).toMatchObject({ method: "prompts/get", name: "p", args: { a: "1" } });
  expect(heldRequestOf("completion/complete", { name: "p" }, find)).toBeUndefined();
});

describe("a state", () => {
  const ann = { principal: principalOf("ann") };
  it.each<[string, string, Partial<CallContext>, Partial<HeldRequest>]>([
    ["another principal", "another principal", { principal: principalOf("bob") }, {}],
    ["no principal", "another principal", {}, {}],
    ["a client of another profile", "another profile", { ...ann, view: { profile: "p" } as never }, {}],
    ["a transparent profile", "another profile", ann, { profile: "p" }],
    ["other arguments", "other arguments", ann, { args: { who: "Bob", list: [1] } }],
    ["another tool", "another call", ann, { name: "memory__other" }],
    ["another method", "another call", ann, { method: "prompts/get" }],
  ])("brought by %s is refused, and stays good for its own", async (_, what, more, request) => {
    const { answer, count } = openHeld();
    const principal = principalOf("ann");
    const asked = askedOf(await answer(modernContext({}, { principal })));
    expect(await answer(backWith(asked, {}, more), { ...REQUEST, ...request })).toMatchObject({
      error: {
        code: "TOOL_INVALID_INPUT",
        field: "requestState",
        message: expect.stringContaining(what),
      },
    });
    // The same arguments in another order are the same.
    const same = { ...REQUEST, args: { list: [1], who: "Ann" } };
    expect(await answer(backWith(asked, { ok: true }, { principal }), same)).toMatchObject({ success: true });
    expect(count("tools/call")).toBe(1);
  });

  it("is good once: at the same time, afterwards, and of an earlier round", async () => {
    const { held, begin, ask, finish } = openAsking();
    const first = begin(modernContext());
    const answered = ask();
    const round1 = askedOf(await first);
    const back = () => held.answer(REQUEST, backWith(round1, {}), never);
    const [winner, loser] = [back(), back()];
    const used = { error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("used already") } };
    expect(await loser).toMatchObject(used);
    await answered;
    void ask();
    askedOf(await winner);
    expect(await back()).toMatchObject(used);
    finish(succeed({}));
    held.close();
    expect(await back()).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("held no longer") },
    });
  });

  it("that is garbage, forged or of an earlier process is refused with the advice to call again, and nothing is sent", async () => {
    const { held, answer, count } = openHeld();
    const asked = askedOf(await answer(modernContext()));
    const forged = asked.requestState.replace(/.{4}$/, "AAAA");
    const another = openHeldCalls();
    const states = ["garbage", "", "...", forged, `${asked.requestState}.x`];
    for (const requestState of states) {
      expect(await answer(backWith({ ...asked, requestState }, {}))).toMatchObject({
        error: { code: "TOOL_INVALID_INPUT", hint: expect.stringContaining("Call again") },
      });
    }
    expect(await answer(backWith(asked, {}), REQUEST, another)).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", hint: expect.stringContaining("Call again") },
    });
    expect(count("tools/call")).toBe(1);
    expect(held.heldCount()).toBe(1);
  });
});

describe("the end of a held call", () => {
  it("T062: comes when the client goes away during the request that went on with it", async () => {
    const { held, answer, server } = openHeld((one) => {
      one.handlers["tools/call"] = async () => {
        await one.ask("elicitation/create", questionOf("Who?"));
        return undefined;
      };
    });
    const asked = askedOf(await answer(modernContext()));
    const abort = new AbortController();
    const second = answer(backWith(asked, {}, { signal: abort.signal }));
    await soon();
    abort.abort();
    expect(await second).toMatchObject({ error: { code: "CANCELLED", mayHaveHappened: true } });
    await vi.waitFor(() => expect(heardBy(server(), "notifications/cancelled")).toHaveLength(1), {
      timeout: 20_000,
    });
    expect(held.heldCount()).toBe(0);
  });

  it("T063: does not come from a request that is answered, and comes at once from one that is cancelled before it", async () => {
    const { answer, server } = openHeld();
    const first = new AbortController();
    const asked = askedOf(await answer(modernContext({}, { signal: first.signal })));
    first.abort();
    await soon();
    expect(heardBy(server(), "notifications/cancelled")).toEqual([]);
    expect(await answer(backWith(asked, {}, { signal: AbortSignal.abort() }))).toMatchObject({
      error: { code: "CANCELLED" },
    });
    await vi.waitFor(() => expect(heardBy(server(), "notifications/cancelled")).toHaveLength(1), {
      timeout: 20_000,
    });
    expect(await answer(backWith(asked, {}))).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  it("T063: a call that is cancelled before it is sent is not sent", async () => {
    const { answer, count } = openHeld();
    expect(await answer(modernContext({}, { signal: AbortSignal.abort() }))).toMatchObject({
      error: { code: "CANCELLED" },
    });
    expect(count("tools/call")).toBe(0);
  });

  it("comes with the token of its client, and with the gateway", async () => {
    const { held, answer, count } = openHeld();
    const revoked = new AbortController();
    const principal = { ...principalOf("ann"), revoked: revoked.signal };
    askedOf(await answer(modernContext({}, { principal })));
    revoked.abort();
    expect(held.heldCount()).toBe(0);
    await vi.waitFor(() => expect(count("notifications/cancelled")).toBe(1), { timeout: 20_000 });
    askedOf(await answer(modernContext()));
    held.close();
    expect(held.heldCount()).toBe(0);
    await vi.waitFor(() => expect(count("notifications/cancelled")).toBe(2), { timeout: 20_000 });
    expect(await answer(modernContext())).toMatchObject({ error: { code: "CANCELLED" } });
  });

  it("comes to a request that is under way when the gateway ends", async () => {
    const { held, begin } = openAsking();
    const answer = begin(modernContext());
    held.close();
    expect(await answer).toMatchObject({
      error: { code: "CANCELLED", message: expect.stringContaining("ending") },
    });
  });

  describe("when nobody comes back", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
    afterEach(() => void vi.useRealTimers());

    /** Time passes until it comes, and not a millisecond longer. */
    async function passing<T>(awaited: Promise<T>): Promise<T> {
      let isThere = false;
      void awaited.finally(() => (isThere = true));
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isThere) return awaited;
        await vi.advanceTimersByTimeAsync(1);
      }
    }

    it("comes after the time limit, and not before: the server's call is cancelled", async () => {
      const { held, answer, server } = openHeld(makeAsking, { callTimeoutMs: 2 * HELD_MS });
      const asked = askedOf(await passing(answer(modernContext())));
      await vi.advanceTimersByTimeAsync(HELD_MS - 1);
      expect(held.heldCount()).toBe(1);
      expect(heardBy(server(), "notifications/cancelled")).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(held.heldCount()).toBe(0);
      expect(heardBy(server(), "notifications/cancelled")).toHaveLength(1);
      expect(await answer(backWith(asked, {}))).toMatchObject({
        error: {
          message: expect.stringContaining("held no longer"),
          hint: expect.stringContaining("Call again"),
        },
      });
    });

    it("begins anew with each round, and does not run while a request is under way", async () => {
      const { held, begin, ask } = openAsking();
      const first = begin(modernContext());
      const answered = ask();
      const round1 = askedOf(await passing(first));
      await vi.advanceTimersByTimeAsync(HELD_MS - 1);
      const second = held.answer(REQUEST, backWith(round1, {}), never);
      await answered;
      await vi.advanceTimersByTimeAsync(2 * HELD_MS);
      void ask();
      askedOf(await passing(second));
      await vi.advanceTimersByTimeAsync(HELD_MS - 1);
      expect(held.heldCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(held.heldCount()).toBe(0);
    });
  });
});

it("so many calls are held and no more: the next is cancelled and says so, and a place that is free again is taken", async () => {
  const held = openHeldCalls();
  const signals: AbortSignal[] = [];
  const begin = (abort = new AbortController()) =>
    held.answer(REQUEST, modernContext({}, { signal: abort.signal }), async (next) => {
      signals.push(next.signal);
      return next.client!.request("roots/list", {}, next.signal);
    });
  const all: Asked[] = [];
  for (let i = 0; i < HELD_COUNT_MAX; i++) all.push(askedOf(await begin()));
  expect(held.heldCount()).toBe(HELD_COUNT_MAX);
  expect(await begin()).toMatchObject({ error: { code: "RATE_LIMITED", retryable: true } });
  expect(signals.at(-1)!.aborted).toBe(true);
  expect(signals.slice(0, -1).some((signal) => signal.aborted)).toBe(false);
  expect(await held.answer(REQUEST, backWith(all[0]!, { roots: [] }), never)).toEqual(succeed({ roots: [] }));
  askedOf(await begin());
  expect(held.heldCount()).toBe(HELD_COUNT_MAX);
  held.close();
});

it("S15: calls of one principal that all wait leave places for others, and say whose share is used up", async () => {
  const held = openHeldCalls();
  const begin = (name: string) =>
    held.answer(REQUEST, modernContext({}, { principal: principalOf(name) }), async (next) =>
      next.client!.request("roots/list", {}, next.signal),
    );
  for (let i = 0; i < HELD_COUNT_MAX; i++) askedOf(await begin("greedy"));
  expect(await begin("greedy")).toMatchObject({
    error: { code: "RATE_LIMITED", retryable: true, message: expect.stringContaining("its share") },
  });
  for (let i = 0; i < HELD_RESERVED_COUNT; i++) askedOf(await begin(`other ${i}`));
  expect(await begin("late")).toMatchObject({
    error: { code: "RATE_LIMITED", message: expect.stringContaining("by other clients") },
  });
  held.close();
  expect(held.heldCount()).toBe(0);
});
