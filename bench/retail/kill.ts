/**
 * One kill: a task's script runs, the gateway dies by SIGKILL while one of its calls is with the shop, and a new gateway on the same
 * home goes on with the run. Where that gateway asks what became of a call, the answer comes from the shop's log, as a person
 * would look there; nothing is guessed.
 */
import { isDeepStrictEqual } from "node:util";
import type { Lines } from "../lines.ts";
import { execute, resultOf, type UncertainCall } from "./connection.ts";
import type { KillMoment } from "./control.ts";
import type { HashOf } from "./final-state.ts";
import { readLog, type LogEntry } from "./shop.ts";
import type { Stand } from "./stand.ts";
import type { Action } from "./task.ts";
import { sum } from "../tasks/conversation.ts";
import type { Played, Reference } from "./undisturbed.ts";

export interface PlannedKill {
  /** The task as it went undisturbed. */
  readonly played: Pick<Played, "reference" | "outputs">;
  /** Which of the task's actions, from one. */
  readonly call: number;
  readonly moment: KillMoment;
}

export interface KillEnd {
  readonly taskId: string;
  readonly call: number;
  readonly moment: KillMoment;
  readonly tool: string;
  /** The final database is the undisturbed one's, and so is the result. */
  readonly isEqual: boolean;
  readonly isSameResult: boolean;
  /** Where it is not the same. */
  readonly outputs?: unknown;
  readonly repeatCount: number;
  readonly lostCount: number;
  readonly uncertainCount: number;
  /** From the new gateway's first request about the run to the run's result, with the looks at the log. */
  readonly resumeMs: number;
}

/** Plays the kill with the gateway of the kill before, which dies; gives the one that went on. */
export async function playKill(
  stand: Stand,
  gateway: Lines,
  kill: PlannedKill,
  hashOf: HashOf,
): Promise<{ readonly end: KillEnd; readonly gateway: Lines }> {
  const { reference } = kill.played;
  const name = `kill-${reference.task.id}-${kill.call}-${kill.moment}`;
  const log = stand.choose(name, { call: kill.call, moment: kill.moment, pid: gateway.pid });
  await dieWhile(gateway, reference);
  await stand.serverEnded();
  checkPlace(reference, kill, readLog(log));
  stand.choose(name);
  const next = await stand.openGateway();
  try {
    return { end: endOf(kill, await goOn(next, log), log, hashOf), gateway: next };
  } catch (error) {
    await next.close();
    throw error;
  }
}

function endOf({ played, call, moment }: PlannedKill, gone: Gone, log: string, hashOf: HashOf): KillEnd {
  const { reference, outputs } = played;
  const isSameResult = isDeepStrictEqual(gone.outputs, outputs);
  return {
    taskId: reference.task.id,
    call,
    moment,
    tool: reference.done[call - 1]!.tool,
    isEqual: hashOf(log) === reference.hash,
    isSameResult,
    ...(!isSameResult && { outputs: gone.outputs }),
    ...countEffects(reference, readLog(log)),
    uncertainCount: gone.uncertainCount,
    resumeMs: gone.resumeMs,
  };
}

async function dieWhile(gateway: Lines, { script: { code, inputs } }: Reference): Promise<void> {
  const answered = execute(gateway, { code, inputs }).then((answer) => {
    throw new Error(`The gateway did not die, and answered ${JSON.stringify(answer)}`);
  });
  const [, signal] = (await Promise.race([answered, gateway.ended])) as [unknown, string];
  if (signal !== "SIGKILL") throw new Error(`The gateway did not die by SIGKILL, but by ${signal}.`);
}

/** A kill that hits another place than the planned one proves nothing. */
function checkPlace(
  { done }: Pick<Reference, "done">,
  { call, moment }: Pick<PlannedKill, "call" | "moment">,
  entries: LogEntry[],
) {
  const last = moment === "after" ? call : call - 1;
  const expected = done.flatMap(({ readOnly }, at) => (readOnly || at >= last ? [] : [at + 1]));
  const found = entries.map((entry) => entry.call);
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(
    `The shop's log has the calls ${found.join(", ")} at the kill, and not ${expected.join(", ")}.`,
  );
}

interface Gone {
  readonly outputs: unknown;
  readonly uncertainCount: number;
  readonly resumeMs: number;
}

async function goOn(gateway: Lines, log: string): Promise<Gone> {
  const startedAt = performance.now();
  const resume = await newestRun(gateway);
  let answer = await execute(gateway, { resume });
  const calls = answer.error?.reason === "uncertain_step" ? (answer.checkpoint?.uncertain ?? []) : [];
  if (calls.length > 0) {
    const uncertain = calls.map((call) => decide(call, readLog(log)));
    answer = await execute(gateway, { resume, uncertain });
  }
  const resumeMs = performance.now() - startedAt;
  if (answer.success !== true) throw new Error(`The run did not go on: ${JSON.stringify(answer)}`);
  return { outputs: answer.outputs, uncertainCount: calls.length, resumeMs };
}

/** What the log says: the answer of a call that took effect is on record there. */
function decide(
  { tool, args }: UncertainCall,
  entries: readonly LogEntry[],
): "retry" | { readonly result: unknown } {
  const found = entries.find(
    (entry) =>
      entry.refused === undefined && `retail__${entry.tool}` === tool && isDeepStrictEqual(entry.args, args),
  );
  return found === undefined ? "retry" : { result: found.answer };
}

async function newestRun(gateway: Lines): Promise<string> {
  const line = await gateway.request("resources/read", { uri: "repertoire://runs" });
  const [content] = resultOf<{ contents: [{ text: string }] }>(line).contents;
  const { runs } = JSON.parse(content.text) as { runs: [{ run_id: string }] };
  return runs[0].run_id;
}

/**
 * By the log: an action that reached the shop again after it had taken effect is a repeat, whether or not the shop refused it then,
 * and so is one that the task does not have. No task has one action twice.
 */
export function countEffects(
  { done }: Pick<Reference, "done">,
  entries: readonly LogEntry[],
): Pick<KillEnd, "repeatCount" | "lostCount"> {
  const madeBy = ({ tool, args }: Action): LogEntry[] =>
    entries.filter((entry) => entry.tool === tool && isDeepStrictEqual(entry.args, args));
  const wanted = done.filter(({ readOnly, answer }) => !readOnly && answer.isError !== true);
  const firsts = wanted.map((action) => {
    const made = madeBy(action);
    return { made, first: made.findIndex(({ refused }) => refused === undefined) };
  });
  const repeated = firsts
    .filter(({ first }) => first !== -1)
    .map(({ made, first }) => made.length - 1 - first);
  const unasked = entries.filter((entry) => !done.some((action) => madeBy(action).includes(entry)));
  return {
    repeatCount: sum(repeated) + unasked.length,
    lostCount: firsts.filter(({ first }) => first === -1).length,
  };
}
