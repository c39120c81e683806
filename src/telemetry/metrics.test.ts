import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createMetrics, type MetricsDeps, type RequestEnd } from "./metrics.ts";

const deps: MetricsDeps = {
  version: "1.2.3",
  sessionCount: () => 3,
  streamCount: () => 2,
  heldCallCount: () => 1,
  runCount: () => 4,
  servers: () => [
    { id: "git", state: "ready" },
    { id: "web", state: "broken" },
  ],
};

function request(
  method: string,
  outcome: RequestEnd["outcome"],
  seconds: number,
  transport: RequestEnd["transport"] = "http",
  era: RequestEnd["era"] = "modern",
): RequestEnd {
  return { transport, era, method, outcome, seconds };
}

async function lines(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  return (await metrics.read()).text.split("\n");
}

it("counts requests by transport, era, method and outcome, and how long they took", async () => {
  const metrics = createMetrics(deps);
  metrics.observeRequest(request("tools/call", "ok", 0.02));
  metrics.observeRequest(request("tools/call", "ok", 100));
  metrics.observeRequest(request("tools/call", "tool_error", 0.001, "stdio", "legacy"));
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'repertoire_requests_total{method="tools/call",transport="http",era="modern",outcome="ok"} 2',
      'repertoire_requests_total{method="tools/call",transport="stdio",era="legacy",outcome="tool_error"} 1',
      'repertoire_request_seconds_bucket{method="tools/call",le="0.001"} 1',
      'repertoire_request_seconds_bucket{method="tools/call",le="0.01"} 1',
      'repertoire_request_seconds_bucket{method="tools/call",le="0.025"} 2',
      'repertoire_request_seconds_bucket{method="tools/call",le="60"} 2',
      'repertoire_request_seconds_bucket{method="tools/call",le="+Inf"} 3',
      'repertoire_request_seconds_sum{method="tools/call"} 100.021',
      'repertoire_request_seconds_count{method="tools/call"} 3',
    ]),
  );
});

it("whatever methods clients send, the number of series stays the same", async () => {
  const metrics = createMetrics(deps);
  metrics.observeRequest(request("no/such/method", "error", 0));
  const before = await lines(metrics);
  for (let i = 0; i < 1000; i++) {
    metrics.observeRequest(request(`x"} 1\nforged{a="${i}`, "error", 0));
    metrics.observeRequest(request("__proto__", "error", 0));
  }
  const after = await lines(metrics);
  expect(after).toHaveLength(before.length);
  expect(after).toContain(
    'repertoire_requests_total{method="other",transport="http",era="modern",outcome="error"} 2001',
  );
});

it("counts tool calls by server, and no other request to a server", async () => {
  const metrics = createMetrics(deps);
  metrics.observeCall("git", "tools/call", "timeout", 0.3);
  metrics.observeCall("git", "resources/read", "ok", 0.3);
  const text = await lines(metrics);
  expect(text.filter((line) => line.startsWith("repertoire_tool_calls_total"))).toEqual([
    'repertoire_tool_calls_total{server="git",outcome="timeout"} 1',
  ]);
  expect(text).toContain('repertoire_tool_call_seconds_count{server="git"} 1');
});

it("counts runs and those who were turned away", async () => {
  const metrics = createMetrics({ ...deps, logDroppedCount: () => 7 });
  metrics.observeRun("capability", "succeeded");
  metrics.observeAuthFailure("missing");
  metrics.observeAuthFailure("missing");
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'repertoire_runs_total{kind="capability",status="succeeded"} 1',
      'repertoire_auth_failures_total{reason="missing"} 2',
      "repertoire_log_dropped_total 7",
    ]),
  );
});

it("asks for the state of the gateway with each reading", async () => {
  let state = "ready";
  const metrics = createMetrics({ ...deps, servers: () => [{ id: "git", state }] });
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      "repertoire_sessions 3",
      "repertoire_streams 2",
      "repertoire_held_calls 1",
      "repertoire_runs_active 4",
      'repertoire_server_state{server="git",state="ready"} 1',
      'repertoire_info{version="1.2.3"} 1',
    ]),
  );
  state = "broken";
  expect((await lines(metrics)).filter((line) => line.startsWith("repertoire_server_state"))).toEqual([
    'repertoire_server_state{server="git",state="broken"} 1',
  ]);
});

it("reading twice counts nothing twice, and two gateways share nothing", async () => {
  const [one, other] = [createMetrics(deps), createMetrics(deps)];
  one.observeRequest(request("ping", "ok", 0, "http", "legacy"));
  await one.read();
  const line = 'repertoire_requests_total{method="ping",transport="http",era="legacy",outcome="ok"} 1';
  expect(await lines(one)).toContain(line);
  expect(await lines(other)).not.toContain(line);
});

