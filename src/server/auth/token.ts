/** What a token of the gateway's own is: 32 random bytes behind a fixed beginning, of which only the hash is kept. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { isScopePart } from "../../core/names.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { EFFECTS, type Effect } from "../../core/rule.ts";

/** By this, secret scanners and our own redactor know a token wherever it turns up. */
const TOKEN_PREFIX = "rpt_";
/** The token of the first start: for its owner, with every permission. */
export const DEFAULT_TOKEN_NAME = "default";
/** It cannot be guessed, so a plain hash is enough: there is nothing that a slow one would protect. */
const TOKEN_BYTES = 32;
/** A token that comes in is compared with every one of these. */
export const TOKEN_COUNT_MAX = 100;

/** Each request of the token is compared with every one of its patterns. */
export const TOOL_PATTERN_COUNT_MAX = 100;
/** As long as the longest exposed URI that anybody writes by hand. */
const TOOL_PATTERN_LENGTH_MAX = 256;

/** What narrows a token down beside its permissions. What it leaves out, it does not limit. */
export interface TokenLimits {
  /** The profiles that it opens; one without this opens every profile, and the gateway without one. */
  readonly profiles?: readonly string[];
  /** The effects that its calls may have. */
  readonly effects?: readonly Effect[];
  /** Patterns of the tools that it may call, by exposed name. */
  readonly tools?: readonly string[];
  /** ISO 8601 in UTC. From this moment on it is not accepted. */
  readonly expiresAt?: string;
}

export interface TokenEntry extends TokenLimits {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  /** The token itself, of the default one only, so that its owner can be shown it again. */
  readonly value?: string;
  /** ISO 8601, for people. */
  readonly createdAt: string;
}

export type RandomBytes = (count: number) => Uint8Array;

export function makeToken(random: RandomBytes = randomBytes): string {
  return TOKEN_PREFIX + Buffer.from(random(TOKEN_BYTES)).toString("base64url");
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * The entry that a token belongs to. Every entry is compared, and each comparison takes the same time: how long it
 * took says nothing about which one it was, or how near.
 */
export function findEntry<E extends { readonly digest: Buffer }>(
  entries: Iterable<E>,
  digest: Buffer,
): E | undefined {
  let found: E | undefined;
  for (const entry of entries) {
    if (entry.digest.length === digest.length && timingSafeEqual(entry.digest, digest)) found = entry;
  }
  return found;
}

/** In ms since 1970. */
export function expiresAtOf({ expiresAt }: TokenLimits): number {
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

export function isExpired(entry: TokenLimits, nowMs: number = Date.now()): boolean {
  return expiresAtOf(entry) <= nowMs;
}

/** The entries of a parsed tokens.json, or undefined where it is not one. */
export function parseEntries(value: unknown): TokenEntry[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tokens } = value;
  if (!Array.isArray(tokens) || tokens.length > TOKEN_COUNT_MAX || !tokens.every(isEntry)) return undefined;
  const names = new Set(tokens.map((entry) => entry.name));
  return names.size === tokens.length ? tokens : undefined;
}

function isEntry(value: unknown): value is TokenEntry {
  if (!isJsonObject(value)) return false;
  const { name, permissions, hash, value: token, createdAt } = value;
  return (
    typeof name === "string" &&
    isScopePart(name) &&
    Array.isArray(permissions) &&
    permissions.every(isPermission) &&
    areLimits(value) &&
    typeof hash === "string" &&
    /^[0-9a-f]{64}$/.test(hash) &&
    typeof createdAt === "string" &&
    (token === undefined || (typeof token === "string" && digestOf(token).toString("hex") === hash))
  );
}

/** A limit that is damaged must not be taken for one that is not there. */
function areLimits({ profiles, effects, tools, expiresAt }: JsonObject): boolean {
  return (
    (profiles === undefined || isListOf(profiles, isProfileName)) &&
    (effects === undefined || isListOf(effects, isEffect)) &&
    (tools === undefined || (isListOf(tools, isToolPattern) && tools.length <= TOOL_PATTERN_COUNT_MAX)) &&
    (expiresAt === undefined || isInstant(expiresAt))
  );
}

/** A list that names nothing would allow nothing. */
function isListOf<T>(value: unknown, isOne: (word: unknown) => word is T): value is T[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOne);
}

/** What the address of a profile can end in. */
export function isProfileName(word: unknown): word is string {
  return typeof word === "string" && /^[a-z0-9_-]{1,64}$/.test(word);
}

export function isEffect(word: unknown): word is Effect {
  return EFFECTS.some((effect) => effect === word);
}

/** No name of a tool has a space or a comma: several patterns in one text would match nothing. */
export function isToolPattern(word: unknown): word is string {
  return (
    typeof word === "string" && word.length <= TOOL_PATTERN_LENGTH_MAX && /^[^\s,\p{Cc}\p{Cf}]+$/u.test(word)
  );
}

/** Exactly as `toISOString` writes it, so that there is no doubt which moment is meant. */
export function isInstant(word: unknown): word is string {
  if (typeof word !== "string") return false;
  const at = Date.parse(word);
  return !Number.isNaN(at) && new Date(at).toISOString() === word;
}

function isPermission(word: unknown): word is Permission {
  return PERMISSIONS.some((permission) => permission === word);
}
