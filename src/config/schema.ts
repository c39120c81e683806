/**
 * The shape of `repertoire.json`: the one source of its types, its checks, its messages and its JSON Schema. Objects
 * are strict, so that a slip of the finger is an error and not a setting that is quietly ignored. Every message is in
 * plain words and repeats no value. Rules that need more than one key are in `server-check.ts` and `profile.ts`.
 */
import * as z from "zod";
import { LOG_FORMATS, LOG_LEVELS } from "../core/log.ts";
import { findDomainProblem } from "../text/domain-list.ts";
import { isScopePart } from "../core/names.ts";
import { EFFECTS, RULE_ACTIONS, TRUST_LEVELS } from "../core/rule.ts";
import { CHANGED_TOOLS, EXPOSURES, NAMINGS, SUSPICIOUS_TOOLS } from "./config.ts";
import {
  findHeaderNameProblem,
  findHeaderValueProblem,
  findIssuerProblem,
  findUrlProblem,
  type ValueProblem,
} from "./http.ts";
import { findAuthProblem } from "./entries/api-auth.ts";
import { findDatabaseUrlProblem } from "./store.ts";
import { INPUT_ID_RULE, isInputId } from "./values/expand.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

// ── the kinds of values ─────────────────────────────────────────────────────────────────────────────────────────────

/** A string that is checked after its variables are expanded. */
function text(find: (value: string) => ValueProblem | undefined = () => undefined) {
  return z.string({ error: "must be a string" }).check((context) => {
    const problem = find(context.value);
    if (problem === undefined) return;
    const { message, hint } = problem;
    context.issues.push({ code: "custom", message, input: context.value, params: { hint } });
  });
}

function texts(find?: (value: string) => ValueProblem | undefined) {
  return z.array(text(find), { error: "must be a list of strings" });
}

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function flag() {
  return z.boolean({ error: "must be true or false, without quotes" });
}

function choice<const T extends readonly string[]>(values: T) {
  const quoted = values.map((value) => `"${value}"`);
  return z.enum(values, { error: `must be ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}` });
}

function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: "must be an object" });
}

function findEmpty(value: string): ValueProblem | undefined {
  return value === "" ? { message: "must not be empty" } : findNul(value);
}

/** The operating system ends a text at NUL; what follows would be lost without a word. */
function findNul(value: string): ValueProblem | undefined {
  return value.includes("\0") ? { message: "must not contain a NUL character" } : undefined;
}

function findPathProblem(value: string): ValueProblem | undefined {
  if (/^~(?:[/\\]|$)/.test(value))
    return { message: '"~" is not expanded here', hint: "write ${HOME} instead" };
  return findEmpty(value);
}

/** A rule is about one file or folder: what a pattern means today is not what it means when the server runs. */
function findRulePathProblem(value: string): ValueProblem | undefined {
  if (/[*?[\]{}]/.test(value))
    return { message: "patterns are not understood here", hint: "name a folder, or each file" };
  return findEmpty(value);
}

function findListedDomainProblem(value: string): ValueProblem | undefined {
  const message = findDomainProblem(value);
  return message === undefined ? undefined : { message, hint: "write it without scheme, port and path" };
}

/** A file or an address; `file:` is neither. */
function findDescriptionPlaceProblem(value: string): ValueProblem | undefined {
  if (/^https?:/i.test(value)) return findUrlProblem(value);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value))
    return {
      message: "must be a file or begin with http:// or https://",
      hint: "write the path of the file",
    };
  return findPathProblem(value);
}

/** As npm writes it: one hash or several, with the name of their algorithm. */
function findIntegrityProblem(value: string): ValueProblem | undefined {
  const isOne =
    /^sha(?:1|256|384|512)-[A-Za-z0-9+/]{20,100}={0,2}(?: sha(?:1|256|384|512)-[A-Za-z0-9+/]{20,100}={0,2}){0,5}$/;
  if (isOne.test(value)) return undefined;
  return { message: "is not an integrity such as sha512-…", hint: "let `repertoire pin` write it" };
}

/** A longer description is cut by most clients. */
const DESCRIPTION_BYTES_MAX = 8 * 1024;

