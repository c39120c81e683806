/** What lists of tools cost in tokens, as a viewer's profile shows them. */
import type { App, TokenReport } from "../app/app.ts";
import { within } from "../timing/deadline.ts";
import type { Viewer } from "./operator.ts";

/** Counting tokens takes long, and what tools cost changes seldom. */
const COST_KEPT_MS = 60_000;
/** A page does not wait for the first count; it is shown with the next look. A command waits. */
const COST_WAIT_MS = 250;

/** The gateway, or a profile of it, with the name of what counted. */
export type ToolCost = TokenReport["faces"][number] & Pick<TokenReport, "tokenizer">;

interface Weighed {
  readonly at: number;
  readonly report: Promise<TokenReport>;
}

const weighed = new WeakMap<App, Weighed>();

/** Null where there is no such profile, and while a page would have to wait. */
export async function readToolCost(app: App, viewer: Viewer): Promise<ToolCost | null> {
  const cost = costOf(app, viewer);
  if (viewer.principal === undefined) return cost;
  return within(cost, COST_WAIT_MS, { late: () => null });
}

async function costOf(app: App, { view }: Viewer): Promise<ToolCost | null> {
  const { faces, tokenizer } = await weigh(app);
  const face = faces.find(({ profile }) => profile === (view?.profile ?? null));
  return face === undefined ? null : { ...face, tokenizer };
}

/** What a conversation begins with. */
export function listedTokens({ mode, lean, full }: ToolCost): number {
  return (mode === "lean" ? lean : full).startTokens;
}

function weigh(app: App): Promise<TokenReport> {
  const known = weighed.get(app);
  if (known !== undefined && performance.now() - known.at < COST_KEPT_MS) return known.report;
  const report = app.weighTools();
  weighed.set(app, { at: performance.now(), report });
  // One that failed is tried again the next time.
  report.catch(() => weighed.delete(app));
  return report;
}
