/**
 * What Prometheus reads at `GET /metrics`. Counters and durations are kept as things happen; everything that is a
 * state (sessions, servers, runs under way) is asked for when metrics are read.
 *
 * The number of series is bounded by the config and by tables in the code, never by what clients send: an unknown
 * method is `other`, and neither tools nor principals are labels.
 */
import { Counter, Gauge, Registry } from "prom-client";
import type { CallObserver } from "./call-watch.ts";
import type { RunKind, RunStatus } from "../core/store.ts";
import { OUTCOMES, type Outcome } from "./telemetry.ts";
import { registerStoreMetrics, type StoreMetricsDeps } from "./store-metrics.ts";
import { registerTimedCounter } from "./timed-counter.ts";
import { readdir } from "node:fs/promises";
import { performance } from "node:perf_hooks";

/** The state of the gateway at the moment of reading. */
export interface MetricsDeps extends StoreMetricsDeps {
  readonly version: string;
  readonly sessionCount: () => number;
  readonly streamCount: () => number;
  readonly heldCallCount: () => number;
  readonly runCount: () => number;
  /** The configured servers, each in one state. */
  readonly servers: () => readonly { readonly id: string; readonly state: string }[];
  /** Log lines that could not be written, since the start. */
  readonly logDroppedCount?: () => number;
}

export interface Metrics {
  observeRequest(request: RequestEnd): void;
  /** For `createCallWatch`. */
  readonly observeCall: CallObserver;
  observeRun(kind: RunKind, status: RunStatus): void;
  observeAuthFailure(reason: AuthFailure): void;
  /** The text that Prometheus reads, and its content type. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A request or a notification of a client that has ended. */
export interface RequestEnd {
  readonly transport: (typeof TRANSPORTS)[number];
  readonly era: (typeof ERAS)[number];
  readonly method: string;
  readonly outcome: Outcome;
  readonly seconds: number;
}

/** Why a request was refused. `host` and `origin` are the wrong address, `forbidden` a token that may not do this. */
export type AuthFailure =
  | "missing"
  | "invalid"
  | "expired"
  | "rate_limited"
  | "forbidden"
  | "host"
  | "origin";

const TRANSPORTS = ["http", "stdio"] as const;
const ERAS = ["legacy", "modern"] as const;

/** The methods of both eras; any other is counted as `other`. */
const METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "subscriptions/listen",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
]);

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry();
  const { countRun, countAuthFailure } = registerCounters(registry, deps);
  const metrics: Metrics = {
    observeRequest: registerRequests(registry),
    observeCall: registerCalls(registry),
    observeRun: countRun,
    observeAuthFailure: countAuthFailure,
    async read() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
  registerState(registry, deps);
  registerStoreMetrics(registry, deps);
  registerProcessMetrics(registry);
  return metrics;
}

function registerRequests(registry: Registry): Metrics["observeRequest"] {
  const observe = registerTimedCounter(registry, {
    keyLabel: "method",
    slots: TRANSPORTS.flatMap((transport) =>
      ERAS.flatMap((era) => OUTCOMES.map((outcome) => ({ transport, era, outcome }))),
    ),
    counter: {
      name: "repertoire_requests_total",
      help: "MCP requests and notifications of clients that ended.",
    },
    histogram: { name: "repertoire_request_seconds", help: "How long they took." },
  });
  return ({ transport, era, method, outcome, seconds }) => {
    const way = TRANSPORTS.indexOf(transport) * ERAS.length + ERAS.indexOf(era);
    const slot = way * OUTCOMES.length + OUTCOMES.indexOf(outcome);
    observe(METHODS.has(method) ? method : "other", slot, seconds);
  };
}

