import { constants } from "node:os";
import type { NotStartedCause } from "../failure-cause.ts";

/** How a server's process ended, or why it never began. */
export type ProcessExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  /** The gateway ended it, because it broke a limit. */
  | { readonly kind: "stopped"; readonly reason: string }
  | ({ readonly kind: "not_started" } & NotStarted);

/** Why a process never ran: a word for it, and a sentence. */
export interface NotStarted {
  readonly cause: NotStartedCause;
  readonly reason: string;
}

/** A shell, and bubblewrap, add the number of the signal that ended a program to this. */
const SIGNALLED = 128;

/** The exit of a wrapper says how what it wrapped has ended. */
export function readWrappedExit(exit: ProcessExit): ProcessExit {
  if (exit.kind !== "exited" || exit.code <= SIGNALLED) return exit;
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const signal = names.find(([, number]) => number === exit.code - SIGNALLED)?.[0];
  return signal === undefined ? exit : { kind: "signalled", signal };
}

/** What a shell answers when the program cannot be executed, and when it is not there. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/**
 * Reads what the system reports about the end. The command was found before, so 126 or 127 without one byte on stdout
 * means that its interpreter is missing, that it vanished meanwhile, or that a wrapper did not find the real program.
 */
export function readExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  wasSilent: boolean,
): ProcessExit {
  if (signal !== null) return { kind: "signalled", signal };
  if (wasSilent && code === NOT_FOUND)
    return {
      kind: "not_started",
      cause: "not_found",
      reason: "A program was not found (exit code 127).",
    };
  if (wasSilent && code === NOT_EXECUTABLE)
    return {
      kind: "not_started",
      cause: "not_executable",
      reason: "A program could not be executed (exit code 126).",
    };
  return { kind: "exited", code: code ?? 0 };
}

/** The end of a process, as a sentence. */
export function describeExit(exit: ProcessExit): string {
  switch (exit.kind) {
    case "exited":
      return `The server's process exited with code ${exit.code}.`;
    case "signalled":
      return `The server's process was ended by ${exit.signal}.`;
    case "stopped":
      return `The server's process was stopped: ${exit.reason}.`;
    case "not_started":
      return `The server's process did not start. ${exit.reason}`;
  }
}
