/**
 * What finding tools by search costs, computed from their definitions: the longest answer that one search can give of
 * them, with the question, and what a call through `execute` has beside the call itself. A full list that costs no
 * more than this is worth showing; a dearer one is paid for in every request, a search once.
 */
import { codeNameOf } from "../core/names.ts";
import { estimateTokens } from "../text/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { showNodes, type ShownNode } from "./meta-tools/browse-answer.ts";

/** As many as a search answers with where no limit is asked for. */
const HIT_COUNT_MAX = 20;
/** A few words as `{"query":"…"}`: 10 to 18 in 45 tasks. */
const QUESTION_TOKENS = 15;
/**
 * In the same tasks, `execute {"code":"return await …"}` has 25 more than a direct call, and its answer 52 more than
 * the bare result.
 */
export const EXECUTE_TOKENS = 77;
/** What is paid beside the answer of the search. */
export const ASKING_TOKENS = QUESTION_TOKENS + EXECUTE_TOKENS;

/** What a search answers where the tools with the longest signatures are the best hits. */
export function longestAnswer(tools: readonly ToolDefinition[]): string {
  const sizes = new Map(tools.map((tool) => [tool, JSON.stringify(show([tool])).length]));
  const dearest = tools.toSorted((a, b) => sizes.get(b)! - sizes.get(a)!).slice(0, HIT_COUNT_MAX);
  return JSON.stringify({ nodes: show(dearest), workflows: [], total: tools.length });
}

/** By estimate; where that leaves it open, the answer is counted. */
export function findingTokens(tools: readonly ToolDefinition[]): number {
  return ASKING_TOKENS + estimateTokens(Buffer.byteLength(longestAnswer(tools)));
}

/** The first ones with their signatures, as in an answer. */
function show(tools: readonly ToolDefinition[]): ShownNode[] {
  const components = tools.map((definition) => {
    const { name } = definition;
    return { name, source: codeNameOf(name).namespace, definition };
  });
  return showNodes(components, { view: undefined, isFull: false });
}
