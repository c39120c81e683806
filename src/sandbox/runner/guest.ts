/**
 * Fresh VMs, one for each run. A VM with the guest's side in it is made once and its memory is kept; every guest gets a copy of
 * that memory in an instance of its own, so all start from the same untouched state. A guest has no clock, randomness or memory
 * beyond what it is given here, and one function that leaves it. Its handles are read only after their type is known: asking an
 * object for its text runs guest code.
 */
import { Intrinsics, QuickJS, type JSValueHandle, type QuickJSOptions, type Snapshot } from "quickjs-wasi";
import type { Thrown } from "../guest-contract.ts";
import { PRELUDE_TEXT, type GuestSide } from "./prelude.ts";
import { PAGE_BYTES } from "./wasm-memory.ts";

/** Half of what the engine allows: deep recursion ends in the guest's own RangeError, with room left to report it. */
const STACK_BYTES = 256 * 1024;
/** What is written down of rejections that nothing handled; a guest can make millions. */
const UNHANDLED_MAX = 10;
/** Beyond the guest's own: the engine's tables, and what lies free between allocations. */
const OVERHEAD_BYTES = 16 * 1024 * 1024;
const HOST_NAME = "host";
/** What the guest's side offers to this one. */
const SIDE: readonly (keyof GuestSide)[] = ["begin", "run", "deliver", "describe"];

/** The hard maximum of the memory of a VM whose guest may use so much. */
export function pagesMaxFor(limitBytes: number): number {
  return Math.ceil((limitBytes + OVERHEAD_BYTES) / PAGE_BYTES);
}

export interface Guest {
  /** What the guest's clock shows, in ms since 1970. */
  clockAt: number;
  /** By the process's monotonic time; past it the guest is interrupted. */
  deadlineAt: number;
  readonly wasInterrupted: boolean;
  begin(startText: string, script: string): void;
  deliver(kind: string, id: string, body: string): void;
  /** Runs all that can run now. */
  advance(): void;
  /** As the guest's side describes them: the gateway reads them as data from outside. */
  describeUnhandled(): { readonly unhandled: Thrown[]; readonly count: number };
  memoryBytes(): number;
}

/** Makes guests; `host` hears what a guest asks for, as a frame. */
export interface GuestMaker {
  make(host: (frame: string) => void): Promise<Guest>;
}

/** The memory of a VM that has the guest's side in it, and where its functions lie. */
export interface Template {
  readonly snapshot: Snapshot;
  readonly side: readonly number[];
}

export function createGuestMaker(
  template: Template,
  wasm: WebAssembly.Module,
  limitBytes: number,
): GuestMaker {
  return { make: (host) => makeGuest(template, wasm, limitBytes, host) };
}

const POINTER_BYTES = 4;

/** The template as a file: the memory, and behind it the places of the functions. Making it takes a third of the start of a runner. */
export function encodeTemplate({ snapshot, side }: Template): Buffer {
  const places = Buffer.alloc(SIDE.length * POINTER_BYTES);
  for (const [at, place] of side.entries()) places.writeUInt32LE(place, at * POINTER_BYTES);
  return Buffer.concat([QuickJS.serializeSnapshot(snapshot), places]);
}

export function decodeTemplate(bytes: Buffer): Template {
  const memoryEnd = bytes.length - SIDE.length * POINTER_BYTES;
  const side = SIDE.map((_, at) => bytes.readUInt32LE(memoryEnd + at * POINTER_BYTES));
  return { snapshot: QuickJS.deserializeSnapshot(bytes.subarray(0, memoryEnd)), side };
}

export async function createTemplate(wasm: WebAssembly.Module): Promise<Template> {
  const intrinsics = Intrinsics.ALL & ~(Intrinsics.PERFORMANCE | Intrinsics.WEAK_REF | Intrinsics.ATOB_BTOA);
  const vm = await QuickJS.create({ wasm, intrinsics, timezoneOffset: 0 });
  const host = vm.newFunction(HOST_NAME, () => vm.undefined);
  const prelude = vm.evalCode(PRELUDE_TEXT, "prelude");
  const side = vm.callFunction(prelude, vm.undefined, host);
  const tokens = SIDE.map((name) => vm.exportHandle(side.getProp(name)));
  return { snapshot: vm.snapshot(), side: tokens };
}

