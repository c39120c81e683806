import { getEventListeners } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { startOAuthServer } from "../../../test/rig/oauth-server.ts";
import type { ToolError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { connect } from "../connection/connect.ts";
import { agreeableUser, openTestStore } from "../oauth/oauth.testkit.ts";
import { createOpenTransport, type OpenTransport } from "./open-transport.ts";
import type { TransportConfig } from "../upstream-config.ts";

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function http(url: string, headers: Record<string, string> = {}): TransportConfig {
  return { kind: "http", url, headers };
}

/** What a server is told to be when it is connected to. */
async function connectTo(transport: TransportConfig, openTransport: OpenTransport) {
  const limits = { callTimeoutMs: 10_000, connectTimeoutMs: 10_000, idleMs: 0 };
  const outcome = await connect(
    { id: "box", transport, ...limits },
    {
      clientInfo: { name: "test", version: "1" },
      clientCapabilities: {},
      lastEra: undefined,
      log: silentLog,
      openTransport,
      redact: (text) => text,
      onRequest: async () => ({ result: {} }),
      onNotification() {},
      onLost() {},
    },
  );
  if (outcome.kind === "connected") onTestFinished(() => outcome.connection.peer.close());
  return outcome;
}

async function errorOf(
  transport: TransportConfig,
  openTransport: OpenTransport,
): Promise<ToolError | undefined> {
  const outcome = await connectTo(transport, openTransport);
  return outcome.kind === "failed" ? outcome.error : undefined;
}

describe("what a remote server says instead of an answer", () => {
  it.each(["http", "sse"] as const)("T090: it needs a login (%s)", async (kind) => {
    const rig = await startOAuthServer();
    const openTransport = createOpenTransport({ server: "box", secrets: openTestStore(temporaryFolder()) });
    expect(await errorOf({ kind, url: rig.url, headers: {} }, openTransport)).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      reason: "auth_required",
      retryable: false,
      hint: "Ask the user to run: repertoire login box",
    });
    // Nothing is looked up or registered: that is for the login.
    expect(new Set(rig.seen.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
  });

  it("it does not take the credentials of the config", async () => {
    const rig = await startOAuthServer();
    const openTransport = createOpenTransport({ server: "box", secrets: openTestStore(temporaryFolder()) });
    const error = await errorOf(http(rig.url, { Authorization: "Bearer x" }), openTransport);
    expect(error).toMatchObject({
      reason: "auth_required",
      hint: expect.stringContaining("Authorization header"),
    });
  });

  it.each([
    [429, "RATE_LIMITED"],
    [503, "TOOL_UNAVAILABLE"],
  ])("T088: it is too busy (%i)", async (status, code) => {
    const url = await startServer((_, response) => {
      response.writeHead(status, { "retry-after": "7" }).end("later");
    });
    expect(await errorOf(http(url), createOpenTransport({ server: "box" }))).toMatchObject({
      code,
      reason: "busy",
      retryable: true,
      retryAfterMs: 7_000,
    });
  });
});

it("with a way to ask the user, a server that needs a login is connected to", async () => {
  const rig = await startOAuthServer();
  const secrets = openTestStore(temporaryFolder());
  const openTransport = createOpenTransport({ server: "box", secrets, way: agreeableUser(rig) });
  expect(await connectTo(http(rig.url), openTransport)).toMatchObject({ kind: "connected" });
});

it("T085: configured headers are not sent to an authorization server on another origin", async () => {
  const [rig, other] = [await startOAuthServer(), await startOAuthServer()];
  rig.script = { resourceMetadata: { authorization_servers: [other.issuer] } };
  const secrets = openTestStore(temporaryFolder());
  const openTransport = createOpenTransport({ server: "box", secrets, way: agreeableUser(other) });
  await connectTo(http(rig.url, { "X-Key": "CANARY" }), openTransport);
  expect(rig.seen[0]!.headers["x-key"]).toBe("CANARY");
  expect(other.at("/token")).not.toHaveLength(0);
  expect(JSON.stringify(other.seen)).not.toContain("CANARY");
});

it("many calls leave no listeners on the signal that they share", async () => {
  const rig = await startOAuthServer({ isOpen: true });
  const outcome = await connectTo(http(rig.url), createOpenTransport());
  if (outcome.kind !== "connected") throw new Error(outcome.reason);
  const { signal } = new AbortController();
  for (let i = 0; i < 200; i++) {
    await outcome.connection.peer.request("tools/call", { name: "echo" }, { timeoutMs: 10_000, signal });
  }
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
