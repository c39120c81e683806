/**
 * The store and, where several gateways share it, the replicas and the queue. All of it is asked for when metrics are read;
 * what has no source here is left out. A source that must ask a store that is away gives no number rather than keep the
 * reader waiting.
 */
import { Counter, Gauge, type Registry } from "prom-client";
import type { StoreStatus } from "../core/store.ts";
import { within } from "../timing/deadline.ts";

type Reading = () => number | undefined | Promise<number | undefined>;

export interface StoreMetricsDeps {
  /** The id of this replica, where the store is shared: a label of every series. */
  readonly replica?: string | undefined;
  readonly storeStatus?: () => StoreStatus;
  /** Replicas that live. */
  readonly replicaCount?: Reading;
  /** Runs of dead replicas that this one has marked as interrupted. */
  readonly runsInterruptedCount?: Reading;
  /** Runs in the background that wait for a worker. */
  readonly queueDepth?: Reading;
  /** How long the first of them has waited. */
  readonly queueOldestSeconds?: Reading;
  /** Runs in the background that were given up. */
  readonly queueDeadCount?: Reading;
  /** Requests that were passed to the replica that has their session. */
  readonly forwardedCount?: Reading;
  /** Sessions of dead replicas that this one goes on with. */
  readonly sessionsAdoptedCount?: Reading;
}

/** Prometheus gives up after ten seconds by itself. */
const READING_MS = 1_000;

export function registerStoreMetrics(registry: Registry, deps: StoreMetricsDeps): void {
  if (deps.replica !== undefined) registry.setDefaultLabels({ replica: deps.replica });
  if (deps.storeStatus !== undefined) registerStore(registry, deps.storeStatus);
  const gauges: readonly Described[] = [
    ["repertoire_replicas", "Gateways on the same store that live.", deps.replicaCount],
    ["repertoire_queue_depth", "Background runs that wait for a worker.", deps.queueDepth],
    ["repertoire_queue_oldest_seconds", "How long the first of them has waited.", deps.queueOldestSeconds],
    ["repertoire_queue_dead", "Background runs that were given up.", deps.queueDeadCount],
  ];
  const counters: readonly Described[] = [
    [
      "repertoire_runs_interrupted_total",
      "Runs of dead gateways that this one marked as interrupted.",
      deps.runsInterruptedCount,
    ],
    [
      "repertoire_forwarded_total",
      "Requests that were passed to the gateway that has their session.",
      deps.forwardedCount,
    ],
    [
      "repertoire_sessions_adopted_total",
      "Sessions of dead gateways that this one took over.",
      deps.sessionsAdoptedCount,
    ],
  ];
  for (const [name, help, read] of gauges) if (read !== undefined) registerGauge(registry, name, help, read);
  for (const [name, help, read] of counters)
    if (read !== undefined) registerCounter(registry, name, help, read);
}

type Described = readonly [name: string, help: string, read: Reading | undefined];

function registerStore(registry: Registry, status: () => StoreStatus): void {
  registerGauge(registry, "repertoire_store_up", "Whether the store can be reached.", () =>
    status().awaySince === undefined ? 1 : 0,
  );
  // A file has no connections.
  if (status().kind === "sqlite") return;
  registerGauge(
    registry,
    "repertoire_store_pool_size",
    "Connections that there may be.",
    () => status().size,
  );
  registerGauge(
    registry,
    "repertoire_store_pool_in_use",
    "Connections that are in use.",
    () => status().inUse,
  );
  registerCounter(
    registry,
    "repertoire_store_wait_seconds_total",
    "How long operations have waited for a connection, all in all.",
    () => (status().waitedMs ?? 0) / 1000,
  );
  const retries = new Counter({
    name: "repertoire_store_retries_total",
    help: "Operations that were repeated, by the reason.",
    labelNames: ["kind"] as const,
    registers: [],
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(status().retries ?? {})) this.inc({ kind }, count);
    },
  });
  registry.registerMetric(retries);
}

async function readSoon(read: Reading): Promise<number | undefined> {
  try {
    return await within(Promise.resolve(read()), READING_MS);
  } catch {
    return undefined;
  }
}

function registerGauge(registry: Registry, name: string, help: string, read: Reading): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await readSoon(read);
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
  registry.registerMetric(gauge);
}

function registerCounter(registry: Registry, name: string, help: string, read: Reading): void {
  const counter = new Counter({
    name,
    help,
    registers: [],
    async collect() {
      const value = await readSoon(read);
      this.reset();
      if (value !== undefined) this.inc(value);
    },
  });
  registry.registerMetric(counter);
}
