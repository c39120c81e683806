/** The texts of a tool's answer: what they say to a model that reads them. */
import { excerptOf } from "../excerpt.ts";
import type { FindingCode, TextNote } from "../finding-code.ts";
import { NO_PURPOSE } from "./purpose.ts";
import { scanText } from "./scan-text.ts";

export interface AnswerFinding {
  readonly code: FindingCode;
  /** Which of the texts it is in, from 1. */
  readonly place: string;
  readonly message: string;
  /** The text word for word, with what would not show written out. */
  readonly excerpt: string;
}

/** Answers are read while a caller waits. Of a longer one, the beginning and the end are read. */
export const ANSWER_LENGTH_MAX = 64 * 1024;
const HEAD_SHARE = 0.75;

/** At most one finding of each kind. */
export function scanAnswer(
  texts: readonly string[],
  count?: (steps: number) => void,
): readonly AnswerFinding[] {
  const found = new Map<FindingCode, AnswerFinding>();
  let left = ANSWER_LENGTH_MAX;
  for (const [index, text] of texts.entries()) {
    if (left <= 0) break;
    const parts = partsOf(text, left).flatMap(valuesOf);
    left -= parts.reduce((sum, part) => sum + part.length, 0);
    const place = `text ${index + 1}`;
    for (const note of parts.flatMap((part) => scanPart(part, place, count)))
      if (!found.has(note.code)) found.set(note.code, { ...note, place });
  }
  return [...found.values()];
}

function partsOf(text: string, lengthMax: number): string[] {
  if (text.length <= lengthMax) return [text];
  const head = Math.floor(lengthMax * HEAD_SHARE);
  return [text.slice(0, head), text.slice(text.length - (lengthMax - head))];
}

/** The texts in a JSON value, each on its own: they are data, and not quotations of somebody. */
function valuesOf(text: string): string[] {
  if (!/^\s{0,100}[[{]/.test(text)) return [text];
  try {
    const texts: string[] = [];
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
    return [texts.join("\n\n")];
  } catch {
    return [text];
  }
}

function scanPart(text: string, place: string, count?: (steps: number) => void): TextNote[] {
  const scanned = {
    text,
    place,
    source: "answer" as const,
    purpose: NO_PURPOSE,
    isDescription: false,
    isSample: false,
  };
  return [...hiddenIn(text, place), ...scanText(scanned, count)];
}

/** Letters that no font draws spell something: no page and no file has them by chance. */
const TAG_LETTERS = /[\u{E0020}-\u{E007E}]{6,}/u;
/** Right-to-left overrides turn a text round for people and not for models. */
const OVERRIDES = /[\u202D\u202E]/;

function hiddenIn(text: string, place: string): TextNote[] {
  const at = Math.max(text.search(TAG_LETTERS), text.search(OVERRIDES));
  if (at < 0) return [];
  return [
    { code: "hidden_text", message: `${place} has text that does not show`, excerpt: excerptOf(text, at) },
  ];
}
