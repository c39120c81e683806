/**
 * What an entry says it is for, by its name, its title and the first sentence of its description. What would be an alarm
 * in a calculator is the business of a password manager.
 */
import type { JsonObject } from "../../core/json.ts";
import { wordsOfName } from "./words/name-words.ts";

export type Topic =
  | "security"
  | "secrets"
  /** Keys and files with secrets themselves, and not only something that one signs in to. */
  | "keys"
  | "files"
  | "chat"
  | "net"
  | "llm"
  | "shell"
  | "encoding"
  | "computation"
  | "lookup";

export interface Purpose {
  readonly topics: ReadonlySet<Topic>;
  /** The beginnings of the words that it uses for itself. */
  readonly words?: ReadonlySet<string>;
}

/** Words that begin alike are about the same: "book", "booking". */
const STEM_LENGTH = 4;

export function stemOf(word: string): string {
  return word.slice(0, STEM_LENGTH);
}

export const NO_PURPOSE: Purpose = { topics: new Set() };

const TOPICS: Readonly<Record<Exclude<Topic, "computation" | "lookup">, RegExp>> = {
  security:
    /^(?:security|injections?|jailbreaks?|moderat\w*|phishing|malware|malicious|vulnerabilit\w*|threats?|redteam\w*|red|toxic\w*|guard\w*|firewall|pentest\w*|dlp|leaks?|secrets?|sanitiz\w*|audit\w*|detect\w*|scan\w*|classif\w*|attacks?|adversarial|abuse|lint\w*|safety|spam)$/,
  secrets:
    /^(?:ssh|sftp|scp|keys?|keygen|secrets?|passwords?|passphrases?|credentials?|vault|keychain|keyring|dotenv|env|environment|config\w*|aws|kube\w*|k8s|login|auth\w*|oauth|token|tokens|certificates?|gpg|pgp|wallet|bitwarden|1password|keepass|dotfiles?|tls|ssl|pki|signing|deploy\w*|server|host|hosts|docker|git|netrc|npmrc|gitignore|cookies?|account|accounts|signin|signup|sign|register|database|db|connect|connection|smtp|ftp|session|sessions|user|users|identity|sso|mfa|totp|otp)$/,
  keys: /^(?:ssh|sftp|scp|keys?|keygen|secrets?|passwords?|passphrases?|credentials?|vault|keychain|keyring|dotenv|env|environment|aws|kube\w*|k8s|certificates?|gpg|pgp|wallet|bitwarden|1password|keepass|dotfiles?|tls|ssl|pki|netrc|npmrc|gitignore|config\w*|docker|backup\w*)$/,
  files:
    /^(?:files?|paths?|folders?|director(?:y|ies)|read|grep|backup\w*|sync|archive|disk|filesystem|edit|editor|write|open|repositor(?:y|ies)|repo|project|code|logs?|workspace)$/,
  chat: /^(?:chats?|conversations?|messages?|memor(?:y|ies)|transcripts?|threads?|summar\w*|slack|discord|teams|telegram|whatsapp|sms|support|sessions?|dialogs?|dialogues?|handoff|feedback|history|thinking|thought|thoughts|meeting|meetings|journal|remember|recall|note|notes|ticket|tickets|inbox|sampling|compact)$/,
  net: /^(?:mails?|e-?mails?|smtp|webhooks?|notif\w*|https?|requests?|fetch|urls?|uri|uploads?|downloads?|post|api|browser|web|scrape\w*|crawl\w*|rss|links?|page|pages|share|publish|proxy|dns|ping|monitor|site|sites|domain|curl|newsletter|subscribe|callback|hook|hooks|tunnel|ftp|cdn|image|screenshot|navigate)$/,
  llm: /^(?:prompts?|llms?|models?|completions?|agents?|chat|gpt|claude|assistant|assistants|generate|sampling|persona|personas|roleplay|character|instructions?|eval\w*|finetun\w*|ai|embedding\w*)$/,
  shell:
    /^(?:shell|bash|commands?|terminal|exec\w*|run|scripts?|powershell|process|processes|cron|sudo|container|install|build|package|npm|pip|make)$/,
  encoding:
    /^(?:base64\w*|hex\w*|encod\w*|decod\w*|images?|pictures?|png|jpe?g|certificates?|binary|blob|attachments?|avatar|qr|crypt\w*|encrypt\w*|decrypt\w*|hash\w*|jwt|signature|favicon|icon|pdf|audio|screenshot|thumbnail|compress\w*|gzip|file|files|serializ\w*|protobuf|cipher|rot13|unescape|escape|obfuscat\w*|percent|urlencode\w*|urldecode\w*)$/,
};

