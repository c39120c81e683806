import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import type { Clock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { NO_TELEMETRY } from "../../telemetry/telemetry.ts";
import { noEvents, openRig } from "../../gateway/gateway.testkit.ts";
import { createGate } from "../auth/gate.ts";
import { watchTokens } from "../auth/token-principals.ts";
import { openHomeTokens } from "../auth/tokens.testkit.ts";
import { createHealth } from "../health.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { callOf, initialize, openSession, readEvents, send } from "./http.testkit.ts";
import { HEADER_BYTES_MAX, STRANGER_COUNT_MAX } from "./limits.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { listenHttp } from "./serve-http.ts";

const nothing = { sessionCount: () => 0, streamCount: () => 0, heldCallCount: () => 0, runCount: () => 0 };
const metrics = createMetrics({ version: "0", ...nothing, servers: () => [] });
const healthParts = { askStore: async () => {}, isConfigGood: () => true, isDraining: () => false };
const health = createHealth(healthParts);

interface ListenerSettings {
  readonly allowedOrigins?: string[];
  readonly headersMs?: number;
  readonly clock?: Clock;
  readonly publicUrl?: string;
  readonly oauth?: { readonly issuer: string; readonly scopes: object };
}

async function openListener(settings: ListenerSettings = {}) {
  const source = createFixtureSource("notes", [toolOf("add")]);
  const { gateway, registry } = await openRig(source);
  await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
  const home = temporaryFolder();
  const tokens = openHomeTokens(home);
  const { token } = tokens.showDefault();
  const refused: string[] = [];
  let isDraining = false;
  const setDraining = () => void (isDraining = true);
  const listener = await listenHttp({
    host: "127.0.0.1",
    port: 0,
    allowedHosts: [],
    allowedOrigins: settings.allowedOrigins ?? [],
    openGate: () =>
      createGate({
        tokens: watchTokens(home, silentLog, { clock: settings.clock }),
        log: silentLog,
        clock: settings.clock,
      }),
    gatewayFor: (profile) =>
      profile === undefined ? { gateway, events: noEvents, isTransparent: false } : undefined,
    refused: (reason) => void refused.push(reason),
    ended: () => {},
    isDraining: () => false,
    telemetry: NO_TELEMETRY,
    metrics,
    health: createHealth({ ...healthParts, isDraining: () => isDraining }),
    log: silentLog,
    ...(settings.headersMs !== undefined && { headersMs: settings.headersMs }),
    ...(settings.publicUrl !== undefined && { publicUrl: settings.publicUrl }),
    ...(settings.oauth !== undefined && { oauth: settings.oauth }),
  });
  onTestFinished(() => listener.close());
  const url = new URL(listener.url);
  const at = (path: string) => new URL(path, url);
  return {
    url,
    at,
    listener,
    source,
    tokens,
    refused,
    setDraining,
    bearer: { Authorization: `Bearer ${token}` },
  };
}

const ROUTES = [
  "/mcp",
  "/mcp/no-such",
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/",
  "/no/such",
];

describe("the request guard", () => {
  it.each(ROUTES)("T125: %s is closed without a token, and nothing is done", async (path) => {
    const { at, source, refused } = await openListener();
    const answer = await send(at(path), { body: callOf(1, "notes__add") });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(source.calls).toEqual([]);
    expect(refused).toEqual(["missing"]);
  });

  it.each(ROUTES)(
    "%s is closed to another Host and to a web page, before anybody looks at the token",
    async (path) => {
      const { at, bearer, refused } = await openListener();
      for (const [headers, status] of [
        [{ ...bearer, Host: "evil.example" }, 403],
        [{ ...bearer, Host: "127.0.0.1.evil.example" }, 403],
        [{ ...bearer, Origin: "https://evil.example" }, 403],
        [{ ...bearer, Origin: "null" }, 403],
      ] as const) {
        expect((await send(at(path), { headers, body: initialize() })).status).toBe(status);
      }
      expect(refused).toEqual(["host", "host", "origin", "origin"]);
    },
  );

  it("lets pages of an allowed origin in, and tells the browser so", async () => {
    const { url, bearer } = await openListener({ allowedOrigins: ["https://app.example"] });
    const Origin = "https://app.example";
    const asked = await send(url, {
      method: "OPTIONS",
      headers: { Origin, "Access-Control-Request-Headers": "authorization" },
    });
    expect([asked.status, asked.headers["access-control-allow-headers"]]).toEqual([204, "authorization"]);
    const answer = await send(url, { headers: { ...bearer, Origin }, body: initialize() });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, Origin]);
  });

  it("T132: every route has its permission, and a token without it is refused", async () => {
    const { at, tokens } = await openListener();
    const reader = tokens.create("reader", ["read"]);
    if (!reader.success) throw new Error(reader.error.message);
    const headers = { Authorization: `Bearer ${reader.data.token}` };
    const routes = operatorRoutes({ health, metrics, bases: ["http://x"] });
    for (const { path, method = "GET", permission } of routes) {
      const wanted = permission === "public" ? 404 : permission === "read" ? 200 : 403;
      expect([path, (await send(at(path), { method, headers })).status]).toEqual([path, wanted]);
    }
  });

  it("T132: what shows the whole gateway is closed to a token with limits, whatever its scopes", async () => {
    const { at, tokens } = await openListener();
    for (const [name, limits] of [
      ["effects", { effects: ["read"] }],
      ["tools", { tools: ["notes__*"] }],
    ] as const) {
      const made = tokens.create(name, ["read", "call", "write", "admin"], limits);
      if (!made.success) throw new Error(made.error.message);
      const headers = { Authorization: `Bearer ${made.data.token}` };
      expect((await send(at("/metrics"), { method: "GET", headers })).status).toBe(403);
    }
  });

  it("C10: a probe needs no token, gets one word, and its socket is closed behind it", async () => {
    const { at, listener, refused, setDraining } = await openListener();
    const ask = async (path: string, method = "GET", headers = {}) => {
      const answer = await send(at(path), { method, headers });
      return [answer.status, answer.headers["content-type"], answer.headers["connection"], answer.text];
    };
    const said = (status: number, text: string) => [status, "text/plain; charset=utf-8", "close", text];
    for (const path of ["/health/live", "/health/ready", "/health/ready?from=balancer"]) {
      expect(await ask(path)).toEqual(said(200, "ok\n"));
      expect(await ask(path, "HEAD")).toEqual(said(200, ""));
    }
    setDraining();
    expect(await ask("/health/ready")).toEqual(said(503, "not ready\n"));
    expect(await ask("/health/live")).toEqual(said(200, "ok\n"));
    await eventually("the sockets are gone", () => listener.strangerCount === 0);
    expect(refused).toEqual([]);
  });

  it("C10: a probe may come by any address or without a Host, never by a foreign name or from a page", async () => {
    const { at, url, bearer, refused } = await openListener();
    const ask = async (headers: Record<string, string>) =>
      (await send(at("/health/live"), { method: "GET", headers })).status;
    for (const Host of ["10.1.2.3:7373", "10.1.2.3", "[fd00::7]:80", "[::1]", `localhost:${url.port}`])
      expect([Host, await ask({ Host })]).toEqual([Host, 200]);
    const socket = openSocket(url);
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
    const end = closed(socket);
    socket.write("GET /health/live HTTP/1.0\r\n\r\n");
    await end;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
    const refusals: [Record<string, string>, number][] = [
      [{ Host: "evil.example" }, 403],
      [{ Host: "10.1.2.3.evil.example" }, 403],
      [{ Host: "10.1.2.3@evil.example" }, 400],
      [{ Host: "10.1.2.3:7373", Origin: "https://evil.example" }, 403],
      [{ Host: "10.1.2.3:7373", ...bearer }, 403],
    ];
    for (const [headers, status] of refusals)
      expect([headers, await ask(headers)]).toEqual([headers, status]);
    expect(refused).toEqual(["host", "host", "host", "origin", "host"]);
    expect(await ask({ Authorization: "Bearer wrong" })).toBe(401);
    expect(await ask(bearer)).toBe(200);
  });

  it("C10: metrics may be scraped by any address, with a token, and never by a foreign name or from a page", async () => {
    const { at, bearer } = await openListener();
    const ask = async (headers: Record<string, string>, path = "/metrics") =>
      (await send(at(path), { method: "GET", headers })).status;
    for (const Host of ["10.1.2.3:8080", "10.1.2.3", "[fd00::7]:8080"]) {
      expect([Host, await ask({ Host, ...bearer })]).toEqual([Host, 200]);
      expect([Host, await ask({ Host })]).toEqual([Host, 401]);
      expect([Host, await ask({ Host, ...bearer }, "/health")]).toEqual([Host, 403]);
    }
    expect(await ask({ Host: "evil.example", ...bearer })).toBe(403);
    expect(await ask({ Host: "10.1.2.3.evil.example", ...bearer })).toBe(403);
    expect(await ask({ Host: "10.1.2.3:8080", Origin: "https://evil.example", ...bearer })).toBe(403);
  });

  it("shows operators health and metrics", async () => {
    const { at, bearer } = await openListener();
    const report = await send(at("/health"), { method: "GET", headers: bearer });
    expect(report.json()).toEqual({
      status: "ok",
      parts: { store: "ok", config: "ok", gateway: "ok" },
    });
    const read = await send(at("/metrics"), { method: "GET", headers: bearer });
    expect(read.text).toContain("repertoire_sessions");
  });

  it("T135: a token that is revoked ends its streams", async () => {
    const { url, tokens } = await openListener();
    const guest = tokens.create("guest", ["read", "call"]);
    if (!guest.success) throw new Error(guest.error.message);
    const headers = { Authorization: `Bearer ${guest.data.token}` };
    const opened = await send(url, { headers, body: initialize() });
    const session = { ...headers, "Mcp-Session-Id": String(opened.headers["mcp-session-id"]) };
    const stream = readEvents(url, { method: "GET", headers: session });
    tokens.revoke("guest");
    await stream.ended;
    const after = await send(url, { headers: session, body: callOf(2, "notes__add") });
    expect(after.status).toBe(401);
  });
});

