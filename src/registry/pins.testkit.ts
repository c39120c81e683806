/** A registry with pins on a real store, over sources in memory whose lists change. */
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { contextOf, createFixtureSource, type FixtureSource } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { TrustLevel } from "../core/rule.ts";
import type { Store } from "../core/store.ts";
import type { Offer, ToolDefinition } from "../core/tool.ts";
import type { Pin } from "../core/trust-store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createPins, type Pins } from "../trust/pins.ts";
import { createRegistry, type Registry, type RegistryDeps } from "./registry.ts";
import { createTestTime, type TestTime } from "./time.testkit.ts";

/** A server in memory with everything that has a pin. What it offers is changed by assignment. */
export interface PinnedServer extends FixtureSource {
  offer: Partial<Offer>;
  readonly requests: { method: string; params: JsonObject }[];
}

export function createPinnedServer(id: string, tools: readonly ToolDefinition[]): PinnedServer {
  const source = createFixtureSource(id, tools);
  const requests: PinnedServer["requests"] = [];
  const server: PinnedServer = Object.assign(source, {
    offer: {},
    requests,
    request: async (method: string, params: JsonObject): Promise<ToolResult<JsonObject>> => {
      requests.push({ method, params });
      if (method === "tools/list") return succeed({ tools: server.tools as unknown as JsonObject[] });
      return succeed({ done: true });
    },
    describe: async () =>
      succeed({ capabilities: {}, serverInfo: { name: id, version: "1" }, ...server.offer.self }),
  });
  server.onList = async () =>
    succeed({ self: { serverInfo: { name: id, version: "1" } }, ...server.offer, tools: server.tools });
  return server;
}

export interface PinnedRig {
  readonly registry: Registry;
  readonly pins: Pins;
  readonly store: Store;
  readonly time: TestTime;
  readonly audit: { action: string; subject: string; details: JsonObject }[];
  trust: TrustLevel;
  readonly names: () => string[];
  readonly list: () => Promise<string[]>;
  readonly pin: (name: string, kind?: Pin["kind"]) => Promise<Pin | undefined>;
  readonly decide: (name: string, isApproved: boolean, kind?: Pin["kind"]) => Promise<void>;
}

export async function openTestStore(): Promise<Store> {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  return store;
}

export async function openPinnedRig(
  server: PinnedServer,
  options: {
    readonly store?: Store;
    readonly trust?: TrustLevel;
    readonly isInstalled?: boolean;
  } & Pick<RegistryDeps, "cache"> = {},
): Promise<PinnedRig> {
  const store = options.store ?? (await openTestStore());
  const time = createTestTime();
  const audit: PinnedRig["audit"] = [];
  const pins = createPins({
    ...time,
    store: store.pins,
    trustOf: () => rig.trust,
    hasBaseline: () => options.isInstalled !== true,
    record: (action, subject, details) => audit.push({ action, subject, details }),
  });
  const registry = createRegistry({
    ...time,
    random: () => 1,
    pins,
    ...(options.cache && { cache: options.cache }),
  });
  onTestFinished(async () => {
    pins.close();
    await registry.close();
  });
  const rig: PinnedRig = {
    registry,
    pins,
    store,
    time,
    audit,
    trust: options.trust ?? "ask",
    names: () => registry.catalogue().components.map(({ name }) => name),
    async list() {
      await registry.refresh(server.id, contextOf());
      return rig.names();
    },
    async pin(name, kind = "tool") {
      const all = await store.pins.list(server.id);
      return all.find((pin) => pin.name === name && pin.kind === kind);
    },
    async decide(name, isApproved, kind = "tool") {
      const pin = await rig.pin(name, kind);
      const key = { server: server.id, kind, name };
      await store.pins.decide(key, pin?.offeredHash ?? null, { isApproved, by: "ada" });
    },
  };
  await registry.load();
  registry.add(server, { identity: { command: "node", args: ["server.mjs"] } });
  return rig;
}
