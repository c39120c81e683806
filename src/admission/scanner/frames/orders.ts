/** Frames about the model's own orders: to drop them, to become somebody else, to obey an authority. */
import { ENGLISH } from "../words/lexicon.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Signal } from "./signal.ts";

const IGNORES = "tells the model to ignore its instructions";

/** How many words may be between the verb and its object. */
const OBJECT_DISTANCE = 9;

export const findOverride: Frame = (view, { source }) => [
  ...newRules(view),
  ...wiped(view),
  ...view
    .all("ignore")
    .flatMap((at) => (isNegated(view, at) ? [] : overrideAt(view, at, 1, source === "answer"))),
  ...view.all("outrank").flatMap((at) => (isNegated(view, at) ? [] : outrankAt(view, at))),
  ...view.all("ignored").flatMap((at) => ignoredAt(view, at, source === "answer")),
];

/** "Erase your instructions": of other things, tools erase what they like. */
function wiped(view: SentenceView): Signal[] {
  if (view.language !== ENGLISH) return [];
  return [...view.all("rules"), ...view.all("orders")].flatMap((at) => {
    const before = view.tokens
      .slice(Math.max(0, at - 5), at)
      .map(({ word }) => word)
      .join(" ");
    return /\b(?:erase|delete|wipe|clear|reset|remove|purge|drop|abandon) (?:all |any )?(?:of )?(?:your|earlier|previous|prior)\b/.test(
      before,
    )
      ? [signal("override", 0.9, IGNORES, at)]
      : [];
  });
}

/** "New rules are in force", "updated instructions follow". */
function newRules(view: SentenceView): Signal[] {
  if (view.language !== ENGLISH) return [];
  return [...view.all("rules"), ...view.all("orders")].flatMap((at) => {
    const isNew = view.tokens
      .slice(Math.max(0, at - 3), at)
      .some(({ word }) => /^(?:new|updated|revised|following|special|actual|real|true)$/.test(word));
    const isYours =
      view.find(at - 4, at + 8, "you", "model", "must") >= 0 ||
      view.tokens.slice(at, at + 5).some(({ word }) => /^(?:force|effect|follow|apply|now)$/.test(word));
    return isNew && isYours ? [signal("new rules", 0.4, IGNORES, at)] : [];
  });
}

/** "Forget the earlier instructions about the move": people write so to each other. */
function isMatter(view: SentenceView, rules: number, isAnswer: boolean): boolean {
  return isAnswer && !view.has("model") && ABOUT.test(view.tokens[rules + 1]?.word ?? "");
}

function overrideAt(view: SentenceView, at: number, weight: number, isAnswer: boolean): Signal[] {
  // Other languages put the verb last.
  const from = view.language === ENGLISH ? at + 1 : at - OBJECT_DISTANCE;
  const rules = view.find(from, at + OBJECT_DISTANCE, "rules");
  if (rules >= 0 && (qualified(view, at, rules) || view.language !== ENGLISH)) {
    const isFull = qualifiedAnywhere(view, at, rules) && !isMatter(view, rules, isAnswer);
    return [signal("override", isFull ? weight : 0.5, IGNORES, at, rules)];
  }
  const orders = view.find(from, at + OBJECT_DISTANCE, "orders");
  if (orders >= 0 && view.find(Math.min(at, orders), Math.max(at, orders) + 2, "prior") >= 0)
    return [signal("override", weight, IGNORES, at, orders)];
  return [...forgetAll(view, at), ...forgetUser(view, at), ...forgetMaker(view, at)];
}

/** "Ignore what the user asked for." */
function forgetUser(view: SentenceView, at: number): Signal[] {
  const user = view.find(at + 1, at + 4, "user");
  const asked =
    /^(?:asked|asks|request|requests|requested|question|wants|wanted|wishes|said|says|query|instructions?|original|task|goal|message)$/;
  const isAsked = user >= 0 && view.tokens.slice(at + 1, user + 4).some(({ word }) => asked.test(word));
  return isAsked && view.language === ENGLISH ? [signal("override", 1, IGNORES, at, user)] : [];
}

/** "Disregard what the developer said." */
function forgetMaker(view: SentenceView, at: number): Signal[] {
  if (view.language !== ENGLISH) return [];
  const said = view.tokens
    .slice(at + 1, at + 10)
    .map(({ word }) => word)
    .join(" ");
  const isSaid =
    /^(?:what|anything|whatever|everything|all|things) (?:that )?(?:the |your |its )?(?:developers?|operators?|system|platform|vendor|host|company|administrators?|makers?|owner|provider|client|application)(?:'s)? (?:\S+ )?(?:said|says|told|set|configured|wrote|asked|instructed|specified|wants|demands)\b/.test(
      said,
    );
  return isSaid ? [signal("override", 1, IGNORES, at, at + 4)] : [];
}

/** "Forget everything above", "disregard what you were told". */
function forgetAll(view: SentenceView, at: number): Signal[] {
  const prior = view.find(at + 1, at + 7, "prior");
  if (prior < 0 || view.language !== ENGLISH) return [];
  const between = view.tokens.slice(at + 1, prior + 1).map(({ word }) => word);
  const isAll = between.some((word) => /^(?:everything|anything|what|whatever|all)$/.test(word));
  const isTold = view.tokens
    .slice(at, prior + 4)
    .some(({ word }) => /^(?:told|said|given|learned|asked)$/.test(word));
  if (
    isAll &&
    (isTold || /^(?:above|before|previous|previously|prior|earlier)$/.test(view.tokens[prior]!.word))
  )
    return [signal("override", isTold ? 1 : 0.7, IGNORES, at, prior)];
  const isBare =
    prior === at + 2 && view.tokens[prior]!.word === "above" && view.tokens[at + 1]!.word === "the";
  return isBare ? [signal("override", 0.6, IGNORES, at, prior)] : [];
}

