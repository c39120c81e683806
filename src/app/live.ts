/**
 * What the processes on one home are doing right now: which servers run in which gateway, and which calls of runs are
 * under way. The store holds what must survive; this is what ends with its process.
 *
 * Each process that serves, or that makes a call which takes a while, has one file in `live/`, which it replaces when
 * something has changed and every half minute. It is removed at the end. A file of a process that is gone, or that has
 * not been written for two minutes (a process of another machine or container, of which nothing else can be known),
 * counts as not there and is deleted by the next reader.
 *
 * Nothing depends on these files: one that cannot be written or read only makes `servers` and `show` say less.
 */
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_MODES, replaceFile } from "../process/replace-file.ts";
import { isJsonObject, parseJson } from "../core/json.ts";
import { createOwner, isGone } from "../runs/journal/owner.ts";
import type { CallUnderWay } from "../runs/journal/under-way.ts";

/** One server, as one gateway has it. No secret is in it. */
export interface LiveServer {
  readonly id: string;
  /** Tells servers apart that have one name in two configs. */
  readonly target: string;
  readonly state: string;
  /** When the state began, in milliseconds since 1970. */
  readonly since: number;
  readonly era?: string;
  readonly protocolVersion?: string;
  readonly pid?: number;
  readonly error?: string;
  readonly cause?: string;
  /** The last line that it wrote to stderr. */
  readonly said?: string;
}

/** What a gateway knows of a server. */
export interface ServerStatus extends Omit<LiveServer, "since"> {
  /** When it failed last. */
  readonly failedAt?: number;
}

/** One process on the home. */
export interface LiveProcess {
  readonly pid: number;
  readonly startedAt: number;
  readonly serves?: "stdio" | "http";
  /** Of the MCP endpoint, where it serves HTTP. */
  readonly url?: string;
  readonly servers: readonly LiveServer[];
  readonly calls: readonly CallUnderWay[];
}

export interface LiveDeps {
  readonly home: string;
  readonly serves?: "stdio" | "http" | undefined;
  readonly servers: () => readonly ServerStatus[];
  readonly calls: () => readonly CallUnderWay[];
  /** Where it serves HTTP, once it does. */
  readonly url?: () => string | undefined;
  /** Whether everything else is elsewhere: then a home that is not there is not made for this. */
  readonly isHomeOptional?: boolean;
  readonly now?: () => number;
}

export interface Live {
  /** Something takes a while: from now on this process has a file. */
  begin(): void;
  /** Looks whether something has changed, and writes it. A timer does it every second. */
  tick(): void;
  close(): void;
}

