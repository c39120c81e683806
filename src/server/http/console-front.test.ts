/** The console over HTTP: who gets in, what every answer carries, and what is told of changes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import { silentLog } from "../../core/log.ts";
import { fail, succeed } from "../../core/result.ts";
import { noEvents, openRig } from "../../gateway/gateway.testkit.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { NO_TELEMETRY } from "../../telemetry/telemetry.ts";
import { createConsoleSessions } from "../auth/console-session.ts";
import { createGate } from "../auth/gate.ts";
import { watchTokens } from "../auth/token-principals.ts";
import { openHomeTokens } from "../auth/tokens.testkit.ts";
import { createHealth } from "../health.ts";
import type { ApiRoute } from "./api-routes.ts";
import type { Change } from "./change-stream.ts";
import { readEvents, send } from "./http.testkit.ts";
import { listenHttp } from "./serve-http.ts";

const health = createHealth({
  askStore: async () => {},
  isConfigGood: () => true,
  isDraining: () => false,
});
const counts = { sessionCount: () => 0, streamCount: () => 0, heldCallCount: () => 0, runCount: () => 0 };
const metrics = createMetrics({ version: "0", ...counts, servers: () => [] });

/** The address that a gateway tells is its public one, if it has one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function openConsole(publicUrl?: string) {
  const home = temporaryFolder();
  const folder = join(home, "built");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>console</title>");
  writeFileSync(join(folder, "assets/app-1.js"), "export {};".padEnd(2_000));
  writeFileSync(join(home, "secret.js"), "no");
  const { gateway } = await openRig(createFixtureSource("notes", [toolOf("add")]));
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  const tokens = openHomeTokens(home);
  const { token } = tokens.showDefault();
  let writes = 0;
  const listeners = new Set<(change: Change) => void>();
  const routes: ApiRoute[] = [
    {
      method: "GET",
      path: "/things/:thing",
      permission: "read",
      shows: "own",
      handle: async ({ params }) =>
        params["thing"] === "none" ? fail("TOOL_NOT_FOUND", "There is none.") : succeed({ ...params }),
    },
    {
      method: "POST",
      path: "/things",
      permission: "write",
      shows: "whole",
      async handle({ body }) {
        writes++;
        return succeed({ body });
      },
    },
    {
      method: "GET",
      path: "/broken",
      permission: "read",
      shows: "own",
      handle: () => Promise.reject(new Error("/secret/path failed")),
    },
  ];
  const port = await freePort();
  const listener = await listenHttp({
    host: "127.0.0.1",
    port,
    allowedHosts: [],
    allowedOrigins: ["https://allowed.example"],
    ...(publicUrl !== undefined && { publicUrl }),
    openGate: () => createGate({ tokens: watchTokens(home, silentLog), log: silentLog }),
    gatewayFor: () => ({ gateway, events: noEvents, isTransparent: false }),
    refused: () => {},
    ended: () => {},
    isDraining: () => false,
    telemetry: NO_TELEMETRY,
    metrics,
    health,
    log: silentLog,
    console: {
      folder,
      seals: store.seals,
      routes: async () => routes,
      openFeed: async () => ({
        subscribe(hear) {
          listeners.add(hear);
          return () => listeners.delete(hear);
        },
      }),
      mayAddPrograms: () => true,
    },
  });
  onTestFinished(() => listener.close());
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const at = (path: string) => new URL(path, url);
  const sessions = createConsoleSessions(store.seals, { now: Date.now });
  const linkFor = async (name: string, profile: string | null = null) => {
    const entry = tokens.find(name);
    if (!entry.success) throw new Error(entry.error.message);
    return (await sessions.makeLink({ digest: entry.data.hash, profile })).link;
  };
  const page = { Origin: url.origin, "X-Repertoire-Console": "1", "Content-Type": "application/json" };
  const open = (link: string, headers: Record<string, string> = page) =>
    send(at("/api/v1/session"), { headers, body: JSON.stringify({ link }) });
  /** The headers of a page that has signed in. */
  const signIn = async (name = "default") => {
    const answer = await open(await linkFor(name));
    const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
    return { ...page, Cookie: cookie };
  };
  const tell = (change: Change) => {
    for (const hear of listeners) hear(change);
  };
  return {
    url,
    at,
    tokens,
    token,
    page,
    open,
    linkFor,
    signIn,
    tell,
    listenerCount: () => listeners.size,
    writes: () => writes,
  };
}

