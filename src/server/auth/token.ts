/** What a token of the gateway's own is: 32 random bytes behind a fixed beginning, of which only the hash is kept. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isJsonObject } from "../../core/json.ts";
import { isScopePart } from "../../core/names.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";

/** By this, secret scanners and our own redactor know a token wherever it turns up. */
const TOKEN_PREFIX = "rpt_";
/** The token of the first start: for its owner, with every permission. */
export const DEFAULT_TOKEN_NAME = "default";
/** It cannot be guessed, so a plain hash is enough: there is nothing that a slow one would protect. */
const TOKEN_BYTES = 32;
/** A token that comes in is compared with every one of these. */
export const TOKEN_COUNT_MAX = 100;

export interface TokenEntry {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The profiles that it opens; one without this opens every profile, and the gateway without one. */
  readonly profiles?: readonly string[];
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
    if (timingSafeEqual(entry.digest, digest)) found = entry;
  }
  return found;
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
  const { name, permissions, profiles, hash, value: token, createdAt } = value;
  return (
    typeof name === "string" &&
    isScopePart(name) &&
    Array.isArray(permissions) &&
    permissions.every(isPermission) &&
    (profiles === undefined || isProfileList(profiles)) &&
    typeof hash === "string" &&
    /^[0-9a-f]{64}$/.test(hash) &&
    typeof createdAt === "string" &&
    (token === undefined || (typeof token === "string" && digestOf(token).toString("hex") === hash))
  );
}

/** A list that names none would open nothing, and one that is damaged must not open everything. */
function isProfileList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isProfileName);
}

/** What the address of a profile can end in. */
export function isProfileName(word: unknown): word is string {
  return typeof word === "string" && /^[a-z0-9_-]{1,64}$/.test(word);
}

function isPermission(word: unknown): word is Permission {
  return PERMISSIONS.some((permission) => permission === word);
}
