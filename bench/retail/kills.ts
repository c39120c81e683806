/** Kills before and after every action of every task, on two gateways at a time, each with a home of its own. */
import { playKill, type KillEnd, type PlannedKill } from "./kill.ts";
import type { HashOf } from "./final-state.ts";
import type { Stand } from "./stand.ts";
import { sum } from "../tasks/conversation.ts";
import type { Played } from "./undisturbed.ts";

interface FailedKill {
  readonly taskId: string;
  readonly call: number;
  readonly moment: string;
  readonly message: string;
}

export interface KillFigures {
  readonly kills: number;
  /** Kills after which the database and the result were the undisturbed ones, and nothing was repeated or lost. */
  readonly whole: number;
  readonly equalDatabases: number;
  readonly equalResults: number;
  readonly before: { readonly kills: number; readonly whole: number };
  readonly after: { readonly kills: number; readonly whole: number };
  /** Actions of which each planned kill was whole. */
  readonly actions: number;
  readonly wholeActions: number;
  readonly repeated: number;
  readonly lost: number;
  readonly uncertainStops: number;
  readonly writeKills: number;
  readonly meanResumeMs: number;
  /** Kills after which something was not as it should be. */
  readonly changed: readonly KillEnd[];
  /** Kills after which the run did not come to its end. */
  readonly failed: readonly FailedKill[];
}

/** Before and after every `sample`-th action of all, so that a short run meets tasks of all kinds. */
export function planKills(played: readonly PlannedKill["played"][], sample = 1): PlannedKill[] {
  const actions = played.flatMap((one) =>
    one.reference.done.map((_action, at) => ({ played: one, call: at + 1 })),
  );
  return actions
    .filter((_action, at) => at % sample === 0)
    .flatMap((action) => (["before", "after"] as const).map((moment) => ({ ...action, moment })));
}

export interface KillRun {
  readonly ends: readonly KillEnd[];
  readonly failed: readonly FailedKill[];
}

/** Each stand plays the next kill when it is done with one. */
export async function playKills(
  stands: readonly Stand[],
  plan: readonly PlannedKill[],
  hashOf: HashOf,
  onEnd: (run: KillRun) => void = () => {},
): Promise<KillRun> {
  const ends: KillEnd[] = [];
  const failed: FailedKill[] = [];
  let next = 0;
  const work = async (stand: Stand): Promise<void> => {
    let gateway = await stand.openGateway();
    for (let kill = plan[next++]; kill !== undefined; kill = plan[next++]) {
      try {
        const played = await playKill(stand, gateway, kill, hashOf);
        ends.push(played.end);
        gateway = played.gateway;
      } catch (error) {
        failed.push(failureOf(kill, error));
        await gateway.close();
        gateway = await stand.openGateway();
      }
      onEnd({ ends, failed });
    }
    await gateway.close();
  };
  await Promise.all(stands.map(work));
  return { ends, failed };
}

function failureOf({ played, call, moment }: PlannedKill, error: unknown): FailedKill {
  return { taskId: played.reference.task.id, call, moment, message: String(error) };
}

export function figuresOf(
  { ends, failed }: KillRun,
  played: readonly Pick<Played, "reference">[],
): KillFigures {
  const readOnly = new Set(
    played.flatMap(({ reference: { done } }) =>
      done.flatMap((action) => (action.readOnly ? [action.tool] : [])),
    ),
  );
  const of = (moment: string) => {
    const some = ends.filter((end) => end.moment === moment);
    const failedCount = failed.filter((kill) => kill.moment === moment).length;
    return { kills: some.length + failedCount, whole: some.filter(isWhole).length };
  };
  const actionOf = ({ taskId, call }: { taskId: string; call: number }) => `${taskId}/${call}`;
  const actions = new Set([...ends, ...failed].map(actionOf));
  const broken = new Set([...ends.filter((end) => !isWhole(end)), ...failed].map(actionOf));
  return {
    kills: ends.length + failed.length,
    whole: ends.filter(isWhole).length,
    equalDatabases: ends.filter(({ isEqual }) => isEqual).length,
    equalResults: ends.filter(({ isSameResult }) => isSameResult).length,
    before: of("before"),
    after: of("after"),
    actions: actions.size,
    wholeActions: actions.size - broken.size,
    repeated: sum(ends.map(({ repeatCount }) => repeatCount)),
    lost: sum(ends.map(({ lostCount }) => lostCount)),
    uncertainStops: ends.filter(({ uncertainCount }) => uncertainCount > 0).length,
    writeKills: ends.filter(({ tool }) => !readOnly.has(tool)).length,
    meanResumeMs: sum(ends.map(({ resumeMs }) => resumeMs)) / Math.max(1, ends.length),
    changed: ends.filter((end) => !isWhole(end)),
    failed,
  };
}

export function isWhole({ isEqual, isSameResult, repeatCount, lostCount }: KillEnd): boolean {
  return isEqual && isSameResult && repeatCount === 0 && lostCount === 0;
}