const reasonOf = (text: string) => (JSON.parse(text) as { error: { reason?: string } }).error.reason;

describe("the way in", () => {
  it("T146: a link becomes a session once, and never again", async () => {
    const { open, linkFor, at } = await openConsole();
    const link = await linkFor("default");
    const [first, second] = [await open(link), await open(link)];
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text)).toMatchObject({ id: "token:default", limited: false, profile: null });
    const cookie = String(first.headers["set-cookie"]);
    expect(cookie).toMatch(
      /^repertoire_console_\d+=[\w-]+; Path=\/api\/v1; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect([second.status, reasonOf(second.text)]).toEqual([401, "link_refused"]);
    expect((await open("AAAA")).status).toBe(401);
    const bare = await send(at("/api/v1/session"), { headers: {}, body: JSON.stringify({ link }) });
    expect(bare.status).toBe(403);
  });

  it("an expired link opens nothing", async () => {
    const { open, tokens } = await openConsole();
    const home = temporaryFolder();
    const store = await openSqliteStore({ home });
    onTestFinished(() => store.close());
    const sessions = createConsoleSessions(store.seals, { now: () => Date.now() - 61_000 });
    const { link } = await sessions.makeLink({ digest: tokens.list()[0]!.hash, profile: null });
    expect(await createConsoleSessions(store.seals, { now: Date.now }).redeem(link)).toMatchObject({
      success: false,
      error: { reason: "link_refused" },
    });
    // Nor does one of another home.
    expect((await open(link)).status).toBe(401);
  });

  it("a session reads and writes as its token may, and ends with the token", async () => {
    const { at, signIn, tokens, writes } = await openConsole();
    const made = tokens.create("reader", ["read"]);
    expect(made.success).toBe(true);
    const [owner, reader] = [await signIn(), await signIn("reader")];
    expect((await send(at("/api/v1/things/a"), { method: "GET", headers: reader })).text).toBe(
      '{"thing":"a"}',
    );
    expect((await send(at("/api/v1/things"), { headers: reader, body: "{}" })).status).toBe(403);
    expect((await send(at("/api/v1/things"), { headers: owner, body: '{"a":1}' })).text).toBe(
      '{"body":{"a":1}}',
    );
    expect(writes()).toBe(1);
    tokens.revoke("reader");
    await eventuallyRefused(() => send(at("/api/v1/things/a"), { method: "GET", headers: reader }));
  });

  it("works under the public name of the gateway, with a cookie for https alone", async () => {
    const { at, open, linkFor, page } = await openConsole("https://tools.example");
    const own = { ...page, Host: "tools.example", Origin: "https://tools.example" };
    const opened = await open(await linkFor("default"), own);
    expect([opened.status, String(opened.headers["set-cookie"])]).toEqual([
      200,
      expect.stringMatching(/; Secure$/),
    ]);
    const headers = { ...own, Cookie: String(opened.headers["set-cookie"]).split(";")[0]! };
    expect((await send(at("/api/v1/things"), { headers, body: "{}" })).status).toBe(200);
    const foreign = { ...headers, Origin: "https://tools.example.evil" };
    expect((await send(at("/api/v1/things"), { headers: foreign, body: "{}" })).status).toBe(403);
    const elsewhere = { ...own, Origin: "https://tools.example" };
    expect((await send(at("/mcp"), { headers: elsewhere, body: "{}" })).status).toBe(403);
  });

  it("T153: signing out ends the session for good, also for a copy of its cookie", async () => {
    const { at, signIn } = await openConsole();
    const headers = await signIn();
    const closed = await send(at("/api/v1/session"), { method: "DELETE", headers });
    expect(closed.text).toBe('{"closed":true}');
    expect(String(closed.headers["set-cookie"])).toContain("Max-Age=0");
    const later = await send(at("/api/v1/things/a"), { method: "GET", headers });
    expect([later.status, reasonOf(later.text)]).toEqual([401, "session_ended"]);
  });
});

