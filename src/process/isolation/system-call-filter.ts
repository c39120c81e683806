/**
 * What the kernel refuses an isolated server, whatever its files and its network are. A namespace does not hold these:
 *
 * - Sockets other than of the internet. A Unix socket on a read-only mount can still be connected to (Docker, D-Bus, an
 *   agent with keys), and a socket to the host of a virtual machine belongs to no network namespace.
 * - io_uring, which opens sockets without the system call that is filtered.
 * - Kernel keys, which are those of the whole session.
 *
 * The filter is classic BPF, one instruction of 8 bytes after the other, and `bwrap` loads it. A pair of connected
 * sockets (`socketpair`) stays possible: it leads nowhere, and runtimes talk to their children through it.
 */

interface Architecture {
  /** `AUDIT_ARCH_…` of the kernel. */
  readonly audit: number;
  readonly socket: number;
  readonly refused: readonly number[];
}

const IO_URING = [425, 426, 427] as const;

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  // add_key, request_key, keyctl.
  x64: { audit: 0xc000003e, socket: 41, refused: [248, 249, 250, ...IO_URING] },
  arm64: { audit: 0xc00000b7, socket: 198, refused: [217, 218, 219, ...IO_URING] },
};

/** AF_INET, AF_INET6, and AF_NETLINK, by which programs ask for the interfaces of their own namespace. */
const FAMILIES = [2, 10, 16] as const;

/** Calls of the x32 ABI have the number of x86-64 with this bit. */
const X32_BIT = 0x4000_0000;

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_NOT_BELOW = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
/** Fails with EPERM. */
const REFUSE = 0x0005_0000 | 1;

/** Where the kernel has the number of the call, its architecture, and the lower half of the first argument. */
const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const AT_FIRST_ARGUMENT = 16;

/** Undefined for a processor whose numbers are not known here. */
export function systemCallFilter(arch: NodeJS.Architecture = process.arch): Buffer | undefined {
  const architecture = ARCHITECTURES[arch];
  return architecture === undefined ? undefined : assemble(architecture);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function assemble({ audit, socket, refused }: Architecture): Buffer {
  const refuse: Instruction = [RETURN, 0, 0, REFUSE];
  const allow: Instruction = [RETURN, 0, 0, ALLOW];
  const program: Instruction[] = [
    [LOAD_WORD, 0, 0, AT_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    refuse,
    [LOAD_WORD, 0, 0, AT_NUMBER],
    [JUMP_NOT_BELOW, 0, 1, X32_BIT],
    refuse,
    ...refused.flatMap((number): Instruction[] => [[JUMP_EQUAL, 0, 1, number], refuse]),
    [JUMP_EQUAL, 1, 0, socket],
    allow,
    [LOAD_WORD, 0, 0, AT_FIRST_ARGUMENT],
    ...FAMILIES.flatMap((family): Instruction[] => [[JUMP_EQUAL, 0, 1, family], allow]),
    refuse,
  ];
  return Buffer.concat(program.map(encode));
}

function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
