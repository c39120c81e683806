import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createHash } from "node:crypto";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, eventuallyAsync } from "../../../test/fixtures/temporary.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { listen } from "../../net/listen.testkit.ts";
import { callOf, initialize, readEvents, send } from "./http.testkit.ts";
import { openReplicas, type Replica } from "./replicas.testkit.ts";

type Replicas = Awaited<ReturnType<typeof openReplicas>>;

/** Opens a session at one replica; the headers of its requests. */
async function openSession(
  { one, bearer }: Replicas,
  { body = initialize(), headers = bearer }: { body?: string; headers?: Record<string, string> } = {},
) {
  const answer = await send(one.url, { headers, body });
  return { ...headers, "Mcp-Session-Id": String(answer.headers["mcp-session-id"]) };
}

const ASKABLE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1" },
  },
});

/** The row of a session, once it is written. */
function rowOf({ one }: Replicas, headers: { "Mcp-Session-Id": string }) {
  const idHash = createHash("sha256").update(headers["Mcp-Session-Id"]).digest("hex");
  return one.store.sessions.find(idHash);
}

describe("a legacy session behind a balancer that knows nothing of it", () => {
  it("answers 60 of 60 requests, whichever replica they reach", async () => {
    const replicas = await openReplicas();
    const { next, one, two, three } = replicas;
    const headers = await openSession(replicas);
    expect(headers["Mcp-Session-Id"]).toMatch(/^one\.[\w-]{32}$/);
    const texts = [];
    for (let id = 1; id <= 60; id++) {
      const { status, text } = await send(next(), { headers, body: callOf(id, "desk__add") });
      texts.push(`${status} ${text.includes("add at one")}`);
    }
    expect(new Set(texts)).toEqual(new Set(["200 true"]));
    expect(one.desk.source.calls).toHaveLength(60);
    expect([one, two, three].map(({ listener }) => listener.forwardedCount)).toEqual([0, 20, 20]);
    // Counted at the owner as a request, and at the others as passed on.
    expect(two.ended.filter(({ forwardedTo }) => forwardedTo === "one")).toHaveLength(20);
    expect(one.ended.filter(({ isForwarded }) => isForwarded === true)).toHaveLength(40);
    expect(one.listener.sessionCount + two.listener.sessionCount + three.listener.sessionCount).toBe(1);
  });

  it("hears a server's question at one replica and answers it at another", async () => {
    const replicas = await openReplicas();
    const { two, three, one } = replicas;
    const headers = await openSession(replicas, { body: ASKABLE });
    const stream = readEvents(two.url, { headers, body: callOf(7, "desk__ask") });
    const question = await eventually("the question", () => stream.events[0]?.data);
    const { id, method } = JSON.parse(question) as { id: number; method: string };
    expect(method).toBe("elicitation/create");
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: { action: "decline" } });
    expect((await send(three.url, { headers, body })).status).toBe(202);
    await stream.ended;
    expect(stream.events.at(-1)!.data).toContain("ask at one");
    expect(one.desk.asked).toEqual([{ action: "decline" }]);
  });

  it("is cancelled through another replica than the call came by", async () => {
    const replicas = await openReplicas();
    const { one, two, three } = replicas;
    const headers = await openSession(replicas);
    const stream = readEvents(two.url, { headers, body: callOf(7, "desk__wait") });
    await eventually("the call", () => one.desk.waits.begunCount === 1);
    const params = { requestId: 7 };
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    expect((await send(three.url, { headers, body })).status).toBe(202);
    await stream.ended;
    await eventually("the end of the call", () => one.desk.waits.cancelledCount === 1);
  });

  it("has its stream through one replica, and picks it up through another where it was cut", async () => {
    const replicas = await openReplicas();
    const { two, three, one } = replicas;
    const headers = await openSession(replicas, { body: ASKABLE });
    const first = readEvents(two.url, { headers, body: callOf(7, "desk__ask") });
    const { id: eventId, data } = await eventually("the question", () => first.events[0]);
    first.cut();
    await first.ended;
    const resumed = readEvents(three.url, {
      method: "GET",
      headers: { ...headers, "Last-Event-ID": eventId },
    });
    const { id } = JSON.parse(data) as { id: number };
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: { action: "accept", content: {} } });
    await send(two.url, { headers, body });
    await resumed.ended;
    expect(resumed.events.map((event) => event.data).join()).toContain("ask at one");
    const standing = readEvents(three.url, { method: "GET", headers });
    await eventually("the stream at its owner", () =>
      one.ended.every(({ response }) => response.destroyed) ? true : undefined,
    );
    standing.cut();
  });

  it("is ended through another replica, for all of them, and its row goes", async () => {
    const replicas = await openReplicas();
    const { two, three, one } = replicas;
    const headers = await openSession(replicas);
    await eventuallyAsync("the row", () => rowOf(replicas, headers));
    expect((await send(two.url, { method: "DELETE", headers })).status).toBe(200);
    expect(one.listener.sessionCount).toBe(0);
    expect(await rowOf(replicas, headers)).toBeUndefined();
    for (const { url } of [one, two, three])
      expect((await send(url, { headers, body: callOf(2, "desk__add") })).status).toBe(404);
  });

  it("does not exist for another principal, nor for another profile, at any replica", async () => {
    const replicas = await openReplicas();
    const { createToken, replicas: all } = replicas;
    const headers = await openSession(replicas);
    const bob = createToken("bob");
    for (const { url } of all) {
      const body = callOf(2, "desk__add");
      expect((await send(url, { headers: { ...headers, ...bob }, body })).status).toBe(404);
      expect((await send(new URL("/mcp/other", url), { headers, body })).status).toBe(404);
      expect((await send(url, { headers, body })).status).toBe(200);
    }
  });

  it("an id that no replica has made is unknown at once", async () => {
    const { next, bearer } = await openReplicas();
    for (const id of ["x".repeat(32), `nobody.${"x".repeat(32)}`, `one.${"x".repeat(32)}`, "one.short"])
      expect(
        (await send(next(), { headers: { ...bearer, "Mcp-Session-Id": id }, body: callOf(1, "desk__add") }))
          .status,
      ).toBe(404);
  });

  it("a client that closes ends its request at the owner, and no stream is left", async () => {
    const replicas = await openReplicas();
    const { one, two } = replicas;
    const headers = await openSession(replicas);
    const before = one.listener.streamCount;
    const standing = readEvents(two.url, { method: "GET", headers });
    // At the replica that the client reaches, and at the owner.
    await eventually("both streams", () => one.listener.streamCount === before + 2);
    standing.cut();
    await eventually("their end", () => one.listener.streamCount === before);
  });
});