async function makeGuest(
  { snapshot, side }: Template,
  wasm: WebAssembly.Module,
  limitBytes: number,
  host: (frame: string) => void,
): Promise<Guest> {
  const guest = { clockAt: 0, deadlineAt: Infinity, wasInterrupted: false };
  const rejections = createRejections();
  let memory: WebAssembly.Memory | undefined;
  const vm = await QuickJS.restore(snapshot, {
    wasm,
    memoryLimit: limitBytes,
    maxStackSize: STACK_BYTES,
    timezoneOffset: 0,
    wasi: (own) => {
      memory = own;
      return worldOf(own, () => guest.clockAt);
    },
    interruptHandler: () => {
      guest.wasInterrupted ||= performance.now() > guest.deadlineAt;
      return guest.wasInterrupted;
    },
    onUnhandledRejection: rejections.take,
  });
  vm.registerHostCallback(HOST_NAME, (frame) => {
    if (frame?.isString ?? false) host(frame.toString());
    return vm.undefined;
  });
  const [begin, run, deliver, describe] = side.map((token) => vm.importHandle(token)) as [
    JSValueHandle,
    JSValueHandle,
    JSValueHandle,
    JSValueHandle,
  ];
  const call = (fn: JSValueHandle, ...texts: readonly string[]): void =>
    vm.withScope(() => void vm.callFunction(fn, vm.undefined, ...texts.map((text) => vm.newString(text))));
  return Object.assign(guest, {
    begin(startText: string, script: string) {
      call(begin, startText);
      const main = vm.evalCode(script, "code.ts");
      vm.callFunction(run, vm.undefined, main).dispose();
    },
    deliver: (kind: string, id: string, body: string) => call(deliver, kind, id, body),
    advance: () => void vm.executePendingJobs(),
    describeUnhandled: () => ({
      unhandled: rejections.first().map((reason) => tellOf(vm, describe, reason) as Thrown),
      count: rejections.count(),
    }),
    memoryBytes: () => memory?.buffer.byteLength ?? 0,
  });
}

/** All that the engine asks of a system: the time, which stands still, and randomness, of which there is none. */
function worldOf(
  memory: WebAssembly.Memory,
  clockAt: () => number,
): Record<string, (...args: never[]) => number> {
  return {
    clock_time_get(_clock: number, _precision: bigint, resultPointer: number) {
      const nanoseconds = BigInt(Math.trunc(clockAt())) * 1_000_000n;
      new DataView(memory.buffer).setBigUint64(resultPointer, nanoseconds, true);
      return 0;
    },
    random_get(pointer: number, length: number) {
      new Uint8Array(memory.buffer, pointer, length).fill(0);
      return 0;
    },
  };
}

/** Rejections that nothing has handled so far: how many, and the first of them. */
function createRejections() {
  const first = new Map<number, { readonly promise: JSValueHandle; readonly reason: JSValueHandle }>();
  let count = 0;
  const take: NonNullable<QuickJSOptions["onUnhandledRejection"]> = (promise, reason, isHandled) => {
    count += isHandled ? -1 : 1;
    if (isHandled) first.delete(promise.identity);
    // The promise is held as well: one that is gone would give its identity to another.
    else if (first.size < UNHANDLED_MAX)
      first.set(promise.identity, { promise: promise.dup(), reason: reason.dup() });
  };
  return { take, first: () => [...first.values()].map(({ reason }) => reason), count: () => count };
}

/** The guest's side describes it, and that runs code of the guest's: it may fail, or be cut off. */
function tellOf(vm: QuickJS, describe: JSValueHandle, reason: JSValueHandle): unknown {
  try {
    const told = vm.callFunction(describe, vm.undefined, reason);
    return told.isString ? (JSON.parse(told.toString()) as unknown) : null;
  } catch {
    return null;
  }
}
