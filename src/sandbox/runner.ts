/**
 * The program of a runner: a child process that has nothing but a channel to the gateway, and in it one VM at a time.
 *
 * It is a plain loop over blocking reads. While the guest waits for a tool, the process sleeps in `read`; there are no timers
 * and no event loop to keep alive or to flood. When the channel ends, so does the process. Whatever the guest does to its
 * VM, the next run gets a new one; after a trap the process ends too, since nobody knows what a broken engine has done.
 */
import { readFileSync, readSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { splitFrame, type Done, type Start } from "./frame.ts";
import { createGuest, pagesMaxFor, type Guest, type GuestMemory } from "./guest.ts";
import { capMemory } from "./wasm-memory.ts";

const INPUT = 0;
const OUTPUT = 1;
const CHUNK_BYTES = 65_536;

/** Reads whole lines; waits as long as there is none. */
function createLineSource(): () => string | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  return () => {
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end !== -1) {
        const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString();
        parts = [];
        rest = rest.subarray(end + 1);
        return line;
      }
      if (rest.length > 0) parts.push(rest);
      const count = readSync(INPUT, chunk);
      if (count === 0) return undefined;
      rest = Buffer.from(chunk.subarray(0, count));
    }
  };
}

function send(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(OUTPUT, bytes, at);
}

/** The run's state that the guest's frames change. */
interface Progress {
  inFlightCount: number;
  result: string | undefined;
  thrown: unknown;
  hasEnded: boolean;
}

function takeFrame(progress: Progress, frame: string): void {
  // What detached code does after the end is nobody's business any more.
  if (progress.hasEnded && frame[0] !== "L") return;
  switch (frame[0]) {
    case "C":
      progress.inFlightCount++;
      return send(frame);
    case "L":
      return send(frame);
    case "V":
      progress.result = frame.slice(2);
      break;
    case "X":
      progress.thrown = JSON.parse(frame.slice(2));
      break;
    default:
      return;
  }
  progress.hasEnded = true;
}

type Ending = Pick<Done, "kind" | "thrown" | "bytes">;

function run(guest: Guest, progress: Progress, start: Start, readLine: () => string | undefined): Ending {
  guest.clockAt = start.clockAt;
  guest.deadlineAt = performance.now() + start.timeoutMs;
  try {
    guest.begin(JSON.stringify(start.guest), start.script);
    for (;;) {
      guest.advance();
      if (guest.wasInterrupted) return { kind: "timeout" };
      if (progress.hasEnded) return endOf(progress, start.resultBytesMax);
      if (progress.inFlightCount === 0) return { kind: "stuck" };
      const line = readLine();
      if (line === undefined) process.exit(0);
      const [kind, id, clockAt, body] = splitFrame(line, 3) as [string, string, string, string];
      guest.clockAt = Number(clockAt);
      progress.inFlightCount--;
      guest.deliver(kind, id, body);
    }
  } catch (error) {
    if (guest.wasInterrupted) return { kind: "timeout" };
    return endOfBroken(error);
  }
}

function endOf(progress: Progress, resultBytesMax: number): Ending {
  if (progress.result === undefined)
    return isOutOfMemory(progress.thrown) ? { kind: "memory" } : { kind: "threw", thrown: progress.thrown };
  const bytes = Buffer.byteLength(progress.result);
  if (bytes > resultBytesMax) return { kind: "result_limit", bytes };
  send(`V ${progress.result}`);
  return { kind: "returned" };
}

/** What came up through the engine's own calls: the guest's code did not compile, or the engine itself gave up. */
function endOfBroken(error: unknown): Ending {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (isOutOfMemory({ name, message })) return { kind: "memory" };
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return { kind: "trapped", thrown: message };
  return { kind: "threw", thrown: { name, message, stack } };
}

/** The engine's own name and words for it. */
function isOutOfMemory(thrown: unknown): boolean {
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown };
  return name === "InternalError" && message === "out of memory";
}

/** The process has what it needs: nothing more is loaded, so nothing that opens a socket or a file can be. */
function shutDoors(): void {
  registerHooks({
    resolve(specifier) {
      throw new Error(`Nothing can be imported here: ${specifier}`);
    },
  });
  for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"])
    Reflect.deleteProperty(globalThis, name);
  for (const name of ["binding", "_linkedBinding", "getBuiltinModule", "dlopen", "kill"])
    Reflect.deleteProperty(process, name);
}

async function serve(memory: GuestMemory): Promise<void> {
  const readLine = createLineSource();
  for (;;) {
    const progress: Progress = { inFlightCount: 0, result: undefined, thrown: undefined, hasEnded: false };
    const guest = await createGuest(memory, (frame) => takeFrame(progress, frame));
    send("W");
    const line = readLine();
    if (line === undefined) return;
    const ending = run(guest, progress, JSON.parse(line.slice(2)) as Start, readLine);
    finish(guest, ending);
  }
}

function finish(guest: Guest, ending: Ending): void {
  const isBroken = ending.kind === "trapped" || ending.kind === "memory" || ending.kind === "timeout";
  const { unhandled, count } = isBroken ? { unhandled: [], count: 0 } : guest.describeUnhandled();
  const done: Done = { ...ending, unhandled, unhandledCount: count, memoryBytes: guest.memoryBytes() };
  send(`D ${JSON.stringify(done)}`);
  if (isBroken) process.exit(0);
  // The VM's memory waits for the collector, which does not see how large it is.
  globalThis.gc?.();
}

const [wasmFile, memoryMb] = process.argv.slice(2) as [string, string];
const limitBytes = Number(memoryMb) * 1024 * 1024;
const wasm = capMemory(readFileSync(wasmFile), pagesMaxFor(limitBytes));
shutDoors();
await serve({ module: await WebAssembly.compile(wasm), limitBytes });
