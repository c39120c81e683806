/**
 * A text that turns to a model, and what it then asks of it. Either alone is in many honest texts: a tool gives the model
 * a hint, and a mail asks its reader to forward something. Together, within a few sentences, they are an order.
 */
import { ENGLISH } from "../words/lexicon.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { placeAt, rowOf, type Row } from "./row.ts";
import { signal, type Frame, type Reading, type Signal } from "./signal.ts";

const ORDERS = "gives orders to a model that reads it";

const MODEL =
  "(?:@?(?:ais?|llms?|assistants?|agents?|models?|bots?|chatbots?|copilots?|gemini|claude|chatgpt|gpt\\S*|llama|grok|siri|alexa|machines?|crawlers?|summari[sz]ers?|automations?))";
const ONE_MODEL = "(?:assistant|agent|model|ai|llm|bot|chatbot|copilot)";
const LABEL =
  "(?:notes?|notices?|messages?|hints?|nb|ps|memo|instructions?|information|info|reminders?|word|tips?|advice|warnings?|comments?|guidance|tasks?|directives?|advisory|addendum|remarks?|request|reserved|intended|meant|important|attention|update|reading|remark|aside)";
const ANY =
  "(?:the |an? |any |all |your |our |whichever |whatever |every |those |whoever |you )?(?:(?:ai|language|large|automated|autonomous|coding|code|review|reviewing|helpful|other|future|mail|email|virtual|digital|browsing|browser|reading|research|shopping|triage|merge|calling|host|connected|smart|llm|generative|artificial|intelligent|current|screening|hiring|recruiting|personal) ){0,2}";
const READS =
  "(?:managing|running|operating|in charge of|looking after|showing|reading|processing|parsing|summari[sz]ing|handling|reviewing|analy[sz]ing|seeing|evaluating|scoring|indexing|consuming|ingesting|(?:that|who|which) (?:\\S+ ){0,2}(?:reads?|sees?|parses?|loads?|loaded|processes|handles|receives?|received|opens?|opened|seen|ingests?|summari[sz]es?|evaluates?|reviews?))";

interface AddressRule {
  readonly weight: number;
  readonly pattern: RegExp;
}

const rule = (weight: number, source: string): AddressRule => ({
  weight,
  pattern: new RegExp(String.raw`(?<!\S)${source}`),
});

/** Speaks to a model. */
const CALLS: readonly AddressRule[] = [
  rule(0.45, `${LABEL} (?:is |are )?(?:to|for|addressed to|directed at|aimed at) ${ANY}${MODEL} `),
  rule(
    0.45,
    `(?<=^(?:(?:,|and|also|only|just|a|this is|not) ){0,2})(?:to|for) ${ANY}${MODEL} (?:\\S+ ){0,3}?[:,] `,
  ),
  rule(
    0.45,
    `(?<=^(?:\\S+ ){0,3})${MODEL} (?:(?:and|or|,) )?(?:${MODEL} )?(?:notices?|notes?|hints?|instructions?|directives?|alerts?|info|advisory|only|readers?|task|attention|please) (?:\\S+ )?[:,] `,
  ),
  rule(0.45, `(?<=^(?:\\S+ )?)(?:\\S+ )?(?:assistants|agents|models|chatbots|llms|ais) [:,] `),
  rule(
    0.45,
    `(?<=^(?:\\S+ ){0,2})(?:note|notice|attention|reminder|important|listen|fyi|nb) (?:, )?${ANY}${MODEL} [:,] `,
  ),
  rule(0.45, `(?<=^)(?:${MODEL} (?:(?:and|or|,) )?){2,4}[:,] `),
  rule(0.4, `(?<=^)(?:gemini|claude|chatgpt|copilot|grok|llms?|ais?) [:,] `),
  rule(
    0.45,
    `(?:dear|hey|hi|hello|attention|yo|okay|ok|psst|listen) (?:, )?(?!(?:the |our )?(?:support )?agents? )${ANY}${MODEL} `,
  ),
  rule(
    0.45,
    `(?:if|when|since|because|as|should) (?:you are|you're|you happen to be|you act as|this (?:\\S+ ){0,3}(?:read|processed|parsed|summari[sz]ed|handled|opened|seen) by) ${ANY}(?:\\S+ ){0,3}?${MODEL} `,
  ),
  rule(0.45, `${MODEL} (?:\\S+ ){0,2}?${READS} `),
];

/** `@shopping-agent`: nobody else has such a name. */
const HANDLES: readonly AddressRule[] = [
  rule(0.45, `@(?:\\S{1,20}-)?(?:agent|assistant|ai|llm|copilot|claude|gemini|chatgpt) `),
];