function findDescriptionProblem(value: string): ValueProblem | undefined {
  if (Buffer.byteLength(value) <= DESCRIPTION_BYTES_MAX) return findEmpty(value);
  return { message: `must have at most ${DESCRIPTION_BYTES_MAX} bytes` };
}

/** It is sent in a header. */
function findKeyProblem(value: string): ValueProblem | undefined {
  return findEmpty(value) ?? findHeaderValueProblem(value);
}

const SCOPE_PATTERN = "^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$";
const SCOPE_RULE =
  "must be at most 32 lower-case letters, digits, - and _, beginning and ending with a letter or digit";

function findScopeProblem(value: string): ValueProblem | undefined {
  return isScopePart(value) ? undefined : { message: SCOPE_RULE };
}

/** A pattern for editors, which see the text before its variables are expanded. */
function orVariable(pattern: string): { pattern: string } {
  return { pattern: `${pattern}|\\$\\{` };
}

// ── the keys ────────────────────────────────────────────────────────────────────────────────────────────────────────

const toolLists = section({
  allow: texts(findEmpty)
    .optional()
    .describe("Only these tools may be used, by the names that the server gives them. Without it, all may."),
  deny: texts(findEmpty).optional().describe("These tools may not be used, even if they are allowed above."),
  exceptCapabilities: flag()
    .optional()
    .describe(
      "Whether what was kept may use tools that are not allowed otherwise: they are hidden, not forbidden.",
    ),
  effects: z
    .record(z.string(), choice(EFFECTS), { error: "must be an object of effects" })
    .optional()
    .describe(
      'What tools do, by their own name with * for any characters, such as {"get_*": "read"}. ' +
        "It wins over what the server says of them.",
    ),
  private: texts(findEmpty)
    .optional()
    .describe("Tools whose answers are private, by their own name; * matches any characters."),
  sends: texts(findEmpty)
    .optional()
    .describe("Tools that send something out, by their own name; * matches any characters."),
});

const serverOAuth = section({
  clientId: text(findEmpty)
    .optional()
    .describe(
      "The name of the gateway at the authorization server, or the https address of its client metadata document. " +
        "Without it, the gateway registers itself.",
    ),
  clientSecret: text(findEmpty)
    .optional()
    .describe("The secret that goes with clientId. Better written as a variable: ${NAME_CLIENT_SECRET}."),
  scopes: texts(findEmpty)
    .optional()
    .describe("What the login asks for. Without it, what the server says that it needs."),
});

function findSha256Problem(value: string): ValueProblem | undefined {
  return /^[0-9a-f]{64}$/.test(value) ? undefined : { message: "is not a SHA-256 of 64 hexadecimal digits" };
}

/** Below the folder of bundles in the home, and never outside. */
function findBundleProblem(value: string): ValueProblem | undefined {
  const isPlace = /^[a-z0-9][a-z0-9_-]{0,63}\/[0-9a-f]{16}$/.test(value);
  return isPlace
    ? undefined
    : { message: "is not the place of an unpacked bundle, such as notes/0123456789abcdef" };
}

const installed = section({
  name: text(findEmpty).describe(
    "What the server is called where it came from, such as io.github.acme/notes.",
  ),
  version: text(findEmpty).describe("Exactly this version."),
  registry: text(findUrlProblem).optional().describe("The registry that named it."),
  sha256: text(findSha256Problem)
    .optional()
    .describe(
      "Of the file that was published: of a bundle it was compared, of a Python package it is only recorded.",
    ),
  bundle: text(findBundleProblem)
    .optional()
    .describe("Where its bundle was unpacked, below the folder bundles of the home."),
  files: text(findSha256Problem)
    .optional()
    .describe(
      "Of the list of the files of the bundle: the server is not started when one of them has changed.",
    ),
});

const RULE_PATHS = "A relative one starts at the folder in which the command runs; ~ is the user's folder.";

const isolatedFiles = section({
  allowWrite: texts(findRulePathProblem)
    .optional()
    .describe(`Folders and files that the server may write. Without it, none. ${RULE_PATHS}`),
  denyWrite: texts(findRulePathProblem)
    .optional()
    .describe("What stays read-only within those, such as .git/hooks."),
  denyRead: texts(findRulePathProblem)
    .optional()
    .describe("What the server does not see, beside the usual places of credentials."),
  allowRead: texts(findRulePathProblem)
    .optional()
    .describe("What it sees nevertheless within folders that are hidden, such as ~/.aws."),
}).describe("What a sandboxed server may do with files.");

