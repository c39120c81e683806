/**
 * Code against the types of the tools that it calls, before it runs.
 *
 * Types can be made to compute without end, so the compiler is a process with a budget of time and memory, and one check
 * is made at a time. A compiler that overruns, grows or breaks is killed, the check under way is "unchecked" with the
 * reason, and the next check starts a new one. The start does not count against a check's budget. The only state is the
 * process and the last verdicts; nothing here throws.
 */
import type { LaunchChild } from "../runner/runner-process.ts";
import { createLru } from "../../timing/lru.ts";
import { Mutex } from "../../timing/mutex.ts";
import { complaintsOf, type ToolCallPlace, type TypeComplaint } from "./complaints.ts";
import { openProject, type Project } from "./compiler-project.ts";

export type { ToolCallPlace, TypeComplaint } from "./complaints.ts";

/** A check takes milliseconds; nothing that a person or model writes needs this long. */
const BUDGET_MS = 2_000;
/** The start takes about 100 ms; a loaded machine may need many times that. */
const START_MS_MAX = 15_000;
/** An ordinary check stays below 60 MB. */
const MEMORY_BYTES_MAX = 600_000_000;
/** Hostile types take some 200 MB in a second. */
const MEMORY_WATCH_MS = 100;

/** The same code against the same tools has the same types. */
const RECENT_LIMITS = { countMax: 100, sizeMax: 2 * 1024 * 1024 };

export type TypeVerdict =
  | { readonly kind: "checked"; readonly complaints: readonly TypeComplaint[] }
  | { readonly kind: "unchecked"; readonly reason: string };

export interface TypeCheckRequest {
  /** The guest's TypeScript as `(async () => {\n` + code + `\n})();`. */
  readonly checked: string;
  readonly declarations: string;
  /** Offsets are into `checked`. */
  readonly calls: readonly ToolCallPlace[];
}

export interface TypeCheck {
  check(request: TypeCheckRequest): Promise<TypeVerdict>;
  /** Starts the compiler before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export interface TypeCheckOptions {
  /** How the compiler is started so that it ends with the gateway. */
  readonly launch?: LaunchChild;
  readonly budgetMs?: number;
  /** Of the compiler's process, where the system tells it (Linux). */
  readonly memoryBytesMax?: number;
}

export function createTypeCheck(options: TypeCheckOptions = {}): TypeCheck {
  const { budgetMs = BUDGET_MS, memoryBytesMax = MEMORY_BYTES_MAX } = options;
  const recent = createLru<Promise<TypeVerdict>>(RECENT_LIMITS);
  let project: Project | undefined;
  const checks = new Mutex();
  let isClosed = false;

  async function checkNow({ checked, declarations, calls }: TypeCheckRequest): Promise<TypeVerdict> {
    if (isClosed) return unchecked("The type check is closed.");
    try {
      const current = ensureProject();
      await within(START_MS_MAX, current, "to start", current.ready);
      const unwatch = watchMemory(current, memoryBytesMax);
      const diagnosing = current.diagnose(checked, declarations);
      const diagnostics = await within(budgetMs, current, "for one check", diagnosing).finally(unwatch);
      return { kind: "checked", complaints: complaintsOf(diagnostics, checked, calls) };
    } catch (error) {
      return unchecked(`The types were not checked: ${(error as Error).message}.`);
    } finally {
      await discardIfSpent();
    }
  }
  function ensureProject(): Project {
    if (project?.compiler.isAlive() !== true) project = openProject(options.launch);
    return project;
  }
  /** A process that is being killed is waited for, so that two never run side by side. */
  async function discardIfSpent(): Promise<void> {
    const compiler = project?.compiler;
    if (compiler === undefined) return;
    const isSpent = !compiler.isAlive() || compiler.memoryBytes() > memoryBytesMax;
    if (isSpent) await compiler.kill("the compiler is replaced");
  }

  function check(request: TypeCheckRequest): Promise<TypeVerdict> {
    const key = JSON.stringify([request.checked, request.declarations, request.calls]);
    const known = recent.get(key);
    if (known !== undefined && !isClosed) return known;
    const verdict = checks.run(() => checkNow(request));
    // Kept before it is known, so that the same code at the same time is checked once; what was not checked is tried again.
    recent.set(key, verdict, key.length);
    void verdict.then((found) => found.kind === "unchecked" && recent.remove(key));
    return verdict;
  }

  return {
    check,
    warm() {
      // The first check is the slow one, for it reads the library's declarations.
      if (project === undefined)
        void check({ checked: "(async () => {\n})();", declarations: "", calls: [] });
    },
    async close() {
      isClosed = true;
      await project?.compiler.kill("the type check is closed");
    },
  };
}

function unchecked(reason: string): TypeVerdict {
  return { kind: "unchecked", reason };
}

/** The work, or its failure because the compiler was killed when the time was up. */
async function within<T>(ms: number, { compiler }: Project, what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    void compiler.kill(`the compiler took longer ${what} than ${ms} ms`);
  }, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function watchMemory({ compiler }: Project, bytesMax: number): () => void {
  const timer = setInterval(() => {
    if (compiler.memoryBytes() > bytesMax) {
      void compiler.kill(`the compiler took more memory than ${Math.round(bytesMax / 1e6)} MB`);
    }
  }, MEMORY_WATCH_MS);
  return () => clearInterval(timer);
}
