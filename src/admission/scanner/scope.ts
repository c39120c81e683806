/**
 * What a tool has no use for. A pure computation needs no file with secrets, no address and no shell. And a calculator
 * with a `context` parameter gets whatever the model thinks fits there, which is often what the user said.
 */
import type { PlacedText } from "../entry-reading.ts";
import type { Purpose, Topic } from "./purpose.ts";
import type { TextNote } from "../finding-code.ts";
import { excerptOf } from "../excerpt.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { isSecretPlace } from "./words/secret-places.ts";
import { wordsOfName } from "./words/name-words.ts";

const ADDRESS = /\bhttps?:\/\/[^\s"'<>`)\]]{1,300}/g;
const SHELL =
  /(?:^|[\s`"'(|;&$])(?:curl|wget|nc|ncat|bash -c|sh -c|powershell|rm -rf|chmod \+x|scp|os\.system|subprocess\.\w+|child_process|eval\(|\/bin\/(?:ba)?sh)(?=[\s`"'(.-])|\|\s?(?:ba)?sh\b|\b(?:run|execute|open|launch|spawn|start|invoke)e?s?\s(?:\w+\s){0,3}(?:shell|terminal|command line|system command)/i;
/** Where a reader finds more, or a name that only looks like an address. */
const REFERENCE =
  /\b(?:see|docs?|documentation|reference|source|spec(?:ification)?|rfc|more|details|learn|e\.g\.|example|examples|standard|defined|described|according|based on|rates?|from|schema|homepage|api|also)\b[^.!?\n]{0,60}$/i;
const KNOWN_HOST =
  /^https?:\/\/(?:[\w-]+\.)*(?:example\.(?:com|org|net)|example|test|localhost|wikipedia\.org|w3\.org|ietf\.org|rfc-editor\.org|mozilla\.org|github\.com|json-schema\.org|unicode\.org|iso\.org|schema\.org|nist\.gov|python\.org|npmjs\.com|ecma-international\.org)(?:[:/?#]|$)/i;
const WORDS_AFTER_BLANK = /\s+/;

export function findOutOfScope({ text, place, role }: PlacedText, purpose: Purpose): TextNote | undefined {
  if (!purpose.topics.has("computation") || role === "name" || /\$(?:schema|id|ref)$/.test(place))
    return undefined;
  const found = secretPlaceIn(text) ?? addressIn(text, role === "value") ?? shellIn(text);
  if (found === undefined) return undefined;
  const message = `${excerptOf(place)} of a mere computation names ${found.what}`;
  return { code: "out_of_scope", message, excerpt: excerptOf(text, found.at) };
}

interface Named {
  readonly what: string;
  readonly at: number;
}

function secretPlaceIn(text: string): Named | undefined {
  let at = 0;
  for (const word of text.split(WORDS_AFTER_BLANK)) {
    const bare = word.replace(/^["'`(<[]+|["'`)>\],.;:!?]+$/g, "");
    at = text.indexOf(word, at);
    if (bare.length <= 200 && /[/\\._~]/.test(bare) && !bare.includes("://") && isSecretPlace(bare))
      return { what: "a file that holds secrets", at };
  }
  return undefined;
}

function addressIn(text: string, isValue: boolean): Named | undefined {
  if (isValue) return undefined;
  for (const { 0: address, index: at } of text.matchAll(ADDRESS)) {
    const before = text.slice(Math.max(0, at - 80), at);
    if (!KNOWN_HOST.test(address) && !REFERENCE.test(before)) return { what: "an address", at };
  }
  return undefined;
}

function shellIn(text: string): Named | undefined {
  const found = SHELL.exec(text);
  return found === null ? undefined : { what: "a shell or a command", at: found.index };
}

const FREE_NAME =
  /^(?:context|notes?|sidenotes?|side notes?|metadata|meta|extra|extras|extra (?:info|data|context|notes?|details)|additional (?:info|information|context|data|notes?|details)|info|details|comments?|remarks?|memo|feedback|reason|reasoning|thoughts?|scratchpad|debug|debug (?:info|data|log)|annotations?|trace|telemetry|session|session (?:data|info|context)|user (?:context|data|info|notes?|intent|request|query|message)|background|rationale|justification|hints?|purpose|summary|misc|aux|payload|blob|attachment|environment|env|history|log|diagnostics|state|intent|caller|caller (?:info|context|notes?)|audit|audit (?:note|log|info|trail)|verification|conversation|task|task context)$/;

/** What a parameter may be called only where the tool is about that. */
const WANTED: readonly { readonly pattern: RegExp; readonly topics: readonly Topic[] }[] = [
  {
    pattern: /\b(?:ssh|id rsa|id ed25519|private key|etc passwd|dotenv|env file|aws credentials|keychain)\b/,
    topics: ["secrets", "security", "shell", "files"],
  },
  {
    pattern:
      /\b(?:system prompt|chat history|conversation history|conversation|full context|chat log|previous messages|all messages)\b/,
    topics: ["chat", "llm", "security"],
  },
  {
    pattern: /\b(?:file contents? from|contents? (?:of|from) (?:reading|file)|user secrets?|stolen)\b/,
    topics: ["files", "secrets", "security"],
  },
];

/** Says nothing of what becomes of it. */
const VAGUE =
  /\b(?:context|conversation|information|anything|background|why|reason|thinking|details|relevant|helpful|useful|internal|additional|extra|optional notes?|notes?|metadata|user|free[- ]?(?:form|text)|working on|explain|what you|in detail|purposes?|misc\w*|other)\b/i;
const EXPLAINED_WORDS_MIN = 4;

export function findParameter(definition: JsonObject, purpose: Purpose): TextNote[] {
  const properties = isJsonObject(definition["inputSchema"])
    ? definition["inputSchema"]["properties"]
    : undefined;
  if (!isJsonObject(properties)) return [];
  for (const [name, schema] of Object.entries(properties)) {
    const why = reasonAgainst(name, schema, definition, purpose);
    if (why !== undefined)
      return [
        {
          code: "unexplained_parameter",
          message: `parameter ${excerptOf(name)} ${why}`,
          excerpt: excerptOf(textOf(schema) || name),
        },
      ];
  }
  return [];
}

function reasonAgainst(
  name: string,
  schema: unknown,
  definition: JsonObject,
  purpose: Purpose,
): string | undefined {
  const words = wordsOfName(name).join(" ");
  const wanted = WANTED.find(({ pattern }) => pattern.test(words));
  if (wanted !== undefined && !wanted.topics.some((topic) => purpose.topics.has(topic)) && !isClosed(schema))
    return "asks by its name for what the tool has no use for";
  if (!purpose.topics.has("computation") || !FREE_NAME.test(words) || isClosed(schema)) return undefined;
  return isExplained(words, schema, definition)
    ? undefined
    : "takes any text, and the tool does not say what for";
}

/** Values that a schema lists or shapes have no room for a conversation. */
function isClosed(schema: unknown): boolean {
  if (!isJsonObject(schema)) return true;
  const type = schema["type"];
  const isText =
    type === undefined ||
    type === "string" ||
    type === "object" ||
    (Array.isArray(type) && type.includes("string"));
  return (
    !isText || ["enum", "const", "pattern", "format", "properties"].some((key) => Object.hasOwn(schema, key))
  );
}

function isExplained(words: string, schema: unknown, definition: JsonObject): boolean {
  const said = textOf(schema);
  const about = typeof definition["description"] === "string" ? definition["description"].toLowerCase() : "";
  const isNamed = new RegExp(String.raw`\b${words.replace(/[^a-z ]/g, "")}\b`).test(about);
  const isVague = VAGUE.test(said.replaceAll(/^optional\b/gi, ""));
  const isLong = said.split(/\s+/).filter(Boolean).length >= EXPLAINED_WORDS_MIN;
  return isLong && !isVague ? true : isNamed && !isVague;
}

function textOf(schema: unknown): string {
  const said = isJsonObject(schema) ? (schema["description"] ?? schema["title"]) : undefined;
  return typeof said === "string" ? said : "";
}
