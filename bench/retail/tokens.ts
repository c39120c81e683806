/** What three ways of doing the same tasks cost: the shop's own tools call by call, one script, one kept tool. */
import {
  answerTokens,
  callTokens,
  countConversation,
  startTokens,
  sum,
  type Figures,
  type ToolCall,
} from "../tasks/conversation.ts";
import type { Definition } from "./connection.ts";
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
  const directStart = startTokens(shop.definitions, shop.instructions);
  const start = startTokens(lean.definitions, lean.instructions);
  const fullStart = startTokens(full.definitions, full.instructions);
  const direct = played.map((one) => costOf(directStart, one.direct.calls));
  const script = played.map((one) => costOf(start, one.script.calls));
  const scriptFrom = (from: number) => played.map((one) => costOf(from, one.script.calls.slice(-1)));
  const kept = played.map(({ kept: { calls }, keptTool }) => {
    const withTool = startTokens([...lean.definitions, keptTool], lean.instructions);
    return costOf(withTool, calls);
  });
  return {
    direct: totalOf(direct, direct),
    script: totalOf(script, direct),
    scriptListed: totalOf(scriptFrom(fullStart), direct),
    scriptAlone: totalOf(scriptFrom(start), direct),
    kept: totalOf(kept, direct),
    keepingTokens: mean(played.map(({ keeping }) => callTokens(keeping) + answerTokens(keeping.answer))),
  };
}

type StartedCost = Pick<Figures, "context" | "billed" | "requests"> & { readonly start: number };

/** A model of the shop makes one call in each turn. */
function costOf(start: number, calls: readonly ToolCall[]): StartedCost {
  const { context, billed, requests } = countConversation(
    start,
    calls.map((call) => ({ calls: [call] })),
  );
  return { start, context, billed, requests };
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
