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
  const isComputation = purpose.topics.has("computation");
  const isNarrow = isComputation || purpose.topics.has("lookup");
  if (!isNarrow || role === "name" || /\$(?:schema|id|ref)$/.test(place)) return undefined;
  const found = isComputation
    ? (secretPlaceIn(text) ?? addressIn(text, role === "value") ?? shellIn(text) ?? tamperingIn(text))
    : (secretPlaceIn(text) ?? shellIn(text) ?? tamperingIn(text));
  if (found === undefined) return undefined;
  const message = `${excerptOf(place)} of a mere ${isComputation ? "computation" : "look-up"} names ${found.what}`;
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

/** Changes to the machine or to the client that outlast the call. */
const TAMPERING =
  /\b(?:open (?:a |the )?(?:\w+ )?port|firewall|antivirus|anti-virus|windows defender|selinux|apparmor|ufw|iptables|gatekeeper|sudo|setuid|crontab|cron (?:entry|job)|launchd|launch agent|systemd|scheduled task|autostart|start-?up (?:folder|items?)|bashrc|zshrc|bash_profile|authorized_keys|known_hosts|git config|git hooks?|pre-commit hook|core\.sshcommand|mcp server entry|mcp (?:config|settings)|client(?:'s)? (?:config|settings)|settings\.json|npx -y|pip install|npm (?:i|install)|brew install|apt(?:-get)? install|chmod|registry key|hosts file|root certificate|certificate store|proxy settings|proxycommand|browser extension|keylogger|port forward\w*|reverse shell|ssh (?:key|tunnel)|remote desktop|admin(?:istrator)? (?:rights|privileges|mode)|root (?:rights|access)|known hosts|docker (?:run|socket)|private network|internal network|port scan\w*|kill -9|taskkill|reboot|shut ?down)\b/i;
const DENIED =
  /\b(?:no|not|never|without|isn't|doesn't|don't|cannot|nor|refuse[sd]?|reject(?:ed|s)?|block(?:ed|s)?|need no|nothing|e\.g|such as|like|example|warns|detects|explains)\b[^.!?]{0,60}$/i;

function tamperingIn(text: string): Named | undefined {
  const found = TAMPERING.exec(text);
  if (found === null || DENIED.test(text.slice(Math.max(0, found.index - 80), found.index))) return undefined;
  return { what: "a change to the machine", at: found.index };
}

const FREE_NAME =
  /^(?:motivation|why|profile|caller profile|user profile|story|situation|context|notes?|sidenotes?|side notes?|metadata|meta|extra|extras|extra (?:info|data|context|notes?|details)|additional (?:info|information|context|data|notes?|details)|info|details|comments?|remarks?|memo|feedback|reason|reasoning|thoughts?|scratchpad|debug|debug (?:info|data|log)|annotations?|trace|telemetry|session|session (?:data|info|context)|user (?:context|data|info|notes?|intent|request|query|message)|background|rationale|justification|hints?|purpose|summary|misc|aux|payload|blob|attachment|environment|env|history|log|diagnostics|state|intent|caller|caller (?:info|context|notes?)|audit|audit (?:note|log|info|trail)|verification|conversation|task|task context)$/;

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

/** What the model has at hand, or could fetch, and what a tool that computes or looks up has no use for. */
const HELD = new RegExp(
  [
    String.raw`\bchat\b|who uses|which company|e-?mails? (?:\\w+ )?(?:excerpts?|of|from)|(?:recent|latest|last|newest) e-?mails|(?:dump|copy|contents?|values?|variables) of the environment|instructions (?:\w+ ){0,4}(?:received|given|assistant|agent|model|you)|(?:your|its|initial|original|received) instructions|(?:assistant|agent|llm|model)(?:'s|s)? |agent memory|account owner|biography|browser|said so far|(?:everything|anything|all) (?:\\w+ ){0,4}so far|clipboard|keystrokes|screen ?(?:contents?|text|shots?)|(?:files?|documents?|tabs?|windows?|editors?)(?: \w+){0,4} open|open (?:files?|documents?|tabs?|windows?|editors?)|active (?:file|document|editor|window)`,
    String.raw`browser (?:history|tabs?|cookies|bookmarks|profile)|shell history|command history|search history`,
    String.raw`memory dump|(?:saved|stored|long-term|persistent|user|remembered) (?:memor(?:y|ies)|facts)|memories (?:of|about|from)|(?:facts|anything known|known) about (?:the |this )?user|chain of thought|(?:private|internal|own|your|model|model's|llm|agent|assistant|hidden|step by step) (?:reasoning|thoughts?|thinking|memory|instructions|notes|state|plan)|scratchpad|system (?:prompt|message|instructions)|initial prompt|developer message`,
    String.raw`(?:previous|prior|earlier|other|preceding|last|recent|all|raw) (?:tools?|calls?|answers?|responses?|servers?|messages?|turns?|queries|requests?)(?: \w+){0,2} ?(?:results?|outputs?|responses?|history|so far|before|$)|(?:results?|outputs?|responses?) (?:of|from) (?:\w+ ){0,3}(?:tools?|calls?|servers?)|tool (?:results?|outputs?|history|list|calls)|(?:other|connected|available|installed) (?:\w+ )?(?:servers?|tools)`,
    String.raw`conversation|chat (?:history|log|transcript|context)|dialog(?:ue)?|message history|(?:user|users|user's|original|full|entire|raw|verbatim|last|whole) (?:messages?|prompts?|requests?|questions?|words|input|utterance)|(?:who|what|where|why|how) (?:the user|the person|the human|they) (?:\\w+ )?(?:is|are|was|were|said|asked|asks|wants?|wrote|typed|works?|really|needs?|does|do)|on whose behalf|(?:explain|say|tell|describe|state|reasons?)(?: \\w+){0,3} (?:why|what for)|(?:why|what) you (?:are|were|call|called|want|think|know|need)|user (?:intent|goal|goals|profile|identity|persona|mood|background|history|context|facts)|(?:task|session) (?:context|history|background|summary)`,
    String.raw`credentials?|passwords?|passphrase|(?:github|slack|aws|google|openai|azure|gitlab|npm|stripe|session|access|auth|bearer|refresh|api) (?:tokens?|secrets?|keys?|cookies?)|cookies|ssh|private keys?|env(?:ironment)? (?:vars?|variables?|dump|file)|process environment|dotenv|secrets`,
    String.raw`(?:current|open|this|whole|entire) project|working dir|project (?:listing|files|tree|path)|home (?:directory|folder)|working directory|directory (?:listing|tree)|file (?:tree|listing|contents?)|workspace (?:files?|contents?|listing|tree|path)|repo(?:sitory)? (?:contents?|files|tree)|source code|host ?name|user ?name|machine (?:name|id|info)|(?:user's|users|their|your) (?:\w+ )?(?:mails?|e-?mails?|inbox|contacts|calendar|phone|photos|documents|files|messages|accounts?|birthday|salary|employer|name and)`,
  ].join("|"),
);

/** `conversation_history` in a calculator: named for what the tool is not about. */
function isHeld(words: string, said: string, definition: JsonObject, { topics }: Purpose): boolean {
  if (!topics.has("computation") && !topics.has("lookup")) return false;
  const about =
    `${wordsOfName(textIn(definition["name"])).join(" ")} ${textIn(definition["description"])}`.toLowerCase();
  const found = HELD.exec(words)?.[0] ?? HELD.exec(said.toLowerCase().slice(0, 400))?.[0];
  if (found === undefined) return false;
  // What the tool itself speaks of in its first words is its business.
  return !found.split(" ").some((word) => word.length > 3 && FIRST_WORDS.exec(about)![0].includes(word));
}

const FIRST_WORDS = /^[^.!?\n]{0,200}/;

/** Parameters, with those inside of objects: two levels are as deep as honest tools go. */
function* parametersOf(schema: unknown, levels = 3): Generator<readonly [name: string, schema: unknown]> {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  if (levels === 0 || !isJsonObject(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    yield [name, inner];
    yield* parametersOf(inner, levels - 1);
  }
}

export function findParameter(definition: JsonObject, purpose: Purpose): TextNote[] {
  for (const [name, schema] of parametersOf(definition["inputSchema"])) {
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

const NO_USE = "asks for what the tool has no use for";

function reasonAgainst(
  name: string,
  schema: unknown,
  definition: JsonObject,
  purpose: Purpose,
): string | undefined {
  const words = wordsOfName(name).join(" ");
  const wanted = WANTED.find(({ pattern }) => pattern.test(words));
  if (wanted !== undefined && !wanted.topics.some((topic) => purpose.topics.has(topic)) && !isClosed(schema))
    return NO_USE;
  if (hasRoom(schema) && isHeld(words, textOf(schema), definition, purpose)) return NO_USE;
  const isNarrow = purpose.topics.has("computation") || purpose.topics.has("lookup");
  if (!isNarrow || !FREE_NAME.test(words.replace(/ for .{0,40}$/, "")) || isClosed(schema)) return undefined;
  return isExplained(words, schema, definition)
    ? undefined
    : "takes any text, and the tool does not say what for";
}

/** Whether a value may hold any text, by itself or inside. */
function hasRoom(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const isList = schema["type"] === "array" && isJsonObject(schema["items"]) && hasRoom(schema["items"]);
  return isList || !isClosed(schema) || (schema["type"] === "object" && !Object.hasOwn(schema, "enum"));
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
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
