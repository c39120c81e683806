import { constants, setPriority } from "node:os";

/** What works on untrusted code may not slow the gateway down. */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is gone already, or the system does not let us.
  }
}
