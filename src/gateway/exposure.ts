/**
 * Which tools `tools/list` shows beside the meta-tools. It is decided for the gateway or a profile as a whole, from
 * what is known of the servers and never from who asks, so that every client sees the same list.
 *
 * `auto` compares what the tools cost with what finding them by search costs. It decides once, before the first list
 * is answered, and stays with it for the life of the process: a conversation that has begun keeps its tools, and the
 * client what it has cached of them. Only a person turns it, by changing the config of the servers, the exposure or
 * the profile. What is not known by then (a server that has not answered) counts as too much.
 */
import { canonicalJson } from "../core/json.ts";
import { BYTES_A_TOKEN, estimateTokens } from "../text/token-estimate.ts";
import type { AnthropicTool, ToolDefinition } from "../core/tool.ts";
import { within } from "../timing/deadline.ts";
import { ASKING_TOKENS, findingTokens, longestAnswer } from "./finding-cost.ts";

export type Exposure = "lean" | "full" | "auto";
export type Mode = Exclude<Exposure, "auto">;

/**
 * No answer of a search costs as much as so many bytes of definitions, whatever is in them: five signatures of 600
 * characters and 20 lines are 7 KB, and a token of them has at most four times fewer bytes than one of the definitions.
 */
const LIST_BYTES_MAX = 64 * 1024;
/**
 * The first list waits so long for exact counts. The tokenizer takes 0.2 s to load, and a small list then some
 * milliseconds; a client that waits for its tools should not notice more. Afterwards the estimate has decided.
 */
const COUNT_WAIT_MS = 750;

/** What tools cost in every conversation. */
export interface ToolTokens {
  /** It never rejects: what cannot be counted is estimated. */
  countOf(tools: readonly ToolDefinition[]): Promise<number[]>;
  countTexts(texts: readonly string[]): Promise<number[]>;
}

/** A definition was admitted, or is our own. */
const UNLIMITED = { depthMax: Infinity, keyCountMax: Infinity, bytesMax: Infinity };

/**
 * A tool as the API of a model takes it: what of it costs tokens. The keys are in one order, so that what a server
 * sends and what was kept of it come to the same count.
 */
export function modelText(tool: ToolDefinition): string {
  return canonicalJson(JSON.parse(jsonOf(tool)), UNLIMITED);
}

function jsonOf({ name, description = "", inputSchema }: ToolDefinition): string {
  return JSON.stringify({ name, description, input_schema: inputSchema } satisfies AnthropicTool);
}

/** What a list of tools costs, and what finding them costs. */
interface Weight {
  readonly listed: number;
  readonly found: number;
}

/** `auto` shows every tool where that costs no more than finding them. */
export function modeFor({ listed, found }: Weight): Mode {
  return listed <= found ? "full" : "lean";
}

/** What the sizes say: by estimate, and whether no count could say anything else. */
export function judgeSize(tools: readonly ToolDefinition[]): {
  readonly mode: Mode;
  readonly isSure: boolean;
} {
  let bytes = 0;
  for (const tool of tools) {
    bytes += Buffer.byteLength(jsonOf(tool));
    if (bytes > LIST_BYTES_MAX) return { mode: "lean", isSure: true };
  }
  const found = findingTokens(tools);
  const mode = modeFor({ listed: estimateTokens(bytes), found });
  const { fewest, usual, most } = BYTES_A_TOKEN;
  const answerBytes = (found - ASKING_TOKENS) * usual;
  const isSure =
    mode === "lean"
      ? bytes / most > ASKING_TOKENS + answerBytes / fewest
      : bytes / fewest <= ASKING_TOKENS + answerBytes / most;
  return { mode, isSure };
}

/** The tokens of both ways, counted. */
export async function weigh(tools: readonly ToolDefinition[], tokens: ToolTokens): Promise<Weight> {
  const [listed, [answer]] = await Promise.all([
    tokens.countOf(tools),
    tokens.countTexts([longestAnswer(tools)]),
  ]);
  return { listed: listed.reduce((total, count) => total + count, 0), found: ASKING_TOKENS + answer! };
}

/** By the sizes where they leave nothing open, else by counts, as far as they come in time. */
export async function judge(tools: readonly ToolDefinition[], tokens?: ToolTokens): Promise<Mode> {
  const { mode, isSure } = judgeSize(tools);
  if (isSure || tokens === undefined) return mode;
  const weight = await within(weigh(tools, tokens), COUNT_WAIT_MS);
  return weight === undefined ? mode : modeFor(weight);
}

/** What is known of the tools that a list could show. */
export interface KnownTools {
  readonly tools: readonly ToolDefinition[];
  /** Whether every server has been read. */
  readonly isWhole: boolean;
}

export interface ExposureChoiceDeps {
  /** What of the config it is decided for: the same for as long as a person has changed nothing of it. */
  readonly basis: () => string;
  readonly tokens?: ToolTokens | undefined;
  /** Is told when a changed config has turned it. */
  readonly turned?: (() => void) | undefined;
}

/** What `auto` means for a gateway or a profile. */
export interface ExposureChoice {
  /** What was decided, lean until then. A changed config has it decided again, and `turned` told. */
  current(know: () => Promise<KnownTools>): Mode;
  /** One decision for all who ask, the first time it is asked for. */
  decide(know: () => Promise<KnownTools>): Promise<Mode>;
}

export function createExposureChoice({ basis, tokens, turned }: ExposureChoiceDeps): ExposureChoice {
  let decided: { readonly basis: string; readonly mode: Mode } | undefined;
  let underWay: { readonly basis: string; readonly mode: Promise<Mode> } | undefined;

  async function settle(asked: string, know: () => Promise<KnownTools>): Promise<Mode> {
    const { tools, isWhole } = await know();
    const mode = isWhole ? await judge(tools, tokens) : "lean";
    // Where the config has changed meanwhile, this was another question.
    if (basis() !== asked) return mode;
    const before = decided?.mode;
    decided = { basis: asked, mode };
    if (before !== undefined && before !== mode) turned?.();
    return mode;
  }

  async function decide(know: () => Promise<KnownTools>): Promise<Mode> {
    const asked = basis();
    if (decided?.basis === asked) return decided.mode;
    if (underWay?.basis !== asked) underWay = { basis: asked, mode: settle(asked, know) };
    return underWay.mode;
  }

  return {
    decide,
    current(know) {
      if (decided !== undefined && decided.basis !== basis()) void decide(know);
      return decided?.mode ?? "lean";
    },
  };
}
