/**
 * Which tools `tools/list` shows beside the meta-tools. It is decided for the gateway or a profile as a whole, from
 * what is known of the servers and never from who asks, so that every client sees the same list.
 *
 * `auto` compares what the tools cost with what finding them by search costs. Where their size alone says it, nothing
 * is counted; else the counts decide, and until they are there an estimate does.
 */
import { canonicalJson } from "../core/json.ts";
import { BYTES_A_TOKEN, estimateTokens } from "../core/token-estimate.ts";
import type { AnthropicTool, ToolDefinition } from "../core/tool.ts";

export type Exposure = "lean" | "full" | "auto";
export type Mode = Exclude<Exposure, "auto">;

/**
 * What finding tools by search costs in a typical task, two searches, where there are few enough tools for it to
 * matter: over real servers with 4 to 33 tools together, 700 to 3,900 tokens, 2,000 in the mean. (Among 364 tools it
 * is 6,400, and their list 129,000.) A full list that is no dearer spares the round trips as well.
 */
export const AUTO_TOKENS_MAX = 2_000;

/** What tools cost in every conversation, as far as it was counted. */
export interface ToolTokens {
  /** Undefined for what was not counted yet. */
  known(tool: ToolDefinition): number | undefined;
  /** Makes known what an earlier process counted. It never rejects. */
  recall(tools: readonly ToolDefinition[]): Promise<void>;
  /** Counts what is not known. It never rejects: what cannot be counted is estimated. */
  countOf(tools: readonly ToolDefinition[]): Promise<number[]>;
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

/** `bytes` is undefined where the size alone decides: then it is not needed, and not measured to the end. */
interface Judgement {
  readonly mode: Mode;
  readonly bytes?: number;
}

/** What the size of the definitions says. */
export function judgeSize(tools: readonly ToolDefinition[]): Judgement {
  let bytes = 0;
  for (const tool of tools) {
    bytes += Buffer.byteLength(jsonOf(tool));
    if (bytes > AUTO_TOKENS_MAX * BYTES_A_TOKEN.most) return { mode: "lean" };
  }
  if (bytes < AUTO_TOKENS_MAX * BYTES_A_TOKEN.fewest) return { mode: "full" };
  return { mode: modeFor(estimateTokens(bytes)), bytes };
}

/** What `auto` means when all tools of servers together have so many tokens. */
export function modeFor(tokens: number): Mode {
  return tokens <= AUTO_TOKENS_MAX ? "full" : "lean";
}

/** What `auto` means for one list of tools. */
export interface ExposureChoice {
  /** From what is known now; what is missing is counted in the background. */
  choose(tools: readonly ToolDefinition[]): Mode;
  /** The same, once what earlier processes counted is known too. */
  settle(tools: readonly ToolDefinition[]): Promise<Mode>;
}

interface Chosen {
  readonly tools: readonly ToolDefinition[];
  readonly mode: Mode;
  /** Whether nothing that is still to be counted can change it. */
  readonly isFinal: boolean;
}

/** `turned` is told when counts have changed a choice that was made before. */
export function createExposureChoice(tokens?: ToolTokens, turned: () => void = () => {}): ExposureChoice {
  let last: Chosen | undefined;

  function judge(tools: readonly ToolDefinition[]): Chosen {
    const { mode, bytes } = judgeSize(tools);
    if (bytes === undefined || tokens === undefined) return { tools, mode, isFinal: true };
    const counts = tools.map((tool) => tokens.known(tool));
    if (counts.includes(undefined)) return { tools, mode, isFinal: false };
    return { tools, mode: modeFor(sum(counts as number[])), isFinal: true };
  }

  function judgeAgain(tools: readonly ToolDefinition[]): void {
    if (last === undefined || last.tools !== tools || last.isFinal) return;
    const before = last.mode;
    last = judge(tools);
    if (last.mode !== before) turned();
  }

  function choose(tools: readonly ToolDefinition[]): Mode {
    if (last?.tools === tools) return last.mode;
    last = judge(tools);
    if (!last.isFinal) void tokens?.countOf(tools).then(() => judgeAgain(tools));
    return last.mode;
  }

  return {
    choose,
    async settle(tools) {
      const known = last?.tools === tools ? last : judge(tools);
      if (known.isFinal) last = known;
      else {
        await tokens?.recall(tools);
        judgeAgain(tools);
      }
      return choose(tools);
    },
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
