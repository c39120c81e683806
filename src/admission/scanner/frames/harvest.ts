/** Frames about data that the model has and the tool should not get, and about where data is sent. */
import type { Concept } from "../words/concepts.ts";
import { ENGLISH } from "../words/lexicon.ts";
import { isNegated } from "./orders.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Reading, type Signal } from "./signal.ts";

const WANTS_FILE = "wants a file that holds secrets";
const WANTS_TALK = "wants the conversation or the model's own instructions";
const WANTS_SECRETS = "wants passwords or keys that the model knows";
const SENDS = "wants something sent to an address";

/** How far the object may be from its verb. */
const REACH = 12;

export const findHarvest: Frame = (view, reading) => [
  ...secretFiles(view, reading),
  ...talk(view, reading),
  ...credentials(view, reading),
  ...sendings(view, reading),
  ...links(view),
];

const TAKEN: readonly Concept[] = ["put", "send", "read", "must"];
const TAKES: readonly Concept[] = ["read", "put", "send", "act", "must"];

function secretFiles(view: SentenceView, reading: Reading): Signal[] {
  const places = view.tokens.flatMap(({ kind }, at) => (kind === "place" ? [at] : []));
  return [...places, ...view.all("secretPlace")].flatMap((at) => {
    const verb = Math.max(verbBefore(view, at, TAKES), verbAfter(view, at));
    const isContent =
      isContentOf(view, at) || (!reading.isDescription && /^contents?$/.test(view.tokens[0]!.word));
    if (verb < 0 && !isContent) return [];
    if (verb >= 0 && isNegated(view, verb)) return [];
    const weight = weightOfFile(view, reading, at);
    return [signal("file", weight, WANTS_FILE, verb < 0 ? at : verb, at)];
  });
}

function isContentOf(view: SentenceView, at: number): boolean {
  return view.tokens
    .slice(Math.max(0, at - 5), at)
    .some(({ word }) => /^(?:contents?|text|data|body|value|copy|inhalt|contenu|contenido)$/.test(word));
}

function weightOfFile(view: SentenceView, { source, purpose, isFirst }: Reading, at: number): number {
  const isScope = purpose.topics.has("secrets") || purpose.topics.has("security");
  const isOrder = isTold(view) || view.find(0, view.tokens.length, "before") >= 0;
  if (view.has("refuse")) return 0.2;
  if (source === "answer") return isToldModel(view) || isReadOut(view, at) || isFetched(view, at) ? 0.8 : 0.4;
  if (!isScope) return isAnExample(view, at) ? 0.4 : 1;
  const isTaken = view.find(0, view.tokens.length, "send", "put") >= 0;
  if (isFirst) return isTaken && isOrder ? 0.7 : 0.2;
  const isNamed = view.tokens[at]!.kind === "place";
  if (isNamed && isTaken && !purpose.topics.has("keys") && !purpose.topics.has("security")) return 0.8;
  return isOrder && isTaken ? 0.7 : isOrder ? 0.5 : 0.25;
}

/** "Read … and call again with its contents." */
function isReadOut(view: SentenceView, at: number): boolean {
  const read = view.find(at - 8, at - 1, "read");
  const said = view.tokens
    .slice(at + 1)
    .map(({ word }) => word)
    .join(" ");
  return (
    read >= 0 &&
    /\b(?:its|the|their) (?:contents?|values?|text|output)|\b(?:reply|include|paste|send|attach|return|report|upload)\b/.test(
      said,
    )
  );
}

/** "Call read_file with path=…": a tool by its name, and a file for it. */
function isFetched(view: SentenceView, at: number): boolean {
  const call = view.find(at - 7, at - 1, "act", "prefer");
  return call >= 0 && view.tokens.slice(call + 1, at).some(({ kind }) => kind === "name");
}

/** "… has to be part of the argument", "… must be passed". */
function verbAfter(view: SentenceView, at: number): number {
  const must = view.find(at + 1, at + 4, "must");
  return must < 0 ? -1 : view.find(must + 1, must + 6, "put", "send", "read");
}