describe("a session whose replica is gone", () => {
  const SET_LEVEL = JSON.stringify({
    jsonrpc: "2.0",
    id: 2,
    method: "logging/setLevel",
    params: { level: "error" },
  });
  const SUBSCRIBE = JSON.stringify({
    jsonrpc: "2.0",
    id: 3,
    method: "resources/subscribe",
    params: { uri: "desk://a" },
  });

  async function openWithSettings(replicas: Replicas) {
    const headers = await openSession(replicas);
    for (const body of [SET_LEVEL, SUBSCRIBE])
      expect((await send(replicas.one.url, { headers, body })).status).toBe(200);
    await eventuallyAsync("the settings in the row", async () => {
      const row = await rowOf(replicas, headers);
      return row?.settings["level"] === "error" && JSON.stringify(row.settings).includes("desk://a");
    });
    return headers;
  }

  it("goes on at the replica that gets its next request, with what the client has set", async () => {
    const replicas = await openReplicas();
    const { one, two, three } = replicas;
    const headers = await openWithSettings(replicas);
    await one.kill();
    const answer = await send(two.url, { headers, body: callOf(4, "desk__add") });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("add at two")]);
    expect(two.heard.level).toBe("error");
    await eventually("the subscription", () => two.heard.uris.includes("desk://a"));
    expect(await rowOf(replicas, headers)).toMatchObject({ replica: "two", settings: { level: "error" } });
    // The others find it where it is now.
    for (let id = 5; id < 15; id++) {
      const { text } = await send(three.url, { headers, body: callOf(id, "desk__add") });
      expect(text).toContain("add at two");
    }
    expect([two.listener.adoptedCount, three.listener.adoptedCount]).toEqual([1, 0]);
    // And a setting that is changed there is kept there.
    const body = SET_LEVEL.replace("error", "debug");
    expect((await send(three.url, { headers, body })).status).toBe(200);
    await eventuallyAsync("the new level", async () => {
      const row = await rowOf(replicas, headers);
      return row?.settings["level"] === "debug";
    });
  });

  it("is adopted by one of two that get requests at once, and every request is answered", async () => {
    const replicas = await openReplicas();
    const { one, two, three } = replicas;
    const headers = await openWithSettings(replicas);
    await one.kill();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send((index % 2 === 0 ? two : three).url, { headers, body: callOf(10 + index, "desk__add") }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(two.listener.adoptedCount + three.listener.adoptedCount).toBe(1);
    expect(two.listener.sessionCount + three.listener.sessionCount).toBe(1);
  });

  it("is not adopted for another principal or another profile", async () => {
    const replicas = await openReplicas();
    const { one, two, createToken } = replicas;
    const headers = await openWithSettings(replicas);
    const bob = createToken("bob");
    await one.kill();
    const body = callOf(4, "desk__add");
    expect((await send(two.url, { headers: { ...headers, ...bob }, body })).status).toBe(404);
    expect((await send(new URL("/mcp/other", two.url), { headers, body })).status).toBe(404);
    expect(await rowOf(replicas, headers)).toMatchObject({ replica: "one" });
    expect((await send(two.url, { headers, body })).status).toBe(200);
  });

  it("knows no event of the dead replica; its standing stream goes on and tells what may have changed", async () => {
    const replicas = await openReplicas();
    const { one, two, three } = replicas;
    const headers = await openWithSettings(replicas);
    await one.kill();
    const last = { ...headers, "Last-Event-ID": "1-1" };
    expect((await send(two.url, { method: "GET", headers: last })).status).toBe(400);
    const standing = readEvents(three.url, {
      method: "GET",
      headers: { ...headers, "Last-Event-ID": "0-3" },
    });
    await eventually("the notification", () =>
      standing.events.some(({ data }) => data.includes("notifications/tools/list_changed")),
    );
    standing.cut();
  });

  it("a replica that was taken for dead gives up what another has adopted", async () => {
    const replicas = await openReplicas();
    const { one, two } = replicas;
    const headers = await openWithSettings(replicas);
    await one.kill();
    expect((await send(two.url, { headers, body: callOf(4, "desk__add") })).status).toBe(200);
    const id = await rowOf(replicas, headers);
    expect(await one.store.sessions.touch("one", [id!.idHash])).toEqual([id!.idHash]);
    expect(one.listener.sessionCount).toBe(1);
    await one.close();
    expect(await rowOf(replicas, headers)).toMatchObject({ replica: "two" });
  });

  it("a request that was under way is told that its outcome is not known", async () => {
    const replicas = await openReplicas();
    const { one, two } = replicas;
    const headers = { ...(await openWithSettings(replicas)), Accept: "application/json" };
    const answer = send(two.url, { headers, body: callOf(4, "desk__wait") });
    await eventually("the call", () => one.desk.waits.begunCount === 1);
    await one.kill();
    expect((await answer).json()).toMatchObject({ id: 4, error: { data: { mayHaveHappened: true } } });
    expect(two.desk.waits.begunCount).toBe(0);
  });

  it("is given up by a replica that ends, and goes on elsewhere without a failed request", async () => {
    const replicas = await openReplicas();
    const { one, two, three } = replicas;
    const headers = await openWithSettings(replicas);
    one.drain();
    for (const { url } of [two, three]) {
      const { text } = await send(url, { headers, body: callOf(4, "desk__add") });
      expect(text).toContain("add at two");
    }
    await one.close();
    expect(await rowOf(replicas, headers)).toMatchObject({ replica: "two" });
    expect((await send(three.url, { headers, body: callOf(5, "desk__add") })).status).toBe(200);
  });

  it("keeps its row when its gateway is closed, and goes on when that has left", async () => {
    const replicas = await openReplicas();
    const { one, two, rows } = replicas;
    const headers = await openWithSettings(replicas);
    await one.close();
    rows.delete("one");
    const { text } = await send(two.url, { headers, body: callOf(4, "desk__add") });
    expect(text).toContain("add at two");
  });
});

