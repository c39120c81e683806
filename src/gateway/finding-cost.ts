/**
 * What finding tools by search costs, computed from their definitions: the longest answer that one search can give of
 * them, with the question, and what a call through `execute` has beside the call itself. A full list that costs no
 * more than this is worth showing; a dearer one is paid for in every request, a search once.
 */
import { codeNameOf } from "../core/names.ts";
import { estimateTokens } from "../core/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { showNodes, type ShownNode } from "./meta-tools/browse-answer.ts";

/** As many as a search answers with where no limit is asked for. */
const HIT_COUNT_MAX = 20;
/** `{"query":"…"}` with eight words, and the frame of a call around it. */
const QUESTION_TOKENS = 30;
/** `execute {"code":"return await …"}` beside a direct call (25), and its answer beside the bare result (60). */
export const EXECUTE_TOKENS = 85;
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
