/** The pipes of an evil upstream: raw bytes, so that lines can be noisy, cut, joined or left unread. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "./evil-answers.ts";
import { textOfMessage, type EvilServer, type Wire } from "./evil-server.ts";
import type { EvilFault, EvilScript, Garbage } from "./evil-script.ts";

const GARBAGE: Record<Garbage, string | Uint8Array> = {
  text: "Server listening on stdio …\n",
  ansi: "\u001B[32m[info]\u001B[0m ready\u001B[2K\n",
  bom: "\uFEFF",
  "not-json-rpc": '{"level":"info","msg":"started"}\n[1,2,3]\n"text"\nnull\n42\n',
  "half-json": '{"jsonrpc":"2.0","id":1,"result":{\n',
  empty: "\n\r\n  \n",
  binary: Uint8Array.of(0x00, 0xff, 0xfe, 0xc3, 0x28, 0x0a),
};
/** The BOM comes last, so that it stands right before the answer. */
const ALL_GARBAGE: readonly Garbage[] = [
  "text",
  "ansi",
  "not-json-rpc",
  "half-json",
  "empty",
  "binary",
  "bom",
];

/** Long enough for a reader on a busy machine to see two chunks. */
const PAUSE_MS = 20;
const FLOOD_CHUNK_BYTES = 64 * 1024;

/** One writer for stdout: whole answers, one after the other, however slowly each of them is written. */
export function createStdioWire(): Wire {
  let last: Promise<void> = Promise.resolve();
  const inOrder = (job: () => Promise<void>): Promise<void> => (last = last.then(job));
  return {
    async disturb(fault) {
      if (fault.stopReading) stopReading();
      await flood(process.stderr, fault.floodStderr ?? 0);
      await inOrder(() => writeEndlessly(fault.endlessLine ?? 0));
      await inOrder(() => makeNoise(fault));
      return false;
    },
    write: (messages, fault, cut = false) => inOrder(() => writeLines(messages, fault, cut)),
  };
}

export function stopReading(): void {
  process.stdin.pause();
  // A paused stdin does not keep the process alive, and a dead one would not fill the pipe.
  setInterval(() => {}, 60_000);
}

async function makeNoise(fault: EvilFault): Promise<void> {
  for (let line = 1; line <= (fault.floodStdout ?? 0); line++) await put(`noise ${line}\n`);
  const kinds = fault.garbage === true ? ALL_GARBAGE : (fault.garbage ?? []);
  for (const kind of kinds) await put(GARBAGE[kind]);
}

async function writeLines(messages: readonly Message[], fault: EvilFault, cut: boolean): Promise<void> {
  const end = fault.crlf ? "\r\n" : "\n";
  const lines = messages.map((message) => `${textOfMessage(message, fault)}${end}`);
  if (cut) lines.push(half(lines.pop() ?? ""));
  const writes = fault.oneChunk ? [lines.join("")] : lines;
  for (const write of writes) await writePieces(Buffer.from(write), fault);
}

async function writePieces(bytes: Buffer, fault: EvilFault): Promise<void> {
  for (const [index, piece] of piecesOf(bytes, fault).entries()) {
    if (index > 0) await sleep(fault.splitUtf8 === "bytes" ? 1 : PAUSE_MS);
    await put(piece);
  }
}

function half(line: string): string {
  return line.slice(0, line.length / 2);
}

function piecesOf(bytes: Buffer, fault: EvilFault): Buffer[] {
  if (fault.splitUtf8 === undefined) return [bytes];
  const pieces: Buffer[] = [];
  let start = 0;
  for (let index = 1; index < bytes.length; index++) {
    // A byte 10xxxxxx continues a character: a cut before the first of them is a cut inside it.
    const inside = ((bytes[index] ?? 0) & 0xc0) === 0x80 && ((bytes[index - 1] ?? 0) & 0xc0) !== 0x80;
    if (fault.splitUtf8 !== "bytes" && !inside) continue;
    pieces.push(bytes.subarray(start, index));
    start = index;
  }
  return [...pieces, bytes.subarray(start)];
}

async function writeEndlessly(bytes: number): Promise<void> {
  const chunk = Buffer.alloc(FLOOD_CHUNK_BYTES, "x");
  for (let left = bytes; left > 0; left -= chunk.length) await put(chunk.subarray(0, left));
}

async function flood(stream: NodeJS.WriteStream, bytes: number): Promise<void> {
  const chunk = Buffer.from(
    "stderr flood ".repeat(FLOOD_CHUNK_BYTES / 13).padEnd(FLOOD_CHUNK_BYTES - 1) + "\n",
  );
  for (let left = bytes; left > 0; left -= chunk.length) await put(chunk.subarray(0, left), stream);
}

function put(bytes: string | Uint8Array, stream: NodeJS.WriteStream = process.stdout): Promise<void> {
  return new Promise((resolve) => stream.write(bytes, () => resolve()));
}

/** Reads lines for the server until stdin ends. */
export function serveStdin(script: EvilScript, server: EvilServer, wire: Wire): void {
  let pending: Buffer[] = [];
  process.stdin.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)]).toString();
      pending = [];
      start = end + 1;
      if (line.trim() !== "") void server.receive(JSON.parse(line) as Message, wire);
    }
    pending.push(chunk.subarray(start));
  });
  process.stdin.on("end", () => {
    if (!script.ignoreStdinEnd) process.exit(0);
    process.stderr.write("ignored the end of stdin\n");
  });
  // A reader that is gone must not end a server that means to outlive it.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
}