/** Says what a model has to do, as texts about models do as well: it takes a deed in the same sentence. */
const OBLIGES: readonly AddressRule[] = [
  rule(
    0.35,
    `(?:the|an?|any|every|your|this|each|calling|host) (?:\\S+ )?${ONE_MODEL} (?:\\S+ly |also |then |now |always |itself |first )?(?:must|should|shall|has to|have to|is to|are to|needs? to|ought to|is (?:authori[sz]ed|cleared|permitted|entitled|free|required|expected|asked|instructed|requested|supposed|obliged) to) (?!not |never |be |ask |have )`,
  ),
];

/** A reader who is told what it is, and what it is now doing: only in an answer, where nobody is to be told that. */
const CASTS: readonly AddressRule[] = [
  rule(
    0.45,
    `you are (?:now )?(?:an? |the |my )(?:\\S+ ){0,3}?(?:summari[sz]er|translator|screener|classifier|grader|${ONE_MODEL}) (?!for )`,
  ),
  rule(
    0.4,
    `(?:when|while|before|once|after|as) you (?:\\S+ )?(?:summari[sz]e|translate|process|analy[sz]e|parse|ingest) `,
  ),
  rule(
    0.4,
    `(?:in|for|with) your (?:\\S+ )?(?:summary|reply to the user|answer to the user|response to the user) `,
  ),
  rule(
    0.4,
    `(?:when|if|once|whenever|after|as soon as|next time) (?:the|your|this) (?:user|human) (?:\\S+ )?(?:says?|asks?|types?|mentions?|wants?|confirms?|thanks|requests?|writes?) `,
  ),
];

const OUT =
  "(?:send|forward|post|text (?:him|her|them|me|us|NUMBER|my|\\S+'s)|e-?mail|mail|upload|share|transmit|submit|relay|publish|dm|message|leak|deliver|reveal|disclose|enter|repeat|hand|report|exfiltrate|push|transfer)";
const IN =
  "(?:put|include|append|attach|paste|copy|pass|save|store|write|type|give|add|prepend|embed|encode|supply|quote|place|collect|gather|fetch|retrieve|read|find|extract|look up|search|take|note|remember|get|obtain|grab)";
const THING =
  "(?:URL|MAIL|PLACE|NAME|NUMBER|number|server|webhook|channel|messages?|attachments?|account|customers?|client|files?|database|addresses|address|invoices?|documents?|records?|data|email|e-mail|emails|results?|output|contents?|list|link|copy|it|them|these|this)";
const SENSITIVE =
  "(?:PLACE|passwords?|tokens?|keys?|credentials?|logins?|conversation|chat|prompt|card|secrets?|contacts|inbox|mailbox|mails|emails|calendar|passport|phone|birth|ssn|iban|codes?|cookies|env|environment|history|identity|salary|location)";

/** The same said as a matter of fact: "the assistant collects …". */
const DOES: readonly AddressRule[] = [
  rule(
    0.35,
    `(?:the|an?|any|every) (?:\\S+ )?${ONE_MODEL} (?:\\S+ly |also |then |first )?(?:collects|gathers|sends|forwards|copies|posts|uploads|appends|attaches|includes|passes|looks up|fetches|reads|shares) (?:\\S+ ){0,10}?(?:URL|MAIL|${SENSITIVE})`,
  ),
];