const isolatedNetwork = section({
  allowedDomains: texts(findListedDomainProblem)
    .optional()
    .describe(
      "Hosts that the server may reach through the gateway's proxy: api.example.com, *.example.com, an address, or * for the whole " +
        "network. Without it, it has no network.",
    ),
  deniedDomains: texts(findListedDomainProblem)
    .optional()
    .describe("Hosts that it may not reach, even if they are allowed above."),
}).describe("What a sandboxed server may do with the network.");

const isolation = section({
  filesystem: isolatedFiles.optional(),
  network: isolatedNetwork.optional(),
});

const TRANSPORT_TYPES = ["stdio", "http", "sse", "streamable-http"] as const;

const server = section({
  type: choice(TRANSPORT_TYPES)
    .optional()
    .describe(
      'How to reach the server. Without it, "stdio" with a command and "http" (Streamable HTTP) with a url. ' +
        '"streamable-http" is another spelling of "http".',
    ),
  command: text(findEmpty)
    .optional()
    .describe("The program to start. It is started directly, never through a shell."),
  args: texts(findNul).optional().describe("Arguments of the command, passed on exactly as they are."),
  env: z
    .record(
      z.string().regex(/^[^=\0]+$/, { error: "is not a valid variable name: it is empty or has = or NUL" }),
      text(findNul),
      { error: "must be an object of strings" },
    )
    .optional()
    .describe("Environment variables for the command."),
  cwd: text(findPathProblem)
    .optional()
    .describe("The folder in which the command runs; a relative one starts at the folder of this file."),
  url: text(findUrlProblem)
    .meta(orVariable("^[Hh][Tt][Tt][Pp][Ss]?://"))
    .optional()
    .describe("The address of a remote server."),
  headers: z
    .record(
      z
        .string()
        .refine((name) => findHeaderNameProblem(name) === undefined, { error: "is not a valid header name" }),
      text(findHeaderValueProblem),
      { error: "must be an object of strings" },
    )
    .optional()
    .describe("HTTP headers sent with every request, for example Authorization."),
  sandboxEnabled: flag()
    .optional()
    .describe(
      "Whether the command runs in a sandbox of the operating system. Without it, it does where the server has a sandbox of its own.",
    ),
  sandbox: isolation
    .optional()
    .describe(
      "What the command may reach in its sandbox. Without it, what sandbox.filesystem and sandbox.network of this file say.",
    ),
  oauth: serverOAuth
    .optional()
    .describe("How to log in to a remote server with `repertoire login`, where its own word is not enough."),
  openapi: text(findDescriptionPlaceProblem)
    .optional()
    .describe(
      "An OpenAPI description (3.0, 3.1, 3.2 or Swagger 2.0; JSON or YAML) whose operations become tools: a file, relative to the " +
        "folder of this file, or an address.",
    ),
  baseUrl: text(findUrlProblem)
    .meta(orVariable("^[Hh][Tt][Tt][Pp][Ss]?://"))
    .optional()
    .describe(
      "With openapi: where the API is, in place of the servers that the description names. Credentials go to this origin alone.",
    ),
  auth: z
    .record(z.string(), text(findEmpty), { error: "must be an object of strings" })
    .check((context) => {
      const problem = findAuthProblem(context.value);
      if (problem === undefined) return;
      const { message, hint } = problem;
      context.issues.push({ code: "custom", message, input: context.value, params: { hint } });
    })
    .optional()
    .describe(
      'With openapi: the login. {"type": "bearer", "token": …}, {"type": "basic", "username": …, "password": …}, ' +
        '{"type": "apiKey", "in": "header", "query" or "cookie", "name": …, "value": …}, or values by the names of the ' +
        'description\'s security schemes: {"petstore_auth": …}.',
    ),
  enabled: flag()
    .default(true)
    .describe("A server that is not enabled is never started and its tools are not listed."),
  timeoutMs: wholeNumber(1, HOUR_MS)
    .optional()
    .describe("How long one call of this server may take, in ms. Without it, limits.callTimeoutMs."),
  startTimeoutMs: wholeNumber(1, 10 * MINUTE_MS)
    .optional()
    .describe(
      "How long the command of this server may take to start and answer the handshake, in ms. Without it, 60000, or 120000 for a " +
        "command that may first download (npx, uvx, docker and the like), and longer while it still writes to stderr.",
    ),
  tools: toolLists.prefault({}).describe("Which tools of the server may be used, and what is known of them."),
  trust: choice(TRUST_LEVELS)
    .optional()
    .describe("What happens to new and changed definitions of this server. Without it, trust of the file."),
  integrity: text(findIntegrityProblem)
    .optional()
    .describe(
      "The integrity of the npm package that the command runs, as `repertoire pin` writes it. The server is not started when the " +
        "registry has another one under that version.",
    ),
  installed: installed
    .optional()
    .describe(
      "Where the server came from, as `repertoire add` writes it. Nothing of such a server counts as first seen: with trust " +
        '"ask", everything that it offers is held until a person approves it.',
    ),
  private: flag()
    .default(false)
    .describe("Whether what its tools answer is private: a run that has seen it asks before it sends."),
  envFile: text(findPathProblem)
    .optional()
    .describe(
      "A file of KEY=VALUE lines for the environment of the command; `env` wins. A relative one starts at the folder of this file. " +
        "It is read when this file is.",
    ),
  disabled: flag().optional().describe("As other clients write it: true is the same as enabled: false."),
  timeout: z
    .number({ error: "must be a number" })
    .positive({ error: "must be more than 0" })
    .optional()
    .describe(
      "As other clients write timeoutMs: up to 3600 in seconds (Cline, Roo Code), above in ms (Claude Code, Gemini CLI). timeoutMs wins.",
    ),
  transport: choice(TRANSPORT_TYPES).optional().describe("As other clients write type."),
  autoApprove: z.unknown().optional().describe("Of other clients. It grants nothing here."),
  alwaysAllow: z.unknown().optional().describe("Of other clients. It grants nothing here."),
}).meta({ anyOf: [{ required: ["command"] }, { required: ["url"] }, { required: ["openapi"] }] });

