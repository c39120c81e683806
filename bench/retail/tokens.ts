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
  /** As if what it needs had been found before, in the same conversation or another. */
  readonly scriptAlone: WayCost;
  readonly kept: WayCost;
  /** The call that keeps a script and its answer, on average. */
  readonly keepingTokens: number;
}

export interface ListedTools {
  readonly instructions: string;
  readonly definitions: readonly Definition[];
}

/** `gateway` is what it lists before anything is kept. */
export function countTokensOf(
  played: readonly Played[],
  shop: ListedTools,
  gateway: ListedTools,
): TokenFigures {
  const directStart = startTokens(shop.instructions, shop.definitions);
  const start = startTokens(gateway.instructions, gateway.definitions);
  const direct = played.map((one) => ({ start: directStart, ...costOf(directStart, one.direct.calls) }));
  const script = played.map((one) => ({ start, ...costOf(start, one.script.calls) }));
  const scriptAlone = played.map((one) => ({ start, ...costOf(start, one.script.calls.slice(-1)) }));
  const kept = played.map(({ kept: { calls }, keptTool }) => {
    const withTool = startTokens(gateway.instructions, [...gateway.definitions, keptTool]);
    return { start: withTool, ...costOf(withTool, calls) };
  });
  return {
    direct: totalOf(direct, direct),
    script: totalOf(script, direct),
    scriptAlone: totalOf(scriptAlone, direct),
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
