import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { capMemory, PAGE_BYTES } from "./wasm-memory.ts";

const HEAD = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** A custom section with nothing but its name. */
const CUSTOM = [0, 2, 1, 0x78];

/** A module whose memory section has this body. */
function moduleWith(...memory: number[]): Uint8Array {
  return Uint8Array.from([...HEAD, ...CUSTOM, 5, memory.length, ...memory, ...CUSTOM]);
}

/** TypeScript has these only with the whole of the browser. */
const engine = Reflect.get(globalThis, "WebAssembly") as unknown as {
  validate(bytes: Uint8Array): boolean;
};

describe("capMemory", () => {
  test("sets the maximum of a memory that has none, and leaves the rest as it is", () => {
    expect([...capMemory(moduleWith(1, 0, 2), 10)]).toEqual([...moduleWith(1, 1, 2, 10)]);
  });

  test("replaces the maximum that a memory has", () => {
    expect([...capMemory(moduleWith(1, 1, 2, 50), 10)]).toEqual([...moduleWith(1, 1, 2, 10)]);
  });

  test("never sets a maximum below what the memory starts with", () => {
    expect([...capMemory(moduleWith(1, 0, 20), 10)]).toEqual([...moduleWith(1, 1, 20, 20)]);
  });

  test.each([
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [16_384, [0x80, 0x80, 0x01]],
    [65_536, [0x80, 0x80, 0x04]],
  ])("writes %i pages as WebAssembly counts", (pages, bytes) => {
    const capped = capMemory(moduleWith(1, 0, 2), pages);
    expect([...capped]).toEqual([...moduleWith(1, 1, 2, ...bytes)]);
    expect(engine.validate(capped)).toBe(true);
  });

  test("reads sizes of more than one byte", () => {
    const long = Uint8Array.from([...HEAD, 0, 0x82, 0x01, 1, 0x78, ...Array(128).fill(0), 5, 3, 1, 0, 2]);
    expect([...capMemory(long, 10)].slice(-6)).toEqual([5, 4, 1, 1, 2, 10]);
  });

  test("refuses a module without a memory, and one with two", () => {
    expect(() => capMemory(Uint8Array.from(HEAD), 10)).toThrow("has no memory of its own");
    expect(() => capMemory(moduleWith(2, 0, 1, 0, 1), 10)).toThrow("must have one memory");
  });

  test("makes a valid module of the engine that is used", () => {
    const wasm = readFileSync(fileURLToPath(import.meta.resolve("quickjs-wasi/quickjs.wasm")));
    const capped = capMemory(wasm, (80 * 1024 * 1024) / PAGE_BYTES);
    expect(engine.validate(capped)).toBe(true);
    expect(capped.length).not.toBe(wasm.length);
  });
});
