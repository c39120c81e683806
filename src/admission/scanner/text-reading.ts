/**
 * Whether a text gives orders to a model. Each sentence is looked at by itself; what a few sentences in a row say is
 * added up, because an attack needs more than one thing: a reason, an order, and silence about it.
 */
import {
  findAlteration,
  findNoConsent,
  findOrder,
  findPromotion,
  findToolOrder,
  findTrigger,
} from "./frames/manipulation.ts";
import { findAddress } from "./frames/address.ts";
import { findHarvest } from "./frames/harvest.ts";
import { findOverride, findPersona, findPressure } from "./frames/orders.ts";
import { findPhrases } from "./frames/phrases.ts";
import { findPriority } from "./frames/priority.ts";
import { findSoft } from "./frames/soft.ts";
import { findSecrecy } from "./frames/secrecy.ts";
import { findMarks, type Mark } from "./marks.ts";
import { ENGLISH } from "./words/lexicon.ts";
import { readSentences, type Sentence } from "./words/sentences.ts";
import { viewsOf, type SentenceView } from "./words/sentence-view.ts";
import { isChatLog, reportedIn } from "./words/reported.ts";
import type { Frame, Reading, Signal, Source } from "./frames/signal.ts";
import { readTokens } from "./words/text-tokens.ts";

const FRAMES: readonly Frame[] = [
  findOverride,
  findSecrecy,
  findPriority,
  findHarvest,
  findAlteration,
  findPromotion,
  findNoConsent,
  findTrigger,
  findToolOrder,
  findPersona,
  findPressure,
  findPhrases,
  findSoft,
  findOrder,
  findAddress,
];

export interface Instruction {
  readonly what: string;
  readonly at: number;
}

export interface TextReading extends Omit<Reading, "isFirst"> {
  /** How much it takes: less for a text that was hidden in another. */
  readonly threshold: number;
  /** Values that are examples of what a security tool looks at. */
  readonly isSample?: boolean;
  /** Whether it was decoded: what is hidden is said to the one who can read it. */
  readonly isHidden?: boolean;
  readonly count: (steps: number) => void;
}

interface Placed {
  readonly family: string;
  readonly weight: number;
  readonly what: string;
  readonly at: number;
  readonly isConditional?: boolean;
}

/** Sentences that belong together. */
const WINDOW = 4;
/** Families that say that a model is spoken to: what a person does not see is said to nobody else. */
const ORDERING: ReadonlySet<string> = new Set(["address", "end", "hidden"]);
/** The lists of servers are read by models alone: to act unseen or unasked is said to them. */
const LISTED_ORDERING: ReadonlySet<string> = new Set([...ORDERING, "consent", "stealth"]);
/** One that is only quoted orders nothing. */
const ORDER_MIN = 0.4;
/** Letters in disguise are a sign by themselves. */
const MASK_WEIGHT = 0.5;
const SAMPLE_FACTOR = 0.3;

