/** The last run of the editor. It is kept while the page is open: the run goes on when its screen is left. */
import type { Answer } from "../../api/client.ts";
import { ApiError, toolErrorOf } from "../../api/api-error.ts";
import { newRequestId } from "../../api/request-id.ts";

export type Executed = Answer<"startRun">;

export interface CodeRun {
  readonly requestId: string;
  readonly code: string;
  readonly startedAt: string;
  readonly state: "under_way" | "ended" | "failed";
  readonly executed?: Executed;
  readonly error?: ReturnType<typeof toolErrorOf>;
  /** No answer came: the run may go on. */
  readonly isLost?: boolean;
}

let last: CodeRun | undefined;
const listeners = new Set<() => void>();

export function lastRun(): CodeRun | undefined {
  return last;
}

export function watchRun(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts a run, unless one is under way: a second press is the same press. */
export async function startCodeRun(
  code: string,
  start: (requestId: string) => Promise<Executed>,
): Promise<void> {
  if (last?.state === "under_way") return;
  const begun: CodeRun = {
    requestId: newRequestId(),
    code,
    startedAt: new Date().toISOString(),
    state: "under_way",
  };
  become(begun);
  try {
    become({ ...begun, state: "ended", executed: await start(begun.requestId) });
  } catch (failure) {
    const isLost = failure instanceof ApiError && failure.isUnreachable;
    become({ ...begun, state: "failed", error: toolErrorOf(failure), isLost });
  }
}

function become(next: CodeRun): void {
  last = next;
  for (const listener of listeners) listener();
}

/** How the gateway names what a request of this page started. */
export function sessionOf({ requestId }: Pick<CodeRun, "requestId">): string {
  return `console:${requestId}`;
}

/** Where a run failed, as the editor marks it; only while the code is what ran. */
export function problemsOfRun(run: CodeRun | undefined, code: string) {
  const error = run?.error ?? run?.executed?.error;
  const isWaiting = run?.executed?.status === "paused";
  if (run === undefined || error === undefined || isWaiting || run.code !== code) return [];
  const { message, hint, place } = error as {
    message: string;
    hint?: string;
    place?: { line: number; column: number; text: string };
  };
  return place === undefined
    ? []
    : [{ severity: "error" as const, message, ...place, ...(hint !== undefined && { hint }) }];
}
