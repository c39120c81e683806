/**
 * One thread for counting tokens, for as long as there is something to count. It starts with the first request, works on one at a
 * time and ends soon after the last, so that nothing of the tokenizer stays in memory. Nothing here throws: a thread that breaks
 * or overruns fails the request that it was working on, and the next one gets a new thread.
 */
import { Worker } from "node:worker_threads";
import { messageOf } from "../../core/errors.ts";
import { programFile } from "../../process/program-file.ts";
import { Mutex } from "../../timing/mutex.ts";

type TokenReply =
  | { readonly kind: "counted"; readonly counts: readonly number[] }
  | { readonly kind: "failed"; readonly reason: string };

export interface TokenThread {
  count(texts: readonly string[]): Promise<TokenReply>;
  close(): Promise<void>;
}

export interface TokenThreadOptions {
  /** The program of the thread. */
  readonly file?: string;
  readonly budgetMs?: number;
  readonly lingerMs?: number;
}

/** The tokenizer loads in 0.3 s and the worst MB takes 3 s; a slow machine that does other things needs ten times as long. */
const BUDGET_MS = 60_000;
/** Whoever counts once often counts again at once; loading the tokenizer for each would take longer than counting. */
const LINGER_MS = 500;
/** The tokenizer takes 70 MB, and what it remembers of words it has seen some more. */
const MEMORY_MB_MAX = 256;

export function createTokenThread(options: TokenThreadOptions = {}): TokenThread {
  const { file = programFile("token-worker"), budgetMs = BUDGET_MS, lingerMs = LINGER_MS } = options;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const countings = new Mutex();
  let isClosed = false;

  function start(): Worker {
    const made = new Worker(file, {
      env: {},
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
      stdin: false,
    });
    // Heard even when nothing is asked: an error without a listener would end the process.
    made.on("error", () => discard(made));
    made.on("exit", () => discard(made));
    return made;
  }

  function discard(old: Worker | undefined): void {
    if (worker === old) worker = undefined;
    void old?.terminate();
  }

  function ask(texts: readonly string[]): Promise<TokenReply> {
    clearTimeout(idle);
    const thread = (worker ??= start());
    // Whoever waits for a count must not be left alone because nothing else keeps the process up.
    thread.ref();
    return new Promise((resolve) => {
      const settle = (reply: TokenReply): void => {
        clearTimeout(timer);
        thread.off("message", onCounts).off("error", onError).off("exit", onExit);
        thread.unref();
        resolve(reply);
      };
      const failed = (reason: string): void => {
        discard(thread);
        settle({ kind: "failed", reason });
      };
      const onCounts = (counts: readonly number[]): void => settle({ kind: "counted", counts });
      const onError = (error: unknown): void => failed(messageOf(error));
      const onExit = (code: number): void => failed(`the thread ended with code ${code}`);
      const timer = setTimeout(() => failed(`it took longer than ${budgetMs} ms`), budgetMs);
      thread.on("message", onCounts).on("error", onError).on("exit", onExit);
      // A thread is no window: there is no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      thread.postMessage(texts);
    });
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => discard(worker), lingerMs).unref();
  }

  return {
    count(texts) {
      return countings.run(async (): Promise<TokenReply> => {
        if (isClosed) return { kind: "failed", reason: "the gateway is stopping" };
        try {
          return await ask(texts);
        } catch (error) {
          return { kind: "failed", reason: messageOf(error) };
        } finally {
          rest();
        }
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      const old = worker;
      worker = undefined;
      await old?.terminate();
    },
  };
}
