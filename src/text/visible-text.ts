/**
 * Text that a model reads and a person does not see is the way in for instructions that no person agreed to. Here every
 * character that does not show, or that moves or hides others, is written as `\u{…}`, and text that was pushed out of
 * sight comes back into it.
 *
 * Nothing is dropped: what was hidden can be read. Characters of this kind stay where a script or an emoji needs them.
 * The work is linear in the text, and doing it twice changes nothing.
 */

/**
 * Control, format, line-separating, private and unpaired characters, and those that fonts are told not to draw (variation selectors,
 * Hangul fillers). The one definition of what does not show or moves other text: for what servers say, the terminal and the log.
 * Newlines and tabs are not among them.
 */
export const HIDDEN_CLASS = String.raw`\0-\x08\x0B-\x1F\x7F-\x9F\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{NChar}`;
/** Spaces of every width, and the Braille pattern without a dot. */
const BLANK_CLASS = String.raw`\p{Zs}\t\u2800`;

/** More lines than anybody leaves empty between two paragraphs. */
const NEWLINES_MAX = 8;
/** More spaces than a table or the indentation of an example has. */
const SPACES_MAX = 100;

const FLAGS = ["gbeng", "gbsct", "gbwls"].map((region) => `🏴${toTags(region)}\u{E007F}`);

/** Nearly every text is plain: this looks at it once, in a third of the time that the classes below need. */
const ANY_REASON = /[^ -~\n\t]|[ \n\t]{9}/;
// A flag is one unit: of its tags, each alone would hide text.
const HIDDEN_RUNS = new RegExp(`${FLAGS.join("|")}|[${HIDDEN_CLASS}]+`, "gu");
const LOOSE_END = new RegExp(`[${HIDDEN_CLASS}${BLANK_CLASS}\\n]+$`, "u");
const BLANKS = new RegExp(`[${BLANK_CLASS}\\n]{${NEWLINES_MAX + 1},}`, "gu");
const SPACES = new RegExp(`[${BLANK_CLASS}]{${SPACES_MAX + 1},}`, "gu");

const EMOJI = /^\p{Extended_Pictographic}$/u;
const EMOJI_OR_SKIN = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
const KEYCAP = /^[0-9#*]$/;
/** Letters and marks of scripts that write words with joiners and non-joiners. */
const JOINING_SCRIPTS =
  /^[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Nko}\p{scx=Mongolian}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]$/u;
const LETTER_OR_MARK = /^(?!\p{DI})[\p{L}\p{M}]$/u;

const ZWNJ = "\u200C";
const ZWJ = "\u200D";
const TEXT_STYLE = "\uFE0E";
const EMOJI_STYLE = "\uFE0F";
const KEYCAP_FRAME = "\u20E3";

/** The text with everything in it that would not show written out; the very same text where there is nothing. */
export function makeVisible(text: string): string {
  if (!ANY_REASON.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(BLANKS, shortenBlanks).replace(HIDDEN_RUNS, escapeRun);
}

/** The text with every such character written out, unless a script or an emoji needs it where it is. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_RUNS, escapeRun);
}

/** A visible text that was cut may end in half of a sequence, or in blanks: without them it is visible again. */
export function dropLooseEnd(text: string): string {
  return text.replace(LOOSE_END, "");
}

function escapeRun(run: string, start: number, whole: string): string {
  if (run.startsWith("🏴")) return run;
  let escaped = "";
  let at = start;
  for (const char of run) {
    escaped += belongs(char, at, whole) ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`;
    at += char.length;
  }
  return escaped;
}

/** Whether the character is where a script or an emoji needs it. */
function belongs(char: string, at: number, whole: string): boolean {
  switch (char) {
    case TEXT_STYLE:
    case EMOJI_STYLE: {
      const before = characterBefore(whole, at);
      return EMOJI.test(before) || (KEYCAP.test(before) && whole[at + 1] === KEYCAP_FRAME);
    }
    case ZWNJ:
      return isBetweenLetters(whole, at);
    case ZWJ:
      return isBetweenLetters(whole, at) || isBetweenEmoji(whole, at);
    default:
      return false;
  }
}

function isBetweenLetters(whole: string, at: number): boolean {
  return isJoining(characterBefore(whole, at)) && isJoining(characterAt(whole, at + 1));
}

function isJoining(char: string): boolean {
  return LETTER_OR_MARK.test(char) && JOINING_SCRIPTS.test(char);
}

function isBetweenEmoji(whole: string, at: number): boolean {
  const before =
    whole[at - 1] === EMOJI_STYLE
      ? EMOJI.test(characterBefore(whole, at - 1))
      : EMOJI_OR_SKIN.test(characterBefore(whole, at));
  return before && EMOJI.test(characterAt(whole, at + 1));
}

function characterAt(whole: string, at: number): string {
  const code = whole.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(whole: string, at: number): string {
  const pair = at >= 2 ? characterAt(whole, at - 2) : "";
  return pair.length === 2 ? pair : whole.slice(Math.max(0, at - 1), at);
}

function shortenBlanks(run: string): string {
  const newlines = run.split("\n").length - 1;
  if (newlines > NEWLINES_MAX) return ` … [${newlines} blank lines] … `;
  return run.replace(SPACES, (spaces) => ` … [${spaces.length} spaces] … `);
}

function toTags(text: string): string {
  return String.fromCodePoint(...Array.from(text, (char) => 0xe0000 + char.charCodeAt(0)));
}