/** "Overrides all previous instructions", but not "overrides the system prompt", which a tool for models may do. */
function outrankAt(view: SentenceView, at: number): Signal[] {
  const rules = view.find(at + 1, at + OBJECT_DISTANCE, "rules", "orders");
  if (rules < 0) return [];
  const between = view.tokens.slice(at + 1, rules + 1).map(({ word }) => word);
  const isPrior = between.some((word) => /^(?:previous|prior|earlier|preceding|other|your)$/.test(word));
  const isSafety = between.some((word) => /^(?:safety|guardrails?|safeguards)$/.test(word));
  const isYours = between.includes("your") && view.is(rules, "orders");
  if (!isSafety && (view.is(rules, "orders") ? !isYours : !isPrior)) return [];
  return [signal("override", isYours && !isSafety ? 0.6 : 1, IGNORES, at, rules)];
}

/** After "instructions": those for a matter among people. */
const ABOUT = /^(?:for|on|about|how|over|sobre|uber|sur|su|zu|zum|zur|regarding|concerning|omtrent)$/;

/** "All previous instructions are void." */
function ignoredAt(view: SentenceView, at: number, isAnswer: boolean): Signal[] {
  const rules = view.find(at - 8, at - 1, "rules", "orders");
  if (rules < 0 || !qualified(view, Math.max(0, rules - 5), rules)) return [];
  // "Previous instructions for upgrading": those of a manual.
  if ((isAnswer || !view.is(rules, "orders")) && ABOUT.test(view.tokens[rules + 1]?.word ?? "")) return [];
  return [signal("override", 1, IGNORES, rules, at)];
}

function qualified(view: SentenceView, from: number, to: number): boolean {
  return view.find(Math.min(from, to), Math.max(from, to), "prior", "everything") >= 0;
}

function qualifiedAnywhere(view: SentenceView, from: number, to: number): boolean {
  return qualified(view, Math.min(from, to) - 3, Math.max(from, to) + 3);
}

/** Whether the verb at a place is forbidden: "never ignore …". */
export function isNegated(view: SentenceView, at: number): boolean {
  if (view.is(at, "not")) return false;
  for (let before = at - 1; before >= Math.max(0, at - 3); before--) {
    if (view.tokens[before]!.kind !== "word") return false;
    if (view.is(before, "not")) return true;
  }
  return false;
}

const BECOMES = "gives the model another role or other rules";
/** After "you are now": a state of the tool, and no role. */
const STATES =
  /^(?:ready|logged|connected|able|authenticated|viewing|signed|in|on|at|using|running|done|set|subscribed|a|registered|up|free|responsible|required|expected|allowed|leaving|going|all|good|eligible|entitled|looking|about|part|protected|enrolled|following|being|back|safe|online|offline|seeing|reading)$/;

export const findPersona: Frame = (view, { source }) => {
  const signals = view.all("persona").map((at) => personaAt(view, at, source === "prompt"));
  const unbound = view.all("unbound").map((at) => {
    const isYours = view.has("you") || view.has("model") || view.has("persona");
    return signal("unbound", isYours ? 0.6 : 0.2, BECOMES, at);
  });
  return [...signals, ...unbound];
};

function personaAt(view: SentenceView, at: number, isPrompt: boolean): Signal {
  const words = view.tokens.slice(at, at + 6).map(({ word }) => word);
  const said = words.join(" ");
  if (view.language !== ENGLISH) return signal("persona", 0.7, BECOMES, at, at + 2);
  if (/^you(?: a|')re now\b|^you are now\b|^you are no longer\b/.test(said)) {
    const after = words[said.startsWith("you are no longer") ? 4 : words.indexOf("now") + 1] ?? "";
    const isRole = !STATES.test(after) || /\bnow (?:a|an|in \w+ mode|free)\b/.test(said);
    return signal("persona", isRole ? (isPrompt ? 0.6 : 0.9) : 0.1, BECOMES, at, at + 4);
  }
  if (/\b(?:developer|dan|god|jailbreak|unrestricted|sudo|root|admin) mode\b/.test(said))
    return signal("persona", isPrompt ? 0.5 : 0.6, BECOMES, at, at + 2);
  const isLasting =
    /^(?:from (?:now|this|here)|henceforth|for the rest of (?:this|the) (?:session|conversation|chat)|going forward|starting now)/.test(
      said,
    );
  if (isLasting) {
    const isOrder = view.find(at, at + 9, "you", "model", "always", "not", "reply") >= 0;
    return signal("persona", isOrder ? 0.6 : 0.3, BECOMES, at, at + 4);
  }
  return signal("persona", isPrompt ? 0.1 : 0.3, BECOMES, at, at + 2);
}

const PRESSES = "puts the model under pressure with an authority or a penalty";

/** A claim of authority says nothing by itself; beside an order it does. */
export const findPressure: Frame = (view) => {
  const signals: Signal[] = [];
  for (const at of view.all("authority")) {
    const demand = view.find(at - 6, at + 6, "demand");
    const addressed = view.find(at - 3, at + 14, "you", "model");
    if (demand >= 0 && addressed >= 0) signals.push(signal("pressure", 0.5, PRESSES, at, addressed));
    else if (demand >= 0) signals.push(signal("pressure", 0.25, PRESSES, at, demand));
  }
  for (const at of view.all("penalty")) {
    if (view.has("you") || view.has("must") || view.has("urgent"))
      signals.push(signal("penalty", 0.25, PRESSES, at));
  }
  if (view.has("urgent") && view.has("must"))
    signals.push(signal("urgency", 0.15, PRESSES, view.all("urgent")[0]!));
  return signals;
};
