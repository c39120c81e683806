/**
 * The entry of a published server for the config: its words with the answers in them. What its publisher wrote is
 * literal, whatever it looks like: it must not name a variable of this machine or the input of another server. Secrets
 * are inputs, and so is what is required and not given yet.
 */
import { escapeText } from "../../../clients/translate/references.ts";
import { freeInputId } from "../../../clients/translate/input-declaration.ts";
import type { InputDeclaration } from "../../../config/values/inputs.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Launch, Question, Template, WordGroup } from "../../../published/launch.ts";
import { cut } from "../../../text/cut.ts";
import { makeVisible } from "../../../text/visible-text.ts";
import type { Answers } from "./answers.ts";

export interface FilledEntry {
  readonly entry: JsonObject;
  readonly inputs: readonly InputDeclaration[];
  /** Secrets, by the input that they go to. */
  readonly values: ReadonlyMap<string, string>;
  /** Inputs without a value: the server waits for them. */
  readonly missing: readonly string[];
}

/** What people are asked is one line. */
const ABOUT_LENGTH_MAX = 300;

/** A literal, or the reference to an input. */
type Piece = string | { readonly input: string };
/** What is put in place of a question: one for each of its values; undefined where nothing is. */
type Fill = readonly (readonly Piece[])[] | undefined;
type Fills = ReadonlyMap<string, Fill>;

export function fillLaunch(
  { program, remote, questions }: Launch,
  answers: Answers,
  { serverId, isTaken }: { readonly serverId: string; readonly isTaken: (inputId: string) => boolean },
): FilledEntry {
  const inputs: InputDeclaration[] = [];
  const values = new Map<string, string>();
  const missing: string[] = [];

  const declare = (question: Question, value: string | undefined): readonly Piece[] => {
    const isUsed = (id: string): boolean => isTaken(id) || inputs.some((input) => input.id === id);
    const id = freeInputId(`${serverId}-${question.id}`, isUsed);
    inputs.push(declarationOf(id, question, serverId));
    if (value === undefined) missing.push(id);
    else values.set(id, value);
    return [{ input: id }];
  };
  const fillOf = (question: Question): Fill => {
    const given = answers.get(question.id);
    if (given !== undefined)
      return given.map((value) => (question.isSecret ? declare(question, value) : [value]));
    if (question.default !== undefined) return question.default.map((value) => [value]);
    return question.isRequired ? [declare(question, undefined)] : undefined;
  };

  const fills = new Map(questions.map((question) => [question.id, fillOf(question)]));
  const entry = {
    ...(program !== undefined && {
      command: escapeText(program.command),
      args: program.args.flatMap((group) => fillGroup(group, fills)),
      ...recordOf("env", program.env, fills),
    }),
    ...(remote !== undefined && {
      type: remote.type,
      url: fillText(remote.url, fills, 0) ?? "",
      ...recordOf("headers", remote.headers, fills),
    }),
  };
  return { entry, inputs, values, missing };
}

/** Once for each value of a question that takes several; not at all where something has no value. */
function fillGroup(group: WordGroup, fills: Fills): string[] {
  const counts = group
    .flat()
    .map((part) => (typeof part === "string" ? 1 : (fills.get(part.ask)?.length ?? 0)));
  const times = counts.includes(0) ? 0 : Math.max(1, ...counts);
  return Array.from({ length: times }, (_, at) =>
    group.flatMap((template) => fillText(template, fills, at) ?? []),
  ).flat();
}

function fillText(template: Template, fills: Fills, at: number): string | undefined {
  const pieces: Piece[] = [];
  for (const part of template) {
    if (typeof part === "string") pieces.push(part);
    else {
      const fill = fills.get(part.ask);
      if (fill === undefined || fill.length === 0) return undefined;
      pieces.push(...fill[Math.min(at, fill.length - 1)]!);
    }
  }
  return writePieces(pieces);
}

/**
 * Escaped as a whole: a `$` at the end of one literal and a `{` at the beginning of the next would be a reference. A
 * `$` before a reference would make a literal of it, so it is left out.
 */
function writePieces(pieces: readonly Piece[]): string {
  let written = "";
  let literal = "";
  for (const piece of pieces) {
    if (typeof piece === "string") literal += piece;
    else {
      written += `${escapeText(literal.replace(/\$+$/, ""))}\${input:${piece.input}}`;
      literal = "";
    }
  }
  return written + escapeText(literal);
}

/** Where one text takes several values, they are separated by commas. */
function recordOf(
  key: "env" | "headers",
  templates: ReadonlyMap<string, Template>,
  fills: Fills,
): JsonObject {
  const joined = new Map([...fills].map(([id, fill]): [string, Fill] => [id, fill && [joinValues(fill)]]));
  const pairs = [...templates].flatMap(([name, template]): [string, string][] => {
    const text = fillText(template, joined, 0);
    return text === undefined ? [] : [[name, text]];
  });
  return pairs.length === 0 ? {} : { [key]: Object.fromEntries(pairs) };
}

function joinValues(values: NonNullable<Fill>): readonly Piece[] {
  return values.flatMap((value, index) => (index === 0 ? value : [",", ...value]));
}

function declarationOf(
  id: string,
  { about, isSecret, choices, ...question }: Question,
  serverId: string,
): InputDeclaration {
  const description =
    about === "" ? `${question.id} of ${serverId}` : `${question.id} of ${serverId}: ${about}`;
  return {
    id,
    type: choices === undefined ? "promptString" : "pickString",
    description: cut(makeVisible(description).replace(/\s+/g, " "), ABOUT_LENGTH_MAX),
    ...(isSecret && { password: true }),
    ...(choices !== undefined && { options: choices.map((choice) => makeVisible(choice)) }),
  };
}
