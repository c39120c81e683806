/**
 * One run of a PostgreSQL server, or of a program beside it, as a process that ends when the one that started it ends, however that
 * ends.
 *
 * The parent holds one end of a pipe; a watcher in the server's process group holds the other and blocks in `read`. A line means that
 * the server was stopped as it should be, and the watcher goes. The end of the file means that the parent is gone: the watcher stops
 * the server and removes its folder.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "./postgres-programs.ts";

/** The watcher is a member of the group and ignores the signal that it sends to it: SIGQUIT is PostgreSQL's "immediate". */
const SCRIPT = `folder=$1; shift
trap '' HUP INT TERM QUIT
( { cd /; if ! read -r _ <&3; then
      kill -QUIT 0
      for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e "$folder/data/postmaster.pid" ] || break; sleep 1; done
      rm -rf "$folder"; kill -KILL 0
    fi; } </dev/null >/dev/null 2>&1 & )
trap - HUP INT TERM QUIT
exec 3<&-
exec "$@"`;

const LIFELINE = 3;
/** Far beyond what a start or an end needs, also on a busy machine. */
const PATIENCE_MS = 60_000;

export type StopMode = "fast" | "immediate";
const SIGNAL_OF = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

export interface ServerProcess {
  readonly pid: number;
  isOver(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal that ends it, and the last one where it does not. */
  end(signal: NodeJS.Signals): Promise<void>;
  stop(mode: StopMode): Promise<void>;
}

export interface ServerPlace {
  /** Has `data`, and the log. */
  readonly folder: string;
  readonly programs: string;
  readonly account: Account | undefined;
  readonly port: number;
}

export function initialize({ folder, programs, account }: ServerPlace, user: string): void {
  const args = ["-D", join(folder, "data"), "-U", user, "--auth=trust", "--encoding=UTF8", "--locale=C"];
  const made = spawnSync(join(programs, "initdb"), [...args, "--no-sync"], {
    cwd: folder,
    encoding: "utf8",
    ...account,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
}

/** Resolves when it takes connections. Another process may have its port for a moment: then it is tried again. */
export async function startServer(
  place: ServerPlace,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const server = launch(place, settings);
    const isUp = await becomesReady(server, place.folder, end);
    if (isUp) return server;
    const log = readLog(place.folder);
    if (!/Address already in use/.test(log) || performance.now() > end) {
      throw new Error(`PostgreSQL did not start:\n${log}`);
    }
    await sleep(100);
  }
}

export function readLog(folder: string): string {
  return readFileSync(join(folder, "log"), "utf8");
}

function launch(place: ServerPlace, settings: Readonly<Record<string, string>>): ServerProcess {
  const { folder, programs, port } = place;
  const options = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  return launchWatched(place, [join(programs, "postgres"), "-D", join(folder, "data"), ...options]);
}

/** What it writes is in the file `log` of the folder. */
export function launchWatched(
  { folder, account }: Partial<Pick<ServerPlace, "account">> & Pick<ServerPlace, "folder">,
  program: readonly string[],
  env: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
): ServerProcess {
  const log = openSync(join(folder, "log"), "w");
  const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", folder, ...program], {
    cwd: folder,
    env,
    stdio: ["ignore", log, log, "pipe"],
    detached: true,
    ...account,
  });
  closeSync(log);
  child.stdio[LIFELINE]?.on("error", () => {});
  // A test that has ended ends although its server runs: the watcher ends the server.
  child.unref();
  (child.stdio[LIFELINE] as unknown as { unref(): void } | undefined)?.unref();
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  child.on("exit", () => dismissWatcher(child));
  const end = (signal: NodeJS.Signals): Promise<void> => endProcess(child, isOver, signal);
  return {
    pid: child.pid!,
    isOver,
    signal: (signal) => void child.kill(signal),
    end,
    stop: (mode) => end(SIGNAL_OF[mode]),
  };
}

function dismissWatcher(child: ChildProcess): void {
  (child.stdio[LIFELINE] as Writable | undefined)?.end("over\n");
}

async function endProcess(child: ChildProcess, isOver: () => boolean, signal: NodeJS.Signals): Promise<void> {
  if (isOver()) return;
  child.ref();
  const exited = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await exited;
  clearTimeout(timer);
}

/** A server keeps a file about itself: whose eighth line says whether it takes connections. */
const [PID_LINE, STATUS_LINE] = [0, 7];

async function becomesReady(server: ServerProcess, folder: string, end: number): Promise<boolean> {
  while (!server.isOver()) {
    const lines = statusLines(folder);
    if (Number(lines[PID_LINE]) === server.pid && lines[STATUS_LINE]?.trim() === "ready") return true;
    if (performance.now() > end) throw new Error(`PostgreSQL is not ready in time:\n${readLog(folder)}`);
    await sleep(20);
  }
  return false;
}

function statusLines(folder: string): string[] {
  const file = join(folder, "data/postmaster.pid");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}
