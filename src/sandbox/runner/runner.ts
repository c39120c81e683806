/**
 * The program of a runner: a child process that has nothing but a channel to the gateway, and in it one VM at a time.
 *
 * It is a plain loop over blocking reads. While the guest waits for a tool, the process sleeps in `read`; there are no timers
 * and no event loop to keep alive or to flood. When the channel ends, so does the process. Whatever the guest does to its
 * VM, the next run gets a new one; after a trap the process ends too, since a broken engine may have done anything.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { GuestOutcome } from "../guest-contract.ts";
import type { Start } from "./frame.ts";
import {
  createGuestMaker,
  createTemplate,
  decodeTemplate,
  pagesMaxFor,
  type Guest,
  type GuestMaker,
} from "./guest.ts";
import { createProgress, runGuest, takeFrame, type Progress } from "./guest-run.ts";
import { createLineSource, send } from "./runner-channel.ts";
import { capMemory } from "./wasm-memory.ts";

/** The memory of a VM that is gone waits for the collector, which does not see how large it is; asking it costs 5 ms. */
const RUNS_FOR_EACH_COLLECTION = 16;
/** For what the code left running when it ended. */
const DETACHED_MS = 20;
const MEMORY_KEPT_BYTES_MAX = 16 * 1024 * 1024;

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

async function serve(guests: GuestMaker): Promise<void> {
  const readLine = createLineSource();
  for (let runCount = 1; ; runCount++) {
    const progress = createProgress();
    const guest: Guest = await guests.make((frame) => {
      // What it says after its time was up is part of being cut off.
      if (guest.wasInterrupted) return;
      takeFrame(progress, frame);
      // Detached code may come to its own end, for what it throws is reported; it may not go on.
      if (progress.hasEnded) guest.deadlineAt = Math.min(guest.deadlineAt, performance.now() + DETACHED_MS);
    });
    send("W");
    if (runCount % RUNS_FOR_EACH_COLLECTION === 0) globalThis.gc?.();
    const line = readStart(readLine);
    if (line === undefined) return;
    finish(guest, progress, runGuest(guest, progress, JSON.parse(line.slice(2)) as Start, readLine));
  }
}

/** Answers to calls of the run before may still come: they are dropped. */
function readStart(readLine: () => string | undefined): string | undefined {
  for (;;) {
    const line = readLine();
    if (line === undefined || line.startsWith("S ")) return line;
  }
}

function finish(guest: Guest, { consoleDropped }: Progress, ending: Partial<GuestOutcome>): void {
  const isBroken = ending.kind === "crashed" || ending.kind === "memory" || ending.kind === "timeout";
  const { unhandled, count: unhandledCount } = isBroken
    ? { unhandled: [], count: 0 }
    : guest.describeUnhandled();
  const memoryBytes = guest.memoryBytes();
  const outcome: Partial<GuestOutcome> = {
    ...ending,
    unhandled,
    unhandledCount,
    consoleDropped,
    memoryBytes,
  };
  send(`D ${JSON.stringify(outcome)}`);
  // A process that was cut off, or that held much memory, is cheaper to replace than to trust or to clean.
  if (isBroken || guest.wasInterrupted || memoryBytes > MEMORY_KEPT_BYTES_MAX) process.exit(0);
}

const [wasmFile, memoryMb, templateFile] = process.argv.slice(2) as [string, string, string?];
const limitBytes = Number(memoryMb) * 1024 * 1024;
const wasmBytes = capMemory(readFileSync(wasmFile), pagesMaxFor(limitBytes));
const templateBytes = templateFile === undefined ? undefined : readFileSync(templateFile);
shutDoors();
const wasm = await WebAssembly.compile(wasmBytes);
const template = templateBytes === undefined ? await createTemplate(wasm) : decodeTemplate(templateBytes);
await serve(createGuestMaker(template, wasm, limitBytes));
