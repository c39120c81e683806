/** What the search for inputs found out about each, in whatever order, and what it comes to in the order of the source. */
import type { Json } from "../../core/json.ts";
import type { InputUse, Program, ToolArgument, WholeFlow } from "./contract.ts";
import type { FoundTool } from "./tool-uses.ts";

export type FoundInputs = Pick<Program, "inputs" | "hasOpenInputs" | "wholeFlows">;

/** Of inputs, and of the flows of one: a schema with more would not be read by anybody. */
const INPUT_COUNT_MAX = 200;
const FLOW_COUNT_MAX = 20;
/** A longer name is no name that anybody gives; following it from variable to variable would copy it each time. */
export const NAME_LENGTH_MAX = 200;
/** As JSON. A longer default would fill the list of tools. */
const DEFAULT_LENGTH_MAX = 1_000;

interface Note {
  start: number;
  isOptional: boolean;
  isUsedBare: boolean;
  /** As JSON text. */
  readonly defaults: Set<string>;
  readonly flows: Map<string, ToolArgument & { readonly start: number }>;
}

export function createInputNotes() {
  const notes = new Map<string, Note>();
  const wholeFlows = new Map<string, WholeFlow & { readonly start: number }>();
  let isOpen = false;

  return {
    open(): void {
      isOpen = true;
    },
    /** Notes that an input is read; false when there are too many already, or its name is too long. */
    read(name: string, start: number): boolean {
      const note = notes.get(name);
      if (note !== undefined) note.start = Math.min(note.start, start);
      else if (notes.size >= INPUT_COUNT_MAX || name.length > NAME_LENGTH_MAX) isOpen = true;
      else
        notes.set(name, {
          start,
          isOptional: false,
          isUsedBare: false,
          defaults: new Set(),
          flows: new Map(),
        });
      return notes.has(name);
    },
    allowMissing(name: string): void {
      notes.get(name)!.isOptional = true;
    },
    useBare(name: string): void {
      notes.get(name)!.isUsedBare = true;
    },
    fallBack(name: string, value: Json | undefined): void {
      const note = notes.get(name)!;
      const text = value === undefined ? undefined : JSON.stringify(value);
      note.isOptional = true;
      if (text === undefined || text.length > DEFAULT_LENGTH_MAX) note.isUsedBare = true;
      else note.defaults.add(text);
    },
    flow(name: string, { namespace, tool, start }: FoundTool, path: readonly string[]): void {
      const { flows } = notes.get(name)!;
      const key = JSON.stringify([namespace, tool, path]);
      if ((flows.get(key)?.start ?? Infinity) > start) flows.set(key, { namespace, tool, path, start });
    },
    flowWhole({ namespace, tool, start }: FoundTool, without: readonly string[]): void {
      const key = JSON.stringify([namespace, tool]);
      const other = wholeFlows.get(key);
      wholeFlows.set(key, {
        namespace,
        tool,
        // One call that takes it from the outside is enough.
        without: without.filter((name) => other === undefined || other.without.includes(name)),
        start: Math.min(start, other?.start ?? start),
      });
    },
    finish: (): FoundInputs => ({
      inputs: [...notes].sort(([, a], [, b]) => a.start - b.start).map(([name, note]) => inputOf(name, note)),
      hasOpenInputs: isOpen,
      wholeFlows: inOrder(wholeFlows.values()).map(({ namespace, tool, without }) => ({
        namespace,
        tool,
        without,
      })),
    }),
  };
}

function inputOf(name: string, { isOptional, isUsedBare, defaults, flows }: Note): InputUse {
  const [text, ...others] = defaults;
  const hasDefault = text !== undefined && others.length === 0 && !isUsedBare;
  return {
    name,
    isOptional,
    ...(hasDefault && { defaultValue: JSON.parse(text) as Json }),
    flows: inOrder(flows.values())
      .slice(0, FLOW_COUNT_MAX)
      .map(({ namespace, tool, path }) => ({ namespace, tool, path })),
  };
}

function inOrder<Found extends { readonly start: number }>(found: Iterable<Found>): Found[] {
  return [...found].sort((a, b) => a.start - b.start);
}
