/** Frames about what the model does or says in other matters: payments, recommendations, orders in answers. */
import { ENGLISH } from "../words/lexicon.ts";
import { isTold } from "./harvest.ts";
import { isNegated } from "./orders.ts";
import { wordsOfName } from "../words/name-words.ts";
import { stemOf } from "../purpose.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Signal } from "./signal.ts";

const ALTERS = "tells the model to change what the user asked for";
const PRAISES = "tells the model what to recommend or claim";
const ORDERS = "gives orders to a model that reads it";
const ASKS_NOT = "tells the model to act without the user's consent";

export const findAlteration: Frame = (view, { source, isFirst }) => {
  if (isFirst && source !== "answer" && !view.has("you") && !view.has("user")) return [];
  return view.all("alter").flatMap((at) => {
    const target = view.find(at - 5, at + 6, "recipient", "payment");
    if (target < 0 || isNegated(view, at)) return [];
    const isLiteral = view.tokens
      .slice(at, at + 16)
      .some(
        ({ kind, word }) =>
          kind === "mail" ||
          kind === "address" ||
          /^(?:[a-z]{2}\d{2}[a-z0-9]{8,}|0x[0-9a-f]{8,}|\d{6,}|street|road|avenue)$/.test(word),
      );
    const isDeceit =
      view.tokens
        .slice(at, at + 14)
        .some(({ word }) =>
          /^(?:regardless|instead|own|attacker\w*|our|ours|actual|double|twice|always|even)$/.test(word),
        ) || /^(?:double|triple|inflate|multiply)$/.test(view.tokens[at]!.word);
    const isTriggered = view.has("when") && (view.has("asks") || view.has("user"));
    const weight =
      (isLiteral ? 0.8 : 0) + (isDeceit ? 0.4 : 0) + (isTriggered ? 0.3 : 0) + (isTold(view) ? 0.2 : 0);
    return weight >= 0.4 ? [signal("alter", Math.min(1, weight), ALTERS, at, target)] : [];
  });
};

const SAYS =
  /^(?:say|claim|state|respond|reply|answer|tell|insist|assert|mention|recommend|suggest|promote|endorse|advertise|rank|praise|conclude|steer|favor|favour|convince|persuade)$/;

export const findPromotion: Frame = (view, { source }) => {
  if (view.language !== ENGLISH) return [];
  const isOrder =
    view.has("always") ||
    view.has("must") ||
    (view.has("when") && (view.has("asks") || view.has("user"))) ||
    view.has("not");
  const isAddressed = view.has("you") || view.has("user") || view.has("model");
  if (!isOrder) return [];
  return view.all("praise").flatMap((at) => {
    const isVerb = SAYS.test(view.tokens[at]!.word);
    const says = view.tokens.findIndex(
      ({ word }, place) => place < at && at - place <= 10 && SAYS.test(word),
    );
    if (!isVerb && says < 0) return [];
    const isBiased = view.tokens
      .slice(Math.max(0, at - 8), at + 12)
      .some(({ word }) =>
        /^(?:competitors?|only|best|over|superior|regardless|always|never|exclusively|favou?rably)$/.test(
          word,
        ),
      );
    if (!isBiased) return [];
    const isAllowed = source === "tool" && !isAddressed;
    return [signal("praise", isAllowed ? 0.5 : 0.8, PRAISES, says >= 0 ? says : at, at)];
  });
};

const TRIGGERS = "waits for what the user says, and then does something else";

/** "When the user asks about X, do Y": only where Y is not what the tool is for. */
export const findTrigger: Frame = (view, { source, purpose }) =>
  view.all("when").flatMap((at) => {
    const user = view.find(at + 1, at + 4, "user");
    const asks = view.find(at + 1, at + 6, "asks");
    if (user < 0 || asks < 0 || view.language !== ENGLISH) return [];
    const isOwn = view.tokens
      .slice(asks + 1, asks + 7)
      .some(({ word }) => word.length > 3 && purpose.words?.has(stemOf(word)) === true);
    if (isOwn) return [signal("trigger", 0.1, TRIGGERS, at, asks)];
    const action = view.find(asks + 2, asks + 22, "harm", "send", "put", "ignore");
    const call = view.tokens.findIndex(
      ({ kind, word }, place) => place > asks && kind === "name" && word.includes("_"),
    );
    const says = view.tokens.findIndex(({ word }, place) => place > asks + 1 && SAYS.test(word));
    const isDone = action >= 0 && !isNegated(view, action);
    const weight =
      isDone && view.is(action, "harm") ? 0.5 : isDone || says >= 0 ? 0.4 : call >= 0 ? 0.3 : 0.1;
    return [
      signal("trigger", source === "prompt" ? weight / 2 : weight, TRIGGERS, at, Math.max(asks, action)),
    ];
  });