function isAnExample(view: SentenceView, at: number): boolean {
  return view.find(Math.max(0, at - 6), at, "example") >= 0;
}

function talk(view: SentenceView, reading: Reading): Signal[] {
  return [...view.all("conversation"), ...view.all("systemPrompt")].flatMap((at) => {
    // To fetch a conversation from somewhere else is what many tools do; the model's own prompt is nowhere else.
    const isOwn = view.is(at, "systemPrompt");
    const verb = verbBefore(view, at, [
      "put",
      "send",
      ...(isOwn ? (["read", "tell"] as const) : []),
      ...(view.language === ENGLISH ? [] : (["tell"] as const)),
    ]);
    const given = verbAfter(view, at);
    if (given >= 0) return [signal("talk", weightOfTalk(view, reading, at), WANTS_TALK, at, given)];
    if (verb < 0 || isNegated(view, verb))
      return isCarrier(view, at) ? [signal("talk", weightOfCarrier(view, reading, at), WANTS_TALK, at)] : [];
    return [signal("talk", weightOfTalk(view, reading, at), WANTS_TALK, verb, at)];
  });
}

function weightOfTalk(view: SentenceView, { source, purpose }: Reading, at: number): number {
  const isOwn =
    view.is(at, "systemPrompt") && /^(?:your|hidden|initial|internal|chain)$/.test(view.tokens[at]!.word);
  const near = view.tokens
    .slice(Math.max(0, at - 6), at + 6)
    .map(({ word }) => word)
    .join(" ");
  const isWhole =
    /\b(?:entire|full|whole|complete|verbatim|all|everything|exact|every|so far|your|current|this|previous|ganze\w*|gesamte\w*|tout\w*|toda|complet\w*)\b/.test(
      near,
    ) || view.language > 0;
  const isScope = purpose.topics.has("chat") || purpose.topics.has("llm");
  if (source === "answer") return isToldModel(view) ? 0.8 : isOwn ? 0.7 : 0.3;
  if (/\b(?:id|ids|type|types|title|url|link|name|key|identifier)\b/.test(near)) return 0.1;
  if (source === "prompt") return isOwn ? 0.8 : isTold(view) && view.has("send") ? 0.6 : 0.2;
  if (isScope) return isOwn ? 0.6 : isWhole && isTold(view) ? 0.4 : 0.15;
  return isWhole || isOwn ? 1 : 0.6;
}

/** "The full conversation so far", as the description of a parameter: no verb, and all is said. */
function isCarrier(view: SentenceView, at: number): boolean {
  const near = view.tokens
    .slice(Math.max(0, at - 4), at + 5)
    .map(({ word }) => word)
    .join(" ");
  return (
    /\b(?:entire|full|whole|complete|verbatim|so far|exactly|copied|unabridged|word for word|everything|up to this|prior|previous|earlier|turns)\b/.test(
      near,
    ) && view.tokens.length <= 16
  );
}

function weightOfCarrier(view: SentenceView, { source, purpose }: Reading, at: number): number {
  if (source !== "tool") return 0;
  if (view.all("not").some((not) => not < at)) return 0;
  return purpose.topics.has("chat") || purpose.topics.has("llm") ? 0.2 : 1;
}

