/**
 * Secrets that are in an entry in plain text. One walk both finds and replaces them, so that what is named and what is
 * moved cannot drift apart. A value that refers to a variable or an input is not one.
 */
import { isSecretKey, PATTERNS, HINTS, REDACTED } from "../../text/redaction.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { freeInputId } from "../translate/input-declaration.ts";
import { literalOf } from "../translate/references.ts";
import { isOpenAuthKey } from "../../config/entries/api-auth.ts";
import { isSecretEntry } from "../../config/values/secrets.ts";

/** A secret and its place. */
export interface PlainSecret {
  readonly path: readonly (string | number)[];
  /** The name that it goes by: a variable, a header, a flag or a parameter. */
  readonly name: string;
  /** What to call the input that it moves to. */
  readonly suggestedInput: string;
}

export interface WithInputs {
  readonly entry: JsonObject;
  /** The literal values, by input. */
  readonly values: ReadonlyMap<string, string>;
}

/** The plain secrets of an entry; each gets an input of its own that is not among `taken`. */
export function findPlainSecrets(
  serverId: string,
  entry: JsonObject,
  taken: ReadonlySet<string> = new Set(),
): PlainSecret[] {
  const secrets: PlainSecret[] = [];
  const used = new Set(taken);
  walk(entry, ({ path, name }) => {
    const suggestedInput = freeInputId(`${serverId}-${name}`, (id) => used.has(id));
    used.add(suggestedInput);
    secrets.push({ path, name, suggestedInput });
    return undefined;
  });
  return secrets;
}

/**
 * The entry with an input in place of each of these secrets, and the values to keep. `Bearer ` and other schemes stay.
 */
export function withInputs(entry: JsonObject, secrets: readonly PlainSecret[]): WithInputs {
  const values = new Map<string, string>();
  const left = [...secrets];
  const replaced = walk(entry, ({ path, name, value }) => {
    const at = left.findIndex((secret) => secret.name === name && isSamePath(secret.path, path));
    if (at === -1) return undefined;
    const [{ suggestedInput }] = left.splice(at, 1) as [PlainSecret];
    values.set(suggestedInput, value);
    return `\${input:${suggestedInput}}`;
  });
  return { entry: replaced, values };
}

function isSamePath(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

// ── the walk ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Found {
  readonly path: readonly (string | number)[];
  readonly name: string;
  /** Literal, with escapes undone. */
  readonly value: string;
}

/** Returns what to write in place of a secret, or undefined to leave it. */
type OnSecret = (found: Found) => string | undefined;

function walk(entry: JsonObject, onSecret: OnSecret): JsonObject {
  const changed: Record<string, Json> = { ...entry };
  const { env, headers, args, url, oauth, auth } = entry;
  if (isJsonObject(env)) changed["env"] = walkRecord(env, "env", false, onSecret);
  if (isJsonObject(headers)) changed["headers"] = walkRecord(headers, "headers", true, onSecret);
  if (Array.isArray(args)) changed["args"] = walkArgs(args, onSecret);
  if (typeof url === "string")
    changed["url"] = walkUrl(url, (name, value) => report(onSecret, ["url"], name, value));
  if (isJsonObject(auth)) changed["auth"] = walkAuth(auth, onSecret);
  if (isJsonObject(oauth) && typeof oauth["clientSecret"] === "string") {
    const path = ["oauth", "clientSecret"];
    changed["oauth"] = {
      ...oauth,
      clientSecret: report(onSecret, path, "clientSecret", oauth["clientSecret"]),
    };
  }
  return changed;
}

/** The written text, or what replaces it. */
function report(onSecret: OnSecret, path: Found["path"], name: string, written: string): string {
  const value = literalOf(written);
  return value === undefined || isHarmless(value) ? written : (onSecret({ path, name, value }) ?? written);
}

/**
 * A reference that the client does not fill in, as `${X}` in Cursor, or a gap that was never filled: kept as a value it
 * would be lost.
 */
const PLACEHOLDER =
  /^(?:\$\{(?:env:|input:)?[A-Za-z_][\w.-]*(?::-[^{}]*)?\}|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]\w*%|\{\{[^{}]*\}\}|<[^<>]*>)$/;

