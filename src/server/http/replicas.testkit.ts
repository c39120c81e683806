/**
 * Several gateways on one store, each with its real listener, and a client that reaches another one with each request. A
 * replica that is killed takes no connection any more and loses those it had; its row gets old.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { createFixtureSource, toolOf, type FixtureSource } from "../../../test/fixtures/tool-source.ts";
import { createFaultProxy } from "../../../test/rig/tcp-fault-proxy.ts";
import type { JsonObject } from "../../core/json.ts";
import { silentLog } from "../../core/log.ts";
import { DEAD_AFTER_MS, type SeenReplica } from "../../core/replica-store.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import { depsOf } from "../../gateway/gateway.testkit.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { createHeldCalls } from "../../gateway/held-calls.ts";
import { createSealedStates } from "../../gateway/sealed-state.ts";
import type { ServerEvents } from "../../gateway/server-events.ts";
import { createGateway } from "../../gateway/whole-gateway.ts";
import { createRegistry } from "../../registry/registry.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { NO_TELEMETRY } from "../../telemetry/telemetry.ts";
import { createGate } from "../auth/gate.ts";
import { watchTokens } from "../auth/token-principals.ts";
import { openHomeTokens } from "../auth/tokens.testkit.ts";
import { createHealth } from "../health.ts";
import type { HttpCall } from "./http-call.ts";
import { listenHttp, type HttpServerDeps } from "./serve-http.ts";

type ReplicaId = "one" | "two" | "three";
const IDS: readonly ReplicaId[] = ["one", "two", "three"];

const nothing = { sessionCount: () => 0, streamCount: () => 0, heldCallCount: () => 0, runCount: () => 0 };
const metrics = createMetrics({ version: "0", ...nothing, servers: () => [] });

export type Replica = Awaited<ReturnType<typeof openReplica>>;

/** What all replicas of a test have in common. */
interface Common {
  readonly home: string;
  readonly rows: Map<string, SeenReplica>;
}

/** Three replicas; `next` is the address of another one each time. */
export async function openReplicas(part: Partial<HttpServerDeps> = {}) {
  const home = temporaryFolder();
  const rows = new Map<string, SeenReplica>();
  const tokens = openHomeTokens(home);
  const { token } = tokens.showDefault();
  const replicas: Replica[] = [];
  for (const id of IDS) replicas.push(await openReplica(id, { home, rows }, part));
  const byId = Object.fromEntries(replicas.map((replica) => [replica.id, replica])) as Record<
    ReplicaId,
    Replica
  >;
  let turn = 0;
  const next = (): URL => {
    const alive = replicas.filter(({ isAlive }) => isAlive());
    return alive[turn++ % alive.length]!.url;
  };
  const createToken = (name: string): Record<string, string> => {
    const made = tokens.create(name, ["read", "call"]);
    if (!made.success) throw new Error(made.error.message);
    return { Authorization: `Bearer ${made.data.token}` };
  };
  return { ...byId, replicas, rows, next, createToken, bearer: { Authorization: `Bearer ${token}` } };
}

async function openReplica(id: ReplicaId, { home, rows }: Common, part: Partial<HttpServerDeps>) {
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  const draftsFolder = join(home, `drafts-${id}`);
  mkdirSync(draftsFolder);
  const registry = createRegistry();
  const desk = createDesk(id);
  registry.add(desk.source);
  onTestFinished(() => registry.close());
  const states = createSealedStates({ store: store.seals, replica: id });
  const heldCalls = createHeldCalls({ states });
  onTestFinished(() => heldCalls.close());
  const deps = depsOf({ store, registry, draftsFolder, servers: () => ["desk"] });
  const heard: { level?: string; uris: string[] } = { uris: [] };
  const whole = createGateway({ ...deps, states, heldCalls });
  const gateway: Gateway = {
    ...whole,
    async forward(method, params, context) {
      if (method !== "resources/subscribe") return whole.forward(method, params, context);
      heard.uris.push(params["uri"] as string);
      return succeed({});
    },
  };
  await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
  const ended: HttpCall[] = [];
  const events: ServerEvents = {
    notified: () => () => {},
    tell() {},
    setLogLevel: (level) => void (heard.level = level),
  };
  let isDraining = false;
  const listener = await listenHttp({
    host: "127.0.0.1",
    port: 0,
    // Clients come through the proxy in front of each.
    allowedHosts: ["127.0.0.1"],
    allowedOrigins: [],
    openGate: () => createGate({ tokens: watchTokens(home, silentLog), log: silentLog }),
    gatewayFor: (profile) =>
      profile === undefined || profile === "other" ? { gateway, events, isTransparent: false } : undefined,
    refused: () => {},
    ended: (call) => void ended.push(call),
    isDraining: () => isDraining,
    telemetry: NO_TELEMETRY,
    metrics,
    health: createHealth({ askStore: async () => {}, isConfigGood: () => true, isDraining: () => false }),
    log: silentLog,
    replicas: {
      peers: { ownId: id, find: async (asked) => rows.get(asked) },
      sessions: store.sessions,
      key: () => store.seals.key("peer"),
      heldAt: (state) => states.holderOf(state),
    },
    ...part,
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= listener.close());
  onTestFinished(close);
  const proxy = await createFaultProxy({
    target: { host: "127.0.0.1", port: Number(new URL(listener.url).port) },
  });
  let isAlive = true;
  onTestFinished(() => (isAlive ? proxy.close() : undefined));
  const url = new URL(`http://127.0.0.1:${proxy.port}/mcp`);
  const row = { id, owner: id, place: id, url: url.origin, version: "0", isDraining: false, startedAt: 0 };
  rows.set(id, { ...row, ageMs: 0 });
  return {
    id,
    url,
    store,
    desk,
    heard,
    ended,
    listener,
    close,
    isAlive: () => isAlive,
    /** It takes no more requests, and says so in its row. */
    drain() {
      isDraining = true;
      rows.set(id, { ...row, ageMs: 0, isDraining: true });
    },
    /** It is not heard of any more, as if its process were killed. */
    async kill() {
      isAlive = false;
      rows.set(id, { ...row, ageMs: DEAD_AFTER_MS + 1 });
      await proxy.close();
    },
  };
}

/** A server that adds, asks, and waits until it is cancelled. */
function createDesk(id: string) {
  const asked: JsonObject[] = [];
  const waits = { begunCount: 0, cancelledCount: 0 };
  const fixture = createFixtureSource("desk", [toolOf("add"), toolOf("ask"), toolOf("wait")]);
  const call: FixtureSource["call"] = async (name, _args, context) => {
    fixture.calls.push({ name, args: {} });
    if (name === "ask") asked.push(await askPerson(context));
    if (name === "wait") {
      waits.begunCount++;
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
      waits.cancelledCount++;
    }
    return textOf(`${name} at ${id}`);
  };
  return { source: { ...fixture, call }, asked, waits };
}

async function askPerson({ client, signal }: CallContext): Promise<JsonObject> {
  const question = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
  const answer = await client!.request("elicitation/create", question, signal);
  return answer.success ? answer.data : { error: answer.error.message };
}

function textOf(text: string): ToolResult<ToolAnswer> {
  return succeed({ content: [{ type: "text", text }] });
}
