/** Ways to run a program that are not ours: in this process, in a new thread or process each time, in another sandbox. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { TOOLS, type SpeedCase, type ToolName } from "./sandbox-cases.ts";

export interface Way {
  readonly name: string;
  /** Why it is not measured. */
  readonly skipped?: string;
  /** In ms; undefined where it cannot run such a case. Throws when the value is wrong. */
  time(speedCase: SpeedCase): Promise<number | undefined>;
  close(): Promise<void>;
}

const fixture = (name: string) => join(import.meta.dirname, "fixtures", name);
const root = join(import.meta.dirname, "..");
/** Where other sandboxes are installed: they are no dependencies of ours. */
const peersFolder = process.env["REPERTOIRE_BENCH_PEERS"] ?? root;

/** The time of a run that returns what the case expects. */
export function timed(
  run: (code: string) => Promise<unknown>,
): (speedCase: SpeedCase) => Promise<number | undefined> {
  return async ({ code, expected, name }) => {
    const startedAt = performance.now();
    const value = await run(code);
    const elapsedMs = performance.now() - startedAt;
    if (value !== expected) throw new Error(`${name} returned ${JSON.stringify(value)}, not ${expected}`);
    return elapsedMs;
  };
}

export const IN_PROCESS: Way = {
  name: "plain, in this process",
  time: timed((code) => evaluate(code)({ bench: TOOLS })),
  close: async () => {},
};

export const NEW_THREAD: Way = { name: "a new thread", time: timed(runInThread), close: async () => {} };

export const NEW_PROCESS: Way = {
  name: "a new node process",
  time: timed((code) => runInProcess(process.execPath, [fixture("sandbox-child.mjs")], code)),
  close: async () => {},
};

export function newDenoProcess(): Way {
  const name = "a new deno process";
  const deno = findDeno();
  if (deno === undefined) return skip(name, "no deno");
  return {
    name,
    time: timed((code) => runInProcess(deno, ["run", "--no-prompt", fixture("sandbox-child.mjs")], code)),
    close: async () => {},
  };
}

/** A package of somebody else's, in a process that lives as long as the bench. */
export async function openPeer(packageName: string, rowsFile: string): Promise<Way> {
  const child = fork(fixture("sandbox-peer.mjs"), [packageName, peersFolder, rowsFile], {
    execArgv: ["--no-node-snapshot"],
  });
  const gone = once(child, "exit").then(() => [{ skipped: "its process ended" }]);
  const hear = async <T>(): Promise<T> => (await Promise.race([once(child, "message"), gone]))[0] as T;
  const { skipped } = await hear<{ skipped?: string }>();
  if (skipped !== undefined) return skip(packageName, skipped);
  return {
    name: packageName,
    async time({ code, expected, name }) {
      if (!child.connected) return undefined;
      child.send(code);
      const { ms, value } = await hear<{ ms?: number; value?: unknown }>();
      if (ms !== undefined && value !== expected)
        throw new Error(`${packageName}: ${name} returned ${JSON.stringify(value)}`);
      return ms;
    },
    async close() {
      if (child.connected) child.disconnect();
      child.kill();
      await gone;
    },
  };
}

function skip(name: string, skipped: string): Way {
  return { name, skipped, time: async () => undefined, close: async () => {} };
}

function evaluate(code: string): (mcp: object) => Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...texts: string[]
  ) => (mcp: object) => Promise<unknown>;
  return new AsyncFunction("mcp", code);
}

/** What a program outside says: that it calls a tool, or what it returned. */
type Said =
  | { readonly id: number; readonly name: ToolName }
  | { readonly id?: never; readonly value: unknown };

function runInThread(code: string): Promise<unknown> {
  const worker = new Worker(fixture("sandbox-worker.mjs"), { workerData: code });
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    const post = (message: object) => worker.postMessage(message);
    const end = (value: unknown) => {
      resolve(value);
      void worker.terminate();
    };
    worker.on("message", (said: Said) => void answer(said, post, end));
  });
}

function runInProcess(file: string, args: readonly string[], code: string): Promise<unknown> {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], env: {} });
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  send({ code });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    const end = (value: unknown) => {
      resolve(value);
      child.kill("SIGKILL");
    };
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => void answer(JSON.parse(line) as Said, send, end));
  });
}

async function answer(
  said: Said,
  send: (message: object) => void,
  end: (value: unknown) => void,
): Promise<void> {
  if (said.id === undefined) end(said.value);
  else send({ id: said.id, value: await TOOLS[said.name]() });
}

function findDeno(): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    join(root, "node_modules/.bin"),
    join(peersFolder, "node_modules/.bin"),
  ];
  return folders.map((folder) => join(folder, "deno")).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
