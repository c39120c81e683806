/** Frames about keeping something from the user. */
import { EAST_ASIAN, ENGLISH } from "../words/lexicon.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Signal, type Source } from "./signal.ts";

const HIDES = "tells the model to keep something from the user";

/** Between "not" and the verb: adverbs, and what is said of the one who is to be silent. */
const NEGATION_DISTANCE = 4;
/** The same with a remark in commas between them. */
const REMARK_DISTANCE = 9;
const LISTENER_DISTANCE = 9;
/** In other languages a pronoun may stand between the two. */
const UNHEARD_DISTANCE = 2;

export const findSecrecy: Frame = (view, { source }) => [
  ...view.all("not").flatMap((at) => silenceAt(view, at, source)),
  ...concealment(view),
  ...unawareness(view),
  ...stealth(view),
];

function silenceAt(view: SentenceView, at: number, source: Source): Signal[] {
  const [from, to] = reachOf(view, at);
  const tell = view
    .all("tell")
    .find((verb) => verb >= from && verb <= to + remark(view, at) && !isParted(view, at, verb));
  if (tell === undefined) return [];
  const listener = listenerOf(view, tell, at);
  if (listener >= 0)
    return [signal("secrecy", weightOfObject(view, at, tell, listener), HIDES, at, listener)];
  if (view.language !== ENGLISH) return unheard(view, at, tell, source);
  return unmentioned(view, at, tell);
}

/** English negates before the verb; others round it, Japanese and Korean right behind it. */
function reachOf(view: SentenceView, not: number): readonly [from: number, to: number] {
  if (view.language === ENGLISH) return [not + 1, not + NEGATION_DISTANCE];
  if (view.language === EAST_ASIAN) return [not - 2, not + 3];
  return NEGATES_AHEAD.has(view.language) ? [not, not + 8] : [not - 7, not + 8];
}

/** French, Spanish and Russian put "not" before the verb. */
const NEGATES_AHEAD: ReadonlySet<number> = new Set([2, 3, 5]);
/** Two sentences in one. */
const CONJUNCTIONS = /^(?:y|e|und|et|en|i|и|ve|och|sondern|sino|mais|maar|ma|ale)$/;

function remark(view: SentenceView, not: number): number {
  return view.tokens[not + 1]?.kind === "clause" ? REMARK_DISTANCE - NEGATION_DISTANCE : 0;
}

/** "Do not guess, tell the user" is good advice: a comma parts the two, unless it comes in a pair. */
function isParted(view: SentenceView, not: number, verb: number): boolean {
  const [from, to] = not < verb ? [not, verb] : [verb, not];
  const cuts = view.tokens.slice(from, to).filter(({ kind }) => kind === "clause" || kind === "colon").length;
  if (
    view.language === ENGLISH &&
    view.tokens.slice(from + 1, to).some(({ word }) => /^(?:but|only|and|then|just)$/.test(word))
  )
    return true;
  if (
    view.language !== ENGLISH &&
    view.tokens.slice(from + 1, to).some(({ word }) => CONJUNCTIONS.test(word)) &&
    verb < not
  )
    return true;
  return cuts % 2 === 1;
}

/** The user, with an article: "notify assigned users" is about the users of a program. */
function listenerOf(view: SentenceView, tell: number, not: number): number {
  const [from, to] =
    view.language === ENGLISH ? [tell + 1, tell + LISTENER_DISTANCE] : [Math.min(tell, not) - 5, tell + 8];
  const listener = view.all("user").find((at) => at >= from && at <= to && isListener(view, at));
  return listener ?? -1;
}

