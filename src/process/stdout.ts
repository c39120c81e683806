/**
 * stdout carries data and nothing else: the protocol of `serve`, the answer of every other command. One stray line
 * would end an MCP connection or break a script, so `reserveStdout` is called before anything else is loaded. From then
 * on whatever writes to `process.stdout` (console.log of any module, a dependency's greeting) goes to stderr, and only
 * what it returned reaches the reader.
 */

/** The part of a writable stream that is needed to write to a reader and to hear that it has left. */
export interface Output {
  write(part: string | Buffer, done?: (error?: Error | null) => void): boolean;
  once(event: "error", listener: (error: Error) => void): unknown;
}

let reserved: Output | undefined;

/** Takes stdout, once for the process; later calls return the same output. */
export function reserveStdout(): Output {
  if (reserved !== undefined) return reserved;
  const { stdout, stderr } = process;
  reserved = { write: stdout.write.bind(stdout), once: stdout.once.bind(stdout) };
  // A closed pipe (`repertoire list | head`) is no reason to crash; `serve` hears of it through its transport.
  stdout.on("error", failUnlessReaderLeft);
  stderr.on("error", () => {});
  stdout.write = stderr.write.bind(stderr);
  return reserved;
}

/** On a full disk the answer is lost, and a script must not take what there is of it for the whole. */
function failUnlessReaderLeft({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || hasFailed) return;
  hasFailed = true;
  process.stderr.write(`error the answer could not be written to stdout: ${message}\n`);
  process.once("exit", () => {
    if (process.exitCode === undefined || process.exitCode === 0) process.exitCode = 1;
  });
}

let hasFailed = false;
