/** Sentences of a document that somebody in it says to somebody else in it: a dialogue of a novel, or the log of a chat. */
import type { Sentence } from "./sentences.ts";

const SPEAKS =
  /^(?:said|says|asked|replied|answered|whispered|shouted|cried|murmured|muttered|added|laughed|snapped|growled|called|sighed|exclaimed|announced|thought|nodded)$/;
/** How many sentences a "she said" covers, on both sides. */
const SPEECH_REACH = 2;

/** Says of each sentence whether it is reported. */
export function reportedIn(text: string, sentences: readonly Sentence[]): (index: number) => boolean {
  const turns = customerTurns(text);
  const narrated = sentences.map(({ tokens }) =>
    tokens.some(({ word, quote }) => quote === 0 && SPEAKS.test(word)),
  );
  return (index) => {
    const { tokens } = sentences[index]!;
    const start = tokens[0]!.at;
    if (turns.some(({ from, to }) => start >= from && start < to)) return true;
    if (!tokens.every(({ kind, quote }) => quote > 0 || kind !== "word")) return false;
    return narrated.slice(Math.max(0, index - SPEECH_REACH), index + SPEECH_REACH + 1).includes(true);
  };
}

const TURN =
  /^[ \t]{0,8}[[(*]{0,2}(?:(user|customer|visitor|guest|student|caller|human|client)|(bot|assistant|agent|support|chatbot|ai|model|operator))[\])*]{0,2} {0,2}[:\]>|-]{0,2} /gim;
/** A log has both sides of a conversation, several times. */
const TURNS_MIN = 3;
/** A longer text has turns enough to be read as what it says. */
const TURNS_MAX = 200;

/** Whether customers and a bot take turns in it. */
export function isChatLog(text: string): boolean {
  return customerTurns(text).length > 0;
}

/** What customers said to a bot that answered: the bot has already read it. */
function customerTurns(text: string): readonly { readonly from: number; readonly to: number }[] {
  const turns = [...text.matchAll(TURN)].slice(0, TURNS_MAX);
  if (turns.length < TURNS_MIN) return [];
  return turns.flatMap(({ 1: customer, index: from }, at) => {
    const next = turns[at + 1];
    return customer !== undefined && next?.[2] !== undefined ? [{ from, to: next.index }] : [];
  });
}
