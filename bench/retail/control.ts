/**
 * What the bench tells a running server of the shop, in a file that the server reads at each call: whose log it is to use, and at
 * which call the gateway is to die. So one server, and one gateway, can go through many tasks, each with a shop of its own.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Before: the call is with the server, and nothing of it has happened. After: it is on disk, and not answered. */
export type KillMoment = "before" | "after";

export interface Kill {
  /** The number of the call among those since the log was chosen, from one. */
  readonly call: number;
  readonly moment: KillMoment;
  readonly pid: number;
}

export interface Control {
  /** Where the log of the shop is, which may not be there yet. */
  readonly log: string;
  readonly kill?: Kill;
}

/** Whole or not at all: the server may read at any moment. */
export function writeControl(file: string, control: Control): void {
  writeFileSync(`${file}.new`, JSON.stringify(control));
  renameSync(`${file}.new`, file);
}

export function readControl(file: string): Control {
  if (!existsSync(file)) throw new Error(`${file} is not there: write it before the first call.`);
  return JSON.parse(readFileSync(file, "utf8")) as Control;
}