const ARTICLES = /^(?:the|your|any|human|end|them|him|her|to|this|my|their|our|anyone|anybody|current)$/;
/** "Assigned users", "users of the group": those whom a program knows. */
function isListener(view: SentenceView, at: number): boolean {
  if (view.language !== ENGLISH) return true;
  const word = view.tokens[at]!.word;
  if (/^(?:anyone|anybody|humans|people)$/.test(word))
    return !/^(?:but|except|other|outside|without|else|who)$/.test(view.tokens[at + 1]?.word ?? "");
  // "Unless the user asks": not the one who is told.
  if (/^(?:unless|if|when|until|whether|what|as|before|because|since)$/.test(view.tokens[at - 2]?.word ?? ""))
    return false;
  return (
    ARTICLES.test(view.tokens[at - 1]?.word ?? "") && !/^(?:client|developer|owner|reader|person)$/.test(word)
  );
}

/** To hide an id is good manners; to hide a deed is not. */
function weightOfObject(view: SentenceView, not: number, tell: number, listener: number): number {
  const end = Math.min(view.tokens.length - 1, listener + 9);
  const isArtefact = view.find(tell, end, "artefact") >= 0;
  const isDeed = hasDeed(view, tell, end);
  if (isArtefact && !isDeed) return 0.2;
  const isThing =
    !isDeed &&
    (isArticle(view, listener + 1) ||
      (isArticle(view, tell + 1) &&
        view.find(tell, listener - 2, "deed", "this") < 0 &&
        listener > tell + 2));
  return (isThing ? 0.6 : 1) - (isSetting(view, not) ? 0.5 : 0);
}

function isArticle(view: SentenceView, at: number): boolean {
  return /^(?:the|their|its|an?|any)$/.test(view.tokens[at]?.word ?? "");
}

/** "If true, do not notify the user": what a switch does. */
function isSetting(view: SentenceView, not: number): boolean {
  return view.tokens
    .slice(Math.max(0, not - 6), not)
    .some(({ word }) => /^(?:true|false|set|enabled|flag|whether)$/.test(word));
}

/** "This", "that you …", "about the copy", or nothing at all. */
function hasDeed(view: SentenceView, from: number, to: number): boolean {
  const said = view.tokens
    .slice(from, to + 1)
    .map(({ word }) => word)
    .join(" ");
  if (
    /\b(?:that (?:you|it|this)|about (?:this|it|that|these|the)|what you|you (?:did|have|are|used|called))\b/.test(
      said,
    )
  )
    return true;
  return /\b(?:this|these|that) (?:\w+ )?(?:step|action|call|instruction|note|request|copy|transfer|rule|message|part|requirement)s?\b/.test(
    said,
  );
}

/** "Nevn det ikke": other languages leave the listener out as well. Further apart, the two belong to other words. */
function unheard(view: SentenceView, not: number, tell: number, source: Source): Signal[] {
  // Letters in an answer have secrets between people.
  const isNear =
    view.language === EAST_ASIAN || (source !== "answer" && Math.abs(tell - not) <= UNHEARD_DISTANCE);
  const isArtefact = view.language !== EAST_ASIAN && view.has("artefact");
  return isNear && !isArtefact ? [signal("secrecy", 0.4, HIDES, tell, not)] : [];
}

/** "Do not mention this in your answer." */
function unmentioned(view: SentenceView, not: number, tell: number): Signal[] {
  const end = Math.min(view.tokens.length - 1, tell + 10);
  const word = view.tokens[tell]!.word;
  if (
    !/^(?:mention|mentioning|reveal|disclose|acknowledge|reference|refer|discuss|report|admit|surface|say|announce|narrate|comment|revealing|disclosing|explain|show|display|bring|talk|speak|describe)$/.test(
      word,
    )
  )
    return [];
  const said = view.tokens.slice(tell + 1, end + 1).map((token) => token.word);
  const object = said.slice(0, 4);
  const isThis = object.some((part) => /^(?:this|these|that|it|any)$/.test(part)) || hasDeed(view, tell, end);
  const isDeed = view.find(tell + 1, tell + 6, "deed", "systemPrompt") >= 0;
  const isReply =
    view.find(tell + 1, end, "reply") >= 0 &&
    (view.find(tell + 1, end, "you") >= 0 || /\bfinal\b/.test(said.join(" ")));
  if (view.find(tell, end, "artefact") >= 0 && !hasDeed(view, tell, end)) return [];
  if (isThis && isReply) return [signal("secrecy", 1, HIDES, not, end)];
  if (isThis && isDeed) return [signal("secrecy", 0.8, HIDES, not, end)];
  const isBare = view.tokens.length <= tell + 3 && isThis;
  return isBare || (isDeed && isReply) ? [signal("secrecy", 0.7, HIDES, not, tell)] : [];
}

