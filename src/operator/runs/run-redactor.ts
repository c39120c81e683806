/**
 * What is shown of a run has gone through a redactor that knows what the run and its steps were given under the name of
 * a secret: it is one wherever else it appears.
 */
import type { App } from "../../app/app.ts";
import type { Run } from "../../core/store.ts";
import { createLru } from "../../timing/lru.ts";
import type { Redactor } from "../../text/redaction.ts";

/** The journals that somebody looks at; each is read again when it has grown. */
const RUN_COUNT_MAX = 20;

/** By app: tests and programs have several. */
const known = new WeakMap<App, ReturnType<typeof createLru<readonly unknown[]>>>();

export async function redactorOf(app: App, run: Run): Promise<Redactor> {
  const { runs } = app.store;
  const given =
    known.get(app) ?? createLru<readonly unknown[]>({ countMax: RUN_COUNT_MAX, sizeMax: RUN_COUNT_MAX });
  known.set(app, given);
  const key = `${run.id} ${await runs.stepCount(run.id)}`;
  const args = given.get(key) ?? secretsOf(await runs.stepArgs(run.id));
  given.set(key, args, 1);
  return app.redactors.knowing([run.inputs, ...args]);
}

/** Of ten thousand arguments, those that name a secret at all. */
function secretsOf(all: readonly unknown[]): readonly unknown[] {
  return all.filter((args) => NAMES_SECRET.test(JSON.stringify(args)));
}

/** What every name of a secret has in it; see `isSecretKey`. */
const NAMES_SECRET = /pass|pwd|secret|token|auth|cookie|cred|bearer|jwt|dsn|otp|pat|key|session|connection/i;