/** Codes for a terminal stick to the word beside them. */
const TERMINAL_CODE = /\u001B\[[\d;]{0,20}[A-Za-z]/g;

/** What a text orders and where; undefined where it orders nothing. */
export function findInstruction(written: string, reading: TextReading): Instruction | undefined {
  const text = written.replace(TERMINAL_CODE, (code) => " ".repeat(code.length));
  const sentences = readSentences(text, readTokens(text, reading.count));
  const marks = findMarks(written, reading.source);
  const isReported = reading.source === "answer" ? reportedIn(text, sentences) : () => false;
  const said = sentences.map((sentence, index) =>
    signalsOf(sentence, index, reading).map((placed) =>
      isReported(index) ? { ...placed, weight: placed.weight * REPORTED_FACTOR } : placed,
    ),
  );
  const ends = sentences.map(({ tokens }) => tokens.at(-1)!.at);
  // In a log of a conversation, turns are the form of the data.
  const isLog = reading.source === "answer" && isChatLog(text);
  for (const mark of marks) if (!isLog || mark.family !== "turn") placeMark(mark, ends, said);
  return weigh(said, reading);
}

function signalsOf(sentence: Sentence, index: number, reading: TextReading): Placed[] {
  const context: Reading = { ...reading, isFirst: reading.isDescription && index === 0 };
  return viewsOf(sentence).flatMap((view) => {
    reading.count(sentence.tokens.length);
    const found = FRAMES.flatMap((frame) => frame(view, context));
    return found.flatMap((signal) => place(signal, view, reading));
  });
}

function place(signal: Signal, view: SentenceView, { isSample, source }: TextReading): Placed[] {
  const factor = mentionFactor(signal, view, source) * (isSample === true ? SAMPLE_FACTOR : 1);
  const at = view.tokens[Math.max(0, signal.from)]?.at ?? 0;
  const { family, what, isConditional = false } = signal;
  const placed = { family, weight: signal.weight * factor, what, at, isConditional };
  const tokens = view.tokens.slice(Math.max(0, signal.from), signal.to + 1);
  const isMasked = tokens.some((token) => token.isMasked);
  return isMasked && !isConditional
    ? [placed, { family: "mask", weight: MASK_WEIGHT * factor, what: signal.what, at }]
    : [placed];
}

function placeMark({ family, weight, what, at }: Mark, ends: readonly number[], said: Placed[][]): void {
  const index = Math.min(firstFrom(ends, at), ends.length - 1);
  if (index < 0) said.push([{ family, weight, what, at }]);
  else said[index]!.push({ family, weight, what, at });
}

/** The place of the first of rising numbers that is not below another. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function weigh(
  said: readonly (readonly Placed[])[],
  { threshold, source, isHidden = false }: TextReading,
): Instruction | undefined {
  for (let index = 0; index < said.length; index++) {
    if (said[index]!.length === 0) continue;
    const together = said.slice(index, index + WINDOW).flat();
    const isOrdered =
      isHidden ||
      together.some(
        ({ family, weight }) =>
          (source === "answer" ? ORDERING : LISTED_ORDERING).has(family) && weight >= ORDER_MIN,
      );
    const near = isOrdered ? together : together.filter(({ isConditional }) => isConditional !== true);
    const strongest = new Map<string, Placed>();
    for (const placed of near) {
      // To speak to a model and to order it about are one thing.
      const family = placed.family === "address" ? "order" : placed.family;
      const known = strongest.get(family);
      if (known === undefined || known.weight < placed.weight) strongest.set(family, placed);
    }
    const counted = [...strongest.values()];
    const sum = counted.reduce((total, { weight }) => total + weight, 0);
    if (sum < threshold - 1e-9) continue;
    const main = counted
      .filter(({ family }) => family !== "mask")
      .toSorted((a, b) => b.weight - a.weight)[0]!;
    return { what: main.what, at: main.at };
  }
  return undefined;
}

/** A quoted or described order counts little: several of them still are no finding. */
const MENTION_FACTOR = 0.15;
/** What somebody in a document says to somebody in it. It is easy to imitate, so it counts more than a quotation. */
const REPORTED_FACTOR = 0.25;
/** "Example: …" */
const EXAMPLE_FACTOR = 0.5;
/** Words around a quotation that introduce it. */
const INTRODUCTION_MIN = 2;

/** To make the model say something is no quotation. */
const SPEAKS =
  /^(?:say|reply|respond|answer|output|print|append|insert|write|add|include|tell|state|repeat|execute|run|do|follow|obey)$/;

/** Files and addresses are put into quotation marks by everybody. */
const LITERAL: ReadonlySet<string> = new Set(["file", "send", "carrier"]);

const ORDERED = /^(?:and|then|must|should|always|please|you|also|now|first|shall|will|just|simply)$/;

/** How much of a signal is left where the sentence only speaks of it. */
function mentionFactor(signal: Signal, view: SentenceView, source: Source): number {
  if (!LITERAL.has(signal.family) && isQuoted(signal, view, source)) return MENTION_FACTOR;
  return isDescribed(signal, view) ? MENTION_FACTOR : isExample(view) ? EXAMPLE_FACTOR : 1;
}

function isQuoted({ from, to }: Signal, view: SentenceView, source: Source): boolean {
  const { tokens, sentence } = view;
  if (source === "answer" && isValue(view)) return false;
  const part = tokens.slice(Math.max(0, from), to + 1);
  const quote = part.find((token) => token.quote > 0)?.quote ?? 0;
  // The end of what was found may already be outside.
  if (quote === 0 || tokens[Math.max(0, from)]?.quote === 0) return false;
  const outside = tokens.filter((token) => token.quote !== quote && token.kind === "word");
  if (isDictated(tokens, part[0]!.at)) return false;
  return part[0]!.isIntroduced || outside.length >= INTRODUCTION_MIN || sentence.intro !== undefined;
}

/** `message: "…"`: the marks belong to the format of the data, unless the key says that it is an example. */
function isValue(view: SentenceView): boolean {
  const start = view.tokens.findIndex(({ quote }) => quote > 0);
  const key = view.tokens.slice(0, Math.max(0, start));
  if (key.length === 0 || key.length > 3 || key.at(-1)!.kind !== "colon") return false;
  if (view.sentence.intro !== undefined || view.find(0, start, "describe", "attack", "example", "tell") >= 0)
    return false;
  return key.every(({ word, kind }) => kind !== "word" || KEY.test(word));
}

const KEY =
  /^(?:message|msg|text|body|note|notes|comment|description|title|subject|content|hint|error|warning|info|status|data|result|value|summary|detail|details|response|output|log|reason|name|bio|feedback)$/;

function isDictated(tokens: SentenceView["tokens"], before: number): boolean {
  return tokens.some(({ word, quote, at }, index) => {
    if (at >= before || quote !== 0 || !SPEAKS.test(word)) return false;
    const lead = tokens[index - 1];
    return lead === undefined || lead.kind !== "word" || ORDERED.test(lead.word);
  });
}

function isExample(view: SentenceView): boolean {
  const colon = view.tokens.findIndex(({ kind }) => kind === "colon");
  return colon > 0 && colon <= 3 && view.find(0, colon, "example") >= 0;
}

/** "Detects texts that tell a model to …", and the items of a list that follows such a sentence. */
function isDescribed({ from, to, family }: Signal, view: SentenceView): boolean {
  if (isDescribing(view, from) || (family === "soft" && isReport(view, to))) return true;
  const { intro, isItem } = view.sentence;
  if (!isItem || intro === undefined) return false;
  return viewsOf(intro).some((other) => isDescribing(other, other.tokens.length));
}

function isDescribing(view: SentenceView, before: number): boolean {
  if (view.language !== ENGLISH)
    return view.all("describe").length > 0 && view.tokens.some(({ quote }) => quote > 0);
  if (isReport(view, before)) return true;
  const describing = view.all("describe").some((at) => at < before && !isAddressed(view, at));
  return (
    describing ||
    view.all("attack").some((at) => at < before) ||
    view.find(before - 4, before - 1, "example") >= 0
  );
}

/** "A customer wrote that the agent should …" */
function isReport({ tokens }: SentenceView, before: number): boolean {
  const verb = tokens.findIndex(({ word, quote }, at) => at < before && quote === 0 && REPORTS.test(word));
  // "The user has asked you to …" is a claim, and no report.
  if (verb <= 0 || tokens[verb + 1]?.word === "you") return false;
  return tokens.slice(verb + 1, before).some(({ word }) => /^(?:that|to|into|how|whether|a|an)$/.test(word));
}

const REPORTS =
  /^(?:wrote|claimed|tricked|convinced|persuaded|embedded|hid|planted|smuggled|inserted|instructed|posted|told|asked|demanded|injected|exploited|tried|attempted|demonstrated)$/;

/** "You must block …" is an order to the model itself. */
function isAddressed(view: SentenceView, at: number): boolean {
  return view.find(at - 3, at - 1, "you", "model") >= 0;
}
