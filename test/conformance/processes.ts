/** The processes of a run. Whatever happens to it, none of them stays. */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";

/** From the polite signal to the other one. */
const GRACE_MS = 5_000;

const running = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** Starts a Node program. */
export function startProcess(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(process.execPath, args, options);
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

/** Resolves when the process has gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

/** The first line of its stdout, as JSON; a process that ends before it has one is an error with its stderr. */
export async function firstLineOf(child: ChildProcess): Promise<unknown> {
  let stdout = "";
  let stderr = "";
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    const end = stdout.indexOf("\n");
    if (end !== -1) resolve(JSON.parse(stdout.slice(0, end)));
  });
  // Read to the end in any case: a full pipe would stop the process.
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_MAX)));
  child.once("close", () => reject(new Error(`${child.spawnargs.join(" ")} ended early:\n${stderr}`)));
  return promise;
}

/** Enough for the end of a story. */
const STDERR_MAX = 10_000;
