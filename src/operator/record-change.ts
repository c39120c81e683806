import { localActor } from "../app/app.ts";
import type { JsonObject } from "../core/json.ts";
import type { OperatorDeps, Viewer } from "./operator.ts";

/** Puts on the audit trail what a viewer has done; without a principal, it was the person at this machine. */
export async function recordChange(
  { app }: Pick<OperatorDeps, "app">,
  { principal }: Pick<Viewer, "principal">,
  change: { readonly action: string; readonly subject: string; readonly details?: JsonObject },
): Promise<void> {
  await app.store.audit.append({ actor: principal?.id ?? localActor(), details: {}, ...change });
}
