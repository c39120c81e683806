/** Everything at a glance: what waits, servers, runs of a day, what lists cost, last calls, clients. Nothing is started. */
import { countReplicas, type App } from "../app/app.ts";
import { toolNameOf } from "../core/names.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import { VERSION } from "../core/version.ts";
import { listCalls } from "./calls.ts";
import type { AnswerOf } from "./contract/contract.ts";
import { INBOX_KINDS } from "./contract/status.ts";
import { readInbox } from "./inbox.ts";
import { countRuns } from "./runs/list-runs.ts";
import type { OperatorDeps, Viewer } from "./operator.ts";
import { listedTokens, readToolCost } from "./tool-cost.ts";
import { CONSOLE_CLIENT } from "./viewer.ts";

type Status = AnswerOf<"getStatus">;

const CALLS_SHOWN = 10;
const CLIENTS_SHOWN = 10;
/** A bar for each half hour of a day. */
const BUCKET_COUNT = 48;
const CLIENTS_SEEN_MS = 30 * 24 * 60 * 60_000;

export async function getStatus(deps: OperatorDeps, viewer: Viewer): Promise<ToolResult<Status>> {
  const { app } = deps;
  const runs = await countRuns(deps, viewer, {}, BUCKET_COUNT);
  if (!runs.success) return runs;
  const calls = await listCalls(app.store, viewer, { limit: CALLS_SHOWN });
  if (!calls.success) return calls;
  const clients = await readClients(app, viewer);
  const libraryCount = await countLibrary(deps, viewer);
  const servers = await readServers(app, viewer);
  return succeed({
    version: VERSION,
    ...(await readStore(app, viewer)),
    waiting: await readWaiting(deps, viewer),
    servers,
    runs: runs.data,
    cost: await readCost(app, viewer),
    calls: calls.data.calls,
    clients,
    library_count: libraryCount,
    steps: { server: servers.length > 0, client: clients.length > 0, saved: libraryCount > 0 },
  });
}

async function readStore({ store }: App, { view, owner }: Viewer): Promise<Pick<Status, "store">> {
  if (!store.replicas.isShared || view !== undefined || owner !== undefined) return {};
  const { kind, place } = store.status();
  return { store: { kind, place, replicas: await countReplicas(store) } };
}

async function readWaiting(deps: OperatorDeps, viewer: Viewer): Promise<Status["waiting"]> {
  const items = await readInbox(deps, viewer);
  return INBOX_KINDS.map((kind) => ({
    kind,
    count: items.filter((item) => item.kind === kind).length,
  })).filter(({ count }) => count > 0);
}

async function readServers(app: App, { view }: Viewer): Promise<Status["servers"]> {
  const views = (await app.viewServers(false)).filter(({ id }) => view?.allowsServer(id) !== false);
  const byState = Map.groupBy(views, ({ state }) => state);
  return [...byState].map(([state, some]) => ({ state, ids: some.map(({ id }) => id) }));
}

async function readClients({ store }: App, { owner, view }: Viewer): Promise<Status["clients"]> {
  if (view !== undefined && owner === undefined) return [];
  const since = Date.now() - CLIENTS_SEEN_MS;
  const seen = await store.calls.clients({
    since,
    limit: CLIENTS_SHOWN + 1,
    ...(owner !== undefined && { owner }),
  });
  // Who looks is no client.
  const others = seen.filter(({ name }) => name !== CONSOLE_CLIENT).slice(0, CLIENTS_SHOWN);
  return others.map(({ name, lastSeenAt, callCount }) => ({
    name,
    last_seen_at: new Date(lastSeenAt).toISOString(),
    call_count: callCount,
  }));
}

async function countLibrary({ app, config }: OperatorDeps, { view }: Viewer): Promise<number> {
  const keys = await app.store.capabilities.listKeys(config.current().scope);
  return keys.filter((name) => view?.allows(toolNameOf(name)) !== false).length;
}

async function readCost(app: App, viewer: Viewer): Promise<Status["cost"]> {
  const cost = await readToolCost(app, viewer);
  return (
    cost && {
      tokenizer: cost.tokenizer,
      mode: cost.mode,
      listed_tokens: listedTokens(cost),
      all_tokens: cost.full.startTokens,
      tool_count: cost.toolCount,
    }
  );
}
