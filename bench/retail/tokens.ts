/** What three ways of doing the same tasks cost: the shop's own tools call by call, one script, one kept tool. */
import type { Definition } from "./connection.ts";
import { callTokens, costOf, startTokens, sum, type Cost } from "./tool-call.ts";
import type { Played } from "./undisturbed.ts";

export interface WayCost {
  /** Definitions and instructions; for a kept tool with its own definition, on average. */
  readonly start: number;
  readonly context: number;
  readonly billed: number;
  readonly requests: number;
  /** Of direct, over all tasks. */
  readonly contextRatio: number;
  readonly billedRatio: number;
  readonly dearerTasks: number;
}

export interface TokenFigures {
  readonly direct: WayCost;
  readonly script: WayCost;
  /** With a gateway that lists the shop's tools beside its own, so nothing is searched for. */
  readonly scriptListed: WayCost;
  /** As if what it needs had been found before, and were not in the conversation. */
  readonly scriptAlone: WayCost;
  readonly kept: WayCost;
  /** The call that keeps a script and its answer, on average. */
  readonly keepingTokens: number;
}

export interface ListedTools {
  readonly instructions: string;
  readonly definitions: readonly Definition[];
}

/** What is listed before anything is kept: by the shop, by a gateway that shows its own tools only, by one that shows all. */
export interface Lists {
  readonly shop: ListedTools;
  readonly lean: ListedTools;
  readonly full: ListedTools;
}

export function countTokensOf(played: readonly Played[], { shop, lean, full }: Lists): TokenFigures {
  const directStart = startTokens(shop.instructions, shop.definitions);
  const start = startTokens(lean.instructions, lean.definitions);
  const fullStart = startTokens(full.instructions, full.definitions);
  const direct = played.map((one) => ({ start: directStart, ...costOf(directStart, one.direct.calls) }));
  const script = played.map((one) => ({ start, ...costOf(start, one.script.calls) }));
  const scriptFrom = (from: number) =>
    played.map((one) => ({ start: from, ...costOf(from, one.script.calls.slice(-1)) }));
  const kept = played.map(({ kept: { calls }, keptTool }) => {
    const withTool = startTokens(lean.instructions, [...lean.definitions, keptTool]);
    return { start: withTool, ...costOf(withTool, calls) };
  });
  return {
    direct: totalOf(direct, direct),
    script: totalOf(script, direct),
    scriptListed: totalOf(scriptFrom(fullStart), direct),
    scriptAlone: totalOf(scriptFrom(start), direct),
    kept: totalOf(kept, direct),
    keepingTokens: mean(played.map(({ keeping }) => callTokens(keeping))),
  };
}

interface StartedCost extends Cost {
  readonly start: number;
}

function totalOf(costs: readonly StartedCost[], direct: readonly StartedCost[]): WayCost {
  const total = (figure: keyof StartedCost, of = costs) => sum(of.map((cost) => cost[figure]));
  return {
    start: Math.round(total("start") / costs.length),
    context: total("context"),
    billed: total("billed"),
    requests: total("requests"),
    contextRatio: total("context") / total("context", direct),
    billedRatio: total("billed") / total("billed", direct),
    dearerTasks: costs.filter(({ context }, at) => context > direct[at]!.context).length,
  };
}

function mean(values: readonly number[]): number {
  return Math.round(sum(values) / values.length);
}
