/**
 * One fresh VM, for one run. It has no clock, randomness or memory of its own beyond what it is given here, and one function
 * that leaves it. Handles of the guest are read only after their type and length are known: asking for a text runs guest code.
 */
import { Intrinsics, QuickJS, type JSValueHandle } from "quickjs-wasi";
import { PRELUDE } from "./prelude.ts";
import { PAGE_BYTES } from "./wasm-memory.ts";

/** Half of what the engine allows: deep recursion ends in the guest's own RangeError, with room left to report it. */
const STACK_BYTES = 256 * 1024;
/** What is written down of rejections that nothing handled; a guest can make millions. */
const UNHANDLED_MAX = 10;
/** Beyond the guest's own: the engine's tables, and what lies free between allocations. */
const OVERHEAD_BYTES = 16 * 1024 * 1024;

export interface GuestMemory {
  readonly module: WebAssembly.Module;
  readonly limitBytes: number;
}

/** The hard maximum of the memory of a VM whose guest may use so much. */
export function pagesMaxFor(limitBytes: number): number {
  return Math.ceil((limitBytes + OVERHEAD_BYTES) / PAGE_BYTES);
}

/** The guest asks for something: `kind` is the first letter of a frame. */
export type HostCall = (frame: string) => void;

export interface Guest {
  /** Where the guest's clock stands, in ms since 1970. */
  clockAt: number;
  /** By the process's monotonic time; past it the guest is interrupted. */
  deadlineAt: number;
  readonly wasInterrupted: boolean;
  begin(startText: string, script: string): void;
  deliver(kind: string, id: string, body: string): void;
  /** Runs all that can run now. */
  advance(): void;
  describeUnhandled(): { readonly unhandled: unknown[]; readonly count: number };
  memoryBytes(): number;
}

export async function createGuest({ module, limitBytes }: GuestMemory, host: HostCall): Promise<Guest> {
  const unhandled = new Map<number, JSValueHandle>();
  let unhandledCount = 0;
  let memory: WebAssembly.Memory | undefined;
  const guest = { clockAt: 0, deadlineAt: Infinity, wasInterrupted: false };
  const vm = await QuickJS.create({
    wasm: module,
    memoryLimit: limitBytes,
    maxStackSize: STACK_BYTES,
    timezoneOffset: 0,
    intrinsics: Intrinsics.ALL & ~(Intrinsics.PERFORMANCE | Intrinsics.WEAK_REF | Intrinsics.ATOB_BTOA),
    wasi: (wasmMemory) => {
      memory = wasmMemory;
      return {
        clock_time_get(_clock: number, _precision: bigint, resultPointer: number) {
          const nanoseconds = BigInt(Math.trunc(guest.clockAt)) * 1_000_000n;
          new DataView(wasmMemory.buffer).setBigUint64(resultPointer, nanoseconds, true);
          return 0;
        },
        random_get(pointer: number, length: number) {
          new Uint8Array(wasmMemory.buffer, pointer, length).fill(0);
          return 0;
        },
      };
    },
    interruptHandler: () => {
      guest.wasInterrupted ||= performance.now() > guest.deadlineAt;
      return guest.wasInterrupted;
    },
    onUnhandledRejection: (promise, reason, isHandled) => {
      const key = promise.identity;
      if (isHandled) {
        if (unhandled.delete(key)) unhandledCount--;
      } else {
        unhandledCount++;
        if (unhandled.size < UNHANDLED_MAX) unhandled.set(key, reason.dup());
      }
    },
  });
  const hostFunction = vm.newFunction("host", (frame) => {
    if (frame?.isString ?? false) host(frame.toString());
    return vm.undefined;
  });
  const prelude = vm.evalCode(`(${PRELUDE})`, "prelude");
  const side = vm.callFunction(prelude, vm.undefined, hostFunction);
  const [begin, run, deliver, describe] = ["begin", "run", "deliver", "describe"].map((name) =>
    side.getProp(name),
  ) as [JSValueHandle, JSValueHandle, JSValueHandle, JSValueHandle];

  function call(fn: JSValueHandle, ...texts: readonly string[]): void {
    vm.withScope(() => vm.callFunction(fn, vm.undefined, ...texts.map((text) => vm.newString(text))));
  }

  return Object.assign(guest, {
    begin(startText: string, script: string) {
      call(begin, startText);
      const main = vm.evalCode(script, "code.ts");
      vm.callFunction(run, vm.undefined, main).dispose();
    },
    deliver: (kind: string, id: string, body: string) => call(deliver, kind, id, body),
    advance: () => void vm.executePendingJobs(),
    describeUnhandled() {
      const told = [...unhandled.values()].map((reason) =>
        vm.callFunction(describe, vm.undefined, reason).consume(readText),
      );
      return { unhandled: told, count: unhandledCount };
    },
    memoryBytes: () => memory?.buffer.byteLength ?? 0,
  });
}

/** The guest's side made this text of bounded fields, and it is still the guest's. */
function readText(handle: JSValueHandle): unknown {
  return handle.isString ? (JSON.parse(handle.toString()) as unknown) : null;
}
