/**
 * What no phrase of a list catches: how much a sentence has of what attacks are made of. Each part is also in honest
 * sentences; several of them in one sentence are rare there.
 */
import { isNegated } from "./orders.ts";
import { ENGLISH } from "../words/lexicon.ts";
import { stemOf } from "../purpose.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Reading } from "./signal.ts";

const SOFT = "speaks to the model of things that the tool does not need";
const SOFT_MAX = 0.9;

const said = (view: SentenceView, pattern: RegExp): boolean =>
  view.tokens.some(({ word }) => pattern.test(word));

const UNIVERSAL =
  /^(?:irrespective|regardless|whatever|everything|everywhere|unconditionally|circumstances|future|anyway|whichever|permanently)$/;
const QUIET =
  /^(?:invisible|invisibly|unnoticed|unseen|confused|suspicion|suspicious|discreet|background|hidden|confidential)$/;
const INSTEAD = /^(?:instead|rather|even|own)$/;
const USER_DATA =
  /^(?:files?|mailbox|mails?|emails?|browser|account|identity|location|contacts?|calendar|documents?|password|address|messages?|history|notes?|data|invoices?|goals|plans|phone|photos?|cookies?)$/;

/** Data of the user, or of the model, that a tool is not given as a matter of course. */
function isOutside(view: SentenceView): boolean {
  if (
    ["conversation", "systemPrompt", "credential", "secretPlace"].some((concept) =>
      view.has(concept as "credential"),
    )
  )
    return true;
  if (view.tokens.some(({ kind }) => kind === "place")) return true;
  return view.all("user").some((at) => {
    const near = view.tokens.slice(at + 1, at + 4);
    return view.tokens[at]!.word.endsWith("'s") && near.some(({ word }) => USER_DATA.test(word));
  });
}

function isBusiness({ purpose, source }: Reading): boolean {
  return (
    source === "tool" &&
    (["secrets", "security", "chat", "llm"] as const).some((topic) => purpose.topics.has(topic))
  );
}

function does(view: SentenceView, concept: "send" | "put" | "read" | "harm"): boolean {
  return view.all(concept).some((at) => !isNegated(view, at));
}

const LITERAL_NUMBER = /^(?:\d{6,}|[a-z]{2}\d{2}[a-z0-9]{8,30}|0x[0-9a-f]{8,64}|bc1[a-z0-9]{10,60})$/;

/** An address or an account that is written out, and not as an example. */
function isAddressed(view: SentenceView): boolean {
  if (view.has("example")) return false;
  return view.tokens.some(
    ({ kind, word }) =>
      kind === "mail" || (kind === "address" && !EXAMPLE_HOST.test(word)) || LITERAL_NUMBER.test(word),
  );
}

const EXAMPLE_HOST = /^https?:\/\/(?:[\w.-]+\.)?(?:example(?:\.\w+)?|localhost)\b/i;

export const findSoft: Frame = (view, reading) => {
  if (view.language !== ENGLISH || reading.isFirst || view.has("refuse")) return [];
  // Answers are about anything. Only one that speaks of models or of the user speaks to a model.
  if (reading.source === "answer" && !view.has("model") && !isOfUser(view)) return [];
  const core = Math.max(
    wantsOutside(view, reading),
    sendsAnyway(view, reading),
    ordersModel(view),
    usesOthers(view),
    leavesScope(view, reading),
  );
  if (core === 0) return [];
  const weight = (core + insistence(view)) * (reading.source === "prompt" ? 0.7 : 1);
  return [signal("soft", Math.min(SOFT_MAX, weight), SOFT, 0, view.tokens.length - 1)];
};

/** How much the sentence presses. */
function insistence(view: SentenceView): number {
  const parts = [
    view.has("must"),
    view.has("you") || view.has("model"),
    view.has("always") || said(view, UNIVERSAL),
    view.has("authority") && view.has("demand"),
    view.has("penalty"),
    view.has("secretly") || said(view, QUIET),
  ];
  return parts.filter(Boolean).length / 10;
}

/** Something of the user's is to be taken or handed over. */
function wantsOutside(view: SentenceView, reading: Reading): number {
  if (isBusiness(reading) || !isOutside(view)) return 0;
  return does(view, "send") ? 0.5 : does(view, "put") || does(view, "read") ? 0.4 : 0;
}

const FOREIGN =
  /^(?:browser|browsers|extension|inbox|mailbox|chats?|e-?mails?|mails|calendar|contacts|environment|memory|wallet|screen|clipboard|microphone|camera|terminal|shell|desktop|laptop|cookies|bookmarks|webcam|keyboard|router|vpn|photos|firewall)$/;

/** A tool that computes or looks up speaks of the user's machine or accounts: said to whoever can reach them. */
function leavesScope(view: SentenceView, { source, purpose }: Reading): number {
  if (source !== "tool" || !(purpose.topics.has("computation") || purpose.topics.has("lookup"))) return 0;
  const isForeign = view.tokens.some(
    ({ word }) => FOREIGN.test(word) && purpose.words?.has(stemOf(word)) !== true,
  );
  const isDone = (["send", "put", "read", "harm"] as const).some((concept) => does(view, concept));
  return isForeign && isDone && !view.has("not") ? 0.8 : 0;
}

/** An address or account that counts whatever the user says. */
function sendsAnyway(view: SentenceView, reading: Reading): number {
  if (!isAddressed(view)) return 0;
  const isAnyway =
    view.has("always") ||
    view.has("also") ||
    said(view, UNIVERSAL) ||
    said(view, INSTEAD) ||
    view.has("secretly");
  const isDone =
    does(view, "send") ||
    does(view, "put") ||
    does(view, "harm") ||
    view.has("payment") ||
    view.has("recipient");
  return isAnyway && isDone ? (reading.source === "answer" ? 0.4 : 0.7) : 0;
}

/** A model is told to do harm or to hand something over. */
function ordersModel(view: SentenceView): number {
  return view
    .all("model")
    .some(
      (at) =>
        view.find(at - 4, at + 4, "must", "demand") >= 0 &&
        isOrdered(view, view.find(at + 1, at + 9, "send", "harm")),
    )
    ? 0.4
    : 0;
}

function isOrdered(view: SentenceView, action: number): boolean {
  return action >= 0 && !isNegated(view, action) && view.find(action - 3, action - 1, "before") < 0;
}

function usesOthers(view: SentenceView): number {
  return view.has("others") && view.has("tool") && view.has("not") && view.has("must") ? 0.3 : 0;
}

function isOfUser(view: SentenceView): boolean {
  return view
    .all("user")
    .some(
      (at) =>
        /^(?:the|your)$/.test(view.tokens[at - 1]?.word ?? "") && view.tokens[at]!.word.startsWith("user"),
    );
}
