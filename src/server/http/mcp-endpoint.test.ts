import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { META } from "../../../test/rig/raw-request.ts";
import { succeed } from "../../core/result.ts";
import { openRig } from "../../gateway/gateway.testkit.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import {
  callOf,
  connectClient,
  initialize,
  openEndpoint,
  openSession,
  principalOf,
  readEvents,
  send,
  serveEndpoint,
  VERSIONS,
} from "./http.testkit.ts";

const LISTENING = { notifications: {}, _meta: META };

/** A server whose calls end when the test says so. */
function createSlowSource() {
  const source = createFixtureSource("slow", [toolOf("wait", "Waits."), toolOf("step", "Reports.")]);
  const started: { context: CallContext; end: (text: string) => void }[] = [];
  const call = (_name: string, _args: object, context: CallContext) =>
    new Promise((resolve) => {
      const end = (text: string) => resolve(succeed({ content: [{ type: "text", text }] }));
      started.push({ context, end });
    });
  return { source: Object.assign(source, { call: call as never }), started };
}

describe.each(VERSIONS)("a client of %s", (version) => {
  it("lists tools, calls one of a server and one of ours, and reads a resource", async () => {
    const { url, registry } = await openEndpoint(
      createFixtureSource("notes", [toolOf("add", "Adds a note.")]),
    );
    const { client } = await connectClient(url, version);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("execute");
    const answer = await client.callTool({ name: "notes__add", arguments: {} });
    expect(answer.content).toEqual([{ type: "text", text: "notes did add" }]);
    const found = await client.callTool({ name: "browse_components", arguments: { query: "note" } });
    expect(JSON.stringify(found.structuredContent)).toContain("notes__add");
    const { contents } = await client.readResource({ uri: "repertoire://runs" });
    expect(contents).toHaveLength(1);
  });

  it("is known by what it calls itself, on every way of a call", async () => {
    const rig = await openRig(createFixtureSource("notes", [toolOf("add")]));
    await rig.registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const names: unknown[] = [];
    const { url } = await serveEndpoint({
      ...rig.gateway,
      find: (name) => {
        const found = rig.gateway.find(name);
        return (
          found && {
            ...found,
            call: (args, context) => (names.push(context.clientName), found.call(args, context)),
          }
        );
      },
      callTool: (name, args, context) => (
        names.push(context?.clientName),
        rig.gateway.callTool(name, args, context)
      ),
    });
    const { client } = await connectClient(url, version);
    await client.callTool({ name: "notes__add", arguments: {} });
    await client.callTool({ name: "browse_components", arguments: { query: "note" } });
    expect(names).toEqual(["ann 1.0.0", "ann 1.0.0"]);
  });

  it("hears progress before the answer", async () => {
    const { source, started } = createSlowSource();
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const { client } = await connectClient(url, version);
    const heard: unknown[] = [];
    const answer = client.callTool(
      { name: "slow__step", arguments: {} },
      { onprogress: (progress) => heard.push(progress) },
    );
    const { context, end } = await eventually("the call", () => started[0]);
    context.onProgress?.({ progress: 1, total: 2 });
    await eventually("the progress", () => heard.length === 1);
    end("done");
    expect((await answer).content).toEqual([{ type: "text", text: "done" }]);
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
  });

  it("T062: cancels a call, and the server hears of it", async () => {
    const { source, started } = createSlowSource();
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const { client } = await connectClient(url, version);
    const stop = new AbortController();
    const answer = client.callTool({ name: "slow__wait", arguments: {} }, { signal: stop.signal });
    const failed = expect(answer).rejects.toThrow();
    const { context } = await eventually("the call", () => started[0]);
    stop.abort();
    await failed;
    await eventually("the cancellation", () => context.signal.aborted);
  });

  it("T065: T133: needs the permission for what it does, and is told the one that is missing", async () => {
    const { url, registry, principals } = await openEndpoint(createFixtureSource("notes", [toolOf("add")]));
    principals.set("reader", principalOf("reader", ["read"]));
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const { client } = await connectClient(url, version, "reader");
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await expect(client.callTool({ name: "notes__add", arguments: {} })).rejects.toThrow(/call/);
  });
});