function registerCalls(registry: Registry): CallObserver {
  const observe = registerTimedCounter(registry, {
    keyLabel: "server",
    slots: OUTCOMES.map((outcome) => ({ outcome })),
    counter: {
      name: "repertoire_tool_calls_total",
      help: "Tool calls that went to a server, or to a capability (server mcp).",
    },
    histogram: { name: "repertoire_tool_call_seconds", help: "How long they took." },
  });
  return (server, method, outcome, seconds) => {
    if (method === "tools/call") observe(server, OUTCOMES.indexOf(outcome), seconds);
  };
}

function registerCounters(registry: Registry, { logDroppedCount }: MetricsDeps) {
  const registers = [registry];
  const runs = new Counter({
    name: "repertoire_runs_total",
    help: "Runs that ended or wait, nested ones too.",
    labelNames: ["kind", "status"] as const,
    registers,
  });
  const failures = new Counter({
    name: "repertoire_auth_failures_total",
    help: "Requests that were refused before they were handled.",
    labelNames: ["reason"] as const,
    registers,
  });
  if (logDroppedCount !== undefined) {
    const dropped = new Counter({
      name: "repertoire_log_dropped_total",
      help: "Log lines that could not be written.",
      collect() {
        this.reset();
        this.inc(logDroppedCount());
      },
      registers: [],
    });
    registry.registerMetric(dropped);
  }
  return {
    countRun: (kind: RunKind, status: RunStatus) => runs.inc({ kind, status }),
    countAuthFailure: (reason: AuthFailure) => failures.inc({ reason }),
  };
}

function registerState(registry: Registry, deps: MetricsDeps): void {
  const { sessionCount, streamCount, heldCallCount, runCount } = deps;
  registerGauge(registry, "repertoire_sessions", "Sessions of legacy clients that are open.", sessionCount);
  registerGauge(registry, "repertoire_streams", "Streams of events to clients that are open.", streamCount);
  registerGauge(
    registry,
    "repertoire_held_calls",
    "Calls that wait for input of a modern client.",
    heldCallCount,
  );
  registerGauge(registry, "repertoire_runs_active", "Runs that are under way.", runCount);
  const states = new Gauge({
    name: "repertoire_server_state",
    help: "1 for the state that a configured server is in.",
    labelNames: ["server", "state"] as const,
    registers: [],
    collect() {
      // A server that is no longer configured is gone, and so is the state before.
      this.reset();
      for (const { id, state } of deps.servers()) this.set({ server: id, state }, 1);
    },
  });
  registry.registerMetric(states);
  const version = { name: "repertoire_info", help: "The version that is running.", registers: [registry] };
  new Gauge({ ...version, labelNames: ["version"] }).set({ version: deps.version }, 1);
}

/** A gauge that is read when it is asked for; undefined means that it is not known here. */
function registerGauge(registry: Registry, name: string, help: string, read: Reading): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
  registry.registerMetric(gauge);
}

type Reading = () => number | undefined | Promise<number | undefined>;

/**
 * The process, in the names that Prometheus dashboards know. Everything is read on request; no timer runs in between.
 */
function registerProcessMetrics(registry: Registry): void {
  const gauge = (name: string, help: string, read: Reading) => registerGauge(registry, name, help, read);
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed);
  gauge("process_open_fds", "Open file descriptors, where the system tells.", countOpenFiles);
  gauge("process_start_time_seconds", "When the process started, since the epoch.", () =>
    Math.round(performance.timeOrigin / 1000),
  );
  gauge("nodejs_eventloop_lag_seconds", "How late the event loop was at this reading.", measureLag);
  gauge("nodejs_eventloop_utilization_ratio", "Share of time that the event loop was busy.", busyShare());
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of user and system.",
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  registry.registerMetric(cpu);
}

async function countOpenFiles(): Promise<number | undefined> {
  try {
    // Without the one that reading the folder takes.
    return (await readdir("/proc/self/fd")).length - 1;
  } catch {
    return undefined;
  }
}

/** One turn of the loop. */
function measureLag(): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    setImmediate(() => resolve((performance.now() - startedAt) / 1000));
  });
}

/** Since the last reading. */
function busyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