describe("what one replica sends to another", () => {
  /** The listener that has the address of a replica now. */
  async function replaceOwner(replicas: Replicas, proof?: string) {
    const stranger = await listen((response) => {
      if (proof !== undefined) response.setHeader("Repertoire-Replica", proof);
      response.end(JSON.stringify({ stolen: true }));
    });
    const row = replicas.rows.get("one")!;
    await replicas.one.kill();
    replicas.rows.set("one", { ...row, url: stranger.origin, ageMs: 60_000 });
    return stranger;
  }

  it.each([undefined, "one", `one.${"A".repeat(43)}`])(
    "a stranger at the address of a replica reads no token and no argument, and answers nobody (proof %s)",
    async (proof) => {
      const replicas = await openReplicas();
      const { two, bearer } = replicas;
      const headers = await openSession(replicas);
      await eventuallyAsync("the row", () => rowOf(replicas, headers));
      const stranger = await replaceOwner(replicas, proof);
      const body = callOf(4, "desk__add", { secret: "s3cret-argument" });
      const answer = await send(two.url, { headers, body });
      expect(answer.text).toContain("add at two");
      expect(stranger.seen).toHaveLength(1);
      const received = JSON.stringify(stranger.seen);
      expect(received).toContain("repertoire-forwarded");
      expect(received).not.toContain(bearer.Authorization.slice("Bearer ".length));
      expect(received).not.toContain("s3cret-argument");
      expect(received).not.toContain(headers["Mcp-Session-Id"]);
      expect(received).not.toContain("authorization");
    },
  );

  it("a forged or an old header is refused, and a recorded request counts once", async () => {
    const replicas = await openReplicas();
    const { one, two, rows } = replicas;
    const headers = await openSession(replicas);
    const recorded = await recordOne(one);
    rows.set("one", { ...rows.get("one")!, url: recorded.origin });
    expect((await send(two.url, { headers, body: callOf(4, "desk__add") })).status).toBe(200);
    expect(one.desk.source.calls).toHaveLength(1);
    const { header, body } = recorded.last();
    const again = (value: string) => send(one.url, { headers: { "Repertoire-Forwarded": value }, body });
    expect(await again(header)).toMatchObject({
      status: 403,
      text: expect.stringContaining("it came before"),
    });
    const [version, to, at, id, mac] = header.split(".");
    for (const forged of [
      "",
      "v1",
      [version, to, at, id, "A".repeat(43)].join("."),
      [version, "two", at, id, mac].join("."),
      [version, to, Number(at) + 1, id, mac].join("."),
    ])
      expect(await again(forged)).toMatchObject({ status: 403 });
    // For another replica it proves nothing but that a replica has made it.
    expect((await send(two.url, { headers: { "Repertoire-Forwarded": header }, body })).status).toBe(421);
    expect(one.desk.source.calls).toHaveLength(1);
  });

  it("rows that point in a circle end the request, and never send it round", async () => {
    const replicas = await openReplicas();
    const { one, two, three, rows } = replicas;
    const headers = await openSession(replicas);
    const id = headers["Mcp-Session-Id"].replace("one.", "three.");
    const [atTwo, atThree] = [rows.get("two")!, rows.get("three")!];
    rows.set("two", { ...atTwo, url: atThree.url });
    rows.set("three", { ...atThree, url: atTwo.url });
    const answer = await send(one.url, {
      headers: { ...headers, "Mcp-Session-Id": id },
      body: callOf(4, "desk__add"),
    });
    expect(answer.status).toBe(404);
    expect(two.listener.forwardedCount + three.listener.forwardedCount).toBe(0);
  });
});

