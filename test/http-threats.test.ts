/** What clients over HTTP could do to the gateway and to each other, against the process that users start. */
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { callOf, openSession, readEvents, send } from "../src/server/http/http.testkit.ts";
import { eventually } from "./fixtures/temporary.ts";
import { createPlace, messageOf, residentBytes, spawnHttp, type Headers } from "./rig/http-process.ts";
import { modernAs, textOf, until, useStand } from "./rig/http-stand.ts";

const MIB = 1024 * 1024;
const stand = useStand();
const { ask, call, metric, openDeaf } = stand;

describe("T054: the listener", () => {
  it("does not start for other machines while nobody has said who may come in", async () => {
    const own = createPlace();
    onTestFinished(() => own.remove());
    const refused = spawnHttp(own, "0.0.0.0:0");
    expect((await refused.exited()).code).toBe(2);
    expect(refused.stdout()).toBe("");
    expect(refused.stderr()).toContain("repertoire token create");
  });

  it("is there for this machine alone", () => {
    const port = Number(stand.gateway.url.port).toString(16).toUpperCase().padStart(4, "0");
    const addresses = ["tcp", "tcp6"]
      .flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === "0A")
      .map(([, local]) => local!.split(":")[0]);
    expect(addresses).toEqual(["0100007F"]);
  });
});

describe("T055: T056: headers and body that disagree", () => {
  const touch = { name: "scripted__touch", arguments: {} };

  it("are refused, and what may be done is decided by the body", async () => {
    const before = stand.place.heard().split('"touch"').length;
    const { headers, body } = modernAs(stand.byPermission.read, 1, "tools/call", touch);
    const disguised = { ...headers, "Mcp-Name": "list_library" };
    expect((await send(stand.gateway.url, { headers: disguised, body })).status).toBe(403);
    const mismatch = await send(stand.gateway.url, {
      headers: { ...headers, ...stand.ann, "Mcp-Name": "list_library" },
      body,
    });
    expect([mismatch.status, messageOf(mismatch.text).error?.code]).toEqual([400, -32020]);
    const old = { ...headers, ...stand.ann, "MCP-Protocol-Version": "2025-11-25" };
    expect((await send(stand.gateway.url, { headers: old, body })).status).toBe(400);
    const legacy = callOf(1, "scripted__touch");
    for (const version of [{}, { "MCP-Protocol-Version": "2025-11-25" }] as Headers[]) {
      const claims = { ...stand.ann, "Mcp-Method": "tools/call", "Mcp-Name": "scripted__touch", ...version };
      expect((await send(stand.gateway.url, { headers: claims, body: legacy })).status).toBe(400);
    }
    expect(stand.place.heard().split('"touch"')).toHaveLength(before);
  });
});

describe("T061: clients that do not read", () => {
  it("lose their streams under a flood, while memory stays bounded and others are served", async () => {
    const before = residentBytes(stand.gateway.pid);
    const flood = { times: 320, bytes: 64 * 1024 };
    const session = await openSession(stand.gateway.url, "", stand.ann);
    const readers = [1, 2].flatMap((id) => [
      openDeaf({ headers: session, body: callOf(id, "scripted__progress", flood, { progressToken: id }) }),
      openDeaf(
        modernAs(
          stand.ann,
          id,
          "tools/call",
          { name: "scripted__progress", arguments: flood },
          { progressToken: id },
        ),
      ),
    ]);
    expect(readers).toHaveLength(4);
    await until("the flood", async () => (await metric("repertoire_streams")) > 0);
    expect(textOf(await call(stand.ben, "scripted__echo", { a: 1 }))).toBe('{"a":1}');
    await until("the end of the streams", async () => (await metric("repertoire_streams")) === 0);
    expect(residentBytes(stand.gateway.pid) - before).toBeLessThan(400 * MIB);
  });

  it("and ask for large answers are held within bounds, and others are served", async () => {
    const before = residentBytes(stand.gateway.pid);
    const big = { name: "scripted__big", arguments: { bytes: 6 * MIB } };
    for (let i = 0; i < 4; i++) openDeaf(modernAs(stand.ann, i, "tools/call", big));
    // Over one connection, each behind the other.
    const one = openDeaf(...Array.from({ length: 10 }, (_, i) => modernAs(stand.ann, i, "tools/call", big)));
    for (let i = 0; i < 10; i++) expect(textOf(await call(stand.ben, "recording__echo"))).toBe("recorded");
    // The server answers in turn: now all have been answered.
    await call(stand.ben, "scripted__echo");
    expect(residentBytes(stand.gateway.pid) - before).toBeLessThan(500 * MIB);
    one.destroy();
  });
});

