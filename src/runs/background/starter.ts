import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";

export interface Starter extends Pick<CallContext, "principal" | "view"> {
  /** The run is over: whether the principal's token is revoked need not be looked at any more. */
  readonly release?: () => void;
}

/** Who started a run, as they are now: with the limits that their token has, in the profile that they came by. */
export type FindStarter = (run: Pick<Run, "principal" | "profile">) => Promise<ToolResult<Starter>>;

/** Where there are no tokens and no profiles. */
export const findOwnStarter: FindStarter = async ({ principal, profile }) =>
  principal === null && profile === null ? succeed({}) : starterGone(principal ?? profile ?? "");

/** What a run may do is what its starter may do now; where there is no such starter any more, it may do nothing. */
export function starterGone(who: string, why = "is not known any more"): ToolResult<never> {
  return fail("SECURITY_ERROR", `starter_gone: ${who}, who started the run, ${why}. Nothing more was done.`, {
    reason: "starter_gone",
    hint: "Start it again with a token that is good.",
  });
}
