import { describe, expect, it, vi } from "vitest";
import fc from "fast-check";
import type { JsonObject } from "../../core/json.ts";
import type { Transport, JsonRpcMessage } from "../transport/transport.ts";
import { Peer, type PeerHandlers } from "./peer.ts";
import { createTransportPair, type TestTransport } from "../transport/transport-pair.testkit.ts";

function openPeer(handlers: Partial<PeerHandlers> = {}): {
  peer: Peer;
  server: TestTransport;
  heard: JsonRpcMessage[];
} {
  const [transport, server] = createTransportPair();
  const heard: JsonRpcMessage[] = [];
  server.onmessage = (message) => heard.push(message);
  const peer = new Peer(transport, {
    onRequest: async () => ({ error: { code: -32601, message: "no" } }),
    onNotification: () => {},
    onClose: () => {},
    ...handlers,
  });
  return { peer, server, heard };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));
const options = { timeoutMs: 10_000 };

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe("requests", () => {
  it("get the result untouched, unknown fields and all", async () => {
    const { peer, server, heard } = openPeer();
    const reply = peer.request("tools/call", { name: "x" }, options);
    await soon();
    expect(heard).toEqual([{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } }]);
    const result = { content: [{ type: "new kind" }], _meta: { a: 1 }, extra: true };
    await server.send({ jsonrpc: "2.0", id: 1, result });
    expect(await reply).toEqual({ kind: "result", result });
    expect(peer.pendingCount).toBe(0);
  });

  it("get the server's error in its own words", async () => {
    const { peer, server } = openPeer();
    const reply = peer.request("x", {}, options);
    await server.send({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: "bad city", data: { near: 1 } },
    });
    expect(await reply).toEqual({
      kind: "error",
      error: { code: -32602, message: "bad city", data: { near: 1 } },
    });
  });

  it("survive an error that is none", async () => {
    const { peer, server } = openPeer();
    const reply = peer.request("x", {}, options);
    await server.send({ jsonrpc: "2.0", id: 1, error: "oops" });
    expect(await reply).toMatchObject({ kind: "error", error: { code: -32603 } });
  });

  it("T084: unknown ids, second answers, string ids and late ones are dropped, counted, and delivered to nobody", async () => {
    const { peer, server } = openPeer();
    const first = peer.request("a", {}, options);
    const second = peer.request("b", {}, options);
    for (const id of [99, "1", null, 1, 1]) await server.send({ jsonrpc: "2.0", id, result: { id } });
    expect(await first).toEqual({ kind: "result", result: { id: 1 } });
    expect(peer.droppedCount).toBe(4);
    await server.send({ jsonrpc: "2.0", id: 2, result: { ok: true } });
    expect(await second).toEqual({ kind: "result", result: { ok: true } });
  });

  it("end as cancelled at once, and the server is told; what it answers later is dropped", async () => {
    const { peer, server, heard } = openPeer();
    const abort = new AbortController();
    const reply = peer.request("slow", {}, { ...options, signal: abort.signal });
    await soon();
    abort.abort();
    expect(await reply).toEqual({ kind: "cancelled" });
    await soon();
    expect(heard[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: 1 } });
    await server.send({ jsonrpc: "2.0", id: 1, result: {} });
    await soon();
    expect(peer.droppedCount).toBe(1);
  });

  it("are not sent when they were cancelled before", async () => {
    const { peer, heard } = openPeer();
    expect(await peer.request("x", {}, { ...options, signal: AbortSignal.abort() })).toEqual({
      kind: "cancelled",
    });
    await soon();
    expect(heard).toEqual([]);
  });

  it("all end at once when the connection closes, and later ones as well", async () => {
    let closedCount = 0;
    const { peer, server } = openPeer({ onClose: () => closedCount++ });
    const replies = Array.from({ length: 20 }, () => peer.request("x", {}, options));
    await server.close();
    for (const reply of await Promise.all(replies)) expect(reply.kind).toBe("closed");
    expect((await peer.request("x", {}, options)).kind).toBe("closed");
    expect(closedCount).toBe(1);
  });

  it("time out, unless progress comes in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { peer, server, heard } = openPeer();
      const progress: JsonObject[] = [];
      const reply = peer.request(
        "x",
        { _meta: { a: 1 } },
        { timeoutMs: 100, onProgress: (step) => progress.push(step) },
      );
      await soon();
      expect(heard[0]).toMatchObject({ params: { _meta: { a: 1, progressToken: 1 } } });
      for (let i = 1; i <= 3; i++) {
        await vi.advanceTimersByTimeAsync(90);
        const params = { progressToken: 1, progress: i, extra: "kept" };
        await server.send({ jsonrpc: "2.0", method: "notifications/progress", params });
        await soon();
      }
      expect(progress).toEqual([1, 2, 3].map((i) => ({ progress: i, extra: "kept" })));
      await vi.advanceTimersByTimeAsync(101);
      expect(await reply).toEqual({ kind: "timeout", timeoutMs: 100 });
    } finally {
      vi.useRealTimers();
    }
  });

  it("S18: end after the longest total, however long progress comes, and say so", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { peer, server } = openPeer();
      let count = 0;
      const reply = peer.request("x", {}, { timeoutMs: 90_000, onProgress: () => count++ });
      for (let progress = 1; progress < 100; progress++) {
        const params = { progressToken: 1, progress };
        await server.send({ jsonrpc: "2.0", method: "notifications/progress", params });
        await vi.advanceTimersByTimeAsync(60_000);
      }
      expect(await reply).toEqual({ kind: "timeout", timeoutMs: 90_000, longestMs: 900_000 });
      expect(count).toBe(15);
    } finally {
      vi.useRealTimers();
    }
  });

  it("S18: progress that goes back or is no number is dropped, and is no sign of work", async () => {
    const { peer, server } = openPeer();
    const heard: unknown[] = [];
    const reply = peer.request("x", {}, { ...options, onProgress: ({ progress }) => heard.push(progress) });
    for (const progress of [1, "2", 3, 2, null, 3, 4, -1]) {
      const params = { progressToken: 1, progress };
      await server.send({ jsonrpc: "2.0", method: "notifications/progress", params });
    }
    await server.send({ jsonrpc: "2.0", id: 1, result: {} });
    await reply;
    expect(heard).toEqual([1, 3, 3, 4]);
    expect(peer.droppedCount).toBe(4);
  });

  it("T070: progress for a token that is not ours reaches nobody", async () => {
    const { peer, server } = openPeer();
    const heard: JsonObject[] = [];
    const reply = peer.request("x", {}, { ...options, onProgress: (step) => heard.push(step) });
    for (const progressToken of [2, "1", undefined]) {
      await server.send({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1 },
      });
    }
    await server.send({ jsonrpc: "2.0", id: 1, result: {} });
    await reply;
    expect(heard).toEqual([]);
    expect(peer.droppedCount).toBe(3);
  });

  it("get progress that comes in the same breath as the answer", async () => {
    const { peer, server } = openPeer();
    const heard: JsonObject[] = [];
    const reply = peer.request("x", {}, { ...options, onProgress: (step) => heard.push(step) });
    void server.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1 },
    });
    void server.send({ jsonrpc: "2.0", id: 1, result: {} });
    await reply;
    expect(heard).toEqual([{ progress: 1 }]);
  });

  it("each get their own answer in any order of answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 8 }), async (order) => {
        const { peer, server } = openPeer();
        const replies = order.map((_, i) => peer.request("x", { i }, options));
        for (const id of order) await server.send({ jsonrpc: "2.0", id, result: { id } });
        const results = await Promise.all(replies);
        expect(results.map((reply) => (reply.kind === "result" ? reply.result["id"] : reply.kind))).toEqual([
          1, 2, 3, 4, 5, 6, 7, 8,
        ]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("what the other side asks", () => {
  it("is answered, and a ping without anybody's help", async () => {
    const { server, heard } = openPeer({
      onRequest: async (method, params) => ({ result: { method, params } }),
    });
    await server.send({ jsonrpc: "2.0", id: "s1", method: "roots/list", params: { x: 1 } });
    await server.send({ jsonrpc: "2.0", id: 7, method: "ping" });
    // The first question loads the schemas, which takes as long as it takes.
    await expect.poll(() => heard.length).toBe(2);
    expect(heard).toContainEqual({
      jsonrpc: "2.0",
      id: "s1",
      result: { method: "roots/list", params: { x: 1 } },
    });
    expect(heard).toContainEqual({ jsonrpc: "2.0", id: 7, result: {} });
  });

  it("that fails is answered with an error", async () => {
    const { server, heard } = openPeer({ onRequest: () => Promise.reject(new Error("boom")) });
    await server.send({ jsonrpc: "2.0", id: 1, method: "x" });
    await soon();
    expect(heard).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "boom" } }]);
  });

  it("and takes back is stopped and not answered", async () => {
    let stopped = false;
    const { server, heard } = openPeer({
      onRequest: (_method, _params, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            stopped = true;
            resolve({ result: {} });
          }),
        ),
    });
    await server.send({ jsonrpc: "2.0", id: 1, method: "x" });
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await soon();
    expect({ stopped, heard }).toEqual({ stopped: true, heard: [] });
  });

  it.each([
    ["elicitation/create", { message: "Who?" }],
    ["elicitation/create", { message: 5, requestedSchema: { type: "object", properties: {} } }],
    ["elicitation/create", { mode: "url", message: "m", elicitationId: "e", url: "no url" }],
    ["sampling/createMessage", { messages: "x", maxTokens: 1 }],
    ["sampling/createMessage", { messages: [{ role: "user", content: { type: "text" } }], maxTokens: 1 }],
    ["roots/list", { _meta: 5 }],
    ["any/method", []],
    ["any/method", "x"],
    ["any/method", nest(100)],
  ])("S10: and no client could read is refused, and put to nobody: %s %#", async (method, params) => {
    const asked: string[] = [];
    const { server, heard } = openPeer({
      onRequest: async (question) => {
        asked.push(question);
        return { result: {} };
      },
    });
    await server.send({ jsonrpc: "2.0", id: "q", method, params });
    await vi.waitUntil(() => heard.length > 0, { timeout: 20_000 });
    expect(heard).toMatchObject([
      { id: "q", error: { code: -32602, message: expect.stringContaining("Invalid") } },
    ]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["notifications/message", { level: "loud", data: 1 }],
    ["notifications/message", { level: "info" }],
    ["notifications/resources/updated", {}],
    ["notifications/resources/updated", { uri: 5 }],
    ["notifications/elicitation/complete", { elicitationId: 5 }],
    ["notifications/tools/list_changed", "x"],
    ["notifications/future", { a: nest(100) }],
  ])(
    "S10: as a notification that no client could read is dropped and counted: %s %#",
    async (method, params) => {
      const notes: unknown[] = [];
      const { peer, server } = openPeer({ onNotification: (...note) => notes.push(note) });
      await server.send({ jsonrpc: "2.0", method, params });
      await server.send({ jsonrpc: "2.0", method: "notifications/future", params: { a: 1, _meta: 5 } });
      expect(notes).toEqual([["notifications/future", { a: 1 }]]);
      expect(peer.droppedCount).toBe(1);
    },
  );

  it("S10: as progress that is no number is dropped; what else is odd in it is left out", async () => {
    const heardProgress: unknown[] = [];
    const { peer, server } = openPeer();
    const reply = peer.request(
      "x",
      {},
      { ...options, onProgress: (progress) => heardProgress.push(progress) },
    );
    const report = (params: object) =>
      server.send({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 1, ...params },
      });
    await report({ progress: "half" });
    await report({ progress: 1, total: "two", message: null });
    await server.send({ jsonrpc: "2.0", id: 1, result: {} });
    await reply;
    expect(heardProgress).toEqual([{ progress: 1 }]);
    expect(peer.droppedCount).toBe(1);
  });

  it("as a notification is heard", async () => {
    const notes: unknown[] = [];
    const { server } = openPeer({ onNotification: (method, params) => notes.push([method, params]) });
    await server.send({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: 1 },
    });
    await soon();
    expect(notes).toEqual([["notifications/message", { level: "info", data: 1 }]]);
  });
});

it("a cancellation is sent before the transport is closed", async () => {
  const order: string[] = [];
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      await soon();
      order.push(String(message["method"]));
    },
    close: async () => void order.push("close"),
  };
  const peer = new Peer(transport, {
    onRequest: async () => ({ result: {} }),
    onNotification: () => {},
    onClose: () => {},
  });
  const abort = new AbortController();
  const reply = peer.request("tools/call", {}, { ...options, signal: abort.signal });
  abort.abort();
  expect(await reply).toEqual({ kind: "cancelled" });
  await peer.close();
  expect(order).toEqual(["tools/call", "notifications/cancelled", "close"]);
});
