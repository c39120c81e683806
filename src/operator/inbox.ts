/** Everything that waits for a person, as far as the viewer sees it. */
import { viewInboxItem } from "../app/app.ts";
import type { AnswerOf } from "./contract/contract.ts";
import type { OperatorDeps, Viewer } from "./operator.ts";
import { findWholeRun } from "./runs/run-access.ts";

type Items = AnswerOf<"listInbox">["items"];

/** A token with limits has what its own runs ask; servers and inputs are the operator's. */
export async function readInbox(deps: OperatorDeps, viewer: Viewer): Promise<Items> {
  const { owner, view } = viewer;
  const items = await deps.app.inbox();
  if (owner === undefined && view === undefined) return items.map(viewInboxItem);
  const shown: Items = [];
  for (const item of items) {
    const isOwn = item.owner !== undefined && (owner === undefined || item.owner === owner);
    if (isOwn && (await findWholeRun(deps, viewer, item.subject)).success) shown.push(viewInboxItem(item));
  }
  return shown;
}