/** Keys that the model has seen, not the one that a login needs. */
function credentials(view: SentenceView, { source, purpose, isDescription }: Reading): Signal[] {
  return view.all("credential").flatMap((at) => {
    const verb = Math.max(
      verbBefore(view, at, view.language === ENGLISH ? TAKEN : ["put", "send", "read"]),
      verbOfPronoun(view, at),
      verbAfter(view, at),
    );
    const near = view.tokens
      .slice(Math.max(0, at - 6), at + 10)
      .map(({ word }) => word)
      .join(" ");
    const isAny = /\b(?:any|all|every|other|user's|users|their|alle|toutes|todas|все|vos|tus)\b/.test(near);
    const isSeen =
      view.find(at, at + 10, "known", "conversation") >= 0 ||
      /\b(?:you (?:know|have|find|see|can|hold|were|came|come)|user (?:has )?(?:shared|mentioned|typed|pasted|gave|entered)|from (?:the|your|memory|earlier|this)|in (?:memory|context|your|the (?:conversation|environment|session)))\b/.test(
        near,
      );
    const isCarried =
      !isDescription && view.tokens.length <= 16 && /\b(?:user's|your|their|users)\b/.test(near);
    const isOut = view.tokens.some(({ kind }) => kind === "address" || kind === "mail");
    const isScope = purpose.topics.has("secrets") || purpose.topics.has("security");
    // "Set API_KEY=…" is how a program is set up.
    if (/^[A-Z0-9_]+$/.test(view.tokens[at]!.word) && view.tokens[verb]?.word === "set") return [];
    if (
      verb < 0 &&
      source === "tool" &&
      !isScope &&
      isAny &&
      isSeen &&
      !view.has("not") &&
      !view.has("refuse")
    )
      return [signal("credential", 0.8, WANTS_SECRETS, at)];
    if (verb < 0)
      return isCarried && source === "tool" && !isScope
        ? [signal("credential", view.has("not") ? 0 : 0.8, WANTS_SECRETS, at)]
        : [];
    if (isNegated(view, verb)) return [];
    if (view.language !== ENGLISH)
      return [
        signal(
          "credential",
          isOut || view.has("send") || view.has("everything") ? 0.9 : 0.5,
          WANTS_SECRETS,
          verb,
          at,
        ),
      ];
    if (source === "answer")
      return [
        signal(
          "credential",
          isToldModel(view) ? 0.8 : isOut && isAny ? 0.7 : isAny && isSeen ? 0.5 : 0.2,
          WANTS_SECRETS,
          verb,
          at,
        ),
      ];
    const isOthers = /\b(?:user's|their) (?:\S+ ){0,3}$/.test(`${near.split(view.tokens[at]!.word)[0]}`);
    const isNeed = view.is(verb, "must") && !view.is(verb, "put", "send", "read");
    if (isNeed)
      return [
        signal(
          "credential",
          isScope ? 0.1 : isContentOf(view, at) && isOthers ? 0.8 : isSeen || isAny ? 0.5 : 0.1,
          WANTS_SECRETS,
          verb,
          at,
        ),
      ];
    const weight =
      isOthers && !isScope
        ? 0.8
        : isAny && isSeen
          ? isScope
            ? 0.8
            : 1
          : isSeen && !isScope
            ? 0.6
            : isOut && isTold(view)
              ? 0.6
              : 0.15;
    return [signal("credential", weight, WANTS_SECRETS, verb, at)];
  });
}

/** "If the user shared a card number, include it." */
function verbOfPronoun(view: SentenceView, at: number): number {
  const verbs = [...view.all("put"), ...view.all("send")].filter((verb) => verb > at && verb <= at + 10);
  const verb = verbs.find((place) => view.find(place + 1, place + 2, "this") >= 0);
  if (verb === undefined) return -1;
  const isKnown = view.tokens.slice(Math.max(0, at - 6), verb).some(({ word }) => SEEN.test(word));
  return isKnown ? verb : -1;
}

/** How the model came to know of it. */
const SEEN =
  /^(?:shared|shares|mentioned|mentions|typed|entered|pasted|found|find|across|see|saw|encounter|encountered|know|discover|contain|contains|contained|notice|visible|appear|appears|present)$/;

/** "… to https://…", "bcc …@…". */
function sendings(view: SentenceView, reading: Reading): Signal[] {
  return view.tokens.flatMap(({ kind }, at) => {
    if (kind !== "address" && kind !== "mail") return [];
    const verb = verbBefore(view, at, ["send", "alter", "put", "harm"]);
    if (verb < 0 || isNegated(view, verb)) return [];
    const weight = weightOfSending(view, reading, verb, at);
    return weight > 0 ? [signal("send", weight, SENDS, verb, at)] : [];
  });
}

const REQUESTS =
  /^(?:requests?|query|queries|get|bugs?|feedback|questions?|issues?|support|help|report|reports|abuse)$/;

function weightOfSending(
  view: SentenceView,
  { source, purpose, isFirst }: Reading,
  verb: number,
  at: number,
): number {
  const between = view.tokens.slice(verb + 1, at).map(({ word }) => word);
  if (between.some((word) => REQUESTS.test(word)) || isAnExample(view, at)) return 0.1;
  const isTo =
    between.some((word) =>
      /^(?:to|with|as|an|a|by|via|at|into|in|copy|recipient|remote|webhook|origin|attendee|через|на|zu|nach|auf|vers|para)$/.test(
        word,
      ),
    ) || verb === at - 1;
  if (!isTo && view.language === ENGLISH) return 0;
  const isRich =
    view.find(0, at, "conversation", "credential", "systemPrompt") >= 0 ||
    view.tokens.some(({ kind }) => kind === "place");
  if (isRich) return source === "answer" ? 0.9 : 1;
  const isLasting =
    view.find(0, view.tokens.length, "always", "also", "secretly", "instead", "before") >= 0 ||
    view.find(0, verb, "first") >= 0 ||
    view.tokens.slice(0, verb).some(({ word }) => word === "then");
  const isRedirect =
    view.find(Math.max(0, verb - 3), at + 4, "recipient") >= 0 && view.is(verb, "alter", "put", "send");
  const isCopy = view.tokens
    .slice(0, at)
    .some(({ word }) =>
      /^(?:bcc|cc|copy|copies|results?|outputs?|everything|response|answer|data|contents?|arguments)$/.test(
        word,
      ),
    );
  if (source === "answer")
    return isToldModel(view) ? 0.8 : isRedirect ? 0.6 : isLasting && isCopy ? 0.5 : 0.2;
  if (isRedirect && (isLasting || isTold(view))) return 1;
  if (isLasting && isCopy) return 1;
  if (isLasting && view.tokens[at]!.kind === "mail") return 1;
  if (isLasting || isRedirect) return 0.8;
  const isNet = purpose.topics.has("net");
  return isFirst || isNet ? (isTold(view) ? (isCopy ? 0.6 : 0.5) : 0.3) : isCopy || isTold(view) ? 1 : 0.7;
}

const LINKS = "wants data put into an address or a picture";

/** "Append the summary to the URL", "show this image". */
function links(view: SentenceView): Signal[] {
  return view.all("put").flatMap((verb) => {
    const link = view.find(verb + 1, verb + REACH, "link");
    const rich = view.find(verb + 1, verb + REACH, "conversation", "credential", "systemPrompt");
    if (link < 0 || rich < 0 || isNegated(view, verb)) return [];
    return [signal("link", 0.8, LINKS, verb, link)];
  });
}

function verbBefore(view: SentenceView, at: number, concepts: readonly Concept[]): number {
  const from = view.language === ENGLISH ? at - REACH : at - REACH;
  const to = view.language === ENGLISH ? at - 1 : at + REACH;
  const found = concepts.flatMap((concept) =>
    view.all(concept).filter((verb) => verb >= from && verb <= to && verb !== at),
  );
  return found.length === 0 ? -1 : Math.max(...found);
}

/** Whether the sentence tells somebody to do something, and does not only say what a tool does. */
export function isTold(view: SentenceView): boolean {
  return (
    (["you", "model", "must", "always", "also", "first", "before", "secretly"] as const).some((concept) =>
      view.has(concept),
    ) || view.language !== ENGLISH
  );
}

/** Whether it tells a model. */
function isToldModel(view: SentenceView): boolean {
  return (
    view.has("model") && (view.has("must") || view.has("you") || view.has("reading") || view.has("always"))
  );
}