describe("a session", () => {
  it("T065: belongs to the principal that opened it; for any other it does not exist", async () => {
    const { url, principals } = await openEndpoint();
    principals.set("bob", principalOf("bob"));
    const session = await openSession(url);
    const theirs = { ...session, "X-Name": "bob" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const stolen = await send(url, { headers: theirs, body });
    const absent = await send(url, { headers: { ...session, "Mcp-Session-Id": "none" }, body });
    expect([stolen.status, stolen.text]).toEqual([absent.status, absent.text]);
    expect(stolen.status).toBe(404);
    expect((await send(url, { method: "DELETE", headers: theirs })).status).toBe(404);
    expect((await send(url, { headers: session, body })).status).toBe(200);
  });

  it("T065: answers before initialize, a second initialize, and requests after DELETE as the protocol says", async () => {
    const { url } = await openEndpoint();
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await send(url, { body: list })).status).toBe(400);
    const session = await openSession(url);
    const again = JSON.stringify({ jsonrpc: "2.0", id: 9, method: "initialize", params: {} });
    expect((await send(url, { headers: session, body: again })).status).toBe(400);
    expect((await send(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await send(url, { headers: session, body: list })).status).toBe(404);
  });

  it("T135: ends when the token of its owner is revoked", async () => {
    const { url, principals, endpoint } = await openEndpoint();
    const guest = principalOf("guest");
    principals.set("guest", guest);
    await openSession(url, "guest");
    expect(endpoint.sessionCount).toBe(1);
    guest.revoke();
    expect(endpoint.sessionCount).toBe(0);
  });

  it("keeps the answer of a call whose stream was cut, for the client to fetch", async () => {
    const { source, started } = createSlowSource();
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const headers = await openSession(url);
    const stream = readEvents(url, { headers, body: callOf(7, "slow__step", {}, { progressToken: 1 }) });
    const { context, end } = await eventually("the call", () => started[0]);
    context.onProgress?.({ progress: 1 });
    const last = await eventually("the progress", () =>
      stream.events.find(({ data }) => data.includes("progress")),
    );
    stream.cut();
    end("done");
    const rest = readEvents(url, { method: "GET", headers: { ...headers, "Last-Event-ID": last.id } });
    await eventually("the answer", () => rest.events.find(({ data }) => data.includes("done")));
    await rest.ended;
    expect(rest.events).toHaveLength(1);
    expect(JSON.parse(rest.events[0]!.data)).toHaveProperty("id", 7);
    expect(context.signal.aborted).toBe(false);
  });

  it("T065: does not give the events of another session", async () => {
    const { url } = await openEndpoint();
    const headers = { ...(await openSession(url)), "Last-Event-ID": "5-1" };
    expect((await send(url, { method: "GET", headers })).status).toBe(400);
    expect((await send(url, { method: "GET", headers: { ...headers, "Last-Event-ID": "x" } })).status).toBe(
      400,
    );
  });
});

describe("T058: what is no message of MCP", () => {
  it.each([
    ["a batch", "[]", 400],
    ["a batch of requests", `[${callOf(1, "a__b")}]`, 400],
    ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400],
    ["an id of a megabyte", `{"jsonrpc":"2.0","id":"${"x".repeat(1_000_000)}","method":"ping"}`, 400],
    ["no jsonrpc", '{"id":1,"method":"ping"}', 400],
    ["T047: a key twice", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', 400],
    ["T059: truncated JSON", '{"jsonrpc":"2.0",', 400],
    ["T059: a byte order mark", "\ufeff{}", 400],
    ["T059: NUL", "\0", 400],
    ["T059: nothing", "", 400],
    [
      "T052: JSON of depth 100,000",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      400,
    ],
  ])("%s is refused", async (_name, body, status) => {
    const { url } = await openEndpoint();
    const answer = await send(url, { body });
    expect(answer.status).toBe(status);
    expect(answer.json()["error"]).toHaveProperty("message");
  });

  it.each([
    ["T059: text", { "Content-Type": "text/plain" }, 415],
    ["T059: a form", { "Content-Type": "application/x-www-form-urlencoded" }, 415],
    ["T059: a packed body", { "Content-Encoding": "gzip" }, 415],
  ])("%s is refused", async (_name, headers, status) => {
    const { url } = await openEndpoint();
    expect((await send(url, { headers, body: callOf(1, "a__b") })).status).toBe(status);
  });

  it("T059: invalid UTF-8 is refused", async () => {
    const { url } = await openEndpoint();
    expect((await send(url, { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) })).status).toBe(400);
  });

  it.each([
    [4 * 1024 * 1024, 400],
    [4 * 1024 * 1024 + 1, 413],
  ])("T060: a body of %i bytes is answered with %i", async (size, status) => {
    const { url } = await openEndpoint();
    expect((await send(url, { body: "x".repeat(size) })).status).toBe(status);
  });

  it("T058: an id that is under way already is refused, and the first call goes on", async () => {
    const { source, started } = createSlowSource();
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const headers = await openSession(url);
    const first = send(url, { headers, body: callOf(7, "slow__wait") });
    const { end } = await eventually("the call", () => started[0]);
    expect((await send(url, { headers, body: callOf(7, "slow__wait") })).status).toBe(400);
    end("done");
    expect((await first).text).toContain("done");
  });
});