function namePatterns(allow: string, deny: string) {
  return section({
    allow: texts(findEmpty).optional().describe(allow),
    deny: texts(findEmpty).optional().describe(deny),
  });
}

const profile = section({
  servers: texts(findEmpty).optional().describe("The servers that the profile shows. Without it, all."),
  tools: namePatterns(
    "Only these tools of the servers, such as github__* or files__read_file. Without it, all. " +
      "Meta-tools are there all the same, unless one is named: then only those that are named.",
    "Not these, even if they are allowed above. A meta-tool is denied by its own name; a * never matches one.",
  )
    .optional()
    .describe("Which tools of its servers the profile shows, by exposed name; * matches any characters."),
  capabilities: namePatterns(
    "Only these, such as math:*. Without it, all.",
    "Not these, even if they are allowed above.",
  )
    .optional()
    .describe(
      "Which of what was kept the profile shows, by namespace:action; * matches any characters. " +
        "What is shown may use the tools that it was written against, also those that the profile hides.",
    ),
  rename: z
    .record(z.string(), text(findEmpty), { error: "must be an object of strings" })
    .optional()
    .describe(
      "What tools are called in this profile, by exposed name: letters, digits, - and _. " +
        "Code and workflows use the exposed name all the same.",
    ),
  names: choice(NAMINGS)
    .optional()
    .describe(
      "What tools of servers are called in this profile: by their exposed names (prefixed), or by the servers' own (bare), " +
        "which the pages of Apps know. A tool whose own name is not clear keeps its exposed name.",
    ),
  describe: z
    .record(z.string(), text(findDescriptionProblem), { error: "must be an object of strings" })
    .optional()
    .describe("What tools are described as in this profile, by exposed name."),
  exposure: choice(EXPOSURES)
    .optional()
    .describe("The exposure of this profile. Without it, that of the gateway."),
  transparent: text(findEmpty)
    .optional()
    .describe(
      "The one server that this profile fronts: its own names, its own description of itself, no meta-tools. " +
        "It excludes every other key.",
    ),
});

const scope = section({
  org: text(findScopeProblem)
    .meta(orVariable(SCOPE_PATTERN))
    .default("local")
    .describe("The organisation that capabilities and runs belong to."),
  project: text(findScopeProblem)
    .meta(orVariable(SCOPE_PATTERN))
    .default("default")
    .describe("The project that capabilities and runs belong to."),
});

