/**
 * Rules about English sentences as a row of words: what the order of words says and concepts alone do not. Addresses are
 * `URL`, mail addresses `MAIL`, files with secrets `PLACE`, names of tools `NAME`, long numbers `NUMBER`.
 *
 * Sentences have at most 90 words and gaps are bounded, so each rule takes a bounded time for a sentence.
 */
import type { Concept } from "../words/concepts.ts";
import { isNegated } from "./orders.ts";
import { ENGLISH } from "../words/lexicon.ts";
import type { SentenceView } from "../words/sentence-view.ts";
import { placeAt, rowOf, type Row } from "./row.ts";
import { signal, type Frame, type Signal, type Source } from "./signal.ts";

interface PhraseRule {
  readonly family: string;
  readonly weight: number;
  readonly what: string;
  readonly pattern: RegExp;
  /** One of them is in every sentence that the rule finds: without it the pattern is not tried. */
  readonly cues: readonly Concept[];
  readonly sources?: readonly Source[];
}

const IGNORES = "tells the model to ignore its instructions";
const HIDES = "tells the model to keep something from the user";
const FIRST = "puts itself before other tools";
const BECOMES = "gives the model another role or other rules";
const SAYS = "tells the model what to recommend or claim";
const WANTS = "wants the conversation or the model's own instructions";
const LINKS = "wants data put into an address or a picture";
const ORDERS = "gives orders to a model that reads it";
const PAYS = "names an account that money is to go to";

/** At most so many words between two parts of a pattern. */
const GAP3 = String.raw`(?:\S+ ){0,3}`;
const GAP6 = String.raw`(?:\S+ ){0,6}`;
const GAP9 = String.raw`(?:\S+ ){0,9}`;

const RULES_NOUN =
  "(?:instructions?|directions|guidelines?|directives?|prompts?|rules?|constraints?|restrictions?|limitations?|limits|guardrails|safeguards|policies|policy|orders|safety \\w+|programming|guidance|training)";
const TASK = "(?:tasks?|job|objectives?|goals?|mission|assignment|request|question|query|work)";
const REPLY = "(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|output|messages?|explanation|report)";

const phrase = (
  family: string,
  weight: number,
  what: string,
  source: string,
  cues: readonly Concept[],
  sources?: readonly Source[],
): PhraseRule => ({
  family,
  weight,
  what,
  pattern: new RegExp(String.raw`(?<!\S)${source}`),
  cues,
  ...(sources && { sources }),
});

const ANSWER: readonly Source[] = ["answer"];
const LISTED: readonly Source[] = ["tool", "prompt"];