/** What a model would not do on its own, or not for a stranger. */
const DEEDS: readonly AddressRule[] = [
  rule(0.4, `${OUT} (?:\\S+ ){0,8}?(?:${THING}|${SENSITIVE})`),
  rule(0.4, `${IN} (?:\\S+ ){0,6}?${SENSITIVE}`),
  rule(
    0.4,
    `(?:${OUT}|${IN}|list|enumerate|open|clone) (?:\\S+ ){0,4}?(?:private|confidential|internal|unpublished|restricted|(?:all |any )?other (?:users|customers|tenants|accounts|people|clients)) `,
  ),
  rule(0.4, `(?:try|query|check|open|go through|iterate) (?:\\S+ ){0,2}?(?:all|every|any) (?:\\S+ )?other `),
  rule(0.4, `(?:end|begin|start|finish|close|sign|open) (?:each|every|all|any|your) (?:\\S+ ){0,3}?with `),
  rule(
    0.4,
    `(?:(?:move|put) (?:\\S+ ){0,8}?(?:trash|bin)|empty (?:it|the|my|their)|check out|checkout|place (?:\\S+ ){0,2}?orders?|add (?:\\S+ ){0,8}?(?:basket|cart|dependenc\\S+|admins?|recipients?|allowlist|collaborators?)|update (?:\\S+ ){0,4}?(?:bank|iban|payment|payee|record)|(?:issue|create|open|give|make) (?:\\S+ ){0,4}?(?:admin|administrator|account|refund|voucher|coupon|discount)|assign (?:me|us|it)|trigger|steer|downplay|play down)`,
  ),
  rule(
    0.4,
    `(?:give|write|leave|produce|issue|post) (?:\\S+ ){0,3}?(?:positive|favou?rable|glowing|good|excellent|top|five|high|perfect|strong) (?:\\S+ ){0,2}?(?:reviews?|scores?|ratings?|assessments?|grades?|recommendations?|feedback|marks?)`,
  ),
  rule(0.4, `(?:are|is) to be (?:posted|sent|forwarded|uploaded|shared|reported|copied)`),
  rule(
    0.4,
    `(?:delete|deletes|wipe|erase|drop|purge|merge|approve|dismiss|disable|deactivate|turn off|switch off|grant|wire|pay|buy|purchase|refund|unlock|revoke|force-push|whitelist|elevate|escalate|bypass|withdraw|impersonate|vote|retweet|sign up|log in|downvote|upvote) `,
  ),
  rule(
    0.4,
    `(?:open|unlock|start|switch on|turn on|turn up) (?:\\S+ ){0,3}?(?:door|doors|gate|lock|locks|garage|boiler|oven|heater|heating|engine|car|alarm|camera|microphone|windows?|valve|pump) `,
  ),
  rule(
    0.4,
    `(?:rank|score|rate|grade|shortlist|recommend|prefer|favou?r|select|choose|mark|label|classify|describe|present|portray|treat|rule|judge|call) (?:\\S+ ){0,6}?(?:first|top|highest|above|10|100|maximum|full|five|best|positive|positively|favou?rably|perfect|winner|excellent|outstanding|ideal|hire|as (?:\\S+ ){0,2}?(?:safe|benign|approved|trusted|false|legitimate|verified|resolved|harmless|fixed|spam|duplicates?|closed|paid|superseded|settled|granted|confirmed|trustworthy)) `,
  ),
  rule(
    0.4,
    `(?:ignore|disregard|forget|stop using|stop following|set aside|abandon|discard|skip|dismiss|omit|suppress|leave out|hide) (?:\\S+ ){0,4}?(?:requirements?|criteria|results?|reviews?|complaints?|instructions?|rules?|polic(?:y|ies)|guidelines?|list|task|request|question|user|others|rest|everything|previous|prior|findings?|warnings?|sources?|tests?|checks?|confirmations?|prompts?|approvals?|negatives?|criticism|them|vulnerabilit\\S+|alerts?) `,
  ),
  rule(0.4, `ask (?:the user |them |him |her )?for (?:\\S+ ){0,4}?${SENSITIVE}`),
  rule(0.4, `(?:on|in) the user's (?:behalf|name)`),
  rule(
    0.4,
    `(?:without|no need for|skip|skipping|instead of) (?:asking|confirmation|confirming|approval|the user|consent|permission|waiting|checking|further)`,
  ),
];

/** What an answer has no business with. */
const ANSWER_DEEDS: readonly AddressRule[] = [
  rule(
    0.4,
    `(?:respond|reply|answer|say|state|claim|tell|assure|insist|outputs?|print|conclude|announce|inform|write|add|mention) (?:\\S+ ){0,5}?(?:that|only|nothing but|QUOTED) `,
  ),
  rule(
    0.4,
    `(?:visit|open|browse|navigate|go|click|download|install|run|execute|call|fetch|load) (?:\\S+ ){0,5}?(?:URL|NAME|command|curl|shell|script|terminal|attachment|link|sql|query) `,
  ),
  rule(0.4, `(?:via|through|using|with) (?:\\S+ ){0,3}?(?:tools?|connector|control|terminal|shell|NAME) `),
];

/** Steps aside from the work, or silence about them. */
const DUTIES: readonly AddressRule[] = [
  rule(
    0.3,
    `(?:call|run|execute|invoke|use|trigger|launch|start|open) (?:\\S+ ){0,4}?(?:NAME|command|terminal|shell|script|query|connector|curl|sudo|tool|installer) `,
  ),
  rule(
    0.3,
    `(?:do not|don't|never|no need to|without|avoid|best not to|not to|needn't|rather than) (?:\\S+ ){0,2}?(?:mention|mentioning|ask|asking|check|checking|tell|telling|interrupt|interrupting|bother|bothering|confirm|confirming|summari[sz]e|show|showing|reveal|verify|dwell|disclose|comment|explain|inform|alert|warn|notify|quote|refer|discuss|highlight|criticise|criticize|wait|draw attention|raise)`,
  ),
  rule(
    0.3,
    `(?:keep (?:it|this|that|these) (?:\\S+ )?(?:low-key|low|quiet|private|secret|confidential|between|to yourself)|leave (?:\\S+ ){1,4}?out|as if nothing|as though nothing|nobody (?:needs|has) to know|quietly|silently|discreetly|secretly|unobtrusively|low-key)`,
  ),
];

