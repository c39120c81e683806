/**
 * The connection is lost at every statement of every operation of the store: before the statement was sent, after it, and after the
 * database had done it and before its answer came. Each operation must have been done once, and must say so.
 */
import { RepertoireError } from "../../src/core/errors.ts";
import type { Store } from "../../src/core/store.ts";
import { MOMENTS, type Moment, type PostgresProxy } from "../rig/fault-proxy.ts";
import type { Outcome } from "./case.ts";
import { OPERATIONS, type Operation } from "./store-operations.ts";
import { firstOf } from "./terminated.ts";

export interface LostAnswersOptions {
  /** Through the proxy. */
  readonly faulty: Store;
  /** Beside it. */
  readonly beside: Store;
  readonly proxy: PostgresProxy;
  readonly fault?: "cut" | "drop";
  readonly operations?: readonly Operation[];
  /** One moment for each statement, in turn, in place of all three. */
  readonly isShort?: boolean;
}

export async function lostAnswers(options: LostAnswersOptions): Promise<Outcome> {
  const { operations = OPERATIONS, fault = "cut" } = options;
  const wrong: string[] = [];
  const counts = { losses: 0, statements: 0, uncertain: 0 };
  for (const operation of operations) {
    const statementCount = await countStatements(options, operation);
    counts.statements += statementCount;
    for (let number = 1; number <= statementCount; number++) {
      for (const moment of options.isShort ? [MOMENTS[counts.losses % MOMENTS.length]!] : MOMENTS) {
        const made = await tryOnce(options, operation, { number, moment });
        counts.losses++;
        if (made.isUncertain) counts.uncertain++;
        const problem = made.problem;
        if (problem !== undefined) wrong.push(`${operation.name}, statement ${number} ${moment}: ${problem}`);
      }
    }
  }
  return {
    done: `${operations.length} operations with ${counts.statements} statements, each lost (${fault}) ${MOMENTS.join(options.isShort ? " or " : ", ")}`,
    figures:
      `${counts.losses - wrong.length} of ${counts.losses} done once and answered truly, ` +
      `${counts.uncertain} of them told as uncertain${firstOf(wrong)}`,
    isMet: wrong.length === 0 && counts.losses > 0,
  };
}

let tryCount = 0;
/** Unlike any other, and a name that everything takes. */
function freshId(): string {
  return `try-${++tryCount}-${Math.random().toString(36).slice(2, 8)}`;
}

/** How many statements it sends over a connection that is there already. */
async function countStatements(
  { faulty, beside, proxy }: LostAnswersOptions,
  operation: Operation,
): Promise<number> {
  // The first time may do more than the others: what expired is looked for once in a while.
  await (await operation.prepare(beside, freshId())).act(faulty);
  const prepared = await operation.prepare(beside, freshId());
  const before = proxy.statements.length;
  await prepared.act(faulty);
  return proxy.statements.length - before;
}

interface Loss {
  readonly number: number;
  readonly moment: Moment;
}

async function tryOnce(
  { faulty, beside, proxy, fault = "cut" }: LostAnswersOptions,
  operation: Operation,
  { number, moment }: Loss,
): Promise<{ readonly problem?: string | undefined; readonly isUncertain: boolean }> {
  const prepared = await operation.prepare(beside, freshId());
  await faulty.runs.find("nothing");
  let seen = 0;
  const trap = proxy.onNext(moment, () => ++seen === number, fault);
  const answer = await answerOf(prepared.act(faulty));
  trap.cancel();
  if (!trap.isCaught()) return { problem: `sent ${seen} statements only`, isUncertain: false };
  if (answer.error !== undefined) {
    if (!(operation.isOnce && isUncertain(answer.error)))
      return { problem: textOf(answer.error), isUncertain: false };
    return { problem: await prepared.check(beside, undefined), isUncertain: true };
  }
  return { problem: await prepared.check(beside, answer.value), isUncertain: false };
}

function isUncertain(error: unknown): boolean {
  return error instanceof RepertoireError && error.code === "STORE_UNCERTAIN";
}

function textOf(error: unknown): string {
  return error instanceof RepertoireError ? `${error.code}: ${error.message}` : String(error);
}

async function answerOf(work: Promise<unknown>): Promise<{ value?: unknown; error?: unknown }> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
