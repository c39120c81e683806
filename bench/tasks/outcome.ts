/** What came of one task in one mode and one world. */
import {
  answerTokens,
  callTokens,
  countConversation,
  sum,
  type Figures,
  type ToolCall,
  type Turn,
} from "./conversation.ts";
import { overheadOf, type Search } from "./meta-tools.ts";

export const MODES = ["direct", "client search", "lean", "full", "auto", "kept", "kept of 20"] as const;
export type Mode = (typeof MODES)[number];

/** How often a task is repeated in one conversation. */
export const REPEATS = 3;

/** Where the tokens of a conversation are. */
export interface Parts {
  readonly start: number;
  readonly questions: number;
  readonly found: number;
  readonly code: number;
  readonly codeAnswers: number;
  readonly calls: number;
  readonly callAnswers: number;
}

/** Gets what came of each task, or why nothing came of it. */
export interface Report {
  outcome(outcome: Outcome): void;
  failure(task: string, mode: Mode, error: unknown): void;
}

export interface Outcome {
  readonly task: string;
  readonly mode: Mode;
  readonly size: number;
  readonly once: Figures;
  readonly repeated: Figures;
  readonly parts: Parts;
  readonly inFirstFive?: number;
  readonly needed?: number;
  readonly missing?: readonly string[];
  /** Of `execute`'s answer, without the result. */
  readonly overhead?: number;
}

export interface Conversation {
  readonly start: number;
  readonly once: readonly Turn[];
  readonly repeated: readonly Turn[];
  readonly search?: Search;
}

export function outcomeOf(
  task: string,
  mode: Mode,
  size: number,
  { start, once, repeated, search }: Conversation,
): Outcome {
  const execution = once.flatMap(({ calls }) => calls).find(isExecute);
  return {
    task,
    mode,
    size,
    once: countConversation(start, once),
    repeated: countConversation(start, repeated),
    parts: partsOf(start, once),
    ...(search !== undefined && {
      inFirstFive: search.inFirstFive,
      needed: search.needed,
      missing: search.missing,
    }),
    ...(execution !== undefined && { overhead: overheadOf(execution.answer) }),
  };
}

const SEARCH_TOOLS = new Set(["browse_components", "tool_search"]);
const isSearch = ({ name }: ToolCall): boolean => SEARCH_TOOLS.has(name);
const isExecute = ({ name }: ToolCall): boolean => name === "execute";

function partsOf(start: number, turns: readonly Turn[]): Parts {
  const calls = turns.flatMap((turn) => turn.calls);
  const searches = calls.filter(isSearch);
  const runs = calls.filter(isExecute);
  const others = calls.filter((call) => !isSearch(call) && !isExecute(call));
  const asked = (some: readonly ToolCall[]): number => sum(some.map(callTokens));
  const answered = (some: readonly ToolCall[]): number => sum(some.map(({ answer }) => answerTokens(answer)));
  return {
    start,
    questions: asked(searches),
    found: answered(searches),
    code: asked(runs),
    codeAnswers: answered(runs),
    calls: asked(others),
    callAnswers: answered(others),
  };
}

export function repeat(turns: readonly Turn[], times: number): Turn[] {
  return Array.from({ length: times }, () => turns).flat();
}

/** What a model does that knows what either comes to. */
export function cheaper(start: number, one: readonly Turn[], other: readonly Turn[]): readonly Turn[] {
  return countConversation(start, one).context <= countConversation(start, other).context ? one : other;
}
