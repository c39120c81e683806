/**
 * The one channel between gateway and runner: lines of text over the runner's standard input and output. A line is one
 * letter, then fields parted by single spaces, then JSON, which has no line breaks. The JSON is passed as it is, so that
 * arguments and answers are encoded once on each side and never quoted inside another text.
 *
 * | to the runner | |
 * |---|---|
 * | `S {start}` | run this; see `Start` |
 * | `R id clock json` | the call returned; no JSON means undefined |
 * | `E id clock json` | the call failed |
 *
 * | from the runner | |
 * |---|---|
 * | `W` | warm: a fresh VM waits for a run |
 * | `C id function json` | the guest calls a function |
 * | `I count` | idle: the guest has made of so many answers what it can, and waits; only where `Start` asks for it |
 * | `L level length json` | a line of console output, cut, with its full length |
 * | `V json` | the guest's result; no JSON means undefined |
 * | `D json` | done; see `Done` |
 *
 * Inside the runner, the guest's side sends `C` and `L` in the same form, and ends with `V json` (it returned), `Y length` (what it
 * returned is too large) or `X json` (it threw).
 */

/** What the runner needs for one run. */
export interface Start {
  readonly script: string;
  readonly timeoutMs: number;
  readonly clockAt: number;
  readonly tellsIdle: boolean;
  /** Read by the guest's side alone. */
  readonly guest: {
    readonly args: unknown;
    /** The functions by number: namespace and name; without a name, an empty namespace. */
    readonly functions: readonly (readonly [namespace: string, name: string | null])[];
    readonly seed: readonly number[];
    readonly limits: {
      readonly callsMax: number;
      readonly argumentsMax: number;
      readonly resultMax: number;
      readonly consoleMax: number;
    };
  };
  readonly resultBytesMax: number;
}

/** How a run ended, as the runner saw it. */
export interface Done {
  readonly kind: "returned" | "threw" | "timeout" | "memory" | "stuck" | "result_limit" | "trapped";
  /** With `threw`: what the guest threw, as its side described it. With `trapped`: the engine's words. */
  readonly thrown?: unknown;
  /** With `result_limit`: how large the result is. */
  readonly bytes?: number;
  /** Rejections that nothing handled, and how many more there were. */
  readonly unhandled: readonly unknown[];
  readonly unhandledCount: number;
  /** Console output that was not sent. */
  readonly consoleDropped: { readonly lines: number; readonly bytes: number };
  /** The largest that the guest's memory was. */
  readonly memoryBytes: number;
}

/** Cuts the first `count` fields off a line; the rest is JSON, or nothing. */
export function splitFrame(line: string, count: number): string[] {
  const fields: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = line.indexOf(" ", at);
    if (end === -1) return [...fields, line.slice(at)];
    fields.push(line.slice(at, end));
    at = end + 1;
  }
  return [...fields, line.slice(at)];
}
