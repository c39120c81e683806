/**
 * Every name in Repertoire is made, read and refused here.
 *
 * - A **server id** is a slug of its config key: `[a-z0-9]` words joined by single `_`. It never contains `__`, so the
 *   first `__` of an exposed name always ends it.
 * - An upstream tool is exposed as `<server>__<tool>`. `exposeTools` keeps the map back to the original name: routing looks
 *   up that map and never trusts a split.
 * - A capability is `namespace:action`, exposed as `mcp__<namespace>__<action>`; `mcp` is no server id.
 * - Code that takes a name from outside calls `parseReference` first. It answers before any I/O, and a name that could
 *   reach a path is a `SECURITY_ERROR`.
 *
 * Pure: it keeps no state and touches nothing.
 */
import { hashText } from "./json.ts";
import { fail, succeed, type ToolResult } from "./result.ts";

/** Clients cut a tool's name here (some count a prefix of their own, which is why we stay well below where we can). */
export const EXPOSED_NAME_LENGTH_MAX = 64;
/** Leaves at least 30 characters of an exposed name for the tool. */
export const SERVER_ID_LENGTH_MAX = 32;
/** A name longer than this is refused unread; the longest valid one is a FQDN of about 200. */
const REFERENCE_LENGTH_MAX = 255;

/** The id of the source of all capabilities: no server can have it. */
export const CAPABILITIES_ID = "mcp";
/** What the exposed name of every capability begins with. */
export const CAPABILITY_PREFIX = "mcp__";
const SEPARATOR = "__";
const HASH_SUFFIX_DIGITS = 6;
const SHORT_HASH_DIGITS_MIN = 4;

const NAME_PART = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const BARE_NAME = /^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/;
const SCOPE_PART = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;

/** Words that are devices on Windows or live on every object's prototype: legal by grammar, never safe as a file or key. */
const RESERVED_PARTS: ReadonlySet<string> = new Set([
  "con",
  "prn",
  "aux",
  "nul",
  "constructor",
  "prototype",
  ...Array.from({ length: 10 }, (_, i) => [`com${i}`, `lpt${i}`]).flat(),
]);

/** The org and project that a capability or run belongs to. */
export interface Scope {
  readonly org: string;
  readonly project: string;
}

export const DEFAULT_SCOPE: Scope = { org: "local", project: "default" };

export interface CapabilityName {
  readonly namespace: string;
  readonly action: string;
}

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The id of a server from its config key, or why the key cannot be one. */
export function serverIdOf(key: string): ToolResult<string> {
  const id = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  if (id === "")
    return fail("TOOL_INVALID_INPUT", `"${key}" has no letter a-z or digit to make a server id of`);
  if (id === CAPABILITIES_ID || RESERVED_PARTS.has(id)) {
    return fail("TOOL_INVALID_INPUT", `"${id}" is reserved: choose another server name`);
  }
  if (id.length > SERVER_ID_LENGTH_MAX) {
    return fail(
      "TOOL_INVALID_INPUT",
      `the server id "${id}" is longer than ${SERVER_ID_LENGTH_MAX} characters`,
    );
  }
  return succeed(id);
}

// ── upstream tools ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The exposed names of one server's tools, and the tools that cannot have one. */
export interface ExposedTools {
  /** Exposed name → the name the server knows. */
  readonly originals: ReadonlyMap<string, string>;
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

/** Gives every tool of a server its exposed name. The result does not depend on the order of the list. */
export function exposeTools(serverId: string, names: readonly string[]): ExposedTools {
  const rejected: { name: string; reason: string }[] = [];
  const distinct = new Set<string>();
  for (const name of names) {
    if (name === "") rejected.push({ name, reason: "the name is empty" });
    else if (distinct.has(name)) rejected.push({ name, reason: "the server lists this name twice" });
    else distinct.add(name);
  }
  const hashed = findNamesToHash(serverId, [...distinct]);
  const originals = new Map<string, string>();
  const clashing = new Set<string>();
  for (const name of distinct) {
    const exposed = hashed.has(name) ? hashedName(serverId, name) : plainName(serverId, name);
    if (originals.has(exposed)) clashing.add(exposed);
    else originals.set(exposed, name);
  }
  // Two names with one 24-bit hash: neither gets the exposed name, so that one cannot pass for the other.
  for (const name of distinct) {
    if (!hashed.has(name)) continue;
    const exposed = hashedName(serverId, name);
    if (!clashing.has(exposed)) continue;
    originals.delete(exposed);
    rejected.push({ name, reason: `its exposed name ${exposed} is also that of another tool` });
  }
  return { originals, rejected };
}

/** Names that need the hash: too long, equal to another after mapping, or equal to the hashed form of another. */
function findNamesToHash(serverId: string, names: readonly string[]): Set<string> {
  const byPlain = new Map<string, string[]>();
  for (const name of names) {
    const plain = plainName(serverId, name);
    byPlain.set(plain, [...(byPlain.get(plain) ?? []), name]);
  }
  const hashed = new Set<string>();
  const queue: string[] = [];
  for (const [plain, group] of byPlain) {
    if (group.length > 1 || plain.length > EXPOSED_NAME_LENGTH_MAX) queue.push(...group);
  }
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (hashed.has(name)) continue;
    hashed.add(name);
    for (const other of byPlain.get(hashedName(serverId, name)) ?? []) queue.push(other);
  }
  return hashed;
}