describe("T063: a cancellation", () => {
  it("ends the call of its own client, whatever ids others use, before, twice and afterwards", async () => {
    const [first, second] = [
      await openSession(stand.gateway.url, "", stand.ann),
      await openSession(stand.gateway.url, "", stand.ann),
    ];
    const cancel = (headers: Headers, requestId: unknown) =>
      send(stand.gateway.url, {
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      });
    expect((await cancel(second, 5)).status).toBe(202);
    const waiting = [first, second].map((headers, i) =>
      send(stand.gateway.url, { headers, body: callOf(5, "scripted__wait", { key: `cancel-${i}` }) }),
    );
    await eventually("the calls", () =>
      ["cancel-0", "cancel-1"].every((key) => stand.place.heard().includes(key)),
    );
    await cancel(first, 5);
    await cancel(first, 5);
    await cancel(first, { id: 5 });
    expect((await waiting[0]!).text).not.toContain("released");
    stand.place.release("cancel-1");
    expect((await waiting[1]!).text).toContain("released cancel-1");
    await cancel(second, 5);
    const after = await send(stand.gateway.url, {
      headers: first,
      body: callOf(5, "scripted__echo", { a: 2 }),
    });
    expect(after.text).toContain('{\\"a\\":2}');
    await eventually("the cancellation", () => stand.place.heard().includes("notifications/cancelled"));
  });
});

describe("T064: listening", () => {
  const listen = { notifications: { toolsListChanged: true } };

  it(
    "is for so many at once; the next is told so, others may listen, and calls go on",
    { timeout: 120_000 },
    async () => {
      const before = residentBytes(stand.gateway.pid);
      const sockets: ReturnType<typeof openDeaf>[] = [];
      const openSome = (count: number) => {
        for (let i = 0; i < count; i++)
          sockets.push(openDeaf(modernAs(stand.ann, sockets.length, "subscriptions/listen", listen)));
      };
      openSome(300);
      await until("the refusal", async () => {
        const reader = readEvents(
          stand.gateway.url,
          modernAs(stand.ann, "l", "subscriptions/listen", listen),
        );
        await Promise.race([reader.ended, eventually("an event", () => reader.events.length > 0)]);
        reader.cut();
        const isRefused = reader.status() === 429;
        // On a busy machine some of those at once are closed before they have shown their token, and so may this one be.
        if (reader.events.length > 0 && sockets.length < 2_000) openSome(20);
        return isRefused;
      });
      const refused = await ask(stand.ann, "subscriptions/listen", listen);
      expect([refused.status, refused.message.error?.message]).toEqual([429, expect.stringContaining("256")]);
      const other = readEvents(stand.gateway.url, modernAs(stand.ben, "l", "subscriptions/listen", listen));
      await eventually("the other one", () => other.events.length > 0);
      expect(textOf(await call(stand.ben, "scripted__echo", { a: 3 }))).toBe('{"a":3}');
      expect(residentBytes(stand.gateway.pid) - before).toBeLessThan(400 * MIB);
      for (const socket of sockets) socket.destroy();
    },
  );

  it("does not tell of every change in a storm of them", async () => {
    const modern = readEvents(stand.gateway.url, modernAs(stand.ben, "l", "subscriptions/listen", listen));
    const session = await openSession(stand.gateway.url, "", stand.ben);
    const legacy = readEvents(stand.gateway.url, { method: "GET", headers: session });
    await eventually("the subscription", () => modern.events.length > 0);
    const told = (events: readonly { data: string }[]) =>
      events.filter(({ data }) => data.includes("tools/list_changed")).length;
    await call(stand.ben, "scripted__storm", { times: 1_000 });
    await eventually("the notices", () => told(modern.events) > 0 && told(legacy.events) > 0);
    await call(stand.ben, "scripted__storm", { times: 1_000 });
    expect(textOf(await call(stand.ben, "recording__echo"))).toBe("recorded");
    expect([told(modern.events) < 10, told(legacy.events) < 10]).toEqual([true, true]);
  });
});

