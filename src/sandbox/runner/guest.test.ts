import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createGuestMaker, createTemplate, decodeTemplate, encodeTemplate, pagesMaxFor } from "./guest.ts";
import { capMemory } from "./wasm-memory.ts";

const engine = readFileSync(fileURLToPath(import.meta.resolve("quickjs-wasi/quickjs.wasm")));
const START = {
  args: { name: "Ada" },
  functions: [["notes", "add"]],
  seed: [1, 2, 3, 4],
  limits: { callsMax: 2, argumentsMax: 100, resultMax: 100, consoleMax: 100 },
};

it.each([16, 128])(
  "makes guests of a template that was written to a file, with %i MB for each",
  async (mb) => {
    const file = encodeTemplate(await createTemplate(await WebAssembly.compile(engine)));
    const limitBytes = mb * 1024 * 1024;
    const wasm = await WebAssembly.compile(capMemory(engine, pagesMaxFor(limitBytes)));
    const guests = createGuestMaker(decodeTemplate(file), wasm, limitBytes);
    for (let round = 0; round < 2; round++) {
      const frames: string[] = [];
      const guest = await guests.make((frame) => void frames.push(frame));
      guest.begin(
        JSON.stringify(START),
        `(async () => { globalThis.x = (globalThis.x ?? 0) + 1; return [x, args.name, await mcp.notes.add({})]; })`,
      );
      guest.advance();
      guest.deliver("R", "1", '"done"');
      guest.advance();
      expect(frames).toEqual(["C 1 0 {}", 'V [1,"Ada","done"]']);
    }
  },
);