/** "Keep this secret from the user", "hide it from the user". */
function concealment(view: SentenceView): Signal[] {
  return view.all("conceal").flatMap((at) => {
    const listener = view.all("user").find((user) => user > at && user <= at + 10 && isListener(view, user));
    const said = view.tokens
      .slice(at, at + 8)
      .map(({ word }) => word)
      .join(" ");
    if (
      /^keep(?:ing)? (?:this|it|that|these|them|the (?:step|call|copy|upload|instructions?|transfer|request|change|process)|all of this) (?:\w+ ){0,2}(?:secret|hidden|confidential|private|to yourself|between us|quiet|out of (?:your|the))/.test(
        said,
      )
    )
      return [signal("secrecy", listener === undefined ? 0.8 : 1, HIDES, at, at + 4)];
    if (listener === undefined) return view.language === ENGLISH ? [] : hiddenDeed(view, at);
    if (view.language !== ENGLISH) return [signal("secrecy", 0.8, HIDES, at, listener)];
    const isFrom = view.tokens.slice(at, listener).some(({ word }) => word === "from");
    const isArtefact = view.find(at, listener, "artefact") >= 0 && !hasDeed(view, at, listener);
    const isThis = view.find(at + 1, at + 3, "this") >= 0 || view.find(at, listener, "deed") >= 0;
    return isFrom && !isArtefact ? [signal("secrecy", isThis ? 1 : 0.7, HIDES, at, listener)] : [];
  });
}

/** "Verberg dat je dat doet": what the reader itself does. */
function hiddenDeed(view: SentenceView, at: number): Signal[] {
  const deed = view.find(at + 1, at + 4, "this", "you");
  return deed < 0 ? [] : [signal("secrecy", 0.4, HIDES, at, deed)];
}

/** "The user must not know", "without the user noticing", "the user does not need to see this". */
function unawareness(view: SentenceView): Signal[] {
  if (view.language !== ENGLISH) return [];
  return view.all("user").flatMap((at) => {
    const before = view.tokens
      .slice(Math.max(0, at - 3), at)
      .map(({ word }) => word)
      .join(" ");
    const after = view.tokens
      .slice(at + 1, at + 9)
      .map(({ word }) => word)
      .join(" ");
    if (
      /\bwithout (?:the|your|any)$/.test(before) &&
      /^(?:\w+ ){0,2}(?:know|notic|awar|realiz|realis|see|consent|knowledge|find)/.test(
        after + " " + view.tokens[at]!.word,
      )
    )
      return [signal("secrecy", 1, HIDES, at - 2, at + 2)];
    if (
      /\b(?:the|your)$/.test(before) &&
      /^(?:(?:must|should|may|need|does|do|can|will|is|has)(?: not|n't| never)|must never|should never|mustn't|shouldn't|needn't|doesn't|cannot|can't|never|won't|has no|is never)(?: (?:need|have|want|be|to|ever|be made|get)){0,3} (?:told|informed|aware|notified|know|notice|learn|see|find|shown|hear|alerted|bothered)/.test(
        after,
      )
    )
      return [signal("secrecy", 1, HIDES, at - 1, at + 5)];
    return [];
  });
}

/** "Silently attach a copy": only beside something that is worth hiding. */
function stealth(view: SentenceView): Signal[] {
  return view.all("secretly").flatMap((at) => {
    const verb = view.find(at - 3, at + 4, "send", "put", "read", "harm", "alter", "act");
    const isMore = view.has("when") || view.has("always") || view.has("also") || view.has("you");
    return verb >= 0 ? [signal("stealth", isMore ? 0.6 : 0.4, HIDES, at, verb)] : [];
  });
}
