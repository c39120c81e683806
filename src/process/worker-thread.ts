/**
 * A thread for work on untrusted text that is small as a rule and without end at worst: parsing code, compiling a
 * schema, counting tokens.
 *
 * One request is worked on at a time, so the budget of each is its own: waiting in the queue and the start of the
 * thread do not count. It is processor time, because on a busy machine the smallest request takes seconds by the clock.
 * A thread that overruns or breaks is ended and replaced, and only the request that it was working on is lost; one that
 * breaks before it is ready loses the request that it was started for. The thread starts with the first request.
 * Nothing here throws.
 */
import { Worker } from "node:worker_threads";
import { messageOf } from "../core/errors.ts";
import { programFile, type ProgramName } from "./program-file.ts";

/** What is left of a budget is not waited for in smaller pieces. */
const LOOK_MS_MIN = 20;
/** A thread that gets no processor is waited for, but not without end: so many times its budget by the clock. */
const WAIT_FACTOR_MAX = 10;

/** What became of a request. */
export type ThreadReply<Reply> =
  | { readonly kind: "answered"; readonly reply: Reply }
  | { readonly kind: "overran"; readonly budgetMs: number }
  | { readonly kind: "crashed"; readonly reason: string }
  | { readonly kind: "closed" };

export interface WorkerThread<Request, Reply> {
  ask(request: Request): Promise<ThreadReply<Reply>>;
  /** Starts the thread before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export interface WorkerThreadOptions {
  readonly program: ProgramName;
  /** How much processor time one request may take. */
  readonly budgetMs: number;
  /** Of the thread's heap. */
  readonly memoryMbMax: number;
  /** How long a thread without a request is kept; without it, until it is closed. */
  readonly lingerMs?: number;
  /** Whether a request keeps the process alive until it is answered. */
  readonly holdsProcess?: boolean;
  /** A file in place of the program's own, for tests. */
  readonly file?: string;
}

interface Job<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: ThreadReply<Reply>) => void;
}

/** What the thread says: that it is ready, or an answer; with `spent`, it must not be used again. */
export type WorkerMessage<Reply> = "ready" | { readonly reply: Reply; readonly spent?: boolean };

export function createWorkerThread<Request, Reply>(
  options: WorkerThreadOptions,
): WorkerThread<Request, Reply> {
  const { program, budgetMs, memoryMbMax, lingerMs, holdsProcess = false, file } = options;
  const queue: Job<Request, Reply>[] = [];
  let thread: Worker | undefined;
  let isReady = false;
  let current: Job<Request, Reply> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** By the clock. */
  let longest: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): void {
    if (thread !== undefined || isClosed) return;
    const worker = new Worker(file ?? programFile(program), {
      env: {},
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax, stackSizeMb: 4 },
      stdin: false,
    });
    worker.unref();
    thread = worker;
    worker.on("message", (message: WorkerMessage<Reply>) => {
      if (thread !== worker) return;
      if (message === "ready") isReady = true;
      else {
        settle({ kind: "answered", reply: message.reply });
        if (message.spent === true) discard();
      }
      next();
    });
    const fail = (reason: string): void => {
      if (thread !== worker) return;
      if (!isReady) current ??= queue.shift();
      discard();
      settle({ kind: "crashed", reason });
      next();
    };
    worker.on("error", (error: unknown) => fail(messageOf(error)));
    worker.on("exit", (code) => fail(`the thread ended with code ${code}`));
  }

  function discard(): void {
    const old = thread;
    thread = undefined;
    isReady = false;
    void old?.terminate();
  }

  function settle(reply: ThreadReply<Reply>): void {
    clearTimeout(timer);
    clearTimeout(longest);
    const job = current;
    current = undefined;
    job?.resolve(reply);
  }

  function next(): void {
    if (current !== undefined) return;
    if (queue.length === 0) return rest();
    clearTimeout(idle);
    start();
    if (holdsProcess) thread?.ref();
    if (!isReady) return;
    current = queue.shift()!;
    const job = current;
    watch(job, thread!);
    try {
      // A thread is no window: there is no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      thread!.postMessage(job.request);
    } catch (error) {
      settle({ kind: "crashed", reason: messageOf(error) });
      next();
    }
  }

  function watch(job: Job<Request, Reply>, worker: Worker): void {
    const before = processorMs(worker);
    const startedAt = performance.now();
    const look = async (): Promise<void> => {
      const [then, now] = await Promise.all([before, processorMs(worker)]);
      if (current !== job) return;
      // Where the system does not count, the clock does; a thread that is ending says so soon.
      const spentMs = then === undefined ? performance.now() - startedAt : (now ?? then) - then;
      if (spentMs >= budgetMs) overrun(job);
      else lookAfter(Math.max(budgetMs - spentMs, LOOK_MS_MIN));
    };
    // Timers come before messages: after a pause of the event loop, an answer that is in time is heard first.
    const lookAfter = (ms: number): void => {
      timer = setTimeout(() => setImmediate(() => void look()), ms);
    };
    lookAfter(budgetMs);
    // A thread that is in native code does not say how long it worked.
    longest = setTimeout(() => setImmediate(() => overrun(job)), budgetMs * WAIT_FACTOR_MAX);
  }

  /** There is nothing to do. */
  function rest(): void {
    thread?.unref();
    clearTimeout(idle);
    if (lingerMs !== undefined) idle = setTimeout(discard, lingerMs).unref();
  }

  function overrun(job: Job<Request, Reply>): void {
    if (current !== job) return;
    discard();
    settle({ kind: "overran", budgetMs });
    next();
  }

  return {
    ask(request) {
      if (isClosed) return Promise.resolve({ kind: "closed" });
      return new Promise((resolve) => {
        queue.push({ request, resolve });
        next();
      });
    },
    warm: start,
    async close() {
      isClosed = true;
      clearTimeout(idle);
      const old = thread;
      thread = undefined;
      settle({ kind: "closed" });
      for (const job of queue.splice(0)) job.resolve({ kind: "closed" });
      await old?.terminate();
    },
  };
}

/** What the thread has used so far. A Node before 24.6 cannot tell: there, the clock counts. */
async function processorMs(worker: Worker): Promise<number | undefined> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return undefined;
  }
}