it("tells of the process: memory, CPU, event loop, files", async () => {
  const metrics = createMetrics(deps);
  const { contentType, text } = await metrics.read();
  expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  for (const name of [
    "process_resident_memory_bytes",
    "process_cpu_seconds_total",
    "process_start_time_seconds",
    "nodejs_heap_size_used_bytes",
    "nodejs_eventloop_lag_seconds",
    "nodejs_eventloop_utilization_ratio",
  ]) {
    expect(text).toMatch(new RegExp(`^${name} [0-9.e+-]+$`, "m"));
  }
});

/** A store that several gateways share, with everything that counts there. */
const SHARED: Partial<MetricsDeps> = {
  storeStatus: () => ({
    kind: "postgresql",
    place: "db/x",
    size: 10,
    inUse: 3,
    waitedMs: 1_500,
    retries: { away: 2, conflict: 1 },
  }),
  replicaCount: async () => 3,
  runsInterruptedCount: () => 4,
  queueDepth: async () => 5,
  queueOldestSeconds: async () => 6,
  queueDeadCount: async () => 7,
  forwardedCount: () => 8,
  sessionsAdoptedCount: () => 9,
};

it("tells of a shared store, each time as it is, with the replica in every series", async () => {
  const metrics = createMetrics({ ...deps, ...SHARED, replica: "r1" });
  for (let i = 0; i < 2; i++) {
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        'repertoire_store_up{replica="r1"} 1',
        'repertoire_store_pool_size{replica="r1"} 10',
        'repertoire_store_pool_in_use{replica="r1"} 3',
        'repertoire_store_wait_seconds_total{replica="r1"} 1.5',
        'repertoire_store_retries_total{kind="away",replica="r1"} 2',
        'repertoire_replicas{replica="r1"} 3',
        'repertoire_runs_interrupted_total{replica="r1"} 4',
        'repertoire_queue_depth{replica="r1"} 5',
        'repertoire_queue_oldest_seconds{replica="r1"} 6',
        'repertoire_queue_dead{replica="r1"} 7',
        'repertoire_forwarded_total{replica="r1"} 8',
        'repertoire_sessions_adopted_total{replica="r1"} 9',
        'repertoire_sessions{replica="r1"} 3',
      ]),
    );
  }
});

it("a store that is away is down, and what only it knows is left out without a wait", async () => {
  const away = () => Promise.reject(new Error("away"));
  const silent = () => new Promise<never>(() => {});
  const storeStatus = () => ({ kind: "postgresql" as const, place: "db/x", awaySince: 1 });
  const metrics = createMetrics({ ...deps, storeStatus, replicaCount: away, queueDepth: silent });
  const text = await lines(metrics);
  expect(text).toContain("repertoire_store_up 0");
  expect(text.filter((line) => /^repertoire_(replicas|queue)/.test(line))).toEqual([]);
});

it("of a file it tells that it is there, and nothing of connections", async () => {
  const metrics = createMetrics({ ...deps, storeStatus: () => ({ kind: "sqlite", place: "/x" }) });
  const text = await lines(metrics);
  expect(text).toContain("repertoire_store_up 1");
  expect(text.join()).not.toMatch(/repertoire_store_pool|repertoire_replicas|replica=/);
});

it("pins the names of all metrics, and the page for operators has each", async () => {
  const metrics = createMetrics({ ...deps, ...SHARED, logDroppedCount: () => 0 });
  const names = (await lines(metrics)).flatMap((line) => /^# TYPE (\S+ \S+)$/.exec(line)?.[1] ?? []);
  const told = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
  expect(names.filter((name) => !told.includes(`\`${name.split(" ")[0]}\``))).toEqual([]);
  expect(names.sort()).toEqual([
    "nodejs_eventloop_lag_seconds gauge",
    "nodejs_eventloop_utilization_ratio gauge",
    "nodejs_heap_size_used_bytes gauge",
    "process_cpu_seconds_total counter",
    "process_open_fds gauge",
    "process_resident_memory_bytes gauge",
    "process_start_time_seconds gauge",
    "repertoire_auth_failures_total counter",
    "repertoire_forwarded_total counter",
    "repertoire_held_calls gauge",
    "repertoire_info gauge",
    "repertoire_log_dropped_total counter",
    "repertoire_queue_dead gauge",
    "repertoire_queue_depth gauge",
    "repertoire_queue_oldest_seconds gauge",
    "repertoire_replicas gauge",
    "repertoire_request_seconds histogram",
    "repertoire_requests_total counter",
    "repertoire_runs_active gauge",
    "repertoire_runs_interrupted_total counter",
    "repertoire_runs_total counter",
    "repertoire_server_state gauge",
    "repertoire_sessions gauge",
    "repertoire_sessions_adopted_total counter",
    "repertoire_store_pool_in_use gauge",
    "repertoire_store_pool_size gauge",
    "repertoire_store_retries_total counter",
    "repertoire_store_up gauge",
    "repertoire_store_wait_seconds_total counter",
    "repertoire_streams gauge",
    "repertoire_tool_call_seconds histogram",
    "repertoire_tool_calls_total counter",
  ]);
});