describe("T065: a session", () => {
  it("is nobody's but its owner's, and so is what it was told", async () => {
    const [own, others] = [
      await openSession(stand.gateway.url, "", stand.ann),
      await openSession(stand.gateway.url, "", stand.ben),
    ];
    const secret = `told-${"s".repeat(8)}`;
    const body = callOf(1, "scripted__progress", { times: 2, secret }, { progressToken: 1 });
    const stream = readEvents(stand.gateway.url, { headers: own, body });
    await stream.ended;
    expect(stream.events.length).toBeGreaterThan(1);
    const stolen = { ...stand.ben, "Mcp-Session-Id": own["Mcp-Session-Id"]! };
    const last = { "Last-Event-ID": stream.events[0]!.id };
    for (const method of ["POST", "GET", "DELETE"]) {
      const given = method === "POST" ? { body: callOf(2, "scripted__echo") } : {};
      const answer = await send(stand.gateway.url, { method, headers: { ...stolen, ...last }, ...given });
      expect([method, answer.status]).toEqual([method, 404]);
    }
    const replay = await send(stand.gateway.url, { method: "GET", headers: { ...others, ...last } });
    expect(replay.status).toBe(400);
    expect((await send(stand.gateway.url, { headers: own, body: callOf(3, "scripted__echo") })).status).toBe(
      200,
    );
  });
});

describe("T066: what a client claims in _meta", () => {
  it("is no proof of anything, and reaches a server as far as it is well formed", async () => {
    const session = await openSession(stand.gateway.url, "", stand.ann);
    const mark = `meta-${"m".repeat(8)}`;
    const meta = {
      "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
      "io.modelcontextprotocol/serverInfo": { name: mark },
      "io.modelcontextprotocol/related-task": { taskId: mark },
      traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      tracestate: `evil\r\nX-Injected: 1`,
      baggage: Array.from({ length: 200 }, (_, i) => `k${i}=${"v".repeat(60)}`).join(","),
      "example.com/kept": "kept",
    };
    for (const headers of [session, stand.ann]) {
      const answer =
        headers === stand.ann
          ? await call(stand.ann, "scripted__echo", { mark: "modern" }, meta)
          : messageOf(
              (
                await send(stand.gateway.url, {
                  headers,
                  body: callOf(1, "scripted__echo", { mark: "legacy" }, meta),
                })
              ).text,
            );
      expect(textOf(answer)).toContain("mark");
    }
    const lines = stand.place
      .heard()
      .split("\n")
      .filter((line) => /"mark":"(?:modern|legacy)"/.test(line));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toContain("example.com/kept");
      expect(line).toContain("a".repeat(32));
      expect(line).not.toContain(mark);
      expect(line).not.toContain("X-Injected");
      expect(line.length).toBeLessThan(9_000);
    }
    const forged = {
      principal: "token:default",
      "io.modelcontextprotocol/principal": "token:default",
      scope: "admin",
    };
    const refused = await ask(stand.byPermission.read, "tools/call", { name: "scripted__echo" }, forged);
    expect(refused.status).toBe(403);
  });
});

describe("T068: T069: a list", () => {
  const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

  it.each(lists)("%s takes no cursor that it did not give, in either era", async (method) => {
    const session = await openSession(stand.gateway.url, "", stand.ann);
    for (const cursor of ["", "-1", "9".repeat(400), "eyJzZXJ2ZXIiOiJzY3JpcHRlZCJ9", "../../etc/passwd"]) {
      expect((await ask(stand.ann, method, { cursor })).message.error?.code).toBe(-32602);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { cursor } });
      expect(messageOf((await send(stand.gateway.url, { headers: session, body })).text).error?.code).toBe(
        -32602,
      );
    }
  });

  it.each(lists)("%s is for nobody's cache, whatever a server says of its own", async (method) => {
    const answer = await ask(stand.ann, method);
    expect(answer.message.result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(answer.headers["cache-control"]).toMatch(/no-store|no-cache/);
  });
});

describe("T070: progress", () => {
  it("reaches the client whose call it is, whatever tokens a server names, and ten thousand of it do no harm", async () => {
    const [own, others] = [
      await openSession(stand.gateway.url, "", stand.ann),
      await openSession(stand.gateway.url, "", stand.ben),
    ];
    const waiting = send(stand.gateway.url, {
      headers: others,
      body: callOf(1, "scripted__wait", { key: "progress" }, { progressToken: "ben" }),
    });
    await eventually("the call", () => stand.place.heard().includes('"key":"progress"'));
    const stream = readEvents(stand.gateway.url, {
      headers: own,
      body: callOf(1, "scripted__progress", { times: 5_000, tokens: ["ben"] }, { progressToken: "ann" }),
    });
    await stream.ended;
    expect(stream.events.at(-1)?.data).toContain("done");
    expect(stream.events.every(({ data }) => !data.includes('"ben"'))).toBe(true);
    stand.place.release("progress");
    const { text } = await waiting;
    expect(text).toContain("released progress");
    expect(text).not.toContain("notifications/progress");
  });
});
