/**
 * How agents put a request: "server: weather; tool: get forecast", "weather server, forecast tool". What such frames
 * are made of says nothing about what is wanted, while "restart the server" and "list tools" do.
 */
import { beginsWithAction } from "./actions.ts";

const WORD = "(?:mcp servers?|mcp tools?|mcp|servers?|tools?|apis?)";
const HAS_WORD = /mcp|server|tool|api/i;
const LABELS = new RegExp(String.raw`(^|[.;,\n]|\s)\s*(${WORD})(?:\s+name)?\s*[:=]\s*`, "gi");
/** At the end of what is named, or before what it is for. */
const AFTER_TOPIC = new RegExp(
  String.raw`(?<before>[\p{L}\p{N}_-]+)\s+${WORD}(?=\s*[.?!)]*\s*$|\s+(?:or|for|to|that|which|with)\b)`,
  "giu",
);
const PHRASES = /[^,;\n]+/g;
/** Behind these the word is the thing itself. */
const NO_TOPICS: ReadonlySet<string> = new Set(
  "a an the this that these those any all some each my our your its their which what of in on to for from with and or".split(
    " ",
  ),
);

/** The request without its frame; the same text where it has none, or nothing else. */
export function withoutFrame(text: string): string {
  if (!HAS_WORD.test(text)) return text;
  const plain = dropLabels(text).replace(PHRASES, (phrase) =>
    beginsWithAction(phrase) ? phrase : dropAfterTopics(phrase),
  );
  return /[\p{L}\p{N}]/u.test(plain) ? plain : text;
}

/** Labels of different kinds are about one thing; with the second of a kind the next thing begins. */
function dropLabels(text: string): string {
  const seen = new Set<string>();
  return text.replace(LABELS, (_, before: string, label: string) => {
    const kind = label.toLowerCase().replace(/s$/, "");
    if (seen.has(kind)) seen.clear();
    else if (seen.size > 0) before = " ";
    const isNext = seen.size === 0 && before !== "";
    seen.add(kind);
    return isNext ? "; " : " ";
  });
}

function dropAfterTopics(phrase: string): string {
  return phrase.replace(AFTER_TOPIC, (whole, topic: string) =>
    NO_TOPICS.has(topic.toLowerCase()) ? whole : topic,
  );
}
