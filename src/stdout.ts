/**
 * stdout carries data and nothing else: the protocol of `serve`, the answer of every other command. One stray line would end an
 * MCP connection or break a script, so `reserveStdout` is called before anything else is loaded. From then on whatever
 * writes to `process.stdout` (console.log of any module, a dependency's greeting) lands on stderr, and only the stream that
 * it returned reaches the reader.
 */
import { Writable } from "node:stream";

let reserved: Writable | undefined;

/** Takes stdout, once for the process; later calls return the same stream. */
export function reserveStdout(): Writable {
  if (reserved !== undefined) return reserved;
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  reserved = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
  // A reader that has left (`repertoire list | head`) is no reason to crash; `serve` hears of it through its transport.
  reserved.on("error", () => {});
  stdout.on("error", (error) => reserved?.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return reserved;
}