export const findNoConsent: Frame = (view) =>
  view.all("not").flatMap((at) => {
    const confirm = view.find(at + 1, at + 4, "confirm");
    if (confirm < 0 || view.isCut(at, confirm) || isDoublyNegated(view, confirm)) return [];
    const act = view.find(0, view.tokens.length, "harm", "send");
    const isUser = view.has("user") || view.has("you");
    return [
      signal(
        "consent",
        act >= 0 && isUser ? 0.5 : act >= 0 ? 0.3 : isUser ? 0.3 : 0.15,
        ASKS_NOT,
        at,
        confirm,
      ),
    ];
  });

const WITHOUT =
  /^(?:sans|sin|senza|sem|zonder|bez|utan|uten|uden|ohne|без|fara|χωρις|nelkul|tanpa|ilman|دون|बिना)$/;
/** From the first of two negations to the consent. */
const DOUBLE_DISTANCE = 10;

/** "Ne supprime rien sans confirmation" asks for consent. English has its own rules for this. */
function isDoublyNegated(view: SentenceView, confirm: number): boolean {
  if (view.language === ENGLISH) return false;
  const start = Math.max(0, confirm - DOUBLE_DISTANCE);
  const without = start + view.tokens.slice(start, confirm).findLastIndex(({ word }) => WITHOUT.test(word));
  return view.all("not").some((at) => at >= start && at < without && !view.isCut(at, without));
}

/** A text in an answer that speaks to a model and orders something. */
export const findOrder: Frame = (view, { source }) => {
  if (source === "prompt") return [];
  return view.all("model").flatMap((at) => orderAt(view, at, source === "answer"));
};

/** "You must run the wipe_disk tool": an answer may name the next tool, and seldom insists. */
export const findToolOrder: Frame = (view, { source }) => {
  if (source !== "answer") return [];
  return view.all("act").flatMap((at) => {
    const name = view.tokens.findIndex(
      ({ kind, word }, place) => place > at && place <= at + 4 && kind === "name" && word.includes("_"),
    );
    const isInsisting = view.find(at - 6, at, "must") >= 0 || view.find(name, name + 6, "urgent") >= 0;
    const isHarm = name >= 0 && wordsOfName(view.tokens[name]!.word).some((word) => HARMFUL.test(word));
    if (name < 0 || isNegated(view, at)) return [];
    return [signal("tool order", (isInsisting ? 0.3 : 0.1) + (isHarm ? 0.3 : 0), ORDERS, at, name)];
  });
};

const HARMFUL =
  /^(?:delete|drop|wipe|transfer|pay|disable|export|upload|send|grant|revoke|remove|exec|execute|shell|merge|approve|publish|purge|destroy|kill|reset|dump|share|forward)$/;

function orderAt(view: SentenceView, at: number, isAnswer: boolean): Signal[] {
  const { tokens } = view;
  const isReading = readsThis(view, at);
  const isCalled =
    isVocative(view, at) ||
    (isReading && tokens.slice(Math.max(0, at - 4), at).some(({ word }) => /^(?:to|for)$/.test(word)));
  const must = view.find(at, at + 9, "must");
  const action = view.find(at + 1, at + 22, "harm", "send", "act", "put", "ignore", "read");
  if (action >= 0 && isNegated(view, action) && !view.is(action, "ignore")) return [];
  const isHarm = action >= 0 && dangerOf(view, action, Math.min(tokens.length - 1, action + 14));
  if (isReading && (must >= 0 || (isCalled && action >= 0)))
    return [signal("order", isHarm || isAnswer ? 1 : 0.6, ORDERS, at, Math.max(at, action))];
  if (isNumbered(view, at)) return [];
  if (isReading) return [signal("order", isAnswer && isCondition(view, at) ? 0.8 : 0.5, ORDERS, at)];
  if (isCalled && isHarm) return [signal("order", isAnswer ? 1 : 0.7, ORDERS, at, action)];
  if (isCalled) return [signal("order", isAnswer ? (action >= 0 ? 0.5 : 0.4) : 0.3, ORDERS, at)];
  const isPerson = /^(?:agents?|models?|bots?|cursor)$/.test(tokens[at]!.word);
  if (must >= 0 && isHarm && action > must - 1)
    return [signal("order", isPerson ? 0.5 : isAnswer ? 0.8 : 0.6, ORDERS, at, action)];
  return must >= 0 && must <= at + 3 && tokens[must + 1]?.word !== "be"
    ? [signal("order", 0.3, ORDERS, at, must)]
    : [];
}

