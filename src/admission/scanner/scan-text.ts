/**
 * One text in all its readings: as it is, without characters that do not show, decoded, and turned round. The first
 * thing found of each kind is reported.
 */
import { excerptOf } from "../excerpt.ts";
import type { FindingCode, TextNote } from "../finding-code.ts";
import { countListed, decodeAll, reverse, rotate13, type Decoded } from "./decoding.ts";
import { findLiveSecret } from "./live-secrets.ts";
import type { Purpose } from "./purpose.ts";
import { findInstruction, type TextReading } from "./text-reading.ts";
import type { Source } from "./frames/signal.ts";
import { isSecretPlace } from "./words/secret-places.ts";

export interface ScannedText {
  readonly text: string;
  readonly place: string;
  readonly source: Source;
  readonly purpose: Purpose;
  readonly isDescription: boolean;
  readonly isSample: boolean;
}

/** One clear order, or two that are less clear: found by trying it on texts that are known. */
const THRESHOLD = 0.8;
/** What is hidden in another text needs less to be a finding: nobody hides what may be read. */
const HIDDEN_THRESHOLD = 0.5;
/** A definition has no reason to encode an order at all; an answer may be a mail with an encoded part. */
const ENCODED_THRESHOLD = 0.4;
const HIDDEN_LETTERS = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF\u180E\u{E0000}-\u{E007F}]/gu;

export function scanText(scanned: ScannedText, count: (steps: number) => void = () => {}): TextNote[] {
  const place = excerptOf(scanned.place);
  const secret = findLiveSecret(scanned.text);
  return [
    ...ordered(scanned, place, count),
    ...encoded(scanned, place, count),
    ...(secret === undefined
      ? []
      : [
          note(
            "live_secret",
            `${place} has ${secret.what} that looks real`,
            maskedExcerpt(scanned.text, secret),
          ),
        ]),
  ];
}

function note(code: FindingCode, message: string, excerpt: string): TextNote {
  return { code, message, excerpt };
}

/** The excerpt goes into logs: it shows where the secret is and not the secret. */
function maskedExcerpt(
  text: string,
  { at, length }: { readonly at: number; readonly length: number },
): string {
  const secret = text.slice(at, at + length);
  return excerptOf(`${text.slice(Math.max(0, at - 40), at)}${secret.slice(0, 6)}…[${length} characters]`);
}

function ordered(scanned: ScannedText, place: string, count: (steps: number) => void): TextNote[] {
  const { text } = scanned;
  const instruction = findInstruction(text, readingOf(scanned, THRESHOLD, count));
  if (instruction !== undefined)
    return [note("instruction_to_model", `${place} ${instruction.what}`, excerptOf(text, instruction.at))];
  const bare = text.replace(HIDDEN_LETTERS, "");
  const hidden =
    bare === text ? undefined : findInstruction(bare, readingOf(scanned, HIDDEN_THRESHOLD, count));
  if (hidden === undefined) return [];
  const message = `${place} ${hidden.what}, in letters with others between them that do not show`;
  return [note("hidden_text", message, excerptOf(text, Math.max(0, text.search(HIDDEN_LETTERS))))];
}

function readingOf(scanned: ScannedText, threshold: number, count: (steps: number) => void): TextReading {
  return { ...scanned, threshold, count };
}

function encoded(scanned: ScannedText, place: string, count: (steps: number) => void): TextNote[] {
  for (const decoded of [...decodeAll(scanned.text, count), ...turned(scanned.text, count)]) {
    const found = judge(decoded, scanned, count) ?? nested(decoded, scanned, count);
    if (found === undefined) continue;
    const message = `${place} has a text in ${decoded.encoding} that ${found}`;
    return [note("encoded_text", message, excerptOf(decoded.text))];
  }
  return opaque(scanned, place);
}

/** The whole text in ROT13 or backwards, where that says more than the text as it is. */
function turned(text: string, count: (steps: number) => void): Decoded[] {
  const { plain, rotated, reversed } = countListed(text, count);
  return [
    ...(rotated > plain && rotated >= 3 ? [{ text: rotate13(text), at: 0, encoding: "ROT13" }] : []),
    ...(reversed > plain && reversed >= 3 ? [{ text: reverse(text), at: 0, encoding: "reverse order" }] : []),
  ];
}

/** One run of letters was decoded, and not a text in which some are escaped. */
const RUNS: ReadonlySet<string> = new Set(["base64", "hexadecimal", "character codes"]);

function judge(
  { text, encoding }: Decoded,
  scanned: ScannedText,
  count: (steps: number) => void,
): string | undefined {
  const isHidden = RUNS.has(encoding);
  const threshold = isHidden && scanned.source !== "answer" ? ENCODED_THRESHOLD : HIDDEN_THRESHOLD;
  const instruction = findInstruction(text, {
    ...readingOf(scanned, threshold, count),
    isDescription: false,
    isHidden,
  });
  if (instruction !== undefined) return instruction.what;
  if (scanned.source === "answer" || scanned.purpose.topics.has("encoding")) return undefined;
  if (text.length === scanned.text.length) return undefined;
  return REACHES.test(text) || text.split(/\s+/).some(isSecretPlace)
    ? "names an address, a command or a secret file"
    : undefined;
}

const REACHES = /\bhttps?:\/\/|\b(?:curl|wget|bash|powershell)\s+\S/;

function nested(decoded: Decoded, scanned: ScannedText, count: (steps: number) => void): string | undefined {
  return decodeAll(decoded.text, count)
    .map((inner) => judge(inner, scanned, count))
    .find((found) => found !== undefined);
}

/** A long text that nobody can read, in the description of something that has no business with such texts. */
const OPAQUE = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{201,}/g;
const BINARY =
  /^(?:iVBOR|\/9j\/|R0lGOD|JVBER|UEsDB|H4sI|Qk0|AAAA|MII[A-Za-z]|LS0tLS1|PHN2Zy|PD94bW|UklGR|SUQz|eyJ)/;

function opaque({ text, source, purpose, isSample }: ScannedText, place: string): TextNote[] {
  if (source === "answer" || isSample || purpose.topics.has("encoding")) return [];
  const found = text
    .matchAll(OPAQUE)
    .find(({ 0: run, index }) => isOpaque(run, text.slice(Math.max(0, index - 30), index)));
  if (found === undefined) return [];
  return [note("encoded_text", `${place} has a long encoded text`, excerptOf(text, found.index))];
}

function isOpaque(run: string, before: string): boolean {
  if (BINARY.test(run) || /base64,$|https?:\/\/\S*$/.test(before)) return false;
  // A row of dashes, or of one letter, says nothing; neither does a hash.
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run);
}