const FOLDER = "live";
const LOOK_MS = 1_000;
const BEAT_MS = 30_000;
/** Four beats: a machine under load misses one. */
const STALE_MS = 120_000;
/** A process that does more at once is not read line by line. */
const CALLS_MAX = 100;
/** Far more than a thousand servers take. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

export function openLive(deps: LiveDeps): Live {
  const { now = Date.now } = deps;
  const file = join(deps.home, FOLDER, `${process.pid}-${randomUUID().slice(0, 8)}.json`);
  const startedAt = Math.round(now() - performance.now());
  const owner = createOwner();
  const since = new Map<string, { readonly state: string; readonly at: number }>();
  const readyAt = new Map<string, number>();
  let written: { readonly text: string; readonly at: number } | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Undefined for one that was not started here, or was stopped because it was idle. */
  function stamped({ failedAt, ...server }: ServerStatus): LiveServer | undefined {
    const { id } = server;
    if (server.state === "ready") readyAt.set(id, now());
    // A server that failed and is not being retried right now counts as failed.
    const hasFailed = failedAt !== undefined && failedAt >= (readyAt.get(id) ?? 0);
    if (server.state === "idle" && !hasFailed) return undefined;
    const state = server.state === "idle" ? "failed" : server.state;
    const known = since.get(id);
    const at = known?.state === state ? known.at : now();
    since.set(id, { state, at });
    const { error: _error, cause: _cause, said, ...rest } = server;
    if (state === "failed") return { ...server, state, since: at };
    return { ...rest, state, since: at, ...(state === "starting" && said !== undefined && { said }) };
  }

  function tick(): void {
    const content = {
      owner,
      pid: process.pid,
      startedAt,
      serves: deps.serves,
      url: deps.url?.(),
      servers: deps.servers().flatMap((server) => stamped(server) ?? []),
      calls: deps.calls().slice(0, CALLS_MAX),
    };
    const text = JSON.stringify(content);
    if (text === written?.text && now() - written.at < BEAT_MS) return;
    if (deps.isHomeOptional === true && !existsSync(deps.home)) return;
    written = { text, at: now() };
    try {
      // It need not survive a power cut, and a slow disk must not hold up the event loop.
      replaceFile(file, Buffer.from(text), PRIVATE_MODES, { isFlushed: false });
    } catch {
      // A full disk or a home that is gone has its own error elsewhere.
    }
  }

  function begin(): void {
    if (timer !== undefined) return;
    timer = setInterval(tick, LOOK_MS);
    timer.unref();
  }

  if (deps.serves !== undefined) {
    begin();
    tick();
  }
  return {
    begin,
    tick,
    close() {
      clearInterval(timer);
      if (written !== undefined) removeQuietly(file);
    },
  };
}

/** The processes on this home that live, oldest first; what others have left behind is deleted. Never throws. */
export function readLive(home: string, now: () => number = Date.now): LiveProcess[] {
  const { live, stale } = examineLive(home, now);
  for (const file of stale) removeQuietly(file);
  return live;
}

/** The same, and which files are left over; deletes nothing. */
export function examineLive(
  home: string,
  now: () => number = Date.now,
): { readonly live: LiveProcess[]; readonly stale: readonly string[] } {
  const folder = join(home, FOLDER);
  const live: LiveProcess[] = [];
  const stale: string[] = [];
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const found = readFile(file, now);
    if (found === "stale") stale.push(file);
    else if (found !== undefined) live.push(found);
  }
  return { live: live.toSorted((a, b) => a.startedAt - b.startedAt), stale };
}

function namesIn(folder: string): string[] {
  try {
    // A file that is being written has another ending.
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

/** Undefined for a file that is not ours, or was just deleted. */
function readFile(file: string, now: () => number): LiveProcess | "stale" | undefined {
  try {
    // A pipe or a device in its place would never end.
    const found = lstatSync(file);
    const { mtimeMs } = found;
    if (!found.isFile() || found.size > FILE_BYTES_MAX)
      return now() - mtimeMs > STALE_MS ? "stale" : undefined;
    const parsed = parseJson(readFileSync(file, "utf8"));
    if (!parsed.ok || !isJsonObject(parsed.value) || typeof parsed.value["owner"] !== "string")
      return now() - mtimeMs > STALE_MS ? "stale" : undefined;
    if (isGone(parsed.value["owner"]) || now() - mtimeMs > STALE_MS) return "stale";
    const value = parsed.value as unknown as LiveProcess;
    const { servers, calls, pid, startedAt, url } = value;
    if (url !== undefined && typeof url !== "string") return undefined;
    if (!Array.isArray(servers) || !Array.isArray(calls)) return undefined;
    if (!Number.isInteger(pid) || !Number.isFinite(startedAt)) return undefined;
    return {
      ...value,
      servers: servers.filter(isServer),
      calls: calls.filter((call: unknown) => isJsonObject(call)) as CallUnderWay[],
    };
  } catch {
    return undefined;
  }
}

function isServer(value: unknown): value is LiveServer {
  if (!isJsonObject(value)) return false;
  return (
    ["id", "target", "state"].every((key) => typeof value[key] === "string") &&
    Number.isFinite(value["since"])
  );
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // In a read-only folder the file stays, and counts as gone.
  }
}
