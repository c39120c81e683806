/**
 * Waits for a command that was started in a process group of its own, and ends the whole group with it.
 *
 * - When the command exits, what it left in the background is killed at once: a node that has returned has no loose
 *   ends.
 * - On a timeout, a cancellation or a flood the group gets SIGTERM, and SIGKILL after a grace or as soon as the command
 *   is gone and no other process holds its output.
 * - What left the group (setsid) escapes. If it holds the output, it is waited for no longer than the drain.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

export interface ShellTimes {
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** How long output is still read when everything that could write it is gone. */
  readonly drainMs: number;
}

const SHELL_TIMES: ShellTimes = { graceMs: 2000, drainMs: 500 };

/**
 * Output beyond max_bytes is read and dropped; a command that goes on like that has lost its way (`yes`) and is ended.
 */
export const FLOOD_BYTES_MAX = 16 * 1024 * 1024;

interface ShellOutput {
  readonly text: string;
  readonly truncated: boolean;
}

export interface ShellEnd {
  /** Why it was stopped, if it was. */
  readonly stopped?: "aborted" | "flood";
  /** The error of the system where the command could not be started. */
  readonly notStarted?: string;
  readonly exitCode: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly stdout: ShellOutput;
  readonly stderr: ShellOutput;
}

export interface ShellWatch {
  readonly signal: AbortSignal;
  readonly bytesMax: number;
  readonly times?: ShellTimes;
}

export function waitForShell(child: ChildProcess, watch: ShellWatch): Promise<ShellEnd> {
  const { signal, bytesMax, times = SHELL_TIMES } = watch;
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    let stopped: ShellEnd["stopped"];
    let notStarted: string | undefined;
    let exited: { code: number | null; killedBy: NodeJS.Signals | null } | undefined;
    let openCount = 2;
    let wasKilled = false;
    let hasEnded = false;

    const stdout = collect(child.stdout, bytesMax, onOutputEnd, () => stop("flood"));
    const stderr = collect(child.stderr, bytesMax, onOutputEnd, () => stop("flood"));
    const onAbort = (): void => stop("aborted");
    child.once("exit", onExit);
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      notStarted = error.code ?? "unknown error";
      end();
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();

    function stop(why: "aborted" | "flood"): void {
      if (stopped !== undefined || exited !== undefined || hasEnded) return;
      stopped = why;
      signalGroup(child, "SIGTERM");
      timers.push(setTimeout(kill, times.graceMs));
    }

    function kill(): void {
      killGroup();
      timers.push(setTimeout(end, times.drainMs));
    }

    /** Once: when no process is left, the number may soon be another group's. */
    function killGroup(): void {
      if (!wasKilled) signalGroup(child, "SIGKILL");
      wasKilled = true;
    }

    function onExit(code: number | null, killedBy: NodeJS.Signals | null): void {
      exited = { code, killedBy };
      if (openCount === 0) return end();
      if (stopped === undefined) kill();
    }

    function onOutputEnd(): void {
      openCount--;
      if (openCount === 0 && exited !== undefined) end();
    }

    function end(): void {
      if (hasEnded) return;
      hasEnded = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      killGroup();
      for (const stream of child.stdio) stream?.destroy();
      resolve({
        stopped,
        notStarted,
        exitCode: exited?.code ?? null,
        killedBy: exited?.killedBy ?? null,
        stdout: stdout(),
        stderr: stderr(),
      });
    }
  });
}

/** Keeps the first bytes of a stream and counts the others. */
function collect(
  stream: Readable | null,
  bytesMax: number,
  onEnd: () => void,
  onFlood: () => void,
): () => ShellOutput {
  const chunks: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (kept < bytesMax) chunks.push(chunk.subarray(0, bytesMax - kept));
    kept = Math.min(bytesMax, kept + chunk.length);
    if (bytes > FLOOD_BYTES_MAX) onFlood();
  });
  stream?.on("error", () => {});
  stream?.once("close", onEnd);
  return () => {
    const truncated = bytes > bytesMax;
    return { text: new TextDecoder().decode(Buffer.concat(chunks), { stream: truncated }), truncated };
  };
}

/**
 * To every process of the group. Its number cannot be another group's while a member lives, such as the gateway's
 * watcher.
 */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The process has ended already.
  }
}
