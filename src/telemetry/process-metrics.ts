/** The process in the names that Prometheus dashboards know. Everything is read when it is asked for; no timer runs in between. */
import { readdir } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/** A gauge that is read when it is asked for; undefined means that it is not known here. */
export function registerGauge(registry: Registry, name: string, help: string, read: Reading): void {
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

export function registerProcessMetrics(registry: Registry): void {
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
