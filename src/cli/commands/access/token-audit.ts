import { localActor } from "../../../app/app.ts";
import { messageOf } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { useStore } from "../../store-call.ts";
import { escapeLines, tell, yellow } from "../../terminal/terminal.ts";

/** A token that was changed is changed: where the trail cannot be written, a person is told, and that is all. */
export async function auditToken(
  options: GlobalOptions,
  action: "token.created" | "token.revoked" | "token.rotated",
  name: string,
  details: JsonObject = {},
): Promise<void> {
  const entry = { actor: localActor(), action, subject: name, details };
  try {
    await useStore(options, ({ audit }) => audit.append(entry));
  } catch (error) {
    tell(`${yellow("warning")} this is not on the audit trail: ${escapeLines(messageOf(error))}`);
  }
}