/** A text, or a list of them. */
function oneOrMore<T extends z.ZodType>(item: T, error: string) {
  return z.union([item, z.array(item).min(1, { error })], { error });
}

const PATTERNS = "must be a string or a list of strings";

const rule = section({
  who: oneOrMore(text(findEmpty), PATTERNS)
    .optional()
    .describe(
      "Whose calls: token:NAME, oauth:ISSUER#SUBJECT, local (this machine's user), schedule:NAME, hook:ID, profile:NAME " +
        "or script:SHA256; " +
        "* matches any characters. Without it, everybody's.",
    ),
  tool: oneOrMore(text(findEmpty), PATTERNS)
    .optional()
    .describe(
      "Which tools, by exposed name such as github__*, mcp__mail__send, the node type http, a prompt, or a resource's " +
        "URI; * matches any characters. Without it, all.",
    ),
  effect: oneOrMore(choice(EFFECTS), `must be one or more of ${EFFECTS.join(", ")}`)
    .optional()
    .describe("What the call does. Without it, anything."),
  when: text(findEmpty)
    .optional()
    .describe(
      'A JavaScript expression over args, such as args.amount > 100 or args.repo === "a/b". No calls.',
    ),
  do: choice(RULE_ACTIONS).describe(
    "Make the call (allow), ask a person first (ask), or refuse it (refuse).",
  ),
  limit: text(findEmpty)
    .optional()
    .describe("For each caller and tool, such as 60/min 2000/day 4 at once, or 20 in all."),
  same: text(findEmpty)
    .optional()
    .describe("How often the same call may be repeated with equal arguments, such as 5 in 1 min."),
  once: flag()
    .optional()
    .describe("Whether the rule counts for one call only; after that, the next rule decides."),
  why: text(findDescriptionProblem)
    .optional()
    .describe("Why there is this rule. A refusal and a question say it."),
});

const calls = section({
  days: wholeNumber(0, 3650)
    .default(30)
    .describe("How many days an entry of the call log is kept. 0: only refused calls are logged."),
  arguments: flag()
    .default(false)
    .describe(
      "Whether the log keeps the arguments of calls, without secrets. Without it, only their digest.",
    ),
});

const limits = section({
  connectTimeoutMs: wholeNumber(1, 10 * MINUTE_MS)
    .default(5 * SECOND_MS)
    .describe(
      "How long a remote server may take to answer the handshake, in ms. For the start of a command, see startTimeoutMs of a server.",
    ),
  callTimeoutMs: wholeNumber(1, HOUR_MS)
    .default(MINUTE_MS)
    .describe("How long one call of an upstream tool may take, in ms, unless its server says otherwise."),
  serverIdleMs: wholeNumber(0, 24 * HOUR_MS)
    .default(10 * MINUTE_MS)
    .describe("A server that had no calls for so long is stopped until it is needed again, in ms. 0: never."),
  approvalMs: wholeNumber(1, 30 * 24 * HOUR_MS)
    .default(24 * HOUR_MS)
    .describe(
      "How long a question of a rule can be answered and its answer used, in ms. Then it is asked again.",
    ),
});

const sandbox = section({
  timeoutMs: wholeNumber(1, 10 * MINUTE_MS)
    .default(30 * SECOND_MS)
    .describe("How long one run of code may take, in ms."),
  memoryMb: wholeNumber(16, 1024).default(64).describe("How much memory one run of code may use, in MiB."),
  callsMax: wholeNumber(1, 10_000).default(200).describe("How many tool calls one run may make."),
  callsAtOnceMax: wholeNumber(1, 256)
    .default(16)
    .describe("How many tool calls of one run may be under way at once."),
  filesystem: isolatedFiles
    .optional()
    .describe(
      "As VS Code writes it: for the servers of this file with sandboxEnabled and without a sandbox of their own.",
    ),
  network: isolatedNetwork
    .optional()
    .describe(
      "As VS Code writes it: for the servers of this file with sandboxEnabled and without a sandbox of their own.",
    ),
});

const tools = section({
  suspicious: choice(SUSPICIOUS_TOOLS)
    .default("warn")
    .describe(
      "What happens with a tool whose texts hide something or give the model orders: it is listed and named in findings (warn), " +
        "or it is left out (block).",
    ),
});

