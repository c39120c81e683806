/**
 * Work that a caller names by an id of its own is begun once: who asks again within ten minutes, because an answer was
 * lost or a button was pressed twice, gets the same answer. It lives in this process alone.
 */

/** Longer than anybody presses a button again, or a browser repeats a request. */
const KEPT_MS = 10 * 60_000;
/** Answers can be large, so few are kept; one under way is never dropped. */
const COUNT_MAX = 200;

export interface OnceById {
  /** `who` is the caller: nobody gets the answer of another one by guessing an id. Without an id, it is done each time. */
  run<T>(who: string, id: string | undefined, work: () => Promise<T>): Promise<T>;
}

interface Begun {
  readonly at: number;
  readonly answer: Promise<unknown>;
  hasEnded: boolean;
}

export function createOnceById(now: () => number = Date.now): OnceById {
  const begun = new Map<string, Begun>();

  function forget(): void {
    for (const [key, { at, hasEnded }] of begun) {
      const isOld = now() - at > KEPT_MS;
      if (hasEnded && (isOld || begun.size > COUNT_MAX)) begun.delete(key);
    }
  }

  return {
    run<T>(who: string, id: string | undefined, work: () => Promise<T>): Promise<T> {
      if (id === undefined) return work();
      forget();
      const key = JSON.stringify([who, id]);
      const known = begun.get(key);
      if (known !== undefined) return known.answer as Promise<T>;
      const answer = work();
      const one: Begun = { at: now(), answer, hasEnded: false };
      begun.set(key, one);
      const end = (): void => {
        one.hasEnded = true;
      };
      answer.then(end, end);
      return answer;
    },
  };
}
