/**
 * The key that seals secrets in a database that several gateways share. It comes from the environment or from a file that
 * the environment names, and is nowhere else: who has the database alone can read no secret.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf, RepertoireError } from "../core/errors.ts";
import { SEALING_KEY_BYTES } from "../text/sealed-text.ts";

const KEY = "REPERTOIRE_SECRET_KEY";
const PREVIOUS = "REPERTOIRE_SECRET_KEY_PREVIOUS";
/** 32 bits: enough to tell the few keys of one gateway apart, and too few to say anything of a key. */
const ID_LENGTH = 8;

export const MAKE_KEY = "openssl rand -base64 32 | tr '+/' '-_' | tr -d '='";

export interface SecretKey {
  /** The beginning of its hash: says which key sealed something, without saying the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

export interface SecretKeys {
  /** Seals, and opens what it sealed. */
  readonly current: SecretKey;
  /** Opens what was sealed before the key was changed. */
  readonly previous?: SecretKey;
}

/** Undefined where there is no key. Throws where there is one that cannot be one; its text is in no message. */
export function loadSecretKeys(env: NodeJS.ProcessEnv = process.env): SecretKeys | undefined {
  const current = loadKey(env, KEY);
  const previous = loadKey(env, PREVIOUS);
  if (current !== undefined) return { current, ...(previous !== undefined && { previous }) };
  if (previous === undefined) return undefined;
  throw invalid(`${PREVIOUS} is set and ${KEY} is not`, `Set ${KEY} to the new key, or to this one.`);
}

/** The variables as texts, for whatever must not show them. */
export function secretKeyTexts(env: NodeJS.ProcessEnv = process.env): string[] {
  return [KEY, PREVIOUS].flatMap((name) => {
    const text = readText(env, name, () => undefined);
    return text === undefined ? [] : [text];
  });
}

function loadKey(env: NodeJS.ProcessEnv, name: string): SecretKey | undefined {
  const file = `${name}_FILE`;
  if (isGiven(env[name]) && isGiven(env[file]))
    throw invalid(`${name} and ${file} are both set`, "Set one of them.");
  const text = readText(env, name, (error) => {
    throw invalid(
      `the file of ${file} cannot be read: ${messageOf(error)}`,
      "Check its path and its permissions.",
    );
  });
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, "base64url");
  // Decoding skips what is not base64.
  if (bytes.length === SEALING_KEY_BYTES && /^[\w+/-]{43}=?$/.test(text)) return { id: idOf(bytes), bytes };
  throw invalid(
    `${isGiven(env[name]) ? name : `the file of ${file}`} holds no key: it must be ${SEALING_KEY_BYTES} bytes in base64url`,
    `Make one with: ${MAKE_KEY}`,
  );
}

function readText(
  env: NodeJS.ProcessEnv,
  name: string,
  unreadable: (error: unknown) => undefined,
): string | undefined {
  const [text, file] = [env[name], env[`${name}_FILE`]];
  if (isGiven(text)) return text.trim();
  if (!isGiven(file)) return undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    return unreadable(error);
  }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function idOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, ID_LENGTH);
}

function invalid(what: string, hint: string): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", `The key for secrets cannot be used: ${what}.`, { hint });
}