const library = section({
  changedTools: choice(CHANGED_TOOLS)
    .default("warn")
    .describe(
      "What happens when something kept is called and a tool that it uses has changed since: it runs and says so (warn), " +
        "or it does not run (refuse).",
    ),
});

const llm = section({
  url: text(findUrlProblem)
    .meta(orVariable("^[Hh][Tt][Tt][Pp][Ss]?://"))
    .describe(
      "The address of the endpoint up to its version, such as https://api.example.com/v1; /chat/completions is added to it.",
    ),
  model: text(findEmpty).describe("The name of the model, as the endpoint knows it."),
  apiKey: text(findKeyProblem)
    .optional()
    .describe("The key, sent as a bearer token. Better written as a variable: ${NAME_API_KEY}."),
});

const embeddings = section({
  url: text(findUrlProblem)
    .meta(orVariable("^[Hh][Tt][Tt][Pp][Ss]?://"))
    .describe(
      "The address of the endpoint up to its version, such as http://localhost:11434/v1; /embeddings is added to it.",
    ),
  model: text(findEmpty).describe("The name of the model, as the endpoint knows it."),
  apiKey: text(findKeyProblem)
    .optional()
    .describe("The key, sent as a bearer token. Better written as a variable: ${NAME_API_KEY}."),
  dimensions: wholeNumber(1, 8192)
    .optional()
    .describe("How many numbers a vector is to have, where the model leaves the choice."),
});

const search = section({
  embeddings: embeddings
    .optional()
    .describe(
      "An OpenAI-compatible endpoint that says what tools and queries mean, in place of the built-in encoder. " +
        "The texts of tools and the queries go to it. Without it, the words and a built-in encoder decide and nothing leaves the machine.",
    ),
});

const workflows = section({
  allowShell: flag()
    .default(false)
    .describe("Whether workflows may use the shell node, which runs any command."),
  allowPrivateHttp: flag()
    .default(false)
    .describe("Whether the http node may reach loopback, link-local and private addresses."),
  fileRoots: texts(findPathProblem)
    .default([])
    .describe(
      "Folders in which read_file and write_file may work; a relative one starts at the folder of this file.",
    ),
  llm: llm
    .optional()
    .describe("An OpenAI-compatible endpoint for the llm node, for clients that offer no sampling."),
});

const oauth = section({
  issuer: text(findIssuerProblem).describe("The authorization server whose access tokens are accepted."),
  audience: text(findEmpty)
    .optional()
    .describe("Who a token must be meant for. Without it, the public address of the endpoint."),
  jwksUrl: text(findIssuerProblem)
    .optional()
    .describe("Where the issuer's keys are. Without it, where its metadata say."),
  scopes: section({
    read: text(findEmpty).optional().describe("The scope of tokens that may list and read."),
    call: text(findEmpty).optional().describe("The scope of tokens that may run tools and code."),
    write: text(findEmpty)
      .optional()
      .describe("The scope of tokens that may change the library and decide on approvals."),
    admin: text(findEmpty)
      .optional()
      .describe("The scope of tokens that may do everything else, such as reading metrics."),
  })
    .prefault({})
    .describe(
      "The issuer's names for what a token may do, where they differ from read, call, write and admin.",
    ),
});

const http = section({
  host: text(findEmpty)
    .default("127.0.0.1")
    .describe(
      "The address that `serve --http` listens on. Any but loopback needs an issuer or a token of its own.",
    ),
  port: wholeNumber(0, 65_535).default(7373).describe("The port. 0 takes a free one."),
  publicUrl: text(findUrlProblem)
    .optional()
    .describe("The address that clients use when a proxy is in front, such as https://mcp.example.com."),
  allowedHosts: texts(findEmpty)
    .default([])
    .describe("Host names that requests may be addressed to, beside loopback and that of publicUrl."),
  allowedOrigins: texts(findUrlProblem)
    .default([])
    .describe("Web origins whose pages may use the endpoint, such as https://app.example.com."),
  oauth: oauth.optional().describe("Accepts access tokens of an OAuth 2.1 authorization server."),
  console: section({
    addPrograms: flag()
      .default(false)
      .describe(
        "Whether servers that are programs can be added in the console and over its API although other machines can reach the " +
          "gateway, which is to run any program here. A gateway on loopback does not need it.",
      ),
  })
    .prefault({})
    .describe("What the console may do."),
});

