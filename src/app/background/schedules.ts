/**
 * Schedules: kept tools that run at certain times. Every gateway that serves waits for the next time of each, and all of
 * them start it: the start key has the name and the minute, so there is one run. A time at which no gateway ran is not
 * made up for, and neither is one that is noticed over a minute late (the machine slept): what it was for has passed.
 */
import type { Cron } from "croner";
import type { Config, ScheduleConfig } from "../../config/config.ts";
import type { ConfigSource } from "../../config/source.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { ToolResult } from "../../core/result.ts";
import type { EnqueuedRun } from "../../core/store.ts";
import type { KeptStart } from "./start-kept.ts";

/** How late a time may be noticed. */
const LATE_MS = 60_000;
/** The clock may be set, so a long wait is cut into parts. */
const WAIT_MS_MAX = 60_000;

export interface SchedulesDeps {
  readonly config: Pick<ConfigSource, "current" | "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
  readonly start: (start: KeptStart) => Promise<ToolResult<EnqueuedRun>>;
}

export interface Schedules {
  /** Starts what is due now. */
  tick(): Promise<void>;
  close(): void;
}

/** A schedule whose times are known. */
interface Planned {
  readonly schedule: ScheduleConfig;
  readonly cron: Cron;
  next: number | undefined;
}

/** Nothing is loaded where the config has no schedule. */
export function openSchedules(deps: SchedulesDeps): Schedules {
  const { config, clock, log } = deps;
  let planned = new Map<string, Planned>();
  let seen: Config["schedules"] | undefined;
  let planning = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** One at a time, for the config as it is now. */
  function plan(): Promise<void> {
    const { schedules } = config.current();
    if (schedules !== seen) planning = planning.then(() => planFrom(schedules));
    seen = schedules;
    return planning;
  }

  /** Times are counted from now: a schedule that is new has missed none. */
  async function planFrom(schedules: Config["schedules"]): Promise<void> {
    const next = new Map<string, Planned>();
    for (const [name, schedule] of Object.entries(schedules)) {
      if (!schedule.enabled) continue;
      const read = await readCron(schedule);
      if (typeof read === "string") log.warn("schedule.refused", { schedule: name, problem: read });
      else next.set(name, { schedule, cron: read, next: nextOf(read, clock.now()) });
    }
    planned = next;
  }

  async function tick(): Promise<void> {
    clearTimeout(timer);
    await plan();
    const now = clock.now();
    for (const [name, one] of planned) {
      const { next: at, cron, schedule } = one;
      if (at === undefined || at > now) continue;
      one.next = nextOf(cron, now);
      if (now - at > LATE_MS) log.warn("schedule.missed", { schedule: name, at: new Date(at).toISOString() });
      else await begin(name, schedule, at);
    }
    wait();
  }

  async function begin(name: string, { tool, profile, inputs }: ScheduleConfig, at: number): Promise<void> {
    const { org, project } = config.current().scope;
    const startKey = `schedule:${org}/${project}/${name}:${minuteOf(at)}`;
    const given = { kind: "schedule", name, tool, profile, inputs: inputs as JsonObject, startKey } as const;
    try {
      const started = await deps.start(given);
      if (!started.success) log.error("schedule.failed", { schedule: name, error: started.error.message });
      else if (started.data.isNew)
        log.info("schedule.started", { schedule: name, runId: started.data.run.id });
    } catch (error) {
      log.error("schedule.failed", { schedule: name, error });
    }
  }

  function wait(): void {
    clearTimeout(timer);
    if (isClosed || planned.size === 0) return;
    const times = [...planned.values()].flatMap(({ next }) => (next === undefined ? [] : [next]));
    const ms = Math.min(WAIT_MS_MAX, Math.max(0, Math.min(...times) - clock.now()));
    timer = setTimeout(look, ms).unref();
  }

  function look(): void {
    tick().catch((error: unknown) => log.error("schedules.failed", { error }));
  }

  const unsubscribe = config.subscribe(look);
  if (Object.keys(config.current().schedules).length > 0) look();
  return {
    tick,
    close() {
      isClosed = true;
      clearTimeout(timer);
      unsubscribe();
    },
  };
}

/** The times of a schedule, or what is wrong with it. */
export async function readCron({ cron, timezone }: ScheduleConfig): Promise<Cron | string> {
  const { Cron: Reader } = await import("croner");
  if (!cron.startsWith("@") && cron.trim().split(/\s+/).length !== 5)
    return `${JSON.stringify(cron)} must have five fields: minute, hour, day of the month, month, day of the week`;
  try {
    const read = new Reader(cron, { paused: true, ...(timezone !== undefined && { timezone }) });
    // A name that is no timezone is noticed with the first time.
    read.nextRun();
    return read;
  } catch (error) {
    const where = timezone === undefined ? "" : ` in ${JSON.stringify(timezone)}`;
    return `${JSON.stringify(cron)}${where} is no time: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function nextOf(cron: Cron, now: number): number | undefined {
  return cron.nextRun(new Date(now))?.getTime();
}

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}
