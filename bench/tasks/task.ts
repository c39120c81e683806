/** A task of the bench, and how the answers of its servers are written. */
import type { Json, JsonObject } from "../../src/core/json.ts";

/** One call, and what the server answers to it. */
interface ScriptedCall {
  /** The id that the server has in the config. */
  readonly server: string;
  /** The tool's own name. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly answer: Answer;
}

export interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
}

/** `one` call, several in `sequence`, or a `loop` over many calls or many rows. */
type TaskKind = "one" | "sequence" | "loop";

export interface Task {
  readonly id: string;
  readonly kind: TaskKind;
  /** In a user's words. */
  readonly intent: string;
  /** What a model searches for: the second one where the first has not found everything. */
  readonly queries: readonly [string, string?];
  /** Every call that the code makes. */
  readonly calls: readonly ScriptedCall[];
  /** What code gets as `args`. */
  readonly inputs?: JsonObject;
  /**
   * What `execute` gets. A client that calls tools by itself makes the same calls: those that the code has under way at
   * once are one turn.
   */
  readonly code: string;
  /** What the code must return, in every mode. */
  readonly result: Json;
}

/** As most servers answer: data as JSON text. */
export function json(value: Json): Answer {
  return text(JSON.stringify(value, null, 2));
}

/** JSON text without white space. */
export function compact(value: Json): Answer {
  return text(JSON.stringify(value));
}

export function text(words: string): Answer {
  return { content: [{ type: "text", text: words }] };
}

/** As servers answer whose tools have an output schema: the same as text and as structure. */
export function both(value: JsonObject): Answer {
  return { ...json(value), structuredContent: value };
}

/** Words, with the structure of a tool whose output schema has one text. */
export function content(words: string): Answer {
  return { ...text(words), structuredContent: { content: words } };
}

export function rows<T>(count: number, row: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => row(index));
}

/** A hash as git and others write it, the same in every run. */
export function hash(index: number, length = 40): string {
  return rows(Math.ceil(length / 8), (part) =>
    (((index + 1) * 2_654_435_761 + part * 40_503_317) >>> 0).toString(16).padStart(8, "0"),
  )
    .join("")
    .slice(0, length);
}

export function toolsOf({ calls }: Task): { readonly server: string; readonly tool: string }[] {
  const seen = new Map(calls.map(({ server, tool }) => [`${server}__${tool}`, { server, tool }]));
  return [...seen.values()];
}
