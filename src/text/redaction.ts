/**
 * Nothing is shown, logged or exported before it went through here. Three nets, each on its own enough:
 *
 * - by **key**: the value of `password`, `apiKey`, `Authorization` and their kin, also in JSON inside of a text;
 * - by **value pattern**: texts that look like a known kind of credential;
 * - by **known value**: the exact secrets from the config, in every encoding of encoded-forms.ts.
 *
 * What a tool or a run answers is data for the client: there the known values are taken out and nothing else (`mask`).
 *
 * It fails closed: what is too deep, too large or throws while it is read becomes `[unredactable]`, never the original. The
 * time it takes is linear in a bounded input: no pattern can be made to backtrack over the whole text.
 */
import { encodedForms } from "./encoded-forms.ts";
import { messageOf } from "../core/errors.ts";
import { mapTexts } from "./map-texts.ts";
import { createTextFinder, type TextFinder } from "./text-finder.ts";

export const REDACTED = "[redacted]";
export const UNREDACTABLE = "[unredactable]";

/** A shorter known value would blot out ordinary words ("true", "123456") all over the logs. */
export const KNOWN_SECRET_LENGTH_MIN = 8;
/** A longer text is not worth its scanning time in a log line. */
const TEXT_LENGTH_MAX = 1024 * 1024;
const DEPTH_MAX = 64;
const NODE_COUNT_MAX = 100_000;

/** A key that ends in one of these words holds a secret. Plurals of `token` count things (`max_tokens`). */
const SECRET_LAST_WORDS: ReadonlySet<string> = new Set(
  (
    "password passwords passwd passphrase passcode pwd secret secrets token authorization auth cookie cookies " +
    "credential credentials bearer jwt dsn otp pat apikey apikeys"
  ).split(" "),
);
/** The same for words that mean it only together, and for spellings that run together (`accesstoken`). */
const SECRET_ENDINGS =
  /(?:(?:api|private|access|secret|signing|encryption|ssh)key|accesskeyid|(?:access|auth|refresh|id|bot|api)token|token(?:secret|value)|clientsecret|connectionstring|sessionid)$/;
const SECRET_BEGINNINGS = /^(?:proxy)?authorization|^(?:set)?cookie|^password|^credential/;

/** Whether the value of this key is a secret whatever it looks like. `GITHUB_TOKEN` is, `max_tokens` is not. */
export function isSecretKey(key: string): boolean {
  const known = judgedKeys.get(key);
  if (known !== undefined) return known;
  const isSecret = judgeKey(key);
  if (judgedKeys.size >= JUDGED_KEY_COUNT_MAX) judgedKeys.clear();
  if (key.length <= JUDGED_KEY_LENGTH_MAX) judgedKeys.set(key, isSecret);
  return isSecret;
}

/** The fields of log lines are the same few again and again. */
const JUDGED_KEY_COUNT_MAX = 1024;
const JUDGED_KEY_LENGTH_MAX = 64;
const judgedKeys = new Map<string, boolean>();

function judgeKey(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join("");
  return (
    SECRET_LAST_WORDS.has(words.at(-1) ?? "") || SECRET_ENDINGS.test(joined) || SECRET_BEGINNINGS.test(joined)
  );
}

interface Pattern {
  /** What every text has in which it finds something, as a regular expression without regard to case. */
  readonly hint: string;
  readonly find: RegExp;
  readonly replacement: string;
}