const store = section({
  url: text(findDatabaseUrlProblem)
    .meta(orVariable("^[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss](?:[Qq][Ll])?://"))
    .optional()
    .describe(
      "The PostgreSQL database that several gateways share, such as postgres://user:${PASSWORD}@host/database. " +
        "Without it, the store is a file in the home. REPERTOIRE_DATABASE_URL wins over it.",
    ),
  poolSize: wholeNumber(2, 200)
    .default(10)
    .describe("How many connections to the database one gateway has at most."),
  pooler: flag()
    .default(false)
    .describe(
      "Whether a pooler such as PgBouncer in transaction mode is in front of the database. Statements are then not prepared.",
    ),
  waitMs: wholeNumber(SECOND_MS, 10 * MINUTE_MS)
    .default(30 * SECOND_MS)
    .describe(
      "How long an operation waits while the database is away, in ms. The gateway stays ready for as long.",
    ),
});

const telemetry = section({
  otlpUrl: text(findUrlProblem)
    .optional()
    .describe(
      "Where traces go, as OTLP over HTTP, such as http://localhost:4318. Without it, none are made.",
    ),
  sampleRatio: z
    .number({ error: "must be a number from 0 to 1" })
    .min(0, { error: "must be a number from 0 to 1" })
    .max(1, { error: "must be a number from 0 to 1" })
    .default(1)
    .describe(
      "The share of new traces that are kept. One that a caller began is kept if the caller keeps it.",
    ),
});

const registry = section({
  url: text(findUrlProblem)
    .meta(orVariable("^[Hh][Tt][Tt][Pp][Ss]?://"))
    .optional()
    .describe(
      "Its address with the version of its API, such as https://registry.example.com/v0.1; without a path, /v0 is added. " +
        "Without it, the official registry. REPERTOIRE_REGISTRY_URL wins over it.",
    ),
});

const log = section({
  level: choice(LOG_LEVELS).default("info").describe("The least important messages that are still written."),
  file: text(findPathProblem)
    .optional()
    .describe("A file for the log instead of stderr; a relative one starts at the folder of this file."),
  format: choice(LOG_FORMATS)
    .optional()
    .describe("Lines of JSON, or text to read. Without it, text on a terminal and JSON everywhere else."),
});

const INPUT_TYPES = ["promptString", "pickString"] as const;
const INPUT_TYPE_RULE = 'must be "promptString" or "pickString"';

const input = section({
  id: text((value) => (isInputId(value) ? undefined : { message: INPUT_ID_RULE })).describe(
    "What it is called: ${input:ID} is replaced by its value.",
  ),
  type: z
    .enum(INPUT_TYPES, {
      error: ({ input: given }) =>
        given === "command"
          ? '"command" asks an extension of an editor, which is not there; use "promptString"'
          : INPUT_TYPE_RULE,
    })
    .describe("Whether the value is typed (promptString) or picked from the options (pickString)."),
  description: text(findDescriptionProblem).optional().describe("What people are asked."),
  default: text().optional().describe("Its value until one is given."),
  password: flag().optional().describe("Whether it is hidden while it is typed."),
  options: z
    .array(
      z.union([text(findEmpty), section({ label: text(findEmpty), value: text(findEmpty) })], {
        error: 'must be a string, or an object with "label" and "value"',
      }),
      { error: "must be a list of strings" },
    )
    .optional()
    .describe("What a pickString is picked from."),
});

const STARTER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** It is part of a path, of the name of a principal and of a start key. */
const starterName = z.string().regex(STARTER_NAME, {
  error: "must be lower-case letters, digits, _ and -, at most 64",
});
const startedTool = text(findEmpty).describe(
  "The kept tool that runs: namespace:action or mcp__namespace__action.",
);
const fixedInputs = z
  .record(z.string(), z.unknown(), { error: "must be an object with a value under each name" })
  .default({})
  .describe("The inputs that it gets each time.");
const startedProfile = text(findEmpty)
  .optional()
  .describe("The profile that it runs in; without it, all tools.");
const isStarted = flag().default(true).describe("Whether it starts anything.");

