/** Checks of the whole library are on the audit trail: who made one, when, and how it came out. */
import type { Audit } from "../core/store.ts";
import type { AnswerOf } from "./contract/contract.ts";
import { testItems } from "./library.ts";
import { recordChange } from "./record-change.ts";
import type { OperatorDeps, Viewer } from "./operator.ts";

type LastCheck = NonNullable<NonNullable<AnswerOf<"getStats">["tests"]>["last_check"]>;

const ACTION = "library.tested";
/** Where the trail has so many newer entries, the check is too old to say anything. */
const LOOKED_AT_MAX = 1_000;

/** Replays all examples, offline. What was interrupted says nothing, and is not on record. */
export async function testLibrary(
  deps: Pick<OperatorDeps, "app">,
  viewer: Pick<Viewer, "principal">,
  context: Pick<Viewer["context"], "signal">,
) {
  const tested = await testItems(deps.app, null, context);
  if (!tested.success || context.signal.aborted) return tested;
  const { passed, failed, skipped } = tested.data;
  await recordChange(deps, viewer, { action: ACTION, subject: "*", details: { passed, failed, skipped } });
  return tested;
}

export async function findLastCheck(audit: Pick<Audit, "newest">): Promise<LastCheck | undefined> {
  const entries = await audit.newest({ limit: LOOKED_AT_MAX });
  const entry = entries.find(({ action }) => action === ACTION);
  if (entry === undefined) return undefined;
  const { passed, failed, skipped } = entry.details;
  return {
    at: new Date(entry.at).toISOString(),
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(skipped),
  };
}
