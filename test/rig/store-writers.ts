/** Processes that write to one store, start at one moment and can be stopped or killed. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = join(import.meta.dirname, "../fixtures/store-writer.ts");

export interface Writer {
  readonly lines: string[];
  /** Resolves when it has loaded and waits for `go`. */
  readonly ready: Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
  go(): void;
  /** Kills it as soon as it has said this many lines. */
  killAfter(lineCount: number): void;
  signal(signal: NodeJS.Signals): void;
}

/** `place` is a home or the address of a PostgreSQL. The caller sees to it that the process ends. */
export function startWriter(place: string, job: string, name: string, count: number): Writer {
  const child = spawn(process.execPath, [PROGRAM, place, job, name, String(count)], {
    stdio: "pipe",
    env: { PATH: process.env["PATH"] },
  });
  const lines: string[] = [];
  let lineCountMax = Number.POSITIVE_INFINITY;
  const { promise: ready, resolve: becomeReady, reject } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "ready") return becomeReady();
    lines.push(line);
    if (lines.length >= lineCountMax) child.kill("SIGKILL");
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => {});
  const ended = new Promise<Awaited<Writer["ended"]>>((resolve) => {
    child.on("close", (code, signal) => {
      reject(new Error(`the writer ended before it was ready: ${stderr}`));
      resolve({ code, signal, stderr });
    });
  });
  return {
    lines,
    ready,
    ended,
    go: () => void child.stdin.write("go\n"),
    killAfter(lineCount) {
      lineCountMax = lineCount;
    },
    signal: (signal) => void child.kill(signal),
  };
}

/** Starts them all at the same moment, once each has loaded. */
export async function startTogether(writers: readonly Writer[]): Promise<void> {
  await Promise.all(writers.map((writer) => writer.ready));
  for (const writer of writers) writer.go();
}
