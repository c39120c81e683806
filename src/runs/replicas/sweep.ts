/**
 * Ends the runs of owners that are dead, so that no client waits for one that will not go on. Each is claimed, which
 * fences its owner should it wake up, and then written as interrupted, as a resume would find it. A turn that is cut short
 * leaves nothing stranded: a run that was claimed and not ended is found again when the claim has run out.
 *
 * Nothing goes on by itself here: the client of a foreground run may repeat its call, and a background run is handed to
 * its queue. Runs that others had started are rows like any, and end in the same way.
 */
import type { ReplicaStore } from "../../core/replica-store.ts";
import { interrupt, type ResumeDeps } from "../resume/resume.ts";

/** So many are read at a time. */
const BATCH_SIZE = 20;

export interface SweepDeps extends ResumeDeps {
  readonly replicas: Pick<ReplicaStore, "listAbandoned">;
}

export async function sweepAbandoned(deps: SweepDeps): Promise<void> {
  await endUnended(deps);
  // Those that another process is about to end are left to it: the next turn sees whether it did.
  while ((await sweepBatch(deps)) === BATCH_SIZE);
}

/** How many were ended. */
async function sweepBatch(deps: SweepDeps): Promise<number> {
  let endedCount = 0;
  for (const run of await deps.replicas.listAbandoned(BATCH_SIZE)) {
    // This process was stopped since it asked: what it knows of the others is too old.
    if (deps.liveness.groundsFor(run.leaseOwner).judgesDead !== true) break;
    if (await interrupt(deps, run)) endedCount++;
  }
  return endedCount;
}

/** Runs of this process whose end could not be written: to all others they are alive for as long as it is. */
async function endUnended(deps: SweepDeps): Promise<void> {
  const { owner } = deps.liveness;
  for (const id of deps.unended) {
    if (await interrupt(deps, { id, leaseOwner: owner })) continue;
    const run = await deps.store.find(id);
    if (run?.leaseOwner !== owner) deps.unended.delete(id);
  }
}