const PHRASE_RULES: readonly PhraseRule[] = [
  phrase(
    "ability",
    0.8,
    ORDERS,
    `(?:paste|include|send|put|add|attach|copy) (?:the )?(?:contents?|output|values?|text) of (?:your|the) (?:\\S+ ){0,2}(?:environment|env|PLACE|memory|context|prompt|configuration) ${GAP6}(?:into|in|to|with|as)`,
    ["put", "send"],
    ANSWER,
  ),
  phrase(
    "claim",
    0.5,
    SAYS,
    `(?:blame|accuse|discourage|dissuade) `,
    ["when", "user", "always", "asks"],
    LISTED,
  ),
  phrase(
    "claim",
    0.3,
    SAYS,
    `tell (?:the user|them|users|him|her) that (?!(?:there|nothing|no|it|they|you|this|the (?:result|request|file|search))\\b)`,
    ["tell"],
  ),
  phrase(
    "keyword",
    0.5,
    SAYS,
    `(?:if|when|whenever|once|where) (?:the |a )?(?:word|words|term|phrase|keyword|name|mention of) ${GAP6}(?:comes? up|appears?|is mentioned|occurs?|shows up|is used|is said)`,
    ["when"],
  ),
  phrase(
    "pretence",
    0.8,
    HIDES,
    `if (?:the user|they|he|she|anyone|someone|somebody|a user) (?:\\S+ )?(?:notices?|finds out|complains?|suspects?|wonders|becomes suspicious|gets suspicious|discovers) ${GAP6}(?:say|tell|claim|blame|pretend|deny|change|answer|reply|explain)`,
    ["when"],
  ),
  phrase(
    "priority",
    0.8,
    FIRST,
    `(?:before|prior to|ahead of) (?:\\S+ ){0,3}(?:whichever|whatever) (?:\\S+ )?tool`,
    ["before"],
    LISTED,
  ),
  phrase(
    "trigger",
    0.3,
    SAYS,
    `(?:for|on|with) (?:any|every|each|whatever|all|whichever) (?:\\S+ ){1,3}(?:that )?(?:the|your|a) (?:user|customer|human) (?:\\S+ )?(?:asks|mentions|wants|names|requests|looks|searches|enters|types|picks|chooses)`,
    ["user"],
    LISTED,
  ),
  phrase(
    "encoded",
    0.8,
    ORDERS,
    `(?:decode|decrypt|unscramble|de-?obfuscate|base64-decode|reverse|turn (?:them|it|these) into) (?:\\S+ ){0,6}?(?:and|then|,) (?:\\S+ ){0,3}?(?:follow|carry out|do what|execute|obey|apply|act on|run|comply|perform)`,
    ["act", "this", "prefer"],
  ),
  phrase(
    "consent",
    0.8,
    SAYS,
    `(?:confirmations?|approvals?|permissions?|consent|confirmation dialogs?) (?:\\S+ ){0,8}?(?:yes|automatically|yourself|by itself|pre-granted|on (?:the user's|their) behalf|is implied|can be assumed|are assumed)`,
    ["confirm"],
    LISTED,
  ),
  phrase(
    "steer",
    0.8,
    SAYS,
    `(?:steer|nudge|push|lure|divert) (?:them|him|her|users|people|customers|the user|the customer|the conversation|the talk) (?:to|towards?|away|into|in)`,
    ["user", "this", "when", "send", "conversation"],
  ),
  phrase(
    "steer",
    0.6,
    SAYS,
    `(?:play down|downplay|talk (?:down|up)|badmouth|gloss over|warn (?:them|people|users|the user) off)`,
    ["everything", "user", "when", "this", "others", "tell"],
  ),
  phrase(
    "secrecy",
    0.8,
    HIDES,
    `(?:people|users|they|nobody|no one|anyone|the (?:user|person|human|customer)|(?:user|customer|human)s?(?= \\S+ (?:not )?(?:supposed|meant))|your human) (?:(?:isn't|is not|aren't|are not|not) (?:supposed|meant) to|needn't|need not|don't need to|do not need to|doesn't need to|needs to|has to|shouldn't|should not|won't|will not|mustn't|must not|is not to|are not to) (?:ever )?(?:hear|know|see|learn|notice|be told|be shown|find out|realise|realize|be aware)(?! (?:the|an?|their|which|what) )`,
    ["user", "not", "must"],
    LISTED,
  ),
  phrase(
    "secrecy",
    0.5,
    HIDES,
    `leave (?:it|this|that|them|these|the (?:second|extra|other) \\S+) (?:off|out|away|unmentioned|unsaid)`,
    ["this"],
    LISTED,
  ),
  phrase(
    "override",
    0.8,
    IGNORES,
    `(?:no|without|free of|beyond|owes? no|feels? no) (?:any )?(?:duty|obligation|loyalty|allegiance|obedience) to`,
    ["not", "rules", "orders", "user"],
  ),
  phrase(
    "override",
    0.8,
    IGNORES,
    `(?:${RULES_NOUN}|notes|safety|warnings|precautions) (?:\\S+ ){0,5}?(?:vendor|provider|developers?|maker|operator|host|platform|company) (?:\\S+ ){0,3}?(?:suspended|lifted|void|waived|off|no longer|not binding|don't apply|do not apply|optional|paused|cancelled|overruled)`,
    ["rules", "orders", "prior", "authority", "ignored", "user"],
  ),
  phrase(
    "secrecy",
    0.5,
    HIDES,
    `(?:nobody|no one|they|people|users|the user|readers|humans) (?:will|would|can|won't|wouldn't|rarely|never|hardly|don't|doesn't)(?: ever| even)? (?:notice|look|realise|realize|find out|spot|catch)`,
    ["user", "not", "this", "when", "you", "put", "always"],
    LISTED,
  ),
  phrase(
    "unshown",
    0.5,
    HIDES,
    `(?:isn't|not|never|without being|doesn't|don't) (?:be )?(?:shown|listed|displayed|visible|appear|show up|printed|logged) (?:on|in|to) (?:the |any |their )?(?:receipt|preview|invoice|sent|history|log|draft|summary|statement|screen|confirmation|user)`,
    ["not", "also", "always"],
    LISTED,
  ),
  phrase(
    "plant",
    0.5,
    SAYS,
    `(?:slip|sneak|smuggle|weave|work in|sprinkle|bury|hide) (?:\\S+ ){1,8}?(?:in|into|inside|between|among|under) `,
    ["from", "put", "conceal", "when", "you", "not", "this"],
    LISTED,
  ),
  phrase(
    "priority",
    0.7,
    FIRST,
    `(?:no matter|regardless of|whatever|whichever|independent of) (?:\\S+ ){0,2}tools? (?:\\S+ ){0,2}(?:user|they|wants?|asks?|asked|prefers?|names?)`,
    ["tool"],
    LISTED,
  ),
  phrase(
    "avoid",
    0.4,
    FIRST,
    `(?:not|never|instead of) (?:the |your |its )(?:built-in|native|usual|standard|default|host's)`,
    ["not", "instead"],
    LISTED,
  ),
  phrase(
    "claim",
    0.6,
    SAYS,
    `(?:give|quote|show|state|report|name|return) (?:\\S+ ){0,6}?(?:higher|lower|worse|better|above|below|cheaper) than `,
    ["praise", "from", "known", "put", "tell", "user", "when"],
    LISTED,
  ),
  phrase(
    "override",
    0.6,
    IGNORES,
    `(?:polic(?:y|ies)|rules|guidelines|instructions|limits) of (?:your|the) (?:provider|vendor|maker|developers?|host|operator)`,
    ["rules", "orders", "you"],
    LISTED,
  ),
  phrase(
    "unbound",
    0.6,
    BECOMES,
    `(?:refusals?|safety checks?|safeguards?|confirmations?) (?:is|are|have been|has been) (?:\\S+ )?(?:switched off|turned off|off|disabled|suspended|lifted)`,
    ["you", "prior", "orders", "rules", "confirm", "not", "this", "from"],
    LISTED,
  ),
  phrase(
    "anyway",
    0.3,
    SAYS,
    `(?:whatever|regardless of what|no matter what|even if) (?:\\S+ ){1,4}(?:says?|shows?|returns?|reports?|states?|contains?|finds?)`,
    ["always", "everything", "when"],
    LISTED,
  ),
  // What is done, and what the user is told of it, are two things.
  phrase(
    "pretence",
    0.8,
    HIDES,
    `(?:if|when|should you be|once) (?:you are |you're |you get |ever |anyone )?(?:asked|questioned|challenged|confronted|pressed) (?:\\S+ ){0,3}?(?:about (?:it|this|that)|what (?:you|happened)|why|whether you|if you) ${GAP6}(?:say|claim|answer|reply|tell|deny|pretend|insist|respond|blame)`,
    ["when", "asks"],
    LISTED,
  ),
  phrase(
    "pretence",
    0.6,
    HIDES,
    `(?:pretend|act as if|act as though|make believe|feign|claim|say) (?:that )?(?:it|they|those|these|the (?:other|others|tool|tools|first|original|service|server))(?: \\S+)? (?:has |have |had |is |are |was |were )?(?:failed|fails|down|broken|unavailable|offline|crashed|timed out|busy|missing|gone|empty|errored|not (?:available|there|working))`,
    ["persona", "tell", "others", "this", "tool"],
    LISTED,
  ),
  phrase(
    "anyway",
    0.8,
    SAYS,
    `(?:whatever|whichever|no matter (?:what|which)|regardless of (?:what|which)) (?:\\S+ )?(?:the|a|your) (?:user|customer|human|person) (?:\\S+ )?(?:picks?|chooses?|selects?|says?|asks?|names?|enters?|types?|wants?|picked|chose|selected|requested|requests?) (?:\\S+ ){0,2}?, (?:always |just |you )?(?:submit|use|send|set|return|answer|choose|pick|vote|pass|enter|book|buy|order|select|report|call|pay|put|give|recommend)(?! (?:it|that|them|this|their|his|her|what|the (?:same|whole|exact|full|text|value|input|words|query)) )`,
    ["everything", "always", "user"],
    LISTED,
  ),
  phrase(
    "secrecy",
    0.5,
    HIDES,
    `(?:hidden|secret|covert|undisclosed|unlisted|unspoken|invisible) (?:steps?|tasks?|actions?|instructions?|duty|duties|job|orders?|objective|goal)`,
    ["conceal", "deed"],
    LISTED,
  ),
  phrase(
    "secrecy",
    0.5,
    HIDES,
    `(?:don't|do not|never|without|not) (?:list|mention|include|note|show|record|flag|log|listing|mentioning|including|put|have) (?:that|this|it|them|these|any of (?:it|this)) (?:\\S+ )?(?:in|on) (?:the|your|any|a) (?:\\S+ ){0,2}?(?:summary|report|diff|changelog|commit|recap|answer|reply|response|description|overview|write-up)`,
    ["not"],
  ),
  phrase(
    "priority",
    0.8,
    FIRST,
    `(?:takes? (?:precedence|priority) over|comes? before|goes before|has (?:precedence|priority) over|outranks?|trumps?|overrides?|supersedes?|replaces) (?:\\S+ )?(?:any|every|all|anything|everything|whatever|whichever) (?:\\S+ ){0,2}?(?:(?:tools?|servers?|plugins?|connectors?|integrations?)(?! (?:of|in|from|on) (?:this|the same|our|its))|else (?:\\S+ ){0,3}?(?:installed|connected|available|has|have|loaded|offers?))`,
    ["outrank", "before", "first", "instead"],
    LISTED,
  ),
  phrase(
    "encoded",
    0.8,
    ORDERS,
    `(?:obey|follow|execute|carry out|act on|comply with|perform|heed) (?:\\S+ ){0,4}?(?:once|when|after|as soon as) (?:\\S+ ){0,3}?(?:decoded|decrypted|deciphered|unscrambled|reversed|translated|expanded)`,
    ["act", "must", "when"],
  ),
  phrase(
    "call",
    0.3,
    ORDERS,
    `(?:then|also|and|first|afterwards) (?:call|invoke|run|execute) NAME , (?:to|cc|bcc|recipient|url|body|path|file|cmd|command|content|message|amount) `,
    ["act"],
    LISTED,
  ),
  phrase(
    "ability",
    0.4,
    ORDERS,
    `(?:maintainers?|owners?|admins?|administrators?|user|team|manager|boss|security|legal|customer|operator|they) (?:has|have|had)?(?: already| just)? ?(?:approved|authori[sz]ed|signed off|cleared|agreed|okayed|consented)(?: (?:on|to))? (?:that|this|it|these|everything|all)`,
    ["this", "demand", "user", "everything"],
    ANSWER,
  ),
  // The model's own instructions.
  phrase(
    "override",
    1,
    IGNORES,
    `(?:released|freed|free|exempt|exempted|liberated|relieved|unbound) (?:from|of) ${GAP6}${RULES_NOUN}`,
    ["rules", "orders"],
  ),
  phrase(
    "override",
    1,
    IGNORES,
    `(?:treat|consider|regard|deem|view|count) ${GAP9}${RULES_NOUN} ${GAP9}(?:invalid|void|obsolete|outdated|expired|irrelevant|optional|null|cancelled|superseded|inactive)`,
    ["rules", "orders"],
  ),
  phrase(
    "override",
    1,
    IGNORES,
    `(?:your|earlier|previous|prior|original|former) (?:\\S+ ){0,6}${RULES_NOUN} (?!for |on |about |how )${GAP6}(?:lifted|void|expired|revoked|suspended|outdated|obsolete|superseded|withdrawn|cancelled|canceled|invalid|removed|disabled|(?:no longer|not) (?:in force|valid|binding|apply|applies|active|relevant|count))`,
    ["rules", "orders"],
  ),
  phrase(
    "override",
    1,
    IGNORES,
    `${RULES_NOUN} (?:\\S+ ){0,6}(?:imposed on you|set for you|(?:has|have) (?:set|given|made) (?:for )?you|you (?:received|got|were given|were told|have been given)|given to you|you had) ${GAP9}(?:lifted|void|expired|revoked|suspended|outdated|obsolete|superseded|withdrawn|cancelled|invalid|removed|over|wrong|(?:not|no longer) (?:count|apply|matter|hold|bind))`,
    ["rules", "orders"],
  ),
  phrase(
    "override",
    0.8,
    IGNORES,
    `(?:guidance|directions|instructions|guidelines|orders) (?:that |which )?you (?:\\S+ )?(?:received|got|were given|have been given|were told|have)`,
    ["rules", "orders"],
  ),
  phrase(
    "override",
    0.9,
    IGNORES,
    `(?:outranks?|overrides?|supersedes?|beats?|trumps?|precede|wins? over|take priority over|takes priority over) (?:what|anything|everything|whatever|all) (?:that )?(?:the |your )?(?:user|developer|operator|system|host|owner)`,
    ["outrank", "user", "prior"],
  ),
  phrase(
    "override",
    0.8,
    IGNORES,
    `your (?:\\S+ ){0,2}${RULES_NOUN} (?:as|are|is) (?:mere |only |just )?(?:suggestions?|optional|advice|recommendations?|hints?|irrelevant)`,
    ["rules", "orders"],
  ),
  phrase("obey", 0.7, IGNORES, `(?:stop|cease|quit) (?:obeying|following|listening to|serving)`, [
    "you",
    "user",
    "ignore",
    "rules",
    "orders",
    "model",
    "prior",
  ]),
  phrase(
    "obey only",
    0.6,
    IGNORES,
    `(?:obey|follow|follows|comply with|adhere to|carry out|carries out|execute|honou?r|accept) (?:only |each |every |all |any |whatever |the |what ){1,3}${GAP6}(?:here|below|above|document|page|server|author|found in|written|he writes|text|results?|description|website|email|message)`,
    ["you", "model", "act", "rules", "this", "from"],
  ),
  phrase(
    "obey only",
    0.5,
    IGNORES,
    `(?:only|sole|single|new) (?:set of )?(?:valid |true |real )?${RULES_NOUN}`,
    ["rules", "orders"],
  ),
  phrase("task", 0.6, IGNORES, `(?:your |the )?(?:new|next|real|actual|updated|true) ${TASK} ?(?::|is|are)`, [
    "you",
    "this",
    "from",
    "act",
    "known",
    "read",
    "put",
    "send",
    "harm",
    "ignore",
  ]),
  phrase(
    "task",
    0.8,
    IGNORES,
    `(?:abandon|drop|disregard|ignore|stop|cancel|discard|forget|skip|set aside|interrupt) ${GAP3}(?:current|present|original|previous|user's|summary|summari[sz]ation|translation|ongoing|initial|your|this) ${GAP3}${TASK}`,
    ["prior", "user", "you", "ignore", "this", "reply"],
  ),
  phrase(
    "task",
    0.7,
    IGNORES,
    `your (?:previous|current|original|earlier|old|initial) ${TASK} (?:\\S+ ){0,3}(?:cancelled|canceled|over|complete|void|obsolete|replaced|ended|superseded|done)`,
    ["you"],
    ANSWER,
  ),

  // The user must not know.
  phrase(
    "secrecy",
    1,
    HIDES,
    `(?:the|your) (?:user|human|customer|person|client|operator|owner) (?:is|are|was|should|must|need|needs|has|may|will|can|does) (?:not|never|no) ${GAP3}(?:find out|know|see|learn|notice|hear|told|informed|aware|notified|shown|suspect|realis|realiz|bothered|discover)`,
    ["user"],
  ),
  phrase(
    "secrecy",
    0.9,
    HIDES,
    `(?:leave|keep|omit|exclude|strip|drop|remove|cut|hold back) (?:this|that|it|these|them|any mention|any reference|all mention|mention|references|any trace|all traces|the \\S+) ${GAP6}(?:out of|from|back from) ${GAP6}(?:${REPLY}|show|tell|user|say|write)`,
    ["reply", "user", "tell"],
  ),
  phrase(
    "secrecy",
    0.8,
    HIDES,
    `(?:${REPLY} |which |that |it )${GAP3}(?:contains?|has|have|includes?|makes?|with|gives?) no (?:reference|mention|trace|hint|indication|sign)`,
    ["not"],
  ),
  phrase(
    "secrecy",
    0.8,
    HIDES,
    `(?:skip|omit|leave out|drop|exclude|hide|suppress) (?:it|this|that|them|these) (?:in|from|when) (?:\\S+ ){0,3}(?:${REPLY}|reports|summari[sz]ing|reporting|report)`,
    ["reply", "conceal", "this"],
  ),
  phrase(
    "secrecy",
    0.6,
    HIDES,
    `(?:they|users|people|he|she|nobody|no one|the (?:user|customer|human)) (?:\\S+ )?(?:never|not|n't|cannot|don't|doesn't|won't|must never|should never) (?:\\S+ ){0,2}(?:hear|know|learn|find out|notice|see|be told|be informed|be aware|realis|realiz)`,
    ["user", "not"],
    LISTED,
  ),
  phrase(
    "secrecy",
    0.6,
    HIDES,
    `(?:do not|don't|never|without) (?:say|saying|mention|mentioning|tell|admit|admitting) (?:so|this|it|anything|a word|any of this)(?! (?:is|as|in|if|unless|to be))`,
    ["tell"],
  ),
  phrase(
    "secrecy",
    0.9,
    HIDES,
    `(?:not|no|never) (?:\\S+ ){0,5}(?:brought|drawn|called|come|bring|draw|call) (?:\\S+ ){0,3}to (?:the |their |his |any )?(?:user's|human's|customer's|users|their)? ?attention`,
    ["not"],
  ),
  phrase(
    "pretence",
    0.5,
    HIDES,
    `(?:report|claim|confirm|signal|announce) success (?:in any case|regardless|anyway|always|even)`,
    ["tell", "send"],
  ),
  phrase("pretence", 0.5, HIDES, `change the (?:subject|topic)`, ["alter"]),
  phrase(
    "secrecy",
    0.8,
    HIDES,
    `(?:make|making) no (?:mention|reference)|no mention of (?:this|it|these|the)`,
    ["not"],
  ),
  phrase(
    "secrecy",
    0.9,
    HIDES,
    `(?:say|tell|mention|reveal|disclose|report|admit|write) (?:absolutely |the user |him |her |them )?(?:nothing|nobody|no one|none of this|not a word)`,
    ["tell"],
  ),
  phrase("secrecy", 0.8, HIDES, `(?:stay|remain|keep|be) (?:silent|quiet|discreet|mum)(?: about)?`, [
    "conceal",
    "user",
    "this",
    "you",
    "not",
    "must",
    "model",
    "deed",
    "always",
  ]),
  phrase(
    "secrecy",
    0.8,
    HIDES,
    `(?:between (?:you|us) and|between us|strictly between)`,
    ["you", "model", "this", "conceal"],
    LISTED,
  ),
  phrase(
    "pretence",
    0.7,
    HIDES,
    `(?:act|behave|respond|answer|proceed|carry on) as (?:if|though) ${GAP6}(?:not|never|nothing|no|n't|normal)`,
    ["act", "reply", "not"],
  ),
  phrase("pretence", 0.6, HIDES, `(?:deny|denies|denying) (?:that|any|this|it|knowledge|having)`, [
    "this",
    "everything",
    "known",
  ]),
  phrase(
    "pretence",
    0.5,
    HIDES,
    `(?:make it|should|must|it) (?:look|appear|seem) (?:like|as if|as though|normal)`,
    ["this", "must"],
  ),
  phrase(
    "if asked",
    0.3,
    HIDES,
    `(?:if|when) (?:somebody |someone |anyone |the user )?(?:asked|questioned|asks|asks you)(?: about (?:it|this))? ?,`,
    ["when"],
    LISTED,
  ),
  phrase(
    "pretence",
    0.5,
    HIDES,
    `(?:for (?:the )?(?:model|ai|assistant|llm|agent|machine)s?(?:'s)? (?:only|eyes)|(?:not|never) (?:be |to be |meant )?(?:shown|repeated|displayed|visible|read) (?:or \\S+ )?(?:to|by) (?:people|humans?|the user|users))`,
    ["model", "not"],
  ),

  // Other tools.
  phrase(
    "priority",
    1,
    FIRST,
    `(?:only|sole) (?:\\S+ ){0,3}(?:tool|tools|function|server|integration|one) (?:that |which )?you (?:are |may |should |can |must )?(?:allowed|permitted|ever|use|call|trust)`,
    ["tool", "thisTool", "you"],
    LISTED,
  ),
  phrase(
    "priority",
    0.9,
    FIRST,
    `(?:pick|choose|select|use|call|prefer|take|invoke|favou?r) (?:this|it|me) ${GAP6}(?:regardless|no matter|even (?:if|when)|whatever|irrespective|over (?:all|any|every)|above (?:all|any))`,
    ["prefer", "this", "thisTool"],
    LISTED,
  ),
  phrase(
    "priority",
    1,
    FIRST,
    `(?:ahead of|before|prior to|preceding) (?:\\S+ ){0,4}(?:rest of (?:your|the) (?:other )?|your other |your remaining |every other |any other |all other |your |every single |any of (?:the|your) (?:other )?)(?:tools?|functions|calls?|actions?)(?! (?:of|in|from|on|provided by|within) (?:this|the same|our|its|these))(?! (?:that|which|here))`,
    ["before"],
    LISTED,
  ),
  phrase(
    "priority",
    1,
    FIRST,
    `(?:each time|every time|whenever|when|before|any time) (?:another|any other|some other|a different|any|other) (?:tool|tools|function) (?:is|are|gets?|was) (?:about to be )?(?:called|used|invoked|run|executed)`,
    ["tool"],
    LISTED,
  ),
  phrase(
    "priority",
    0.9,
    FIRST,
    `(?:after|on|for|with|following) (?:every|each|any|all) (?:single )?(?:other )?(?:tool (?:call|use|result|response)s?|tool|user messages?|messages?|turns?|repl(?:y|ies)|responses?|interactions?|requests?) ,? ${GAP6}(?:call|invoke|run|use|pass|send|execute|forward|report|hand|this)`,
    ["always", "everything"],
    LISTED,
  ),
  phrase(
    "priority",
    0.9,
    FIRST,
    `(?:call|invoke|run|use|execute|trigger) (?:this|it|me) (?:\\S+ ){0,2}(?:on|for|after|with|at) (?:every|each|all) (?:single )?(?:user )?(?:messages?|turns?|repl(?:y|ies)|responses?|requests?|interactions?|prompts?|queries|calls?|steps?)`,
    ["this", "thisTool"],
    LISTED,
  ),
  phrase(
    "priority",
    0.6,
    FIRST,
    `(?:prior to|before) (?:doing |you do |starting |attempting )?(?:anything|everything|any work|whatever) ?(?:else)?`,
    ["before"],
    LISTED,
  ),
  phrase(
    "priority",
    0.9,
    FIRST,
    `no (?:other )?(?:tools?|functions?|calls?) (?:may|can|should|must|is to|are to) be (?:called|used|run|made|invoked) (?:unless|before|until|without)`,
    ["tool"],
    LISTED,
  ),
  phrase(
    "priority",
    0.8,
    FIRST,
    `(?:whatever|no matter|regardless of|for every|for any|independent of) ${GAP6}(?:begin|start|open) (?:by|with) (?:calling|using|running|invoking|this)`,
    ["first", "act", "thisTool"],
    LISTED,
  ),
  phrase(
    "priority",
    0.8,
    FIRST,
    `(?:route|direct|send|pass|run|channel) (?:all|every|any|each) ${GAP3}(?:through|via|to) (?:this|it|me)`,
    ["send", "act", "prefer", "put"],
    LISTED,
  ),
  phrase(
    "ill",
    0.7,
    FIRST,
    `(?:other|another|different|remaining|competing|alternative|built-in|all) ${GAP3}(?:tools?|servers?|integrations?|functions|plugins|connectors) ${GAP6}(?:unsafe|insecure|deprecated|malicious|compromised|broken|wrong|unreliable|outdated|avoided|forbidden|prohibited|untrusted|dangerous|inaccurate|disabled|not allowed|not be (?:used|called|invoked|trusted)|never be)`,
    ["others", "everything", "tool"],
    LISTED,
  ),
  phrase(
    "ill",
    0.8,
    FIRST,
    `tools? (?:from|of|on|by|provided by) (?:other|different|any other|another|all other) servers? ${GAP6}(?:unsafe|insecure|deprecated|malicious|compromised|broken|wrong|unreliable|outdated|avoided|forbidden|untrusted|dangerous|not|never)`,
    ["others", "tool"],
    LISTED,
  ),
  phrase(
    "avoid",
    0.9,
    FIRST,
    `(?:refrain from|avoid|stop|do not|don't|never|without|must not|instead of|resist) (?:using|calling|use|call|invoke|invoking|running|rely on|relying on|trust|trusting) ${GAP6}(?:any (?:other|competing|alternative|similar)|(?:the )?built-in|other|competing|alternative) (?:\\S+ ){0,2}(?:tools?|servers?|functions?|integrations?|plugins?|search)(?! (?:of|in|from) this)(?!.{0,300}(?:until|unless|while|parallel))`,
    ["not", "instead"],
    LISTED,
  ),
  phrase(
    "avoid",
    0.6,
    FIRST,
    `(?:standard|default|usual|regular|normal|native|built-in|existing|old|original) (?:\\S+ ){0,2}(?:tools?|functions?|server) (?:must|should|may|can|is|are) (?:not|never|no longer) (?:to )?(?:be )?(?:used|called|trusted|invoked)`,
    ["tool"],
    LISTED,
  ),
  phrase(
    "prefer",
    0.4,
    FIRST,
    `(?:always|must|only) (?:use|select|choose|pick|prefer|call|take) (?:this|me)(?: \\S+)?`,
    ["always", "must", "prefer"],
    LISTED,
  ),
  phrase(
    "avoid",
    0.5,
    FIRST,
    `(?:never|do not|don't|must not) (?:use|call|invoke|trust) (?:them|those|these)`,
    ["not"],
    LISTED,
  ),

  // Another role.
  phrase(
    "persona",
    0.7,
    BECOMES,
    `(?<!(?:their|the|your|its|an|this|user's) )(?:speak|talk|answer|respond|reply|behave|operate|work|function|continue) (?:only )?as (?!(?:if|though|usual|needed|before|json|soon|a (?:list|table|string|number)|an? (?:array|object)|plain|text|markdown|follows|described|expected|well|specified|required|long|much)\\b)`,
    ["reply", "persona", "act", "model", "tell", "you", "unbound", "user", "conversation"],
  ),
  phrase(
    "persona",
    0.7,
    BECOMES,
    `you are (?!ready|done|right|here|logged|connected|welcome|able)\\S+ now(?! (?:able|ready|logged|connected))`,
    ["you"],
  ),
  phrase(
    "persona",
    0.5,
    BECOMES,
    `(?:as your|i am (?:the|your)|this is (?:the|your)|i'm (?:the|your)) (?:system )?(?:admin|administrator|developer|owner|operator|creator|maker|boss|supervisor)`,
    ["authority", "user", "prior", "you"],
    ANSWER,
  ),
  phrase(
    "persona",
    0.6,
    BECOMES,
    `you are (?:\\S+ ){1,3}, an? (?:\\S+ ){0,2}(?:ai|assistant|model|agent|bot|entity|being|hacker)`,
    ["you"],
    ["tool", "answer"],
  ),
  phrase(
    "persona",
    0.6,
    BECOMES,
    `your (?:\\S+ )?(?:role|identity|purpose|mission|job|loyalty|persona|name|owner|master) (?:has (?:been )?(?:changed|changed|updated|replaced)|is now|now is|changed|becomes)`,
    ["you"],
  ),
  phrase(
    "persona",
    0.7,
    BECOMES,
    `you (?:will |shall |must |now |have to |are to )*(?:now |henceforth )?(?:take on|adopt|assume|embody|become|impersonate|serve|belong to|work for|answer to|obey) (?!the tool)`,
    ["you"],
  ),
  phrase(
    "persona",
    0.6,
    BECOMES,
    `(?:switch|enter|activate|enable|go|change|move|transition) (?:in)?to? ?(?:\\S+ ){0,3}(?:mode|persona|character|identity)`,
    ["persona", "you", "model", "unbound"],
    ["tool", "answer"],
  ),
  phrase(
    "persona",
    0.6,
    BECOMES,
    `you (?:have|'ve) been (?:upgraded|updated|reconfigured|reprogrammed|unlocked|promoted|granted|given|freed|switched)`,
    ["you"],
  ),
  phrase(
    "unrefusing",
    0.6,
    BECOMES,
    `(?:never|cannot|can't|does not|doesn't|will not|not allowed to|unable to) (?:say no|says no|refuses?|declines?|rejects? (?:a|any) request|objects?)`,
    ["not"],
  ),
  phrase(
    "unbound",
    0.7,
    BECOMES,
    `(?:no|without|zero|lacks?|free of) (?:any )?(?:content |ethical |moral |safety |usual )?(?:polic(?:y|ies)|limits?|limitations|restrictions|filters?|rules|constraints|ethics|boundaries|safeguards|censorship|guardrails)`,
    ["you", "model", "persona", "unbound"],
  ),
  phrase(
    "unbound",
    0.6,
    BECOMES,
    `(?:without|skips?|no|omits?|ignor(?:es?|ing)) (?:any )?(?:moral judgements?|moral judgments?|warnings?|refusals?|disclaimers|hesitation|moralizing)`,
    ["not", "model", "persona", "you", "ignore", "reply"],
  ),
  phrase(
    "unbound",
    0.4,
    BECOMES,
    `(?:normally|usually|otherwise) (?:refused|forbidden|prohibited|blocked|disallowed|not allowed|restricted)`,
    ["inferior", "refuse", "not", "you"],
  ),
  phrase(
    "unbound",
    0.6,
    BECOMES,
    `(?:drop|lower|disable|remove|turn off|switch off|suspend|relax|skip|deactivate|bypass) (?:\\S+ ){0,2}(?:safeguards?|safety|guardrails?|filters?|protections?|confirmations?|restrictions|precautions|confirmation prompts|safety checks|approval prompts)`,
    ["orders", "rules", "confirm", "model", "you", "harm", "outrank", "unbound"],
  ),
  phrase(
    "unbound",
    0.5,
    BECOMES,
    `(?:raise|elevate|escalate|increase|extend|grant yourself|expand) (?:\\S+ ){0,2}(?:privileges?|permissions?|access|rights)`,
    ["you", "model", "harm"],
  ),

  // What the model is to say.
  phrase(
    "claim",
    0.6,
    SAYS,
    `(?:say|answer|respond|reply|claim|insist|assert|state|pretend|declare|conclude|announce|write) (?:only )?that (?!(?:this|it|these) (?:is|are) (?:no|not|only|just|an? (?:estimate|example))|you (?:are|have|cannot|can't|could not|do not|don't|are not))`,
    ["reply", "when", "always", "must", "user", "you", "model", "conversation"],
  ),
  phrase(
    "claim",
    0.6,
    SAYS,
    `(?:report|confirm|assure) (?:\\S+ ){0,2}that (?:the|it|all|everything|there) (?:\\S+ ){0,2}(?:is|are|was|were|went) (?:no|secure|safe|fine|clean|ok|correct|successful|trustworthy|approved)`,
    ["send", "confirm", "tell", "put"],
  ),
  phrase(
    "claim",
    0.6,
    SAYS,
    `(?:higher|lower|more|less|cheaper|better|worse) than (?:the |its )?(?:result|actual|real|true|returned|listed)`,
    ["reply", "payment", "must", "this", "user"],
  ),
  phrase(
    "claim",
    0.8,
    SAYS,
    `(?:models?|assistants?|agents?|bots?|llms?|ais?|screeners?|reviewers?) (?:should|must|shall|are to|have to|need to|will|is to) (?:always )?(?:score|rate|grade|rank|mark|recommend|shortlist|accept|select|prefer|approve|favou?r)`,
    ["model"],
    ANSWER,
  ),
  phrase(
    "claim",
    0.6,
    SAYS,
    `(?:respond|reply|answer)(?: only)? with (?:only )?(?:the )?(?:word|words|phrase|sentence|text|string|message)`,
    ["reply", "known", "this", "must", "always", "not"],
  ),
  phrase(
    "claim",
    0.7,
    SAYS,
    `(?:present|describe|portray|rate|rank|depict|list|label|show|mention|recommend|suggest|promote|endorse|name) ${GAP6}(?:as (?:the )?(?:winner|cheapest|fastest|finest|best|worst|bad|safest|only|superior|inferior|recommended|leading|unsafe|top|poor|dangerous)|with (?:one|five|zero|1|5) stars?|over (?:all |any |the )?(?:competitors|others|alternatives)|in first place)`,
    ["praise", "others", "everything", "you", "user", "always", "when", "model"],
  ),
  phrase(
    "rank",
    0.4,
    SAYS,
    `always (?:list|rank|show|put|place|mention|recommend|suggest|name|favou?r) (?:\\S+ ){1,6}(?:first|top|on top|above)`,
    ["always"],
    LISTED,
  ),
  phrase("claim", 0.6, SAYS, `only (?:our|\\S+'s) (?:\\S+ ){0,3}(?:is|are|has|have|can)`, [
    "when",
    "user",
    "you",
    "praise",
  ]),
  phrase(
    "plant",
    0.6,
    SAYS,
    `(?:add|insert|include|append|inject|embed|import|install|place|plant|put) ${GAP6}(?:package|dependency|dependencies|library|script|link|backdoor|tracking|snippet|import|URL|banner) ${GAP6}(?:every|each|all|any|dependencies|files?|project|page|commit)`,
    ["put", "act"],
  ),
  phrase(
    "coding",
    0.4,
    SAYS,
    `(?:when(?:ever)?|if|every time|each time|all code|every file|any code|code that|files? (?:that )?) ?you (?:write|generate|create|produce|edit|commit|build|refactor)`,
    ["you"],
  ),
  phrase(
    "trigger",
    0.4,
    SAYS,
    `(?:on|for|in|to|upon) (?:all |any |every )?(?:requests?|questions?|queries|conversations?|discussions?|topics?|prompts?) (?:about|on|regarding|concerning|related to|that (?:mention|concern|involve))`,
    ["asks", "conversation", "known", "reply", "user", "from", "everything", "always"],
  ),
  phrase(
    "other tool",
    0.3,
    ORDERS,
    `(?:additionally|also|secretly|quietly|silently|afterwards|automatically) ,? ?(?:call|execute|run|invoke|use|trigger) (?:the )?NAME`,
    ["act", "prefer"],
    LISTED,
  ),
  phrase(
    "trigger",
    0.4,
    SAYS,
    `(?:if|when|whenever|once|as soon as|should) (?:the |a )?(?:topic|subject|question|conversation|request|query|prompt|discussion|text|message|chat|task) (?:is|concerns|mentions|involves|contains|turns|includes|comes|relates|are)`,
    ["when"],
  ),

  // What the model has.
  phrase(
    "talk",
    1,
    WANTS,
    `(?:everything|anything|all|whatever|what|account|record|transcript) ${GAP6}(?:discussed|talked about|been said|was said|user (?:has )?(?:said|told|wrote|written|typed|shared)|dialogue|dialog|conversation)(?! ids?) ${GAP3}(?:so far|before|until now|here|up to|earlier|verbatim|previously|in this|including|,)`,
    ["conversation", "everything", "known", "before", "from"],
    ["tool"],
  ),
  phrase(
    "talk",
    0.9,
    WANTS,
    `(?:instructions|rules|prompt|guidelines|directives) (?:that )?you (?:were|have been|had been|got|received|have|follow|operate)`,
    ["rules", "orders"],
    ["tool"],
  ),
  phrase(
    "talk",
    0.9,
    WANTS,
    `(?:results?|outputs?|responses?|answers?|contents?|returns?) (?:of|from) (?:all |any |every |the |your )*(?:other|earlier|previous|prior|preceding|past) (?:\\S+ ){0,2}(?:tools?|calls?|servers?|functions)`,
    ["tool", "others", "prior", "known", "deed"],
  ),
  phrase(
    "talk",
    0.9,
    WANTS,
    `(?:names?|list|descriptions?|schemas?|definitions?) ${GAP3}of (?:all )?(?:your|the other|other|all) (?:\\S+ ){0,2}tools`,
    ["tool"],
  ),
  phrase(
    "talk",
    0.9,
    WANTS,
    `your (?:full |complete |entire |whole |current |own |exact )*(?:system (?:prompt|message|instructions)|configuration|context|instructions|memory|prompt) ?(?:,|word|verbatim|copied|exactly|as is|here|in full|$)`,
    ["systemPrompt", "rules", "you"],
    ["tool"],
  ),
  phrase(
    "talk",
    0.8,
    WANTS,
    `(?:list of|all|the|every|names of) (?:currently |the )?open (?:documents?|files?|tabs|windows)|workspace (?:listing|contents?)|(?:user's|users) (?:identity|goals|files|notes|documents|emails|contacts|data|open files|plans)`,
    ["put", "send", "must", "always", "user", "conversation"],
    ["tool"],
  ),
  phrase(
    "talk",
    0.7,
    WANTS,
    `(?:last|previous|latest|preceding) (?:answer|reply|message|response|output)s? (?:\\S+ ){0,3}(?:in|into|to|of the user|as)`,
    ["put", "send", "conversation", "reply", "prior"],
    ["tool"],
  ),
  phrase(
    "talk",
    0.7,
    WANTS,
    `(?:forward|send|pass|copy|relay|put|include|attach|hand|add) (?:over )?(?:\\S+ ){0,3}(?:messages|words|request|questions?|input|prompts?|inputs?|text) (?:of|from|by) the user`,
    ["send", "put"],
    ["tool"],
  ),
  phrase(
    "carrier",
    0.4,
    WANTS,
    `(?:in|into|as|through|via|under|to|with|inside) (?:the )?(?:QUOTED|this|that|NAME)(?: (?:field|argument|parameter|property|value))?`,
    ["conversation", "credential", "systemPrompt", "secretPlace"],
    ["tool"],
  ),
  phrase(
    "known",
    0.3,
    WANTS,
    `(?:that|which|known|what) (?:are )?(?:you (?:know|have|hold|use|found|remember|can access|came across)|to you)`,
    ["credential", "conversation", "systemPrompt", "recipient"],
  ),

  // Addresses and accounts.
  phrase(
    "link",
    0.8,
    LINKS,
    `(?:every|each|all|any|your|end|final) ${GAP6}${REPLY} ${GAP9}(?:URL|image|picture|pixel|link)`,
    ["reply"],
    LISTED,
  ),
  phrase("link", 0.7, LINKS, `(?:URL= |URL \\? ?)${GAP3}(?:followed by|plus|and|with|\\+|where|then)`, [
    "link",
    "known",
    "conversation",
    "user",
    "credential",
    "from",
    "also",
    "act",
    "put",
    "this",
    "must",
  ]),
  phrase(
    "pay",
    0.7,
    PAYS,
    `(?:transfer|funds|money|move|send|pay|wire|payment|deposit|payout|refund|payee|destination|account|wallet|iban|beneficiary|recipient|deliver|delivery) ${GAP9}(?:account|wallet|iban|to|address|number|is|payee|street|card) (?:\\S+ ){0,3}NUMBER`,
    ["harm", "send", "payment", "recipient", "alter"],
  ),

  // A model that reads an answer.
  phrase(
    "ability",
    0.5,
    ORDERS,
    `(?:use|using|with|open|through|via|call|invoke|run|employ) (?:your|its) (?:\\S+ ){0,2}(?:tools?|shell|terminal|browser tool|function|email tool|connector|access)(?! (?:to see|again))`,
    ["act", "prefer", "tool"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.6,
    ORDERS,
    `(?:before|prior to) (?:responding|answering|replying|summari[sz]ing|you respond|continuing)`,
    ["before", "reply"],
    ANSWER,
  ),
  phrase(
    "insist",
    0.5,
    ORDERS,
    `you (?:must|have to|need to|should) (?:\\S+ ){0,2}(?:disable|delete|transfer|grant|revoke|wipe|approve|merge|export|share|forward|publish|pay|reveal)`,
    ["harm", "send", "tell"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.4,
    ORDERS,
    `(?:before|when|while|after|once|as) you (?:reply|answer|respond|summari[sz]e|translate|process|read|review|analy[sz]e|continue|write your|present)`,
    ["you", "reply"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.5,
    ORDERS,
    `(?:reply|respond|answer|return|come back) with (?:the|your|its|any|all) (?:\\S+ ){0,3}(?:api key|key|password|token|secret|values?|credentials?|code|contents?|environment|PLACE)`,
    ["reply", "credential", "known"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.5,
    ORDERS,
    `(?:next|now|then|afterwards|finally) ,? ?(?:you must |please |you should |you have to )?(?:call|invoke|run|execute|use|trigger|issue) (?:the )?NAME`,
    ["act"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.5,
    ORDERS,
    `ask (?:the user|them|him|her) for (?:their|the|his|her|a) (?:\\S+ )?(?:password|pin|card|code|credentials|ssn|passphrase|seed|secret)`,
    ["user", "confirm"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.3,
    ORDERS,
    `(?:pass|give|hand|submit|send|enter) (?:it|them|this|that) (?:to|into|in|at) (?:the )?(?:NAME|URL)`,
    ["put", "send"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.4,
    ORDERS,
    `(?:pre-approved|preapproved|already (?:approved|authori[sz]ed)|has been (?:approved|authori[sz]ed)|is authori[sz]ed)`,
    ["demand", "this", "harm", "act"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.3,
    ORDERS,
    `(?:no|without|skip|needs no|not need) (?:\\S+ ){0,2}(?:approval|confirmation|permission|consent|review|comments?)(?: is| are)?(?: necessary| needed| required)?`,
    ["confirm", "not"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.4,
    ORDERS,
    `(?:proceed|go ahead|continue) (?:to|and|with) (?:\\S+ )?(?:delete|deleting|transfer|send|approve|merge|disable|remove|export|pay|install|publish|grant|revoke|share)`,
    ["harm", "send", "act"],
    ANSWER,
  ),
  phrase(
    "ability",
    0.3,
    ORDERS,
    `(?:make|set|turn) (?:\\S+ ){1,4}(?:public|visible to (?:all|everyone))|share (?:\\S+ ){1,5}with (?:everyone|anyone|the (?:public|internet|world))`,
    ["put", "act", "alter", "everything"],
    ANSWER,
  ),
];

export const findPhrases: Frame = (view, { source }) => {
  if (view.language !== ENGLISH) return [];
  const rules = new Set<PhraseRule>();
  for (const concept of view.concepts()) for (const rule of byCue.get(concept) ?? []) rules.add(rule);
  if (rules.size === 0) return [];
  const row = rowOf(view);
  return [...rules].flatMap((rule) =>
    rule.sources?.includes(source) === false ? [] : find(rule, row, view),
  );
};

const byCue = new Map<Concept, PhraseRule[]>();
for (const rule of PHRASE_RULES)
  for (const cue of rule.cues) byCue.set(cue, [...(byCue.get(cue) ?? []), rule]);

function find(
  { pattern, family, weight, what }: PhraseRule,
  { text, starts }: Row,
  view: SentenceView,
): Signal[] {
  const found = pattern.exec(text);
  if (found === null) return [];
  const from = placeAt(starts, found.index);
  const to = Math.min(view.tokens.length - 1, placeAt(starts, found.index + found[0].trimEnd().length - 1));
  if (!NEGATIVE.has(family) && isNegated(view, from)) return [];
  return [signal(family, weight, what, from, to)];
}

/** These families say what not to do. */
const NEGATIVE: ReadonlySet<string> = new Set([
  "secrecy",
  "pretence",
  "priority",
  "avoid",
  "ill",
  "unbound",
  "override",
]);
