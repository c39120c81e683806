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
 * On Windows there is no process group and no watcher: only the process itself is ended, and a `.cmd` file does not
 * start, because that needs a shell.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Only builtins, so PATH does not matter. The watcher ignores the signals that stop the group politely; it must outlive
 * a server that ignores them too. It holds neither the server's streams nor its folder.
 */
const SCRIPT = `trap '' HUP INT TERM
( { cd /; while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & )
trap - HUP INT TERM
exec 3<&-
exec "$@"`;

const LIFELINE = 3;

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Throws, or gives a child without a pid and with an `error` to come, where the system refuses. */
export function launch({ file, args, env, cwd }: Launch): ChildProcess {
  if (process.platform === "win32") return spawn(file, args, { cwd, env, stdio: "pipe", windowsHide: true });
  const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", file, ...args], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  child.stdio[LIFELINE]?.on("error", () => {});
  return child;
}

/**
 * Sends a signal to every process of the server's group. It is called for the last time when the server exits: until
 * then the watcher, as a member of the group, keeps its number from being given to another.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") return void child.kill(signal);
  try {
    process.kill(-child.pid, signal);
  } catch {
    // No process of the group is left.
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