function plainName(serverId: string, name: string): string {
  return `${serverId}${SEPARATOR}${name.replace(/[^A-Za-z0-9_-]/gu, "_")}`;
}

function hashedName(serverId: string, name: string): string {
  const suffix = `_${hashText(name).slice(0, HASH_SUFFIX_DIGITS)}`;
  return plainName(serverId, name).slice(0, EXPOSED_NAME_LENGTH_MAX - suffix.length) + suffix;
}

export type ParsedToolName =
  | ({ readonly kind: "capability" } & CapabilityName)
  | { readonly kind: "upstream"; readonly server: string; readonly tool: string }
  | { readonly kind: "static"; readonly name: string }
  | { readonly kind: "invalid" };

/** Reads a tool name that a client sent. The `tool` of an upstream name is a hint for messages: routing uses the map. */
export function parseToolName(name: string): ParsedToolName {
  if (name.startsWith(CAPABILITY_PREFIX)) {
    const parsed = parseCapability(name.slice(CAPABILITY_PREFIX.length), SEPARATOR);
    return parsed === undefined ? { kind: "invalid" } : { kind: "capability", ...parsed };
  }
  const at = name.indexOf(SEPARATOR);
  if (at === -1) return name === "" ? { kind: "invalid" } : { kind: "static", name };
  const server = name.slice(0, at);
  const tool = name.slice(at + SEPARATOR.length);
  return server === "" || tool === "" ? { kind: "invalid" } : { kind: "upstream", server, tool };
}

/** How code writes an exposed name: `mcp.<namespace>.<tool>`. */
export function codeNameOf(exposed: string): { readonly namespace: string; readonly tool: string } {
  const own = exposed.startsWith(CAPABILITY_PREFIX) ? exposed.slice(CAPABILITY_PREFIX.length) : exposed;
  const at = own.indexOf(SEPARATOR);
  return { namespace: own.slice(0, at), tool: own.slice(at + SEPARATOR.length) };
}

// ── capabilities ────────────────────────────────────────────────────────────────────────────────────────────────────

export function displayNameOf(name: CapabilityName): string {
  return `${name.namespace}:${name.action}`;
}

export function toolNameOf(name: CapabilityName): string {
  return `${CAPABILITY_PREFIX}${name.namespace}${SEPARATOR}${name.action}`;
}

/** Where a capability can be read over MCP. */
export function libraryUriOf(name: CapabilityName): string {
  return `repertoire://library/${name.namespace}/${name.action}`;
}

export function fqdnOf(scope: Scope, name: CapabilityName, shortHash: string): string {
  return `${scope.org}.${scope.project}.${name.namespace}.${name.action}.${shortHash}`;
}

/**
 * A capability as a skill, whose name has lower-case words joined by hyphens: `issues:close_stale` is
 * `issues-close-stale`. The first word is the namespace. Where it is not, or where the last word would be taken for it,
 * the number of the words of the namespace is behind the others: `web_shop:pay` is `web-shop-pay-2`. So no two
 * capabilities have one name.
 */
export function skillNameOf({ namespace, action }: CapabilityName): string {
  const words = [...namespace.split("_"), ...action.split("_")];
  const count = namespace.split("_").length;
  const isPlain = count === 1 && !WORD_COUNT.test(words.at(-1)!);
  return (isPlain ? words : [...words, count]).join("-");
}

/** What a skill's name means; undefined for a name that no capability has as a skill. */
export function parseSkillName(name: string): CapabilityName | undefined {
  const words = name.split("-");
  const count = WORD_COUNT.test(words.at(-1)!) ? Number(words.pop()) : 1;
  const parsed = parseCapability(`${words.slice(0, count).join("_")}:${words.slice(count).join("_")}`, ":");
  return parsed !== undefined && skillNameOf(parsed) === name ? parsed : undefined;
}

const WORD_COUNT = /^\d+$/;

/** The shortest prefix, of 4 digits or more, that no other hash of the same capability begins with. */
export function shortHashOf(hash: string, others: Iterable<string>): string {
  let digits = SHORT_HASH_DIGITS_MIN;
  for (const other of others) {
    if (other === hash) continue;
    while (digits < hash.length && other.startsWith(hash.slice(0, digits))) digits++;
  }
  return hash.slice(0, digits);
}

