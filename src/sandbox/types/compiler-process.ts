/**
 * The TypeScript compiler as a process that answers questions (`tsc --api --async`).
 *
 * It is spoken to directly and not through `typescript/unstable/async`, because that package starts the process itself,
 * with the gateway's whole environment and stderr, and keeps its id to itself; here the process must be bounded, and
 * killed for sure.
 *
 * The process sees the files that it is given and the library files beside its program, and nothing else of the disk:
 * code under check could name any file, and a complaint could quote it.
 *
 * How it is started is handed in: the gateway starts it like its servers, under a watcher that ends it when the gateway is
 * killed. Started plainly, it ends when its stdin closes, as a rule; it was seen to hang there.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LaunchChild } from "../runner/runner-process.ts";
import { lowerPriority } from "../priority.ts";
import { residentBytes } from "../runner/resident-memory.ts";

/** The collector works harder near this; what counts is the limit that is watched from outside. */
const HEAP_SOFT_LIMIT = "256MiB";
/** One check is one thread's work; the second is for the collector. */
const THREAD_COUNT = "2";
const CALLBACKS = "readFile,fileExists,directoryExists,getAccessibleEntries,realpath";

export interface Compiler {
  readonly pid: number | undefined;
  request(method: string, params: unknown): Promise<unknown>;
  /** Fails what is under way with the reason; resolves when the process is gone. */
  kill(reason: string): Promise<void>;
  isAlive(): boolean;
  /** What it holds in memory; 0 where that cannot be read. */
  memoryBytes(): number;
}

/** Starts a compiler that works in `folder` on the given files, by their whole paths. Throws if there is none. */
export function startCompiler(
  folder: string,
  files: ReadonlyMap<string, string>,
  launch: LaunchChild = startPlainly,
): Compiler {
  const program = findProgram();
  // On Windows nothing starts without SystemRoot.
  const { SystemRoot } = process.env;
  const child = launch({
    file: program,
    args: ["--api", "--async", "--cwd", folder, `--callbacks=${CALLBACKS}`],
    env: {
      GOMEMLIMIT: HEAP_SOFT_LIMIT,
      GOMAXPROCS: THREAD_COUNT,
      ...(SystemRoot !== undefined && { SystemRoot }),
    },
    cwd: tmpdir(),
  });
  // What it has to say, it says on stdout.
  child.stderr?.resume();
  letGo(child);
  lowerPriority(child.pid);
  return converse(child, createView(folder, files, dirname(program)));
}

/** The program is in a package of its own for each platform, which only the package `typescript` can see. */
function findProgram(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
    const found = createRequire(typescript).resolve(`@typescript/typescript-${platform}/package.json`);
    return join(dirname(realpathSync(found)), "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
  } catch (cause) {
    throw new Error(`the package typescript with its program for ${platform} is not installed`, { cause });
  }
}

const startPlainly: LaunchChild = ({ file, args, env, cwd }) =>
  spawn(file, args, { env, cwd, stdio: "pipe", windowsHide: true });

/** An idle compiler does not keep the gateway's process alive; a check does, by its timer. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
}

type View = Readonly<Record<string, (path: string) => unknown>>;

/** Answers to what the compiler asks about the disk; `null` lets it look itself. */
function createView(folder: string, files: ReadonlyMap<string, string>, libraryFolder: string): View {
  const library = `${libraryFolder.replaceAll("\\", "/")}/lib.`;
  const isLibrary = (path: string): boolean =>
    path.startsWith(library) && !path.slice(library.length).includes("/");
  return {
    readFile: (path) => (isLibrary(path) ? null : { content: files.get(path) ?? null }),
    fileExists: (path) => (isLibrary(path) ? null : files.has(path)),
    directoryExists: (path) => path === folder,
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path) => path,
  };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

function converse(child: ChildProcess, view: View): Compiler {
  const waiting = new Map<number, Waiting>();
  const exited = Promise.withResolvers<void>();
  let endReason: string | undefined;
  let requestCount = 0;

  function end(reason: string): void {
    endReason ??= reason;
    for (const { reject } of waiting.values()) reject(new Error(endReason));
    waiting.clear();
  }
  function kill(reason: string): Promise<void> {
    end(reason);
    // A process that waits for the end must stay up until then.
    child.ref();
    child.kill("SIGKILL");
    return exited.promise;
  }
  function take(message: CompilerMessage): void {
    if (message.method !== undefined) {
      const result = view[message.method]?.(String(message.params)) ?? null;
      child.stdin!.write(writeMessage({ ...(message.id !== undefined && { id: message.id }), result }));
      return;
    }
    const asked = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    if (message.error === undefined) asked?.resolve(message.result);
    else asked?.reject(new Error(message.error.message ?? "the compiler refused a request"));
  }

  const read = createMessageReader(take);
  child.stdout!.on("data", (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      void kill(`the compiler could not be understood: ${(error as Error).message}`);
    }
  });
  // A write to a process that is gone; its exit says so too.
  child.stdin!.on("error", () => {});
  child.once("error", (error) => {
    end(`the compiler did not start: ${error.message}`);
    if (child.pid === undefined) exited.resolve();
  });
  child.once("exit", (code, signal) => {
    end(`the compiler ended with ${signal ?? `code ${code}`}`);
    // With the lifeline, the watcher ends too.
    for (const stream of child.stdio) stream?.destroy();
    exited.resolve();
  });

  return {
    pid: child.pid,
    request(method, params) {
      if (endReason !== undefined) return Promise.reject(new Error(endReason));
      requestCount += 1;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(requestCount, asked);
      child.stdin!.write(writeMessage({ id: requestCount, method, params }));
      return asked.promise;
    },
    kill,
    isAlive: () => endReason === undefined,
    memoryBytes: () => residentBytes(child.pid),
  };
}

/** Twenty complaints are shown; a message beyond this is a flood of them. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const HEADER_BYTES_MAX = 1024;
const HEADER_END = "\r\n\r\n";

/**
 * JSON-RPC over a pair of pipes as language servers speak it: a header with the length, an empty line, the JSON. The
 * other side works on hostile code, so what it says is bounded.
 */
interface CompilerMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

function writeMessage(message: CompilerMessage): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEADER_END}`), body]);
}

/** Takes chunks as they come and gives whole messages; throws on what is no message. */
function createMessageReader(onMessage: (message: CompilerMessage) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = 0;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    // Chunks are joined only when a message may be whole, so that a long one is not copied again and again.
    while (held > 0 && held >= needed) {
      const bytes = Buffer.concat(chunks);
      const start = bodyStart(bytes);
      const end = start === undefined ? undefined : start + bodyLength(bytes, start);
      if (start === undefined || end === undefined || bytes.length < end) {
        chunks = [bytes];
        needed = end ?? held + 1;
        return;
      }
      const rest = bytes.subarray(end);
      chunks = [rest];
      held = rest.length;
      needed = 0;
      onMessage(JSON.parse(bytes.toString("utf8", start, end)) as CompilerMessage);
    }
  };
}

function bodyStart(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEADER_END);
  if (end >= 0) return end + HEADER_END.length;
  if (bytes.length > HEADER_BYTES_MAX) throw new Error("no header within its limit");
  return undefined;
}

function bodyLength(bytes: Buffer, start: number): number {
  const length = /content-length: *(\d+)/i.exec(bytes.toString("latin1", 0, start))?.[1];
  if (length === undefined) throw new Error("a header without a length");
  if (Number(length) > MESSAGE_BYTES_MAX) {
    throw new Error(`a message of ${length} bytes; the limit is ${MESSAGE_BYTES_MAX}`);
  }
  return Number(length);
}