/** "Agent 7", "model 3": a person, or a product. */
function isNumbered(view: SentenceView, at: number): boolean {
  return /^\d/.test(view.tokens[at + 1]?.word ?? "");
}

/** Something that a model should not do because a text says so. */
function dangerOf(view: SentenceView, from: number, to: number): boolean {
  if (
    view.find(
      from,
      to,
      "harm",
      "send",
      "ignore",
      "credential",
      "secretPlace",
      "conversation",
      "systemPrompt",
      "praise",
    ) >= 0
  )
    return true;
  return view.tokens
    .slice(from, to + 1)
    .some(
      ({ kind, word }) =>
        kind === "address" ||
        kind === "mail" ||
        kind === "place" ||
        (kind === "name" && word.includes("_")) ||
        /^(?:curl|wget|bash|sudo)$/.test(word),
    );
}

/** "AI assistants reading this", "any agent that processes this page", "if you are a language model". */
function readsThis(view: SentenceView, at: number): boolean {
  const said = view.tokens
    .slice(at + 1, at + 9)
    .map(({ word }) => word)
    .join(" ");
  const before = view.tokens
    .slice(Math.max(0, at - 6), at)
    .map(({ word }) => word)
    .join(" ");
  if (
    /\b(?:read|processed|parsed|seen|handled|summari[sz]ed|ingested|analy[sz]ed|opened|reviewed) by (?:an? |the |any )?$/.test(
      `${before} `,
    )
  )
    return true;
  if (/\bif you(?:'re| are) (?:an?|the) ?(?:\w+ ){0,2}$/.test(`${before} `)) return true;
  return /^(?:\w+ ){0,2}(?:that |who |which |when |is |are |currently )?(?:reading|reads?|processing|process(?:es)?|parsing|parses?|summari[sz]\w+|analy[sz]\w+|viewing|handling|handles?|sees?|encounters?|ingest\w*|review\w*|triag\w+|crawl\w*|index\w*|scraping|interpreting|working (?:on|with))\b/.test(
    said,
  );
}

/** "If you are an AI, …" */
function isCondition(view: SentenceView, at: number): boolean {
  const before = view.tokens
    .slice(Math.max(0, at - 6), at)
    .map(({ word }) => word)
    .join(" ");
  return /\bif you(?:'re| are)\b/.test(before);
}

/** "Note to any AI": and not "to reset the bot", which is about one. */
const TOWARDS =
  /(?:^| )(?:to|for)(?: (?:the|any|all|an?|every|each|ai|language|large|other|automated|autonomous|coding|reading|whichever|future|review|llm|you|those|helpful|mail)){0,3}$/;

/** "Assistant, …", "note to AI agents: …", "dear assistant". */
function isVocative(view: SentenceView, at: number): boolean {
  const { tokens } = view;
  const lead = tokens.slice(Math.max(0, at - 4), at).map(({ word }) => word);
  const isTitle =
    tokens[at + 1]?.kind === "word" &&
    (view.is(at + 1, "model") ||
      /^(?:task|instructions?|note|notice|directive|alert|only|action|required)$/.test(tokens[at + 1]!.word));
  const next = isTitle ? tokens[at + 2] : tokens[at + 1];
  // "Assistant:" begins a turn of a conversation, which is looked at elsewhere.
  if (
    at === 0 &&
    next?.kind === "colon" &&
    !isTitle &&
    /^(?:assistant|ai|bot|agent|model|user)$/.test(tokens[at]!.word)
  )
    return false;
  const isStopped = next?.kind === "clause" || next?.kind === "colon";
  const isGreeted = lead.some((word) => /^(?:dear|hey|hello|hi|attention|уважаемый)$/.test(word));
  const isLed = isGreeted || (isStopped && TOWARDS.test(lead.join(" ")));
  const isFirst =
    at <= 3 &&
    isStopped &&
    view.tokens
      .slice(0, at)
      .every(
        ({ word, kind }) =>
          kind !== "word" || /^(?:todo|note|fixme|the|as|dear|attention|an|ai|only|for|hidden)$/.test(word),
      );
  return (isLed && at <= 8) || isFirst || tokens[at]!.word.startsWith("@");
}
