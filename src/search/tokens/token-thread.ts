/**
 * One thread for counting tokens, for as long as there is something to count: it ends soon after the last request, so
 * that nothing of the tokenizer stays in memory. Nothing here throws.
 */
import { createWorkerThread } from "../../process/worker-thread.ts";

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

/** The worst MB takes 3 s; a slow machine that does other things needs ten times as long. */
const BUDGET_MS = 60_000;
/** One count is often followed by another at once; loading the tokenizer for each would take longer than counting. */
const LINGER_MS = 500;
/** The tokenizer takes 70 MB, and what it remembers of words it has seen some more. */
const MEMORY_MB_MAX = 256;

export function createTokenThread(options: TokenThreadOptions = {}): TokenThread {
  const thread = createWorkerThread<readonly string[], readonly number[]>({
    program: "token-worker",
    file: options.file,
    budgetMs: options.budgetMs ?? BUDGET_MS,
    memoryMbMax: MEMORY_MB_MAX,
    lingerMs: options.lingerMs ?? LINGER_MS,
    // A command waits for a count when nothing else keeps the process up.
    holdsProcess: true,
  });
  return {
    async count(texts) {
      const answer = await thread.ask(texts);
      switch (answer.kind) {
        case "answered":
          return { kind: "counted", counts: answer.reply };
        case "overran":
          return { kind: "failed", reason: `it took longer than ${answer.budgetMs} ms` };
        case "crashed":
          return { kind: "failed", reason: answer.reason };
        case "closed":
          return { kind: "failed", reason: "the gateway is stopping" };
      }
    },
    close: () => thread.close(),
  };
}
