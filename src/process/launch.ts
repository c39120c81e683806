/**
 * Starts a server so that its whole process group ends with the gateway, even when the gateway is killed with SIGKILL.
 *
 * The gateway holds one end of a pipe, the lifeline; a watcher in the server's process group holds the other and blocks
 * in `read`. However the gateway ends, the kernel closes its end, the watcher reads the end of the file and kills the
 * group.
 *
 * - No race: the watcher is forked before the server's program is executed. If the gateway dies earlier still, the
 *   watcher finds the lifeline closed with its first read.
 * - No shell is left between: `exec` replaces the shell, so the pid is the server's; its arguments are the shell's
 *   positional parameters and are never read as script.
 * - The server is not the watcher's parent (the fork in between has ended), so it does not wait for a child that it
 *   does not know.
 * - What leaves the group (a daemon that calls setsid) escapes; only a container or a cgroup can hold that.
 *
 * An isolated server runs behind `bwrap`, in a session of its own. Its processes are not in the group, and end with it:
 * the kernel kills the first of them when bwrap ends, and all the others with the first.
 *
 * On Windows there is no process group and no watcher: only the process itself is ended, and a `.cmd` file does not
 * start, because that needs a shell.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Only builtins, so PATH does not matter. The watcher ignores the signals that stop the group politely; it must outlive
 * a server that ignores them too. It holds neither the server's streams nor its folder.
 */
const SCRIPT = `trap '' HUP INT TERM
( { cd /; while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 4>&- 5>&- 6>&- & )
trap - HUP INT TERM
exec 3<&-
exec "$@"`;

const LIFELINE = 3;
/** Where `bwrap` reads the filter of system calls. */
export const FILTER_FD = 4;
/** Where it reads its options, among them the server's variables. */
export const OPTIONS_FD = 5;
/** The way of an isolated server to the gateway's proxy. */
export const CHANNEL_FD = 6;

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Of a server that runs behind `bwrap`. */
  readonly isolated?: {
    readonly filter: Buffer;
    readonly options: Buffer;
    /** Gets the gateway's end of the channel, for a server that has one. */
    readonly onChannel?: (channel: Socket) => void;
  };
}

/** The children that are bwrap. */
const isolatedChildren = new WeakSet<ChildProcess>();

export function isIsolated(child: ChildProcess): boolean {
  return isolatedChildren.has(child);
}

/** Throws, or gives a child without a pid and with an `error` to come, where the system refuses. */
export function launch({ file, args, env, cwd, isolated }: Launch): ChildProcess {
  if (process.platform === "win32") return spawn(file, args, { cwd, env, stdio: "pipe", windowsHide: true });
  const child: ChildProcess = spawn("/bin/sh", ["-c", SCRIPT, "sh", file, ...args], {
    cwd,
    env,
    stdio:
      isolated === undefined
        ? [...PIPES]
        : [...PIPES, "pipe", "pipe", isolated.onChannel ? "pipe" : "ignore"],
    detached: true,
  } satisfies SpawnOptions);
  child.stdio[LIFELINE]?.on("error", () => {});
  if (isolated !== undefined) feed(child, isolated);
  return child;
}

/** The three streams of a server, and the lifeline. */
const PIPES = ["pipe", "pipe", "pipe", "pipe"] as const;

function feed(child: ChildProcess, { filter, options, onChannel }: NonNullable<Launch["isolated"]>): void {
  isolatedChildren.add(child);
  const streams: readonly unknown[] = child.stdio;
  const at = (fd: number) => streams[fd] as Socket | null;
  for (const fd of [FILTER_FD, OPTIONS_FD, CHANNEL_FD]) at(fd)?.on("error", () => {});
  at(FILTER_FD)?.end(filter);
  at(OPTIONS_FD)?.end(options);
  const channel = at(CHANNEL_FD);
  if (channel !== null) onChannel?.(channel);
}

/**
 * Sends a signal to every process of the server's group. It is called for the last time when the server exits: until
 * then the watcher, as a member of the group, keeps its number from being given to another.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") return void child.kill(signal);
  // bwrap itself passes no signal on: it would end at once, and with it the server that was only asked to.
  const inside = signal !== "SIGKILL" && isIsolated(child) ? descendantsOf(child.pid) : [];
  signalAll(inside.length > 0 ? inside : [-child.pid], signal);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Every process below one. The first in a process namespace ignores a signal that it does not handle. */
function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

function childrenOf(pid: number): number[] {
  try {
    const listed = readdirSync(`/proc/${pid}/task`).map((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"),
    );
    return listed.join(" ").split(" ").filter(Boolean).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}

/** Lets go of every stream; what still holds the other end no longer keeps the gateway's event loop alive. */
export function releaseStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

/**
 * What is in a pipe arrives within a few turns of the event loop; longer silence means that another process holds the
 * pipe.
 */
const QUIET_MS = 50;
/** Another process that keeps writing is read for at most this many times the silence. */
const ROUND_COUNT_MAX = 20;

/** Resolves when the outputs of an exited process have ended, or when nothing has come from them for a moment. */
export function whenDrained(child: ChildProcess, outputs: readonly Socket[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let roundCount = 0;
  let before = bytesRead(outputs);
  const look = (): void => {
    const now = bytesRead(outputs);
    roundCount += 1;
    if (now === before || roundCount === ROUND_COUNT_MAX) finish();
    before = now;
  };
  // Timers run before the pipes are read: after a pause of the event loop, only the immediate knows what has come.
  const timer = setInterval(() => setImmediate(look), QUIET_MS);
  const finish = (): void => {
    clearInterval(timer);
    child.off("close", finish);
    resolve();
  };
  child.once("close", finish);
  return promise;
}

function bytesRead(outputs: readonly Socket[]): number {
  return outputs.reduce((sum, output) => sum + output.bytesRead, 0);
}