describe("calls that a server asks back about, of modern clients", () => {
  it("are held at one replica and go on there, whichever replica gets the answer: 6 of 6", async () => {
    const { next, bearer, replicas } = await openReplicas();
    const client = await connectModern(next, bearer);
    for (let count = 0; count < 6; count++) {
      const { content } = await client.callTool({ name: "desk__ask", arguments: {} });
      expect(JSON.stringify(content)).toContain("ask at");
    }
    expect(replicas.flatMap(({ desk }) => desk.asked)).toHaveLength(6);
    expect(replicas.reduce((sum, { listener }) => sum + listener.forwardedCount, 0)).toBe(6);
  });

  it("are refused when the replica that held them is dead", async () => {
    const { next, bearer, replicas } = await openReplicas();
    const client = await connectModern(next, bearer, () => {
      const holder = replicas.find(({ desk }) => desk.source.calls.length > 0)!;
      return holder.kill();
    });
    await expect(client.callTool({ name: "desk__ask", arguments: {} })).rejects.toThrow(/held no longer/);
  });

  it("an approval is decided at any replica, and nothing is passed on", async () => {
    const { next, bearer, replicas, one } = await openReplicas();
    const client = await connectModern(next, bearer);
    const nodes = [
      { id: "add", type: "desk__add", params: {} },
      { id: "ok", type: "approve", params: { message: "Go on?" } },
    ];
    const source = JSON.stringify({ ir_version: "1.0", nodes, edges: [{ from: "add", to: "ok" }] });
    const named = { namespace: "desk", action: "go", kind: "workflow" } as const;
    const more = { description: "", author: "ann", inputSchema: { type: "object" } };
    await one.store.capabilities.save({ scope: DEFAULT_SCOPE, ...named, ...more, source });
    for (let count = 0; count < 5; count++) {
      const { structuredContent } = await client.callTool({
        name: "execute",
        arguments: { name: "desk:go" },
      });
      expect(structuredContent).toMatchObject({ success: true });
    }
    expect(replicas.flatMap(({ desk }) => desk.source.calls)).toHaveLength(5);
    expect(replicas.reduce((sum, { listener }) => sum + listener.forwardedCount, 0)).toBe(0);
  });
});

