import { describe, expect, it, vi } from "vitest";
import type { JsonRpcMessage } from "../transport/transport.ts";
import { openSession, type HandshakeOptions } from "./handshake.ts";
import { Peer } from "./peer.ts";
import { createTransportPair } from "../transport/transport-pair.testkit.ts";

type Answers = Record<string, object | undefined>;

/** A server that answers each method as told, and says nothing to the others. */
function openWith(answers: Answers, options: Partial<HandshakeOptions> = {}) {
  const [transport, server] = createTransportPair();
  const asked: string[] = [];
  const ids = new Map<string, unknown>();
  server.onmessage = (message: JsonRpcMessage) => {
    asked.push(String(message["method"]));
    ids.set(String(message["method"]), message["id"]);
    const answer = answers[String(message["method"])];
    if (answer !== undefined) void server.send({ jsonrpc: "2.0", id: message["id"], ...answer });
  };
  const peer = new Peer(transport, {
    onRequest: async () => ({ result: {} }),
    onNotification() {},
    onClose() {},
  });
  const outcome = openSession(peer, {
    clientInfo: { name: "repertoire", version: "0" },
    clientCapabilities: { roots: {} },
    timeoutMs: 1_000,
    probeMs: 20,
    ...options,
  });
  /** Answers a question that was left open. */
  const late = (method: string, answer: object): void =>
    void server.send({ jsonrpc: "2.0", id: ids.get(method), ...answer });
  return { outcome, asked, late };
}

const LEGACY = {
  result: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "1" },
    instructions: "Hi.",
  },
};
const MODERN = {
  result: {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    serverInfo: { name: "new", version: "1" },
  },
};
const REFUSED = { error: { code: -32601, message: "no such method" } };

describe("a server that was never seen", () => {
  it("is asked in the legacy way first, which all but a few understand", async () => {
    const { outcome, asked } = openWith({ initialize: LEGACY, "server/discover": MODERN });
    expect(await outcome).toEqual({
      kind: "open",
      session: {
        era: "legacy",
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
        instructions: "Hi.",
        envelope: {},
      },
    });
    expect(asked).toEqual(["initialize", "notifications/initialized"]);
  });

  it("is asked in the modern way when it refuses", async () => {
    const { outcome, asked } = openWith({ initialize: REFUSED, "server/discover": MODERN });
    expect(await outcome).toMatchObject({
      session: { era: "modern", envelope: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
    expect(asked).toEqual(["initialize", "server/discover"]);
  });

  it("that knows neither is refused with its first words", async () => {
    expect(await openWith({ initialize: REFUSED, "server/discover": REFUSED }).outcome).toEqual({
      kind: "refused",
      reason: "it refused initialize: no such method",
      cause: "refused",
    });
  });

  it("of an unknown version is refused", async () => {
    const odd = { result: { protocolVersion: "1999-01-01", capabilities: {} } };
    expect(await openWith({ initialize: odd, "server/discover": REFUSED }).outcome).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("1999-01-01"),
    });
  });

  it("that says nothing to the legacy way is asked in the modern way, too", async () => {
    const { outcome, asked } = openWith({ "server/discover": MODERN });
    expect(await outcome).toMatchObject({ session: { era: "modern" } });
    expect(asked).toEqual(["initialize", "server/discover"]);
  });

  it("that is slow to start is a legacy one all the same", async () => {
    const answers: Answers = { "server/discover": REFUSED };
    const { outcome, late } = openWith(answers);
    await new Promise((resolve) => setTimeout(resolve, 60));
    late("initialize", LEGACY);
    expect(await outcome).toMatchObject({ session: { era: "legacy" } });
  });

  it("that says nothing is given up after the limit", async () => {
    expect(await openWith({}, { timeoutMs: 20 }).outcome).toMatchObject({
      kind: "refused",
      reason: "it did not answer initialize within 20 ms",
    });
  });
});

describe("a server that was modern before", () => {
  it("is asked in the modern way first", async () => {
    const { outcome, asked } = openWith(
      { initialize: LEGACY, "server/discover": MODERN },
      { lastEra: "modern" },
    );
    expect(await outcome).toMatchObject({ session: { era: "modern" } });
    expect(asked).toEqual(["server/discover"]);
  });

  it("that is slow to start is a modern one all the same", async () => {
    const { outcome, late, asked } = openWith({ initialize: REFUSED }, { lastEra: "modern" });
    await vi.waitUntil(() => asked.includes("initialize"), { timeout: 20_000 });
    late("server/discover", MODERN);
    expect(await outcome).toMatchObject({ session: { era: "modern" } });
  });

  it("and is not any more is found out within the probe's own limit", async () => {
    expect(await openWith({ initialize: LEGACY }, { lastEra: "modern" }).outcome).toMatchObject({
      session: { era: "legacy" },
    });
  });
});

describe("S6: a server that is known to speak an era", () => {
  it.each([
    ["legacy", "initialize", LEGACY],
    ["modern", "server/discover", MODERN],
  ] as const)("(%s) and is slow to start is not asked in the other one", async (lastEra, method, answer) => {
    const { outcome, asked, late } = openWith({}, { lastEra, isEraSure: true });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(asked).toEqual([method]);
    late(method, answer);
    expect(await outcome).toMatchObject({ session: { era: lastEra } });
  });

  it("and says nothing is given up after the limit, and is asked in the other one if it refuses", async () => {
    const sure = { lastEra: "legacy", isEraSure: true } as const;
    expect(await openWith({ "server/discover": MODERN }, { ...sure, timeoutMs: 20 }).outcome).toMatchObject({
      kind: "refused",
      cause: "connect_timeout",
    });
    const refusing = openWith({ initialize: REFUSED, "server/discover": MODERN }, sure);
    expect(await refusing.outcome).toMatchObject({ session: { era: "modern" } });
  });
});