/** Whether a part can be in a FQDN, which is split at its dots. */
export function isScopePart(part: string): boolean {
  return SCOPE_PART.test(part) && part.length <= SERVER_ID_LENGTH_MAX && !RESERVED_PARTS.has(part);
}

function parseCapability(text: string, separator: string): CapabilityName | undefined {
  const at = text.indexOf(separator);
  if (at === -1) return undefined;
  const name = { namespace: text.slice(0, at), action: text.slice(at + separator.length) };
  const valid = isNamePart(name.namespace) && isNamePart(name.action);
  return valid && toolNameOf(name).length <= EXPOSED_NAME_LENGTH_MAX ? name : undefined;
}

function isNamePart(part: string): boolean {
  return NAME_PART.test(part) && !RESERVED_PARTS.has(part);
}

// ── references: every spelling that a person or an agent may use ────────────────────────────────────────────────────

/** The namespaces that a bare name may mean, in the order in which they are tried. */
export const BARE_NAMESPACES = ["workflow", "code"] as const;

/** A name from outside, understood but not yet looked up. `version` comes from `name@2`; `name@latest` has none. */
export type NameReference = { readonly version?: number } & (
  | ({ readonly kind: "capability" } & CapabilityName)
  | { readonly kind: "bare"; readonly action: string }
  | ({ readonly kind: "fqdn"; readonly scope: Scope; readonly hash: string } & CapabilityName)
);

const NAME_RULE =
  "A name is namespace:action (as in math:sum), its tool name (mcp__math__sum), its FQDN, or a bare name such as pr-analyzer; " +
  "parts are lower-case letters and digits, joined by single underscores, beginning with a letter.";

/** Understands any accepted spelling of a capability, workflow or draft, or refuses it before anything is touched. */
export function parseReference(text: string, field = "name"): ToolResult<NameReference> {
  const unsafe = findUnsafePart(text);
  if (unsafe !== undefined) {
    return fail("SECURITY_ERROR", `The name ${quote(text)} is refused: it contains ${unsafe}.`, {
      field,
      hint: NAME_RULE,
    });
  }
  const reference = readReference(text);
  if (reference !== undefined) return succeed(reference);
  return fail("TOOL_INVALID_INPUT", `${quote(text)} is not a valid name.`, { field, hint: NAME_RULE });
}

/** The capability that a reference would be saved as; a bare name goes into the namespace of its kind. */
export function capabilityNameOf(reference: NameReference, kind: "code" | "workflow"): CapabilityName {
  if (reference.kind === "bare") return { namespace: kind, action: reference.action };
  return { namespace: reference.namespace, action: reference.action };
}

function readReference(text: string): NameReference | undefined {
  if (text.length > REFERENCE_LENGTH_MAX) return undefined;
  const suffix = /@(latest|[1-9]\d{0,8})$/.exec(text);
  const name = suffix === null ? text : text.slice(0, suffix.index);
  const version = suffix === null || suffix[1] === "latest" ? {} : { version: Number(suffix[1]) };
  const parsed = readName(name);
  return parsed === undefined ? undefined : { ...parsed, ...version };
}

function readName(name: string): NameReference | undefined {
  if (name.startsWith(CAPABILITY_PREFIX))
    return asCapability(name.slice(CAPABILITY_PREFIX.length), SEPARATOR);
  if (name.includes(":")) return asCapability(name, ":");
  if (name.includes(".")) return readFqdn(name);
  if (!BARE_NAME.test(name)) return undefined;
  const action = name.replaceAll("-", "_");
  const fits = parseCapability(`${BARE_NAMESPACES[0]}:${action}`, ":") !== undefined;
  return fits ? { kind: "bare", action } : undefined;
}

function asCapability(text: string, separator: string): NameReference | undefined {
  const name = parseCapability(text, separator);
  return name === undefined ? undefined : { kind: "capability", ...name };
}

function readFqdn(text: string): NameReference | undefined {
  const [org, project, namespace, action, hash, ...rest] = text.split(".");
  if (org === undefined || project === undefined || hash === undefined || rest.length > 0) return undefined;
  const name = parseCapability(`${namespace}:${action}`, ":");
  if (name === undefined || !isScopePart(org) || !isScopePart(project)) return undefined;
  return /^[0-9a-f]{4,64}$/.test(hash) ? { kind: "fqdn", scope: { org, project }, hash, ...name } : undefined;
}

/** What makes a text dangerous as part of a path, also percent-encoded or as a Windows drive. */
function findUnsafePart(text: string): string | undefined {
  if (text.includes("\0") || /%00/.test(text)) return "a NUL character";
  if (/[/\\]|%2f|%5c/i.test(text)) return "a path separator";
  if (/\.\.|%2e/i.test(text)) return `".."`;
  if (/^[A-Za-z]:/.test(text) && readReference(text) === undefined) return "a drive letter";
  if (text.startsWith("~")) return "a home folder";
  return undefined;
}

/** A name for a message: cut, with control characters escaped, so that it can forge no line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
