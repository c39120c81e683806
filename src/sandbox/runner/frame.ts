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
 * | `D json` | done; see `GuestOutcome`, of which the runner knows a part |
 *
 * Inside the runner, the guest's side sends `C` and `L` in the same form, and ends with `V json` (it returned), `Y length` (what it
 * returned is too large) or `X json` (it threw).
 */

import type { GuestRun } from "../guest-contract.ts";

/** A `GuestRun` as it is sent to the runner. */
export interface Start extends Pick<GuestRun, "script" | "clockAt" | "timeoutMs"> {
  readonly tellsIdle: boolean;
  readonly resultBytesMax: number;
  /** Read by the guest's side alone. */
  readonly guest: Pick<GuestRun, "args"> & {
    /** The functions by number: namespace and name; without a name, an empty namespace. */
    readonly functions: readonly (readonly [namespace: string, name: string | null])[];
    readonly seed: readonly [number, number, number, number];
    readonly limits: Pick<GuestRun, "callsMax"> & {
      readonly argumentsMax: number;
      readonly resultMax: number;
      readonly consoleMax: number;
    };
  };
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
