/**
 * Places at which a test ends the process, as `kill -9` would: between two writes, between a write and a call. Each is
 * a no-op unless `REPERTOIRE_CRASH_AT` names it, alone (`step.opened`) or with the number of the visit
 * (`step.opened:3`).
 */
export const CRASH_POINTS = [
  /** A run has its row, and nothing of it has happened. */
  "run.started",
  /** A call is about to be put on record. */
  "step.arriving",
  /** A call is on record and not sent. */
  "step.opened",
  /** A call is on its way. */
  "step.sent",
  /** The answer is there and not on record. */
  "step.answered",
  /** The answer is on record, and the caller has not heard of it; of reads, some together, and the code goes on already. */
  "step.closed",
  /** Everything has happened, and the end is not on record. */
  "run.ending",
  /** The end is on record, and the client has not heard of it. */
  "run.ended",
  /** A run that was interrupted is taken over, and nothing goes on from it yet. */
  "resume.claimed",
  /** The run that goes on is on record with what it took over. */
  "resume.started",
  /** A question is on record, and the run has not paused. */
  "approval.asked",
  /** The state that an answer came with is used up, and nothing is decided. */
  "state.spent",
  /** A decision is on record, and no caller has heard of it. */
  "approval.decided",
  /** A person's yes is used up, and the call that it is for is not on record as sent. */
  "approval.spent",
  /** A capability is saved, and its draft is still there. */
  "save.committed",
  /** A bundle is unpacked under its name, and no entry of the config refers to it. */
  "install.unpacked",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

const [wantedPoint, wantedVisit = "1"] = (process.env["REPERTOIRE_CRASH_AT"] ?? "").split(":");
let visitCount = 0;

/** The same a moment later, when what was just begun has left the process. */
export function crashPointSoon(point: CrashPoint): void {
  if (point === wantedPoint) setImmediate(() => crashPoint(point));
}

export function crashPoint(point: CrashPoint): void {
  if (point !== wantedPoint || ++visitCount !== Number(wantedVisit)) return;
  process.kill(process.pid, "SIGKILL");
}