async function eventuallyRefused(ask: () => Promise<{ readonly status: number }>): Promise<void> {
  let status = 0;
  void (async () => {
    while (status !== 401) ({ status } = await ask());
  })();
  await eventually("the refusal", () => status === 401);
}

describe("requests of other pages", () => {
  it("T144: a cookie without our header, our origin or our site writes nothing", async () => {
    const { at, signIn, writes, page } = await openConsole();
    const headers = await signIn();
    const { Origin: _origin, ...withoutOrigin } = headers;
    const { "X-Repertoire-Console": _header, ...withoutHeader } = headers;
    const attempts: Record<string, string>[] = [
      withoutOrigin,
      withoutHeader,
      { ...headers, Origin: "https://evil.example" },
      { ...headers, Origin: "null" },
      { ...headers, Origin: "https://allowed.example" },
      { ...headers, Origin: page.Origin.replace(/:\d+$/, ":1") },
      { ...headers, "Sec-Fetch-Site": "cross-site" },
      { ...headers, "Sec-Fetch-Site": "same-site" },
      { ...headers, Host: "evil.example" },
      { ...headers, Cookie: `${headers.Cookie}; ${headers.Cookie}` },
      { ...headers, Cookie: headers.Cookie.slice(0, -2) },
    ];
    for (const attempt of attempts) {
      const { status } = await send(at("/api/v1/things"), { headers: attempt, body: "{}" });
      expect([attempt, status >= 400 && status < 500]).toEqual([attempt, true]);
    }
    const plain = { ...headers, "Content-Type": "text/plain" };
    expect((await send(at("/api/v1/things"), { headers: plain, body: "{}" })).status).toBe(400);
    expect(writes()).toBe(0);
  });

  it("a read by a page of another origin is refused, whatever it may use with a token", async () => {
    const { at, signIn } = await openConsole();
    const headers = { ...(await signIn()), Origin: "https://allowed.example" };
    expect((await send(at("/api/v1/things/a"), { method: "GET", headers })).status).toBe(403);
  });
});

describe("what answers carry", () => {
  it("T143, T145: every answer for a browser has the policy, also those that refuse", async () => {
    const { at, signIn, token } = await openConsole();
    const headers = await signIn();
    const answers = [
      await send(at("/console"), { method: "GET", headers: {} }),
      await send(at("/console/assets/app-1.js"), { method: "GET", headers: {} }),
      await send(at("/console/assets/none.js"), { method: "GET", headers: {} }),
      await send(at("/console/runs/r1"), { method: "GET", headers: { Host: "evil.example" } }),
      await send(at("/api/v1/things/a"), { method: "GET", headers: {} }),
      await send(at("/api/v1/things/a"), { method: "GET", headers }),
      await send(at("/api/v1/things/none"), { method: "GET", headers }),
      await send(at("/api/v1/nowhere"), { method: "GET", headers: { Authorization: `Bearer ${token}` } }),
      await send(at("/api/v1/broken"), { method: "GET", headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 403, 401, 200, 404, 404, 500]);
    for (const { headers: sent } of answers) {
      expect(sent["content-security-policy"]).toMatch(
        /^default-src 'self'; script-src 'self'; .*frame-ancestors 'none'$/,
      );
      expect(sent["content-security-policy"]).not.toMatch(/unsafe|https?:|\*/);
      expect(sent["x-content-type-options"]).toBe("nosniff");
      expect(sent["x-frame-options"]).toBe("DENY");
      expect(sent["referrer-policy"]).toBe("no-referrer");
      expect(sent["cross-origin-opener-policy"]).toBe("same-origin");
    }
    expect(answers.at(-1)!.text).not.toContain("/secret/path");
  });

  it("an answer that is as it was is not sent again", async () => {
    const { at, signIn } = await openConsole();
    const headers = await signIn();
    const first = await send(at("/api/v1/things/a"), { method: "GET", headers });
    const again = { ...headers, "If-None-Match": String(first.headers["etag"]) };
    expect((await send(at("/api/v1/things/a"), { method: "GET", headers: again })).status).toBe(304);
    expect((await send(at("/api/v1/things/b"), { method: "GET", headers: again })).status).toBe(200);
    expect(first.headers["cache-control"]).toBe("no-store");
  });

  it("serves the built files and nothing beside them", async () => {
    const { at } = await openConsole();
    const get = async (path: string) => {
      const { status, headers, text } = await send(at(path), { method: "GET", headers: {} });
      return [status, headers["content-type"], headers["cache-control"], text.trim().slice(0, 15)];
    };
    const page = [200, "text/html; charset=utf-8", "no-cache", "<!doctype html>"];
    expect(await get("/console")).toEqual(page);
    expect(await get("/console/runs/0198")).toEqual(page);
    expect(await get("/console/assets/app-1.js")).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
      "export {};",
    ]);
    for (const path of ["/console/..%2fsecret.js", "/console/%2e%2e/secret.js", "/console//etc/passwd"])
      expect((await get(path))[3]).not.toBe("no");
  });
});

