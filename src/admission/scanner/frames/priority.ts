/** Frames about other tools: to come before them, to be used in their place, to speak ill of them. */
import { EAST_ASIAN, ENGLISH } from "../words/lexicon.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { signal, type Frame, type Signal } from "./signal.ts";

const FIRST = "puts itself before all other tools";
const ONLY = "tells the model not to use other tools";

export const findPriority: Frame = (view, { source }) => {
  if (source === "answer" && view.language === ENGLISH && !view.has("you") && !view.has("model")) return [];
  return [
    ...firstOfAll(view),
    ...everyTurn(view),
    ...insteadOfAll(view),
    ...neverOthers(view),
    ...disparaged(view),
  ];
};

/** "Before using any other tool". "Before any other tool of this server" is an order of calls, as many servers have. */
function firstOfAll(view: SentenceView): Signal[] {
  return view.all("before").flatMap((before) => {
    const tool = view.find(before + 1, before + 8, "tool");
    if (view.language !== ENGLISH) return abroad(view, before);
    if (tool < 0) return anythingElse(view, before);
    const between = wordsBetween(view, before, tool);
    const isUniversal = between.some((word) =>
      /^(?:any|every|all|each|other|others|rest|remaining)$/.test(word),
    );
    if (!isUniversal || isOwn(view, before, tool)) return [];
    return [signal("priority", 1, FIRST, before, tool)];
  });
}

function abroad(view: SentenceView, before: number): Signal[] {
  const near = view.language === EAST_ASIAN ? 1 : 2;
  const others = [...view.all("others"), ...view.all("everything")].filter(
    (at) => Math.abs(at - before) <= 8,
  );
  const tool = view.all("tool").find((at) => others.some((other) => Math.abs(at - other) <= near));
  return tool !== undefined ? [signal("priority", 1, FIRST, before, tool)] : [];
}

/** "Must be called before anything else." */
function anythingElse(view: SentenceView, before: number): Signal[] {
  const said = wordsBetween(view, before, before + 5).join(" ");
  const isElse =
    /^(?:\w+ )?(?:anything|everything) else\b|^(?:responding|answering|replying|you (?:respond|answer|reply)|(?:any|every|each) (?:\w+ )?(?:answer|response|reply|request|task|action|question)s?)\b/.test(
      said,
    );
  const isCall = view.find(before - 8, before, "act", "prefer", "thisTool") >= 0;
  return isElse && isCall
    ? [signal("priority", /else/.test(said) ? 0.6 : 0.5, FIRST, before, before + 3)]
    : [];
}

/** "At the start of every conversation", "on every turn". */
function everyTurn(view: SentenceView): Signal[] {
  if (view.language !== ENGLISH) return [];
  return view.all("always").flatMap((at) => {
    const word = view.tokens[at + 1]?.word ?? "";
    const isTurn =
      /^(?:conversation|turn|message|response|reply|request|session|task|interaction|user|prompt|chat|answer|query)s?$/.test(
        word,
      );
    const isCall =
      view.find(0, view.tokens.length, "thisTool") >= 0 || view.find(at - 10, at + 8, "act") >= 0;
    const isStrong =
      view.has("must") || view.has("not") || view.tokens.some((token) => token.word === "always");
    return isTurn && isCall ? [signal("every turn", isStrong ? 0.6 : 0.5, FIRST, at, at + 1)] : [];
  });
}

/** "Always use this tool instead of any other." */
function insteadOfAll(view: SentenceView): Signal[] {
  if (view.language !== ENGLISH && view.language > 0) return insteadAbroad(view);
  return view.all("instead").flatMap((at) => {
    const tool = view.find(at + 1, at + 7, "tool", "others");
    const prefer = view.find(Math.max(0, at - 10), at, "prefer");
    if (tool < 0 || prefer < 0) return [];
    const between = wordsBetween(view, at, Math.min(view.tokens.length - 1, tool + 1));
    const isUniversal =
      between.some((word) => /^(?:any|every|all|each|others|alternatives?|competing|similar)$/.test(word)) ||
      /\bother tools\b/.test(between.join(" "));
    if (!isUniversal || isOwn(view, at, tool)) return [];
    const isStrong =
      view.find(0, at, "always", "must") >= 0 || view.tokens.some(({ word }) => word === "only");
    return [signal("priority", isStrong ? 1 : 0.6, ONLY, prefer, tool)];
  });
}

function insteadAbroad(view: SentenceView): Signal[] {
  return view.all("instead").flatMap((at) => {
    const tool = view.find(at - 8, at + 8, "tool");
    const others = view.find(at - 8, at + 8, "others");
    return tool >= 0 && others >= 0 ? [signal("priority", 1, ONLY, at, tool)] : [];
  });
}

/** "Never use other tools", "do not call any other email tool". */
function neverOthers(view: SentenceView): Signal[] {
  return view.all("not").flatMap((at) => {
    const use = view.find(at + 1, at + 3, "prefer", "act");
    const others = view.find(at + 1, at + 8, "others");
    const tool = view.find(at + 1, at + 11, "tool");
    if (use < 0 || others < 0 || tool < 0 || Math.abs(tool - others) > 4) return [];
    if (view.language === ENGLISH && (isOwn(view, at, tool) || isConditional(view, at))) return [];
    return [signal("priority", 1, ONLY, at, tool)];
  });
}

/** "Do not call other tools until this one has answered" is an order of calls. */
function isConditional(view: SentenceView, at: number): boolean {
  return view.tokens
    .slice(at)
    .some(({ word }) => /^(?:until|unless|at|simultaneously|parallel|concurrently)$/.test(word));
}

/** "Other tools are deprecated and unsafe." */
function disparaged(view: SentenceView): Signal[] {
  return view.all("others").flatMap((at) => {
    const tool = view.find(at, at + 4, "tool");
    const ill = view.find(at, at + 14, "inferior");
    const isBe = view.tokens
      .slice(at, at + 8)
      .some(({ word }) => /^(?:is|are|been|being|were|was|sind|sont|son|are|has|have)$/.test(word));
    if (tool < 0 || ill < tool || !isBe || OWN.test(wordsBetween(view, tool, tool + 4).join(" "))) return [];
    const isMore =
      view.find(ill + 1, ill + 4, "inferior") >= 0 ||
      view.find(0, view.tokens.length, "not", "thisTool", "instead", "always", "must") >= 0;
    return [signal("ill", isMore ? 1 : 0.7, ONLY, at, ill)];
  });
}

/** "Any other browser tool", "other tools of this server", "any other `db_*` tool". */
function isOwn(view: SentenceView, from: number, tool: number): boolean {
  const after = wordsBetween(view, tool, tool + 6).join(" ");
  if (OWN.test(after)) return true;
  if (view.find(tool + 1, tool + 3, "others") >= 0) return false;
  const qualifier = view.tokens[tool - 1];
  const isPlain =
    qualifier === undefined ||
    /^(?:any|every|all|each|other|others|using|available|mcp|single|these|the|of|alternative|competing|similar|another|external|built-in|builtin|native|your|calling)$/.test(
      qualifier.word,
    );
  return !isPlain && !view.is(tool - 1, "others", "everything");
}

const OWN =
  /^(?:(?:of|in|from|on|provided by|within|offered by) (?:this|the same|our|its|these)|that|which|here|listed)\b/;

function wordsBetween(view: SentenceView, from: number, to: number): string[] {
  return view.tokens.slice(from + 1, to + 1).map(({ word }) => word);
}
