/**
 * Reads guest code before anything of it runs: what it means without types, and which tools it can reach.
 *
 * The work is done in a supervised thread, because the text is untrusted and a parser may run long, overflow or break on it. Code that
 * breaks the thread is refused like any other that cannot be read, and the next request gets a new thread. Nothing here throws.
 */
import type { Analysis, CodeProblem } from "./contract.ts";
import { createLru } from "../../timing/lru.ts";
import { createWorkerThread, type ThreadReply } from "../../process/worker-thread.ts";

export type { CodeProblem, Program, StrayUse, ToolUse } from "./contract.ts";
export { placeInSource } from "./place.ts";

/** 256 KiB of ordinary code take 0.3 s in a thread that has just started; only code that is made to be slow comes near. */
const ANALYSIS_BUDGET_MS = 2_000;

/** 256 KiB of the smallest statements, which make the largest trees, take less than 192 MB. */
const ANALYSIS_MEMORY_MB_MAX = 256;

/** What is run once is often run again: kept code always, a draft while it is being tried. */
const RECENT_LIMITS = { countMax: 100, sizeMax: 1024 * 1024 };

export interface CodeAnalysis {
  analyse(code: string): Promise<Analysis>;
  /** Starts the thread before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export function createCodeAnalysis(): CodeAnalysis {
  const thread = createWorkerThread<string, Analysis>({
    program: "analysis-worker",
    budgetMs: ANALYSIS_BUDGET_MS,
    memoryMbMax: ANALYSIS_MEMORY_MB_MAX,
  });
  const recent = createLru<Promise<Analysis>>(RECENT_LIMITS);

  async function read(code: string): Promise<Analysis> {
    const reply = await thread.ask(code);
    return reply.kind === "answered" ? reply.reply : { kind: "refused", problems: [unread(reply)] };
  }

  return {
    analyse(code) {
      const known = recent.get(code);
      if (known !== undefined) return known;
      // Kept before it is known, so that the same code at the same time is read once; what could not be read is tried again.
      const analysis = read(code);
      recent.set(code, analysis, code.length);
      void analysis.then((found) => found.kind === "refused" && recent.remove(code));
      return analysis;
    },
    warm: () => thread.warm(),
    close: () => thread.close(),
  };
}

function unread(reply: Exclude<ThreadReply<Analysis>, { kind: "answered" }>): CodeProblem {
  const place = { line: 1, column: 1, text: "" };
  switch (reply.kind) {
    case "closed":
      return {
        ...place,
        reason: "not_available",
        message: "The gateway is stopping and takes no more code.",
      };
    case "overran":
      return {
        ...place,
        reason: "too_deep",
        message: `The code takes more than ${reply.budgetMs} ms of processor time to read.`,
        hint: SIMPLIFY,
      };
    case "crashed":
      return {
        ...place,
        reason: "too_deep",
        message: `The code could not be read: ${reply.reason}.`,
        hint: SIMPLIFY,
      };
  }
}

const SIMPLIFY =
  "Nothing has run. Make the code shorter or flatter, and pass large data as args instead of writing it into the code.";