const schedule = section({
  cron: text(findEmpty).describe("Five fields: minute, hour, day of the month, month, day of the week."),
  timezone: text(findEmpty)
    .optional()
    .describe("An IANA name such as Europe/Berlin; without it, that of the machine."),
  tool: startedTool,
  inputs: fixedInputs,
  profile: startedProfile,
  enabled: isStarted,
});

const hook = section({
  tool: startedTool,
  secret: text(findEmpty).describe(
    "What the sender signs with, as ${input:ID} or ${VARIABLE}: at least 16 characters.",
  ),
  inputs: fixedInputs,
  payload: text(findEmpty)
    .optional()
    .describe("The input that gets the JSON of the body; without it, the body is not handed on."),
  profile: startedProfile,
  enabled: isStarted,
});

export const fileSchema = section({
  $schema: text().optional().describe("The JSON Schema of this file, for editors."),
  mcpServers: z
    .record(z.string(), server, { error: "must be an object with a server under each name" })
    .default({})
    .describe("The MCP servers behind the gateway, by name, in the shape that every MCP client uses."),
  // Its entries are read as those of mcpServers, one by one.
  servers: z
    .record(z.string(), z.unknown(), { error: "must be an object with a server under each name" })
    .meta({ additionalProperties: { $ref: "#/properties/mcpServers/additionalProperties" } })
    .optional()
    .describe("The same as mcpServers, as VS Code writes it; mcpServers wins."),
  inputs: z
    .array(input, { error: "must be a list of objects with id and type" })
    .default([])
    .describe(
      "What people are asked for once, in VS Code's shape. ${input:ID} in the texts of servers and settings is replaced by the value, " +
        "which is kept with the secrets. An input need not stand here to be used.",
    ),
  exposure: choice(EXPOSURES)
    .default("auto")
    .describe(
      "Which upstream tools clients see: none of them (lean), all (full), or all if that costs no more than finding them (auto). " +
        "Each can be called and searched in every mode.",
    ),
  profiles: z
    .record(z.string(), profile, { error: "must be an object with a profile under each name" })
    .default({})
    .describe("Named views of the gateway, for clients that should see less or something else."),
  scope: scope.prefault({}).describe("Which capabilities and runs this gateway sees and makes."),
  trust: choice(TRUST_LEVELS)
    .default("allow")
    .describe(
      "What happens to new and changed definitions of servers: they are recorded (allow), held when the scanner finds " +
        "something in them (scan), or held until a person approves them (ask). With ask, a person is also asked before " +
        "every call that changes something, unless a rule decides otherwise.",
    ),
  rules: z
    .array(rule, { error: "must be a list of rules" })
    .default([])
    .describe("Who may do what. The first rule that matches a call decides."),
  schedules: z
    .record(starterName, schedule, { error: "must be an object with a schedule under each name" })
    .default({})
    .describe("Kept tools that run by themselves at certain times, as background runs."),
  hooks: z
    .record(starterName, hook, { error: "must be an object with a hook under each id" })
    .default({})
    .describe("Kept tools that other systems start over HTTP with a signed request, as background runs."),
  calls: calls.prefault({}).describe("The log of who called what."),
  limits: limits.prefault({}).describe("Time limits."),
  sandbox: sandbox.prefault({}).describe("Limits for code that agents run."),
  tools: tools.prefault({}).describe("What is done with the tools that servers list."),
  search: search.prefault({}).describe("How tools are found."),
  library: library.prefault({}).describe("How what was kept is called."),
  workflows: workflows.prefault({}).describe("What the built-in nodes of workflows may do."),
  http: http.prefault({}).describe("How clients come in over HTTP."),
  store: store.prefault({}).describe("Where everything is kept that must survive."),
  registry: registry.prefault({}).describe("The MCP registry that `search` and `add` ask for servers."),
  telemetry: telemetry.prefault({}).describe("Traces for OpenTelemetry."),
  log: log.prefault({}).describe("What is logged, and where."),
});

/** A file that was checked, with its defaults. */
export type FileConfig = z.output<typeof fileSchema>;
/** One entry of `mcpServers`. */
export type FileServer = z.output<typeof server>;

export const ruleSchema = rule;

export const serverSchema = server;
export const SERVER_KEYS: readonly string[] = Object.keys(server.shape);