/** Each either succeeds where its fixed beginning is found or gives up within a bounded number of characters. */
export const PATTERNS: readonly Pattern[] = [
  {
    hint: "-----BEGIN",
    find: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|[\s\S]*)/g,
    replacement: REDACTED,
  },
  { hint: "[spr]k-", find: /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g, replacement: REDACTED },
  { hint: "[spr]k_", find: /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g, replacement: REDACTED },
  {
    hint: "gh[pousr]_|github_pat_",
    find: /\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}/g,
    replacement: REDACTED,
  },
  {
    hint: "glpat-|npm_|hf_|rpt_|AIza|xox|ya29",
    find: /\b(?:glpat-|npm_|hf_|rpt_|AIza|xox[abeoprs]-|ya29\.)[A-Za-z0-9_.-]{16,}/g,
    replacement: REDACTED,
  },
  { hint: "A[KS]IA", find: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, replacement: REDACTED },
  { hint: "eyJ", find: /\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+){0,4}/g, replacement: REDACTED },
  { hint: "bearer ", find: /\b(Bearer) {1,4}[A-Za-z0-9+/._~=-]{8,}/gi, replacement: `$1 ${REDACTED}` },
  { hint: "basic ", find: /\b(Basic) {1,4}[A-Za-z0-9+/=]{16,}/g, replacement: `$1 ${REDACTED}` },
  {
    hint: "://",
    find: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,256}@/gi,
    replacement: `$1${REDACTED}@`,
  },
  {
    hint: "(?:key|token|secret|password|passwd)=",
    find: /\b((?:api[_-]?key|[a-z]{0,20}[_-]?token|client[_-]?secret|password|passwd|secret)=)[^\s"'&;,\\<>]{6,}/gi,
    replacement: `$1${REDACTED}`,
  },
];

/** Most texts have none of these, and one look instead of eleven is enough. */
export const HINTS = new RegExp(PATTERNS.map(({ hint }) => hint).join("|"), "i");

/** A name in quotes with a text in quotes behind it, as in JSON, in JSON that is a text of JSON, and in a dict of Python. */
const QUOTED_PAIRS: readonly RegExp[] = [
  /"([A-Za-z][\w.-]{0,63})"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.)+)/g,
  /\\"([A-Za-z][\w.-]{0,63})\\"\s{0,4}:\s{0,4}\\"((?:\\\\\\"|[^"\\]|\\(?!"))+)/g,
  /'([A-Za-z][\w.-]{0,63})'\s{0,4}:\s{0,4}'((?:[^'\\]|\\.)+)/g,
];
/** What every text has in which one of them finds a secret: most texts of JSON have it not. */
const QUOTED_HINT =
  /(?:pass|pwd|secret|token|auth|cookie|cred|bearer|jwt|dsn|otp|pat|key|session|connection)[\w.-]{0,63}\\?["']\s{0,4}:/i;

/** `${TOKEN}`, `Bearer ${env:TOKEN}`: where the secret comes from, and not the secret. */
const NAMES_VARIABLE = /^(?:[A-Za-z]{1,20} )?\$\{[^{}]{1,200}\}$/;

/** Names of which the value is a secret, in a text: `{"password":"…"}` inside of an error. */
function redactQuoted(text: string): string {
  if (!QUOTED_HINT.test(text)) return text;
  return QUOTED_PAIRS.reduce(
    (left, pair) =>
      left.replace(pair, (whole, key: string, value: string) =>
        isSecretKey(key) && !NAMES_VARIABLE.test(value)
          ? `${whole.slice(0, -value.length)}${REDACTED}`
          : whole,
      ),
    text,
  );
}

export interface Redactor {
  text(text: string): string;
  /** A plain copy, fit for JSON, without secrets. */
  value(value: unknown): unknown;
  /**
   * Data without the known secrets, and otherwise as it is: the very same where there are none. A word such as "postgres" stays,
   * for data that has it means the word.
   */
  mask<T>(value: T): T;
}

/** A shorter secret of letters alone, or of digits alone, may be a word or a number of the data. */
const WORD_LENGTH_MIN = 16;
const WORD = /^(?:[A-Za-z]+|[0-9]+)$/;

function isWord(secret: string): boolean {
  return secret.length < WORD_LENGTH_MIN && WORD.test(secret);
}

/** Makes a redactor that knows these secret values beside the keys and patterns. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = knownSecrets(secrets);
  const finder = finderOf(known);
  const dataFinder = finderOf(known.filter((secret) => !isWord(secret)));
  const blot = () => REDACTED;
  const text = (input: string): string => {
    if (input.length > TEXT_LENGTH_MAX) return `${UNREDACTABLE.slice(0, -1)}: ${input.length} characters]`;
    let output = redactQuoted(finder.replace(input, blot));
    if (!HINTS.test(output)) return output;
    for (const pattern of PATTERNS) output = output.replace(pattern.find, pattern.replacement);
    return output;
  };
  const value = (input: unknown): unknown => {
    try {
      return redactValue(input, { text, nodesLeft: NODE_COUNT_MAX }, 0);
    } catch {
      return UNREDACTABLE;
    }
  };
  const maskText = (input: string) => dataFinder.replace(input, blot);
  const mask = <T>(input: T): T => (known.length === 0 ? input : mapTexts(input, maskText, UNREDACTABLE));
  return { text, value, mask };
}

/** Those that are long enough to be told from ordinary text. */
export function knownSecrets(secrets: readonly string[]): string[] {
  return secrets.filter((secret) => secret.length >= KNOWN_SECRET_LENGTH_MIN);
}

function finderOf(secrets: readonly string[]): TextFinder {
  return createTextFinder(secrets.flatMap((secret) => encodedForms(secret).map(([, form]) => form)));
}

/** Nothing, or the mark of something that was taken out already. */
const IS_HIDDEN = /^(?:|\[(?:redacted|sensitive:).*)$/s;

/** Every value under the name of a secret: it is one wherever else it appears. */
export function secretsUnderKeys(value: unknown): string[] {
  const found = new Set<string>();
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      if (isSecretKey(key) && typeof child === "string" && !IS_HIDDEN.test(child)) found.add(child);
      else collect(child);
    }
  };
  collect(value);
  return [...found];
}