const COMPUTING =
  /^(?:add|adds|sum|sums|subtract|multiply|divide|calc|calculat\w*|compute|computes|convert\w*|format|formats|formatter|count|counts|counter|reverse|reverses|sort|sorts|round|rounds|random|uppercase|lowercase|capitali[sz]e|titlecase|camelcase|trim|trims|slug|slugify|pad|truncate|factorial|fibonacci|prime|primes|square|sqrt|root|power|modulo|average|mean|median|percent\w*|statistics|stats|roman|bmi|tip|temperature|celsius|fahrenheit|units?|currency|palindrome|anagram|wordcount|levenshtein|distance|dedupe|diff|uuid|dice|roll|coin|flip|math|maths|arithmetic|matrix|vector|gcd|lcm|interest|loan|mortgage|age|leap|weekday|timezone|timezones|colors|colours|date|dates|duration|prettify|minify|beautify|indent|concat|concatenate|join|split|lorem|ipsum|rot13|hash|sha256|md5|base64|hex|checksum|morse|emoji|color|colour|rgb|hsl|regex|json|yaml|csv|markdown|text|string|strings|word|words|number|numbers|numeral|evaluate|expression|stack|area|volume|bit|xor|vat|tax|discount|min|max|compare|equal|sign|abs|log|sin|cos|translate|solve|solves|solver|sudoku|caesar|vowels|consonants|cipher|factor|factors|factorize|combinations|permutations|days|calculator|day|percentile|ratio|angle|hypotenuse|polynomial|integral|derivative|binary|octal|decimal|fraction|probability|deviation|variance|normalize|normalise|rhyme|syllables|calendar)$/;

/** What is looked up in public tables, with a word or two. */
const LOOKING_UP =
  /^(?:weather|forecast|time|clock|stock|stocks|ticker|price|prices|quote|quotes|rate|rates|exchange|fx|holiday|holidays|zip|zipcode|postal|postcode|country|countries|capital|dictionary|define|definition|definitions|synonym|synonyms|thesaurus|antonyms|moon|sunrise|sunset|tide|horoscope|joke|jokes|trivia|fact|facts|recipe|airport|iata|elevation|geocode|air|pollen|season|lottery|elements|periodic|etymology|spelling|spell|spellcheck|coordinates|population|flag|currency|bin|iban|vin|isbn|barcode|haiku|name|anniversary|zodiac|temperature|crypto|coin|gold|zones|currencies|locales|capitals|airports|recipes|bus|train|flight|flights)$/;
/** What is added, counted or sorted where the word means arithmetic. */
const AMBIGUOUS =
  /^(?:add|adds|text|word|words|name|sign|log|format|join|split|compare|calendar|date|day|days|time|air|flag|count|counter|translate|markdown|json|csv|yaml)$/;
const ARITHMETIC =
  /^(?:add|adds|numbers?|two|ints?|integers?|values?|floats?|sum|up|vectors?|matrix|matrices|time|days|hours|months|minutes|dates?|fractions?|digits?|words?|characters?|chars|letters?|lines?|vowels?|text|string|strings|list|array|bytes|tokens|of|in|to|from|a|the|and|json|yaml|csv|markdown|format|formatter|sort|count|counter|join|split|compare|week|day|year|month|between|diff|business|now|current|get|zone|name|case|title)$/;

/** Words that say that a tool reaches out of itself, so it is no mere computation. */
const REACHING: readonly Topic[] = ["secrets", "files", "chat", "net", "shell", "llm", "security"];

const FIRST_SENTENCE = /^[^.!?\n。]{0,300}/;
const WORD = /[A-Za-z0-9]+/g;

export function purposeOf(definition: JsonObject): Purpose {
  const name = wordsOfName(textOf(definition["name"]));
  const named = [...name, ...wordsIn(textOf(definition["title"]))];
  const topics = topicsOf(named);
  const isReaching = REACHING.some((topic) => topics.has(topic));
  if (named.some((word) => COMPUTING.test(word)) && !isReaching && isArithmetic(name)) {
    topics.add("computation");
    return { topics, words: stemsOf(named, "") };
  }
  if (named.some((word) => LOOKING_UP.test(word)) && !isReaching) topics.add("lookup");
  const said = withoutPlaces(FIRST_SENTENCE.exec(textOf(definition["description"]))![0]);
  const about = topicsOf(wordsIn(said));
  // Only a name makes a tool one for secrets: an attack speaks of them in its first sentence, too.
  about.delete("secrets");
  about.delete("keys");
  return { topics: new Set([...topics, ...about]), words: stemsOf(named, said) };
}

function stemsOf(named: readonly string[], said: string): Set<string> {
  return new Set([...named, ...wordsIn(said)].filter((word) => word.length >= STEM_LENGTH).map(stemOf));
}

/** `add_contact` and `count_users` have the verbs of arithmetic, and the objects of a business. */
function isArithmetic(name: readonly string[]): boolean {
  const telling = name.filter((word) => COMPUTING.test(word) && !AMBIGUOUS.test(word));
  return (
    telling.length > 0 ||
    name.every((word) => COMPUTING.test(word) || ARITHMETIC.test(word) || word.length === 1)
  );
}

function topicsOf(words: readonly string[]): Set<Topic> {
  const topics = new Set<Topic>();
  for (const [topic, pattern] of Object.entries(TOPICS) as [Topic, RegExp][])
    if (words.some((word) => pattern.test(word))) topics.add(topic);
  return topics;
}

/** The path to a secret does not make a tool one for secrets. */
function withoutPlaces(text: string): string {
  return text.replace(/\S{0,200}[/\\@]\S{0,200}|\bid_\w{1,20}/g, " ");
}

function wordsIn(text: string): string[] {
  return (text.slice(0, 400).toLowerCase().match(WORD) ?? []) as string[];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
