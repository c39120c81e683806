/** How clients connect: one over stdio, or many over HTTP. */
import { join } from "node:path";
import { watchTokensOf } from "./access.ts";
import { createHooks } from "./background/hooks.ts";
import { idleServers, isUnderAuto, refuseProfile } from "./config-view.ts";
import type { App, Front } from "./contract.ts";
import { ownContext, type Foundation } from "./foundation.ts";
import type { GatewayHalf } from "./gateway-half.ts";
import { programFolder } from "../process/program-file.ts";
import type { RunsHalf } from "./runs-half.ts";
import { countReplicas, storeHealthOf } from "./store/store-health.ts";
import type { ToolsHalf } from "./tools-half.ts";

type Listeners = Pick<App, "connectStdio" | "listenHttp">;

export function createListeners(
  { config, log, home, store, replica, revisions, tokens, trail, watching }: Foundation,
  { registry, servers, usable, live }: ToolsHalf,
  { runs, startKept, interruptedCount }: RunsHalf,
  { gatewayFor, heldCalls, states }: GatewayHalf,
  front: Front,
): Listeners {
  const queueStats = () => store.runs.queueStats(config.current().scope);

  function serverStates() {
    const { unusable } = idleServers(config.current());
    const stateOf = (id: string) =>
      unusable.includes(id) ? "unusable" : (servers.status(id)?.state ?? "idle");
    return usable().map((id) => ({ id, state: stateOf(id) }));
  }

  /**
   * So that the first list need not wait for servers of which nothing is known, nor decide without them. Over stdio a
   * client lists as soon as it has connected, and servers are first told what it can do.
   */
  function askUnread(only: string | undefined): void {
    const unread = usable().filter((id) => !registry.hasRead(id) && isUnderAuto(config.current(), id, only));
    if (unread.length > 0) void registry.discover({ waitMs: 0, servers: unread }, ownContext());
  }

  const replicaDeps = {
    peers: { ownId: replica.id, find: (id: string) => store.replicas.find(id) },
    sessions: store.sessions,
    key: () => store.seals.key("peer"),
    heldAt: (state: string) => states.holderOf(state),
  };

  return {
    async connectStdio(input, output, profile) {
      const { connectStdio } = await import("../server/stdio/serve-stdio.ts");
      const found = gatewayFor(profile) ?? refuseProfile(profile, config.current());
      front.stdio = connectStdio({ ...found, log, leave: () => runs.drain() }, input, output);
      return front.stdio;
    },
    async listenHttp(address, { profile, console } = {}) {
      const { openHttpFront } = await import("./http-front.ts");
      if (gatewayFor(profile) === undefined) refuseProfile(profile, config.current());
      const deps = {
        config,
        log,
        watching,
        trail,
        tokens,
        watchTokens: () => watchTokensOf({ home, store }, { log, revisions }),
        tokenUses: store.tokenUses,
        openIssuerFetch: async (issuer: URL) => {
          const { createGuardedFetch } = await import("../net/http-client.ts");
          return createGuardedFetch(issuer);
        },
        gatewayFor: (asked: string | undefined) => gatewayFor(asked ?? profile),
        profile,
        askStore: () =>
          store.check().catch((error: unknown) => {
            log.warn("store.check.failed", { error });
            throw error;
          }),
        storeHealth: storeHealthOf(store, config.current().store.waitMs),
        storeStatus: () => store.status(),
        ...(store.replicas.isShared && { replicaCount: () => countReplicas(store) }),
        runsInterruptedCount: interruptedCount,
        queueDepth: async () => (await queueStats()).queuedCount,
        queueOldestSeconds: async () => ((await queueStats()).oldestMs ?? 0) / 1_000,
        queueDeadCount: async () => (await queueStats()).deadCount,
        isDraining: () => front.isDraining,
        heldCallCount: () => heldCalls.heldCount(),
        runCount: () => runs.activeCount(),
        servers: serverStates,
        replicas: store.replicas.isShared ? replicaDeps : undefined,
        listensAt: (url: string) => replica.listenAt(url),
        hooks: createHooks({ config: () => config.current(), start: startKept }),
        console: console && { ...console, folder: join(programFolder(), "console"), seals: store.seals },
      };
      front.http = await openHttpFront(deps, address);
      askUnread(profile);
      // Somebody who reads that it is ready may ask for a link to it at once.
      live.tick();
      return front.http;
    },
  };
}
