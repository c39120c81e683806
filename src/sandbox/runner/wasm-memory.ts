/** WebAssembly counts memory in pages. */
export const PAGE_BYTES = 65_536;

const MEMORY_SECTION = 5;
/** After the magic number and the version. */
const FIRST_SECTION_AT = 8;

/**
 * The same module with a hard maximum for its memory: beyond it, `memory.grow` fails whatever the program in it does. The
 * engine's own accounting comes first; this holds where that accounting is wrong.
 */
export function capMemory(module: Uint8Array, pagesMax: number): Uint8Array<ArrayBuffer> {
  for (let at = FIRST_SECTION_AT; at < module.length;) {
    const id = module[at]!;
    const size = readNumber(module, at + 1);
    const end = size.next + size.value;
    if (id === MEMORY_SECTION)
      return replaceSection(module, at, end, memorySection(module, size.next, pagesMax));
    at = end;
  }
  throw new Error("The WebAssembly module has no memory of its own");
}

function memorySection(module: Uint8Array, at: number, pagesMax: number): number[] {
  const count = readNumber(module, at);
  if (count.value !== 1) throw new Error("The WebAssembly module must have one memory");
  const pagesMin = readNumber(module, count.next + 1).value;
  const body = [1, 1, ...writeNumber(pagesMin), ...writeNumber(Math.max(pagesMin, pagesMax))];
  return [MEMORY_SECTION, ...writeNumber(body.length), ...body];
}

function replaceSection(
  module: Uint8Array,
  start: number,
  end: number,
  section: readonly number[],
): Uint8Array<ArrayBuffer> {
  return Buffer.concat([module.subarray(0, start), Uint8Array.from(section), module.subarray(end)]);
}

/** LEB128, unsigned. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at + 1 };
  }
}

function writeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(Math.floor(value / 0x80))];
}
