/**
 * How a published server is started or reached, with gaps for what a person is asked. It is words and values, never a
 * line for a shell; what fills the gaps, and whether it is let in at all, is decided by who adds it.
 */
import type { PublishedArgument, PublishedInput } from "./server-json.ts";

/** A text, and the questions whose answers are put into it. */
export type Template = readonly (string | { readonly ask: string })[];

/** Something that a person is asked for. */
export interface Question {
  /** What the publisher calls it: a variable, a flag, a header. */
  readonly id: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly format: "string" | "number" | "boolean" | "filepath";
  /** Whether it takes several values, each in a place of its own. */
  readonly isRepeated: boolean;
  readonly choices?: readonly string[];
  readonly default?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Words that are there together or not at all: a flag with its value. */
export type WordGroup = readonly Template[];

/** What a person must have seen, and some of it allowed, before a server is added. */
export interface LaunchRisk {
  /**
   * `reach`: it decides how it is fetched or what it gets at. `shell`: a text is made for a shell. `lookalike`: it is
   * nearly called like another. `deprecated`: its own registry advises against it.
   */
  readonly kind: (typeof RISK_KINDS)[number];
  readonly message: string;
}

export const RISK_KINDS = ["reach", "shell", "lookalike", "deprecated"] as const;

export interface Launch {
  readonly kind: "npm" | "pypi" | "oci" | "mcpb" | "remote";
  /** Absent for a remote server. */
  readonly program?: {
    readonly command: string;
    readonly args: readonly WordGroup[];
    readonly env: ReadonlyMap<string, Template>;
  };
  readonly remote?: {
    readonly type: "http" | "sse";
    readonly url: Template;
    readonly headers: ReadonlyMap<string, Template>;
  };
  readonly questions: readonly Question[];
  readonly risks: readonly LaunchRisk[];
  /** Of the published file, as the registry says. */
  readonly sha256?: string;
}

/** Collects the questions of one server; equal names are told apart. */
export interface Questions {
  /** What is written for an input: its own value with what is asked within it, or a question for the whole. */
  templateOf(name: string, input: PublishedInput, isRepeated?: boolean): Template;
  readonly list: readonly Question[];
}

export function createQuestions(): Questions {
  const list: Question[] = [];
  const ask = (name: string, input: PublishedInput, isRepeated: boolean): string => {
    const taken = new Set(list.map(({ id }) => id));
    let id = name;
    for (let number = 2; taken.has(id); number++) id = `${name}_${number}`;
    list.push(questionOf(id, input, isRepeated));
    return id;
  };
  return {
    list,
    templateOf(name, input, isRepeated = false) {
      const { value, variables, isRequired } = input;
      if (value == null) return [{ ask: ask(name, input, isRepeated) }];
      const asked = new Map<string, string>();
      return splitPlaceholders(value).map((part) => {
        if (typeof part === "string") return part;
        const variable = ownOf(variables, part.name);
        // The format says that braces around what is no variable stay as they are.
        if (variable === undefined) return part.written;
        if (variable.value != null) return variable.value;
        const whole = { ...variable, isRequired: variable.isRequired ?? isRequired };
        const id = asked.get(part.name) ?? ask(part.name, whole, false);
        asked.set(part.name, id);
        return { ask: id };
      });
    },
  };
}

function questionOf(id: string, input: PublishedInput, isRepeated: boolean): Question {
  const { description, isRequired, isSecret, format, choices, placeholder } = input;
  const example = placeholder ? ` (such as ${placeholder})` : "";
  return {
    id,
    about: `${description ?? ""}${example}`.trim(),
    isRequired: isRequired === true,
    isSecret: isSecret === true,
    format: format ?? "string",
    isRepeated,
    ...(choices != null && choices.length > 0 && { choices }),
    ...(input.default != null && { default: [input.default] }),
  };
}

type Placeholder = { readonly name: string; readonly written: string };

/** `{name}` in a text, which some write as `${name}`; what is no name stays text. */
function splitPlaceholders(text: string): (string | Placeholder)[] {
  return text.split(/(\$?\{[A-Za-z_][\w.-]{0,99}\})/).flatMap((part, index): (string | Placeholder)[] => {
    if (index % 2 === 1) return [{ name: part.replace(/^\$?\{|\}$/g, ""), written: part }];
    return part === "" ? [] : [part];
  });
}

function ownOf<T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return record != null && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The words of an argument: its value, or its flag with the value behind it. */
export function wordsOf(argument: PublishedArgument, questions: Questions): WordGroup {
  const isRepeated = argument.isRepeated === true;
  if (argument.type === "positional")
    return [questions.templateOf(argument.valueHint ?? "argument", argument, isRepeated)];
  const { name, value } = argument;
  const isSwitch = value == null && !isAsked(argument);
  if (isSwitch || value === "") return [[name]];
  return [[name], questions.templateOf(name, argument, isRepeated)];
}

/** A flag of which nothing is said takes no value. */
function isAsked({
  isRequired,
  isSecret,
  format,
  choices,
  description,
  ...input
}: PublishedArgument): boolean {
  return (
    isRequired === true ||
    isSecret === true ||
    input.default != null ||
    input.placeholder != null ||
    choices != null ||
    (format != null && format !== "boolean") ||
    description != null
  );
}

/** A group without questions, as it is; undefined where something is asked. */
export function fixedWords(group: WordGroup): readonly string[] | undefined {
  const words = group.map((template) =>
    template.every((part) => typeof part === "string") ? template.join("") : undefined,
  );
  return words.every((word) => word !== undefined) ? words : undefined;
}