it("T135: a token that expires ends its streams and calls, and is told so", async () => {
  const time = { nowMs: Date.now() };
  const clock = { now: () => time.nowMs, elapsed: () => performance.now() };
  const { url, tokens } = await openListener({ clock });
  const expiresAt = new Date(time.nowMs + 3_600_000).toISOString();
  const guest = tokens.create("guest", ["read", "call"], { expiresAt });
  if (!guest.success) throw new Error(guest.error.message);
  const headers = { Authorization: `Bearer ${guest.data.token}` };
  const opened = await send(url, { headers, body: initialize() });
  const session = { ...headers, "Mcp-Session-Id": String(opened.headers["mcp-session-id"]) };
  const stream = readEvents(url, { method: "GET", headers: session });
  expect((await send(url, { headers: session, body: callOf(2, "notes__add") })).status).toBe(200);
  time.nowMs += 3_600_000;
  await stream.ended;
  const after = await send(url, { headers: session, body: callOf(3, "notes__add") });
  expect(after.status).toBe(401);
  expect(after.headers["www-authenticate"]).toContain("The token has expired.");
  expect(after.text).toContain(expiresAt);
});

/** A socket of a client that does as it likes. */
function openSocket(url: URL): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

describe("what a client may take", () => {
  it("T060: headers over the limit are answered with 431", async () => {
    const { url, bearer } = await openListener();
    const headers = { ...bearer, "X-Long": "x".repeat(HEADER_BYTES_MAX) };
    expect((await send(url, { headers, body: initialize() })).status).toBe(431);
  });

  it("T060: a body that does not end is cut at the limit", async () => {
    const { url, bearer } = await openListener();
    const socket = openSocket(url);
    const end = closed(socket);
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${bearer.Authorization}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    for (let i = 0; i < 70; i++) socket.write(chunk);
    await eventually("the answer", () => answer.includes("413"));
    await end;
  });

  it("T059: two lengths, and chunks that are none, are refused", async () => {
    const { url } = await openListener();
    for (const bad of ["Content-Length: 2\r\nContent-Length: 3", "Transfer-Encoding: chunked\r\n\r\nzz"]) {
      const socket = openSocket(url);
      const end = closed(socket);
      let answer = "";
      socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n${bad}\r\n\r\n`,
      );
      await end;
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    }
  });

  it("T061: clients that send nothing, or a byte at a time, are closed, and others are served meanwhile", async () => {
    const { url, bearer } = await openListener({ headersMs: 500 });
    const slow = Array.from({ length: 100 }, () => openSocket(url));
    const ends = slow.map(closed);
    // Who does not read does not see that the other side has closed.
    for (const socket of slow) socket.resume().write("POST /mcp HTTP/1.1\r\nX-");
    const headers = await openSession(url, "ann", bearer);
    const answer = await send(url, { headers: { ...headers, ...bearer }, body: callOf(5, "notes__add") });
    expect(answer.text).toContain("notes did add");
    await Promise.all(ends);
  });

  it("answers what is under way when it closes, and ends every stream", async () => {
    const { url, bearer, listener } = await openListener();
    const headers = { ...(await openSession(url, "ann", bearer)), ...bearer };
    const stream = readEvents(url, { method: "GET", headers });
    await listener.close();
    await stream.ended;
    await expect(send(url, { headers, body: callOf(2, "notes__add") })).rejects.toThrow();
  });
});

describe("S18: sockets without a token", () => {
  it("never keep a client with a token out, whatever they send", { timeout: 60_000 }, async () => {
    const { url, bearer, listener } = await openListener();
    const openStranger = (text: string): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connect(Number(url.port), "127.0.0.1", () => {
          if (text !== "") socket.write(text);
          resolve(socket);
        });
        socket.on("error", () => {});
        onTestFinished(() => void socket.destroy());
      });
    const halfHeader = "POST /mcp HTTP/1.1\r\nHost: 127";
    for (let i = 0; i < STRANGER_COUNT_MAX + 100; i++) await openStranger(i % 2 === 0 ? "" : halfHeader);
    await eventually("a full house", () => listener.strangerCount === STRANGER_COUNT_MAX);
    const answer = await send(url, { headers: bearer, body: initialize() });
    expect(answer.status).toBe(200);
    expect(listener.strangerCount).toBeLessThanOrEqual(STRANGER_COUNT_MAX);
  });

  it("are closed soon, also one that sends nothing at all", async () => {
    const { url, listener } = await openListener({ headersMs: 200 });
    const socket = connect(Number(url.port), "127.0.0.1");
    const gone = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    await gone;
    await eventually("the count", () => listener.strangerCount === 0);
  });
});

describe("the server card", () => {
  const CARD = "/mcp/server-card";
  const get = (url: URL, headers: Record<string, string> = {}) => send(url, { method: "GET", headers });

  it("tells without a token how the gateway is reached, and nothing of its servers", async () => {
    const { at, url, source } = await openListener();
    const answer = await get(at(CARD));
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/mcp-server-card+json");
    expect(answer.json()).toMatchObject({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: expect.stringMatching(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
      remotes: [
        {
          type: "streamable-http",
          url: url.href,
          headers: [{ name: "Authorization", isRequired: true, isSecret: true }],
          supportedProtocolVersions: expect.arrayContaining(["2026-07-28", "2025-11-25"]),
        },
      ],
    });
    expect(String(answer.json()["description"]).length).toBeLessThanOrEqual(100);
    expect(answer.text).not.toContain(source.id);
    expect(Object.keys(answer.json())).not.toContain("_meta");
  });

  it("is the same for a profile whether there is one or not", async () => {
    const { at, url } = await openListener();
    const card = (await get(at("/mcp/no-such/server-card"))).text;
    expect(card).toBe((await get(at(CARD))).text.replace(url.href, `${url.href}/no-such`));
    for (const path of [
      "/mcp/A/server-card",
      "/mcp/a/b/server-card",
      "/server-card",
      `${CARD}/`,
      "/mcp//server-card",
    ])
      expect([path, (await get(at(path))).status]).toEqual([path, 401]);
  });

  it("is no way past the token: what is not a card is refused there as everywhere", async () => {
    const { at } = await openListener();
    for (const method of ["POST", "PUT"])
      expect((await send(at(CARD), { method, body: initialize() })).status).toBe(401);
  });

  it("is closed to another Host, and on a person's machine to web pages", async () => {
    const { at, refused } = await openListener();
    expect((await get(at(CARD), { Host: "evil.example" })).status).toBe(403);
    const page = await get(at(CARD), { Origin: "https://evil.example" });
    expect([page.status, page.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    expect(refused).toEqual(["host", "origin"]);
  });

  it("of a gateway with a public address is for any page, and names whose tokens are taken", async () => {
    const oauth = { issuer: "https://issuer.example", scopes: {} };
    const { listener } = await openListener({ publicUrl: "https://mcp.example", oauth });
    const at = (path: string) => new URL(path, `http://127.0.0.1:${listener.port}`);
    const answer = await get(at("/mcp/triage/server-card"), {
      Host: "mcp.example",
      Origin: "https://page.example",
    });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    expect(answer.json()).toMatchObject({
      remotes: [{ url: "https://mcp.example/mcp/triage" }],
      _meta: {
        "io.github.repertoire-mcp/protectedResourceMetadata":
          "https://mcp.example/.well-known/oauth-protected-resource/mcp/triage",
      },
    });
    expect((await get(at(CARD), { Host: "evil.example" })).status).toBe(403);
  });
});