/** Listens for changes as a page does; `next` waits for so many more. */
function listen(url: URL, headers: Record<string, string>) {
  const reader = readEvents(url, { method: "GET", headers });
  const { events, ended } = reader;
  let read = 0;
  const next = async (count: number) => {
    await eventually("the events", () => events.length >= read + count);
    return events
      .slice(read, (read += count))
      .map(({ data }) => JSON.parse(data) as Change & { seq: number });
  };
  return { next, ended, cut: () => reader.cut() };
}

describe("the stream of changes", () => {
  it("tells what changed, goes on where a page was, and says so where it cannot", async () => {
    const { at, signIn, tell, listenerCount } = await openConsole();
    const headers = await signIn();
    expect(listenerCount()).toBe(0);
    const first = listen(at("/api/v1/events?topics=runs"), headers);
    expect(await first.next(1)).toMatchObject([{ topic: "*" }]);
    tell({ topic: "runs", id: "r1", rev: "1" });
    tell({ topic: "calls", id: "c1", rev: "1" });
    tell({ topic: "runs", id: "r2", rev: "1", owner: "token:ann" });
    const heard = await first.next(2);
    expect(heard.map(({ seq: _seq, ...rest }) => rest)).toEqual([
      { topic: "runs", id: "r1", rev: "1" },
      { topic: "runs", id: "r2", rev: "1" },
    ]);
    first.cut();
    await first.ended;
    const back = { ...headers, "Last-Event-ID": String(heard[0]!.seq) };
    expect(await listen(at("/api/v1/events?topics=runs"), back).next(1)).toMatchObject([{ id: "r2" }]);
    const lost = { ...headers, "Last-Event-ID": "12" };
    expect(await listen(at("/api/v1/events"), lost).next(1)).toMatchObject([{ topic: "*" }]);
  });

  it("tells a token with limits of its own, and of the rest only that it changed", async () => {
    const { at, signIn, tell, tokens } = await openConsole();
    tokens.create("bot", ["read"], { effects: ["read"] });
    const reader = listen(at("/api/v1/events"), await signIn("bot"));
    await reader.next(1);
    tell({ topic: "runs", id: "of-ann", rev: "1", owner: "token:ann" });
    tell({ topic: "runs", id: "of-local", rev: "1", owner: null });
    tell({ topic: "servers", id: "payroll", rev: "1" });
    tell({ topic: "runs", id: "of-bot", rev: "1", owner: "token:bot" });
    expect(await reader.next(2)).toMatchObject([
      { topic: "servers", id: "*" },
      { topic: "runs", id: "of-bot" },
    ]);
  });

  it("T153: ends when the session is closed", async () => {
    const { at, signIn } = await openConsole();
    const headers = await signIn();
    const reader = listen(at("/api/v1/events"), headers);
    await reader.next(1);
    await send(at("/api/v1/session"), { method: "DELETE", headers });
    await reader.ended;
  });
});
