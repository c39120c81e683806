import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { succeed } from "../core/result.ts";
import type { CallContext, ClientHandle, ToolAnswer } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createFastPath } from "./fast-path.ts";

const handle: ClientHandle = {
  capabilities: {},
  gone: new AbortController().signal,
  request: async () => succeed({}),
  notify() {},
};

interface Call {
  readonly name: string;
  readonly args: JsonObject;
  readonly context: CallContext;
  readonly answer: (answer: ToolAnswer) => void;
}

/** A fast path of one client over tools that answer when the test says so. */
function openFastPath(client: ClientHandle | undefined = handle) {
  const calls: Call[] = [];
  const sent: JsonObject[] = [];
  const gateway = {
    list: async () =>
      succeed({ page: {}, version: "1", bytes: () => Buffer.from(`{"tools":[{"name":"t"}]}`) }),
    find: (name: string) =>
      name.includes("__")
        ? {
            call(args: JsonObject, context: CallContext) {
              const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
              calls.push({ name, args, context, answer: resolve });
              return promise;
            },
          }
        : undefined,
  } as unknown as Gateway;
  const fastPath = createFastPath({
    gateway,
    isTransparent: false,
    clientInfo: () => ({ name: "cursor", version: "1.2" }),
    client: () => client,
    listed: { version: undefined },
    log: silentLog,
    send: async (message) => void sent.push(message as unknown as JsonObject),
    sendResultBytes: async (id, result) =>
      void sent.push({ id, result: JSON.parse(result.toString()) as JsonObject }),
  });
  const take = (message: object) => fastPath({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  return { take, calls, sent };
}

const callOf = (id: unknown, name = "s__t", meta?: JsonObject) => ({
  id,
  method: "tools/call",
  params: { name, arguments: { id }, ...(meta === undefined ? {} : { _meta: meta }) },
});
const soon = () => new Promise((resolve) => setImmediate(resolve));

it("says with each call what the client calls itself", () => {
  const { take, calls } = openFastPath();
  take(callOf(7));
  expect(calls[0]?.context.clientName).toBe("cursor 1.2");
});

describe("what is taken", () => {
  it("is a call of a server's tool, whose answer is written as it came", async () => {
    const { take, calls, sent } = openFastPath();
    expect(take(callOf(7))).toBe(true);
    const answer = { content: [{ type: "odd" }], _meta: { a: 1 }, extra: [1] };
    calls[0]!.answer(answer);
    await soon();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 7, result: answer }]);
  });

  it.each([
    ["a meta-tool", callOf(1, "execute")],
    ["another method", { id: 1, method: "resources/list" }],
    ["a list from a cursor", { id: 1, method: "tools/list", params: { cursor: "x" } }],
    ["an answer", { id: 1, result: {} }],
    ["a call without a name", { id: 1, method: "tools/call", params: {} }],
    ["arguments that are no object", { id: 1, method: "tools/call", params: { name: "s__t", arguments: 5 } }],
    ["a cancellation of something else", { method: "notifications/cancelled", params: { requestId: 9 } }],
  ])("is not %s", (_, message) => {
    expect(openFastPath().take(message)).toBe(false);
  });

  it("is a list of tools, which is written from its bytes", async () => {
    const { take, sent } = openFastPath();
    expect(take({ id: 3, method: "tools/list" })).toBe(true);
    await soon();
    expect(sent).toEqual([{ id: 3, result: { tools: [{ name: "t" }] } }]);
  });

  it("is nothing before the client has opened a legacy connection", () => {
    const fastPath = createFastPath({
      gateway: {} as Gateway,
      isTransparent: false,
      clientInfo: () => ({ name: "cursor", version: "1.2" }),
      client: () => undefined,
      listed: { version: undefined },
      log: silentLog,
      send: async () => {},
      sendResultBytes: async () => {},
    });
    expect(fastPath({ jsonrpc: "2.0", ...callOf(1) })).toBe(false);
  });

  it("T058: is not a second call with an id that is in use", () => {
    const { take } = openFastPath();
    expect(take(callOf(1))).toBe(true);
    expect(take(callOf(1))).toBe(false);
  });
});

describe("on the way", () => {
  it("progress goes back with the client's token, and the rest of _meta goes on", async () => {
    const { take, calls, sent } = openFastPath();
    take(callOf(1, "s__t", { progressToken: "p", trace: "x", "io.modelcontextprotocol/forged": 1 }));
    expect(calls[0]!.context.meta).toEqual({ trace: "x" });
    calls[0]!.context.onProgress?.({ progress: 1, total: 2 });
    calls[0]!.answer({ content: [] });
    await soon();
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, total: 2 },
      },
      { jsonrpc: "2.0", id: 1, result: { content: [] } },
    ]);
  });

  it("T063: a cancellation ends its own call, once, and nothing is answered", async () => {
    const { take, calls, sent } = openFastPath();
    take(callOf(1));
    take(callOf(2));
    const cancel = { method: "notifications/cancelled", params: { requestId: 1 } };
    expect(take(cancel)).toBe(true);
    expect([calls[0]!.context.signal.aborted, calls[1]!.context.signal.aborted]).toEqual([true, false]);
    calls[0]!.answer({ content: [] });
    calls[1]!.answer({ content: [] });
    await soon();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 2, result: { content: [] } }]);
    expect(take(cancel)).toBe(false);
  });

  it("keeps clients apart: same ids, any order, some aborting", async () => {
    const event = fc.record({
      client: fc.nat(2),
      id: fc.nat(3),
      kind: fc.constantFrom("call", "answer", "cancel"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const clients = [openFastPath(), openFastPath(), openFastPath()];
        const expected: number[][] = [[], [], []];
        const open = new Map<string, Call>();
        for (const { client, id, kind } of events) {
          const { take, calls } = clients[client]!;
          const key = `${client}:${id}`;
          if (kind === "call" && take(callOf(id))) open.set(key, calls.at(-1)!);
          if (kind === "cancel" && take({ method: "notifications/cancelled", params: { requestId: id } })) {
            open.get(key)!.answer({ content: [] });
            open.delete(key);
            await soon();
          }
          if (kind === "answer" && open.has(key)) {
            open.get(key)!.answer({ content: [], structuredContent: { client, id } });
            open.delete(key);
            expected[client]!.push(id);
            await soon();
          }
        }
        clients.forEach(({ sent }, client) => {
          expect(sent.map((message) => message["id"])).toEqual(expected[client]);
          for (const message of sent) {
            expect(message["result"]).toMatchObject({ structuredContent: { client, id: message["id"] } });
          }
        });
      }),
      { numRuns: 50 },
    );
  });
});
