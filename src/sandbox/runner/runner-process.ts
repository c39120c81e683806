/**
 * One runner as the gateway sees it: a child process that is trusted with nothing.
 *
 * It starts with an empty environment, in the folder for temporary files, under Node's permission model, which lets it read
 * its own program and start or load nothing, and without a network where the system can take that away. It has its standard
 * streams and no other descriptor. It runs at a lower priority than the gateway. Whatever it writes is bounded before it is
 * read, and a runner that breaks the rules of the channel is killed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ARGUMENTS_BYTES_MAX, CONSOLE_BYTES_MAX, RESULT_BYTES_MAX } from "./limits.ts";
import { LineFramer } from "../../process/lines.ts";
import { GUEST_TEMPLATE, IS_SOURCE, programFile, sourceFolder } from "../../process/program-file.ts";
import { lowerPriority } from "../priority.ts";

/** A control character has one byte, and six as a JSON escape. */
const ESCAPED_BYTES = 6;
/** The longest frame: a result, the arguments of a call, or a line of the console, with room for the letters around them. */
const FRAME_BYTES_MAX =
  Math.max(RESULT_BYTES_MAX, ARGUMENTS_BYTES_MAX, ESCAPED_BYTES * CONSOLE_BYTES_MAX) + 64 * 1024;
const STDERR_KEPT_BYTES = 4096;
/** How long the pipes of a process that is gone are listened to. */
const LAST_WORDS_MS = 100;
/** Two answers of the largest kind. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** The runner's own heap; the guest's memory is not in it. */
const HEAP_MB_MAX = 64;
/** Half of what systems give the first thread of a process. */
const STACK_KB = 4000;

/**
 * When V8 compiles a function of the engine again, to run faster. By default (13,000,000) it does so while the runner starts,
 * which doubles the processor time of the start for code that may never be hot.
 */
const TIERING_BUDGET = 200_000_000;

/** Starts a program whose processes end with the gateway, however it ends. */
export type LaunchChild = (command: {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}) => ChildProcess;

export interface RunnerProcess {
  readonly pid: number | undefined;
  /** False as soon as it is to be killed. */
  readonly isAlive: boolean;
  send(frame: string): void;
  /** It has not read what it was sent so far: nothing more should be made for it. */
  readonly isClogged: boolean;
  /** Hears frames; the last one to ask hears them alone. */
  listen(listener: RunnerListener): void;
  kill(): void;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
}

interface RunnerListener {
  frame(line: string): void;
  /** It has read what it was sent. */
  drain?(): void;
  /** The process is gone; `reason` are its last words. */
  exit(reason: string): void;
}

export interface RunnerOptions {
  readonly launch: LaunchChild;
  readonly memoryMb: number;
  readonly prefix: readonly string[];
}

export function startRunner({ launch, memoryMb, prefix }: RunnerOptions): RunnerProcess {
  const [file, ...args] = [...prefix, "/usr/bin/env", "-i", ...runnerCommand(memoryMb)] as [
    string,
    ...string[],
  ];
  const child = launch({ file, args, env: {}, cwd: tmpdir() });
  const { promise: gone, resolve: setGone } = Promise.withResolvers<void>();
  let listener: RunnerListener | undefined;
  let isAlive = true;
  let isKilled = false;
  let lastWords = "";
  let lastWordsTimer: NodeJS.Timeout | undefined;

  function end(reason: string): void {
    if (!isAlive) return;
    isAlive = false;
    clearTimeout(lastWordsTimer);
    for (const stream of child.stdio) stream?.destroy();
    listener?.exit(lastWords.trim() || reason);
    setGone();
  }
  function kill(): void {
    isKilled = true;
    if (child.pid === undefined) return;
    try {
      // The whole group: the runner is its leader, and its network fence must not outlive it.
      process.kill(-child.pid, "SIGKILL");
    } catch {
      child.kill("SIGKILL");
    }
  }

  child.on("error", (error) => end(error.message));
  child.on("exit", (code, signal) => {
    kill();
    // Its last words may still be in the pipe.
    const reason = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
    child.once("close", () => end(reason));
    lastWordsTimer = setTimeout(() => end(reason), LAST_WORDS_MS);
  });
  child.stdin?.on("error", () => {});
  child.stdin?.on("drain", () => listener?.drain?.());
  child.stderr?.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-STDERR_KEPT_BYTES);
  });
  let isOverLimit = false;
  const lines = new LineFramer(FRAME_BYTES_MAX, {
    line(bytes, from, to) {
      if (!isOverLimit) listener?.frame(bytes.toString("utf8", from, to));
    },
    /** Nothing of such a runner is read any more. */
    excess() {
      if (!isOverLimit) kill();
      isOverLimit = true;
    },
  });
  child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  lowerPriority(child.pid);
  return {
    pid: child.pid,
    get isAlive() {
      return isAlive && !isKilled;
    },
    get isClogged() {
      return (child.stdin?.writableLength ?? 0) > UNREAD_BYTES_MAX;
    },
    send: (frame) => void child.stdin?.write(`${frame}\n`),
    listen: (next) => void (listener = next),
    kill,
    gone,
  };
}

function runnerCommand(memoryMb: number): string[] {
  const runner = programFile("runner");
  const wasm = wasmFile();
  // Made with the bundle, of the same engine and the same guest's side.
  const template = IS_SOURCE ? [] : [join(dirname(runner), GUEST_TEMPLATE)];
  const readable = IS_SOURCE ? [`${dirname(sourceFolder())}/*`] : [runner, wasm, ...template];
  return [
    process.execPath,
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    "--disable-sigusr1",
    "--disallow-code-generation-from-strings",
    // The guest's stack is bounded by the engine; the process must have more, or it breaks first.
    `--stack-size=${STACK_KB}`,
    `--wasm-tiering-budget=${TIERING_BUDGET}`,
    "--no-warnings",
    "--expose-gc",
    `--max-old-space-size=${HEAP_MB_MAX}`,
    runner,
    wasm,
    String(memoryMb),
    ...template,
  ];
}

/** The engine lies beside the bundle, or where its package has it. */
function wasmFile(): string {
  if (!IS_SOURCE) return join(dirname(programFile("runner")), "quickjs.wasm");
  return createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
}

const UNSHARE = ["/usr/bin/unshare", "--user", "--map-current-user", "--net", "--"] as const;

/** What may take the network away from a process. Whether the system allows it shows when a process is started with it. */
export function likelyNetworkFence(): readonly string[] {
  return process.platform === "linux" && existsSync(UNSHARE[0]) ? UNSHARE : [];
}

/** The same where it was tried and works, else nothing. */
export async function findNetworkFence(): Promise<readonly string[]> {
  const fence = likelyNetworkFence();
  if (fence.length === 0) return [];
  const works = await new Promise<boolean>((resolve) => {
    const probe = spawn(fence[0]!, [...fence.slice(1), "/bin/true"], { stdio: "ignore", env: {} });
    probe.on("error", () => resolve(false));
    probe.on("exit", (code) => resolve(code === 0));
  });
  return works ? fence : [];
}