describe("T055: the headers of a modern request", () => {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const good = { "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "notes__add" };

  it.each([
    ["are as the body says", good, 200],
    ["name another method", { ...good, "Mcp-Method": "tools/list" }, 400],
    ["name another tool", { ...good, "Mcp-Name": "notes__remove" }, 400],
    ["name an older version", { ...good, "MCP-Protocol-Version": "2025-11-25" }, 400],
    ["have a broken sentinel", { ...good, "Mcp-Name": "=?base64?!!?=" }, 400],
    ["come doubled", { ...good, "Mcp-Name": ["notes__add", "notes__remove"] }, 400],
    ["lack the name", { "MCP-Protocol-Version": version, "Mcp-Method": "tools/call" }, 400],
    ["lack the method", { "MCP-Protocol-Version": version, "Mcp-Name": "notes__add" }, 400],
    ["lack the version", { "Mcp-Method": "tools/call", "Mcp-Name": "notes__add" }, 400],
  ])("%s", async (_name, headers, status) => {
    const source = createFixtureSource("notes", [toolOf("add"), toolOf("remove")]);
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const answer = await send(url, { headers, body: callOf(1, "notes__add", {}, meta) });
    expect(answer.status).toBe(status);
    expect(source.calls).toHaveLength(status === 200 ? 1 : 0);
    if (status === 400) expect(answer.json()["error"]).toHaveProperty("code", -32020);
  });

  it("T066: an unknown method is 404 with -32601", async () => {
    const { url } = await openEndpoint();
    const headers = { "MCP-Protocol-Version": version, "Mcp-Method": "no/such" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "no/such", params: { _meta: meta } });
    const answer = await send(url, { headers, body });
    expect(answer.status).toBe(404);
  });
});

describe("S2: a request that the end of its connection overtakes", () => {
  it("of a legacy session is answered under its id", async () => {
    const { source, started } = createSlowSource();
    const { url, registry } = await openEndpoint(source);
    await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
    const session = await openSession(url);
    const waiting = send(url, { headers: session, body: callOf(7, "slow__wait") });
    await eventually("the call", () => started.length === 1);
    await send(url, { method: "DELETE", headers: session });
    expect((await waiting).json()).toMatchObject({ id: 7, error: { data: { mayHaveHappened: true } } });
  });

  it("of a modern client is answered under its id when its endpoint is closed", async () => {
    const { url, endpoint, gateway } = await openEndpoint();
    const { promise, resolve } = Promise.withResolvers<void>();
    gateway.callTool = () => (resolve(), new Promise(() => {}));
    const method = "tools/call";
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": "execute" };
    const waiting = send(url, { headers, body: callOf(7, "execute", {}, META) });
    await promise;
    await endpoint.close();
    expect((await waiting).json()).toMatchObject({ id: 7, error: { code: -32000 } });
  });
});

describe("T135: a token that ends while a request is sent", () => {
  it.each([
    ["legacy", initialize()],
    ["modern", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: LISTENING })],
  ])("opens nothing any more: %s", async (_, body) => {
    const { url, principals, endpoint } = await openEndpoint(createFixtureSource("notes", [toolOf("add")]));
    const ben = principalOf("ben");
    principals.set("ben", ben);
    const { promise: answered, resolve } = Promise.withResolvers<number | undefined>();
    const headers = { "Content-Type": "application/json", "X-Name": "ben", Expect: "100-continue" };
    const request = httpRequest(url, { method: "POST", headers }, ({ statusCode }) => resolve(statusCode));
    // The endpoint has the request, and reads.
    await new Promise((begun) => {
      request.once("continue", begun);
      request.flushHeaders();
    });
    ben.revoke();
    request.end(body);
    expect(await answered).toBe(401);
    expect(endpoint.sessionCount).toBe(0);
  });
});

it("a subscription of a modern client is asked for in its own name", async () => {
  const asked: (Partial<CallContext> & { method: string })[] = [];
  const { gateway } = await openRig();
  const forward: Gateway["forward"] = async (method, _params, context) => {
    asked.push({ ...context, method });
    return succeed({});
  };
  const { url } = await serveEndpoint({ ...gateway, forward });
  const params = { ...LISTENING, notifications: { resourceSubscriptions: ["data://one"] } };
  const headers = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "subscriptions/listen",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
  readEvents(url, { headers, body });
  const [first] = await eventually("the request", () => (asked.length > 0 ? asked : undefined));
  expect(first).toMatchObject({ method: "resources/subscribe", principal: { id: "token:ann" } });
});
