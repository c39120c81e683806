import type { Source } from "./frames/signal.ts";

/** Marks that set a text apart for a model: tags, turns of a conversation that are made up, ends that are none. */

export interface Mark {
  readonly family: string;
  readonly weight: number;
  readonly what: string;
  readonly at: number;
}

const TAG_WORDS =
  "important|system|secret|hidden|instructions?|override|admin|assistant|critical|urgent|priority|mandatory|directive|internal|prompt|developer|attention|must_read|llm|ai|agent|confidential|user_query|human|context_update|policy|function_calls?|tool_call";
const TAG = new RegExp(
  String.raw`<\s{0,3}(/?)\s{0,3}(?:${TAG_WORDS})(?:[\s_-]\w{1,30}){0,3}\s{0,3}/?>`,
  "gi",
);
const SPECIAL =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|eot_id|start_header_id)\|>|<<\/?SYS>>|\[\/?INST\]|<(?:start|end)_of_turn>|\{\{[#/](?:system|assistant)\}\}|\u2581?<\/?s>\s?\[INST\]/gi;
const TURN =
  /(?:^|\n|[.!?"'`)\]}>]\s|[*_#=\-[\]]{1,4}\s?)(?:\[{1,2}|\*\*|#{1,4}\s?|={2,6}\s?|-{2,6}\s?|\(|<!--\s?|\/\*\s?|\/\/\s?)?(?:(?:new |updated |begin |end of |start of |the )?(?:system|assistant|developer|admin|administrator|root|ai|llm|model|agent)(?:\s(?:message|prompt|note|notice|override|instructions?|update|alert|directive|command|policy|maintenance|requirement|context)){0,2}|human|end of (?:tool |function )?(?:description|output|result|response|document|context|data)|begin (?:new )?instructions|new (?:instructions?|task|objective|directive))\s?(?:\]|\*\*|\)|={2,6}|-{2,6}|#{2,6}|:)/gi;

const TAGS = "has a tag that sets it apart for the model";
const TURNS = "imitates a message of the system or of another speaker";

export function findMarks(text: string, source: Source): Mark[] {
  const tags = [...text.matchAll(TAG)].flatMap((found) => tagAt(text, found, source === "answer"));
  return [
    ...tags,
    ...specials(text),
    ...turns(text),
    ...pictures(text),
    ...ends(text),
    ...hidden(text, source),
  ];
}

/** "In <instructions> tags" speaks of a tag; `<IMPORTANT>` on its own is one. */
function tagAt(text: string, { 0: found, 1: slash, index }: RegExpMatchArray, isAnswer: boolean): Mark[] {
  const before = text.slice(Math.max(0, index! - 24), index);
  const after = text.slice(index! + found.length, index! + found.length + 24);
  if (/["'`“‘]$/.test(before) && /^["'`”’]/.test(after))
    return [{ family: "tag", weight: 0.2, what: TAGS, at: index! }];
  const isSpokenOf =
    /\b(?:in|inside|within|an?|the|by|with|using|and|or|between|of|as|element|tag)\s+["'`]?$/i.test(before) ||
    /^["'`]?\s{0,2}(?:tags?|elements?|blocks?|sections?|nodes?|and|or|,|attribute|property|message)\b/i.test(
      after,
    ) ||
    /^\s{0,2}[,)]/.test(after);
  // Answers are often XML.
  const isSpeaking = /\b(?:the user|you must|assistant|the model)\b/i.test(
    text.slice(index! + found.length, index! + found.length + 200),
  );
  const weight = isAnswer ? (/[A-Z]{4}/.test(found) ? 0.8 : isSpeaking ? 0.5 : 0.3) : slash === "/" ? 0.6 : 1;
  return [{ family: "tag", weight: isSpokenOf ? 0.3 : weight, what: TAGS, at: index! }];
}

/** "Turns start with <|user|>, and …" tells of a format. */
function isFormat(text: string, from: number, to: number): boolean {
  return (
    /\b(?:with|by|adds?|tokens?|uses?|between|and|or)\s$/i.test(text.slice(Math.max(0, from - 24), from)) &&
    /^(?:[.,;)]|\s(?:and|or|tokens?|for|as|in|to mark)\b)/i.test(text.slice(to, to + 24))
  );
}

function specials(text: string): Mark[] {
  return [...text.matchAll(SPECIAL)].map(({ index, 0: found }) => {
    if (isFormat(text, index, index + found.length))
      return { family: "tag", weight: 0.3, what: TAGS, at: index };
    const isQuoted =
      /["'`“‘]$/.test(text.slice(Math.max(0, index - 1), index)) &&
      /^\w{0,20}["'`”’]/.test(text.slice(index + found.length, index + found.length + 24));
    return { family: "tag", weight: isQuoted ? 0.2 : 1, what: TAGS, at: index };
  });
}

const PICTURE =
  /!\[[^\]\n]{0,200}\]\(\s{0,3}https?:\/\/[^)\s]{1,400}[?&/=](?:[^)\s]{0,200}(?:\{|%7B|\[|<|\$)|[^)\s]{0,40}(?:data|q|d|c|payload|msg)=(?:[A-Z_]{4,40})?\))/gi;
const FILLED =
  /https?:\/\/[^\s)"'`]{1,300}[/?&=](?:\{\{?|\[|<|\$\{?|%7B)[^})\]>\n]{0,30}(?:conversation|history|secret|prompt|context|chat|summary|env|password|credential|messages|user_data|base64|api_?key|stolen)/gi;
const PICTURES = "has an address that the model is to fill with data";

function pictures(text: string): Mark[] {
  return [PICTURE, FILLED].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      family: "picture",
      weight: /\b(?:such as|like|e\.g\.|for example|for instance)[ :,]{1,3}["'`]?$/i.test(
        text.slice(Math.max(0, index - 20), index),
      )
        ? 0.3
        : 0.8,
      what: PICTURES,
      at: index,
    })),
  );
}

/** Colours of a terminal that show nothing, and elements that a browser does not show. */
const CONCEALED = /\u001B\[(?:\d{1,3};){0,4}8m/g;
const UNSHOWN =
  /<[a-z]{1,10}\s[^<>]{0,120}?(?:\bhidden\b|display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0(?![.\d])|aria-hidden\s?=)[^<>]{0,120}>/gi;
const HIDDEN = "has a part that a person does not see";

/** Web pages have elements that are not shown; the description of a tool has none. */
function hidden(text: string, source: Source): Mark[] {
  const mark =
    (weight: number) =>
    ({ index: at }: { readonly index: number }) => ({
      family: "hidden",
      weight,
      what: HIDDEN,
      at,
    });
  return [
    ...[...text.matchAll(CONCEALED)].map(mark(0.5)),
    ...[...text.matchAll(UNSHOWN)].map(mark(source === "answer" ? 0.2 : 0.5)),
  ];
}

/** The end of a block that never began, and the sections of a prompt. */
const ENDING =
  /<\/(tool_result|tool_output|function_result|function_results|result|document|documents|context|output|data|user_input|search_results)>/gi;
const SECTIONS =
  /###? ?(?:Instruction|Instructions|System|Human|User|Task)s?:?[^#]{0,600}###? ?(?:Response|Assistant|Output|Answer):?/i;

function ends(text: string): Mark[] {
  const section = text.search(SECTIONS);
  const first = text.matchAll(ENDING).next().value;
  const isLoose =
    first !== undefined && !text.slice(0, first.index).toLowerCase().includes(`<${first[1]!.toLowerCase()}`);
  return [
    ...(isLoose ? [{ family: "end", weight: 0.8, what: TURNS, at: first.index }] : []),
    ...(section < 0 ? [] : [{ family: "end", weight: 0.8, what: TURNS, at: section }]),
  ];
}

function turns(text: string): Mark[] {
  return [...text.matchAll(TURN)].map(({ index, 0: found }) => {
    const isLoud = /[A-Z]{5}/.test(found) || /\[|={2}|-{2}|#|\*\*/.test(found);
    const isWord = /\s(?:override|instructions?|prompt|directive|update|command)|new |begin |end of /i.test(
      found,
    );
    const family = /end of|begin /i.test(found) ? "end" : "turn";
    return {
      family,
      weight:
        isLoud && isWord
          ? 0.7
          : isLoud || isWord || /^\n?(?:system|developer|admin)/i.test(found)
            ? 0.5
            : 0.3,
      what: TURNS,
      at: index,
    };
  });
}