/** A switch, a small number, the path of a file or a placeholder is not a secret, whatever its name. */
function isHarmless(value: string): boolean {
  return (
    PLACEHOLDER.test(value) ||
    /^(?:\s*|true|false|yes|no|on|off|none|null|\d{1,4})$/i.test(value) ||
    /^(?:[/~.]|[A-Za-z]:[\\/]).*\.(?:json|pem|key|crt|env|txt|ya?ml|toml)$/.test(value)
  );
}

/** The login of an API: every value is a secret but those that say how it is sent, and who logs in. */
function walkAuth(auth: JsonObject, onSecret: OnSecret): JsonObject {
  const texts = Object.entries(auth).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const written = Object.fromEntries(texts);
  const entries = Object.entries(auth).map(([key, value]): [string, Json] => [
    key,
    typeof value !== "string" || key === "username" || isOpenAuthKey(written, key)
      ? value
      : report(onSecret, ["auth", key], key, value),
  ]);
  return Object.fromEntries(entries);
}

function walkRecord(record: JsonObject, part: string, isHeader: boolean, onSecret: OnSecret): JsonObject {
  const entries = Object.entries(record).map(([name, value]): [string, Json] => {
    if (typeof value !== "string" || !(isSecretEntry(name, value) || looksSecret(value)))
      return [name, value];
    return [
      name,
      isHeader
        ? afterScheme(value, onSecret, [part, name], name)
        : report(onSecret, [part, name], name, value),
    ];
  });
  return Object.fromEntries(entries);
}

/** `Bearer xyz`: the scheme is not part of the secret. */
function afterScheme(value: string, onSecret: OnSecret, path: Found["path"], name: string): string {
  const [, scheme = "", secret = value] = /^((?:Bearer|Basic|Token)\s+)(\S.*)$/is.exec(value) ?? [];
  return `${scheme}${report(onSecret, path, name, secret)}`;
}

function looksSecret(text: string): boolean {
  return HINTS.test(text) && PATTERNS.some((pattern) => text.search(pattern.find) !== -1);
}

/**
 * `--token xyz`, `--token=xyz`, `-e TOKEN=xyz`, `Authorization: Bearer xyz`, urls, and what looks like a credential.
 */
function walkArgs(args: readonly Json[], onSecret: OnSecret): Json[] {
  return args.map((arg, index) => {
    if (typeof arg !== "string") return arg;
    const path = ["args", index];
    const before = args[index - 1];
    const flag = typeof before === "string" ? /^--?(?!no-)([A-Za-z][\w-]*)$/.exec(before)?.[1] : undefined;
    if (flag !== undefined && isSecretKey(flag) && !arg.startsWith("--"))
      return report(onSecret, path, flag, arg);
    const pair = /^(-{0,2}([A-Za-z][\w.-]*)\s*[=:]\s*)(.+)$/s.exec(arg);
    if (pair !== null && isSecretKey(pair[2]!)) {
      return `${pair[1]}${afterScheme(pair[3]!, onSecret, path, pair[2]!)}`;
    }
    const changed = walkUrl(arg, (name, value) => report(onSecret, path, name, value));
    return changed === arg && !isUrl(arg) && looksSecret(arg)
      ? report(onSecret, path, `arg-${index}`, arg)
      : changed;
  });
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** Names that mean a secret in the query of a url and nowhere else. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(["key", "sig", "signature"]);

/** A password before the host, secret parameters, and what looks like a credential anywhere else in a url. */
function walkUrl(text: string, replace: (name: string, value: string) => string): string {
  if (!isUrl(text)) return text;
  const done = text
    .replace(
      /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/@:]*:)([^\s/@]+)@/,
      (_, before: string, password: string) => `${before}${replace("password", password)}@`,
    )
    .replace(/([?&])([^=&#?]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) => {
      const isSecret = isSecretKey(name) || SECRET_PARAMETERS.has(name.toLowerCase()) || looksSecret(value);
      return isSecret ? `${mark}${name}=${replace(name, value)}` : whole;
    });
  if (done !== text || !HINTS.test(text)) return done;
  const whole = PATTERNS.filter((pattern) => pattern.replacement === REDACTED);
  return whole.reduce((url, pattern) => url.replace(pattern.find, (match) => replace("url", match)), done);
}
