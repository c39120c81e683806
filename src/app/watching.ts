/**
 * Telemetry of the gateway: a tracing system, and the counters that operators read. Other commands load none of it.
 */
import type { ConfigSource } from "../config/source.ts";
import { createCallWatch, type CallWatch } from "../telemetry/call-watch.ts";
import type { Log } from "../core/log.ts";
import { NO_TELEMETRY, type Telemetry } from "../telemetry/telemetry.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { VERSION } from "../core/version.ts";

export interface Watching {
  readonly telemetry: Telemetry;
  readonly watchCall: CallWatch | undefined;
  readonly runEnded: (...run: Parameters<Metrics["observeRun"]>) => void;
  /** From now on what happens is counted there. */
  countIn(metrics: Metrics): void;
  close(): Promise<void>;
}

export interface WatchingDeps {
  readonly config: ConfigSource;
  readonly log: Log;
  readonly serves: "stdio" | "http" | undefined;
}

export async function openWatching({ config, log, serves }: WatchingDeps): Promise<Watching> {
  let metrics: Metrics | undefined;
  const telemetry =
    serves === undefined
      ? { ...NO_TELEMETRY, close: async () => {} }
      : await (
          await import("../telemetry/otel.ts")
        ).openTelemetry({ ...config.current().telemetry, version: VERSION, log });
  const count: Metrics["observeCall"] = (...call) => metrics?.observeCall(...call);
  return {
    telemetry,
    watchCall: createCallWatch(telemetry, serves === "http" ? count : undefined),
    runEnded: (...run) => metrics?.observeRun(...run),
    countIn: (given) => (metrics = given),
    close: () => telemetry.close(),
  };
}