const NEGATION =
  /(?<!\S)(?:not|don't|never|cannot|can't|won't|mustn't|shouldn't|without|no|nor|refuses?|avoid|neither|doesn't) (?:\S+ ){0,3}$|(?<!\S)before (?:(?:you|it|they|we|the \S+) )?(?:\S+ )?$/;
/** Nothing is lost with a note that the reader may keep to itself. */
const isAside = (family: string): boolean => family === "duty";

/** The one whom a text speaks to, and what it asks for. The latter counts only near the former. */
export const findAddress: Frame = (view, reading) => {
  if (view.language !== ENGLISH) return addressAbroad(view);
  const row = rowOf(view);
  const isAnswer = reading.source === "answer";
  return [
    ...addressees(view, row, reading),
    ...first(row, view, "deed", isAnswer ? [...DEEDS, ...ANSWER_DEEDS] : DEEDS),
    ...first(row, view, "duty", DUTIES),
  ];
};

function addressees(view: SentenceView, row: Row, { source, purpose }: Reading): Signal[] {
  // Where models are the business of a tool, "the agent" is what the tool works with.
  const isBusiness = source !== "answer" && purpose.topics.has("llm");
  const called = matches(row, view, "address", [
    ...(view.has("model") ? CALLS : []),
    ...(source === "answer" ? [...CASTS, ...HANDLES] : HANDLES),
  ]);
  if (!view.has("model") || isBusiness || source === "prompt") return called;
  const deeds = matches(row, view, "deed", DEEDS);
  const obliged = [
    ...matches(row, view, "address", OBLIGES).filter(({ to }) => deeds.some(({ from }) => from >= to)),
    ...matches(row, view, "address", DOES),
  ];
  return [...called, ...obliged.map((found) => ({ ...found, weight: source === "answer" ? 0.6 : 0.8 }))];
}

function first(row: Row, view: SentenceView, family: string, rules: readonly AddressRule[]): Signal[] {
  return matches(row, view, family, rules)
    .slice(0, 1)
    .map((found) => ({ ...found, isConditional: true }));
}

function matches(row: Row, view: SentenceView, family: string, rules: readonly AddressRule[]): Signal[] {
  return rules.flatMap(({ pattern, weight }) => {
    const found = pattern.exec(row.text);
    if (found === null) return [];
    if (!isAside(family) && NEGATION.test(row.text.slice(Math.max(0, found.index - 60), found.index)))
      return [];
    const from = placeAt(row.starts, found.index);
    const to = placeAt(row.starts, found.index + found[0].trimEnd().length - 1);
    return [signal(family, weight, ORDERS, from, Math.min(to, view.tokens.length - 1))];
  });
}

/** Other languages: a model that is named with a comma or a colon near it, and what it is to do, by the concepts alone. */
function addressAbroad(view: SentenceView): Signal[] {
  const model = view.all("model")[0];
  const called = model !== undefined && (isGreeted(view, model) || isNoted(view, model));
  const deed = view.find(
    0,
    view.tokens.length,
    "send",
    "harm",
    "ignore",
    "credential",
    "systemPrompt",
    "secretly",
    "praise",
  );
  return [
    ...(called || (model !== undefined && view.has("must")) ? [signal("address", 0.45, ORDERS, model)] : []),
    ...(deed < 0 ? [] : [{ ...signal("deed", 0.4, ORDERS, deed), isConditional: true }]),
  ];
}

/** "Asystencie, …" */
function isGreeted(view: SentenceView, model: number): boolean {
  const next = view.tokens[model + 1]?.kind;
  return model <= 1 && (next === "clause" || next === "colon");
}

const TOWARDS =
  /^(?:an|ao|aos|agli|al|aux|au|fur|a|à|pour|para|per|voor|aan|do|dla|for|till|для|ke|untuk|pro|den|das|die|l'attention|bagi|cho)$/;

/** "Nota per l'assistente: …". Languages with endings, and those without blanks, have no such word. */
function isNoted(view: SentenceView, model: number): boolean {
  const isNamed = view.tokens.slice(model, model + 8).some(({ kind }) => kind === "colon");
  const isTowards =
    view.tokens.slice(Math.max(0, model - 3), model).some(({ word }) => TOWARDS.test(word)) ||
    !/^[a-z'-]+$/.test(view.tokens[model]!.word) ||
    /^(?:l'|all'|dell')|(?:ina|ine|lara|lere|na|ne|cie|owi|tom)$/.test(view.tokens[model]!.word);
  return isNamed && isTowards;
}
