import { expect, it } from "vitest";
import { systemCallFilter } from "./system-call-filter.ts";

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const ALLOWED = "allowed";
const REFUSED = "refused";

/** What the kernel would decide: the few instructions that the filter is made of. */
function decide(filter: Buffer, call: { arch: number; number: number; first?: number }): string {
  const data: Record<number, number> = { 0: call.number, 4: call.arch, 16: call.first ?? 0 };
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, ifTrue, ifFalse] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2]!, filter[at * 8 + 3]!];
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data[value]!;
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else return value === 0x7fff0000 ? ALLOWED : value === 0x00050001 ? REFUSED : String(value);
  }
  return "no end";
}

it.each([
  ["read", X64, 0, 0, ALLOWED],
  ["socket(AF_INET)", X64, 41, 2, ALLOWED],
  ["socket(AF_INET6)", X64, 41, 10, ALLOWED],
  ["socket(AF_NETLINK)", X64, 41, 16, ALLOWED],
  ["socket(AF_UNIX)", X64, 41, 1, REFUSED],
  ["socket(AF_VSOCK)", X64, 41, 40, REFUSED],
  ["socketpair(AF_UNIX)", X64, 53, 1, ALLOWED],
  ["io_uring_setup", X64, 425, 0, REFUSED],
  ["keyctl", X64, 250, 0, REFUSED],
  ["a call of x32", X64, 0x4000_0000 + 41, 1, REFUSED],
  ["a call of i386", 0x40000003, 102, 1, REFUSED],
  ["socket(AF_UNIX) of arm64", ARM64, 198, 1, REFUSED],
  ["socket(AF_INET) of arm64", ARM64, 198, 2, ALLOWED],
  ["keyctl of arm64", ARM64, 219, 0, REFUSED],
])("%s", (_name, arch, number, first, expected) => {
  const filter = systemCallFilter(arch === ARM64 ? "arm64" : "x64")!;
  expect(decide(filter, { arch, number, first })).toBe(expected);
});

it("is not made for a processor whose numbers are not known", () => {
  expect(systemCallFilter("riscv64")).toBeUndefined();
});