interface Walk {
  readonly text: (text: string) => string;
  nodesLeft: number;
}

function redactValue(value: unknown, walk: Walk, depth: number): unknown {
  if (walk.nodesLeft-- <= 0 || depth > DEPTH_MAX) return UNREDACTABLE;
  switch (typeof value) {
    case "string":
      return walk.text(value);
    case "bigint":
      return String(value);
    case "number":
    case "boolean":
    case "undefined":
      return value;
    case "object":
      return value === null ? null : redactObject(value, walk, depth);
    default:
      return `[${typeof value}]`;
  }
}

function redactObject(value: object, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) return redactList(value, walk, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return redactError(value, walk, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return redactObject(Object.fromEntries(value), walk, depth);
  if (value instanceof Set) return redactList([...value], walk, depth);
  const namesSecret = isSecretPair(value);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, child] of Object.entries(value)) {
    const secret = isSecretKey(key) || (namesSecret && key === "value");
    const shown = secret && !isEmpty(child) ? REDACTED : redactValue(child, walk, depth + 1);
    copy[walk.text(key)] = shown;
  }
  return copy;
}

function redactList(list: readonly unknown[], walk: Walk, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (const item of list) {
    if (walk.nodesLeft <= 0) {
      copy.push(UNREDACTABLE);
      break;
    }
    copy.push(redactValue(item, walk, depth + 1));
  }
  return copy;
}

function redactError(error: Error, walk: Walk, depth: number): unknown {
  const copy: Record<string, unknown> = { name: error.name, message: walk.text(messageOf(error)) };
  if ("code" in error) copy["code"] = redactValue(error.code, walk, depth + 1);
  if (error.cause !== undefined) copy["cause"] = redactValue(error.cause, walk, depth + 1);
  return copy;
}

/** `{name: "Authorization", value: "…"}`: the key is in a field of its own. */
function isSecretPair(value: object): boolean {
  const name: unknown = "name" in value ? value.name : "key" in value ? value.key : undefined;
  return typeof name === "string" && isSecretKey(name);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "";
}