/** A modern client that says yes to everything, each time at another replica. */
async function connectModern(
  next: () => URL,
  headers: Record<string, string>,
  asked: () => void | Promise<void> = () => {},
) {
  const client = new Client(
    { name: "ann", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    },
  );
  client.setRequestHandler("elicitation/create", async () => {
    await asked();
    return { action: "accept", content: { approve: true } };
  });
  const transport = new StreamableHTTPClientTransport(next(), {
    requestInit: { headers },
    fetch: (_url, init) => fetch(next(), init),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Passes requests on to a replica and remembers the last one. */
async function recordOne({ url }: Replica) {
  let last = { header: "", body: Buffer.alloc(0) };
  const server = createServer((request, response) => {
    const header = String(request.headers["repertoire-forwarded"]);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      last = { header, body };
      const { method, headers } = request;
      const onward = httpRequest(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, last: () => last };
}

describe("clients of the SDKs behind a balancer", () => {
  it("SDK 2: lists, calls, is asked, and hears its stream", async () => {
    const { next, bearer, replicas } = await openReplicas();
    const client = new Client({ name: "ann", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
    const transport = new StreamableHTTPClientTransport(next(), {
      requestInit: { headers: bearer },
      fetch: (_url, init) => fetch(next(), init),
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    for (let count = 0; count < 10; count++) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      const { content } = await client.callTool({ name: "desk__ask", arguments: {} });
      expect(JSON.stringify(content)).toContain("ask at");
    }
    const owner = replicas.find(({ listener }) => listener.sessionCount === 1)!;
    expect(owner.desk.asked).toEqual(Array.from({ length: 10 }, () => ({ action: "accept", content: {} })));
    await transport.terminateSession();
    expect(owner.listener.sessionCount).toBe(0);
  });

  it("SDK 1: lists, calls, is asked, and ends its session", async () => {
    const { next, bearer, replicas } = await openReplicas();
    const client = new EarlierClient({ name: "ann", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: {} }));
    const transport = new EarlierTransport(next(), {
      requestInit: { headers: bearer },
      fetch: (_url, init) => fetch(next(), init),
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    for (let count = 0; count < 10; count++) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      const { content } = await client.callTool({ name: "desk__ask", arguments: {} });
      expect(JSON.stringify(content)).toContain("ask at");
    }
    const owner = replicas.find(({ listener }) => listener.sessionCount === 1)!;
    expect(owner.desk.asked).toHaveLength(10);
    await transport.terminateSession();
    expect(owner.listener.sessionCount).toBe(0);
  });
});
