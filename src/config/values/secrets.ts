/**
 * One walk over a transport both finds its secrets and hides them, so that what is hidden and what is known to the
 * redactor cannot drift apart. `collectSecrets` walks the expanded transport, `maskTransport` the written one.
 */
import { mapIsolation } from "../../process/isolation/isolation.ts";
import { parseJson } from "../../core/json.ts";
import { createRedactor, isSecretKey, PATTERNS, REDACTED, secretsUnderKeys } from "../../text/redaction.ts";
import type { LlmConfig, OpenApiTransport, ServerTransport } from "../config.ts";
import { isOpenAuthKey } from "../entries/api-auth.ts";
import { compareText } from "../../text/compare-text.ts";
import { isWholeReference } from "./expand.ts";

/** Names that mean a secret behind two dashes and nowhere else. */
const SECRET_FLAGS: ReadonlySet<string> = new Set(["pass", "pw", "key"]);

type OnSecret = (value: string) => void;

/** Names that mean a secret in the query of a url and nowhere else. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(["key", "sig", "signature"]);

/**
 * The exact values in a transport that must be redacted everywhere. Values under plain names, such as PATH, are not
 * secrets.
 */
export function collectSecrets(transport: ServerTransport): string[] {
  const secrets: string[] = [];
  maskTransport(transport, (value) => secrets.push(value));
  return secrets;
}

/** The same for the endpoint of a model: it is reached like a remote server with a bearer token. */
export function collectLlmSecrets({ url, apiKey }: LlmConfig): string[] {
  const headers: Record<string, string> = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  return collectSecrets({ kind: "http", url, headers });
}

/** Each once, the longest first: one secret may contain another. */
export function arrangeSecrets(secrets: Iterable<string>): string[] {
  const distinct = [...new Set(secrets)].filter((secret) => secret.trim() !== "");
  return distinct.sort((a, b) => b.length - a.length || compareText(a, b));
}

/** The transport without the values of its env and headers, and without the secrets in its arguments and url. */
export function maskTransport(transport: ServerTransport, onSecret: OnSecret = () => {}): ServerTransport {
  if (transport.kind === "openapi") return maskApi(transport, onSecret);
  if (transport.kind !== "stdio") {
    const headers = maskEntries(transport.headers, (name, value) => reportHeader(name, value, onSecret));
    return { kind: transport.kind, url: maskUrl(transport.url, onSecret), headers };
  }
  const env = maskEntries(transport.env, (name, value) => {
    if (isSecretEntry(name, value)) onSecret(value);
    maskUrl(value, onSecret);
  });
  return {
    ...transport,
    command: maskUrl(transport.command, onSecret),
    args: maskArgs(transport.args, onSecret),
    env,
    ...(transport.isolation !== undefined && {
      isolation: mapIsolation(transport.isolation, (text) => maskUrl(text, onSecret)),
    }),
  };
}

function maskApi(transport: OpenApiTransport, onSecret: OnSecret): OpenApiTransport {
  const { location, baseUrl, auth } = transport;
  return {
    ...transport,
    location: maskUrl(location, onSecret),
    ...(baseUrl !== undefined && { baseUrl: maskUrl(baseUrl, onSecret) }),
    headers: maskEntries(transport.headers, (name, value) => reportHeader(name, value, onSecret)),
    auth: Object.fromEntries(
      Object.entries(auth).map(([key, value]) => [
        key,
        isOpenAuthKey(auth, key) ? value : maskAuth(key, value, onSecret),
      ]),
    ),
  };
}

/** A user's name is hidden, and is no secret: it is a word that answers may hold. */
function maskAuth(key: string, value: string, onSecret: OnSecret): string {
  if (key !== "username") {
    onSecret(value);
    // By the name of a basic scheme: the password is sent behind the name, and may be echoed without it.
    const password = /^[^:]+:(.+)$/s.exec(value)?.[1];
    if (password !== undefined) onSecret(password);
  }
  return hide(value);
}

function maskEntries(
  entries: Readonly<Record<string, string>>,
  report: (name: string, value: string) => void,
): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(entries)) {
    report(name, value);
    masked[name] = hide(value);
  }
  return masked;
}

function reportHeader(name: string, value: string, onSecret: OnSecret): void {
  if (!isSecretEntry(name, value)) return;
  onSecret(value);
  if (/cookie$/i.test(name)) {
    for (const pair of value.split(";")) onSecret(pair.slice(pair.indexOf("=") + 1).trim());
    return;
  }
  // "Bearer xyz": a server that echoes the token echoes it without the scheme.
  const token = /^\S+\s+(\S.*)$/.exec(value)?.[1];
  if (token !== undefined) onSecret(token);
}

/** `--token xyz`, `--token=xyz`, `-e TOKEN=xyz`, `--header "Authorization: Bearer xyz"`, and urls. */
function maskArgs(args: readonly string[], onSecret: OnSecret): string[] {
  return args.map((arg, index) => {
    if (isSecretFlag(args[index - 1]) && !arg.startsWith("--")) {
      onSecret(arg);
      return hide(arg);
    }
    return maskPair(arg, onSecret) ?? maskJson(arg, onSecret) ?? maskUrl(arg, onSecret);
  });
}

/** Settings that are given as one argument of JSON. */
function maskJson(arg: string, onSecret: OnSecret): string | undefined {
  if (!/^\s*[{[]/.test(arg)) return undefined;
  const parsed = parseJson(arg);
  if (!parsed.ok) return undefined;
  const secrets = secretsUnderKeys(parsed.value).filter((secret) => !isWholeReference(secret));
  if (secrets.length === 0) return undefined;
  for (const secret of secrets) onSecret(secret);
  return createRedactor().text(arg);
}

function isSecretFlag(arg: string | undefined): boolean {
  const flag = arg === undefined ? null : /^--?(?!no-)([A-Za-z][\w-]*)$/.exec(arg);
  return flag !== null && (isSecretKey(flag[1]!) || SECRET_FLAGS.has(flag[1]!.toLowerCase()));
}

function maskPair(arg: string, onSecret: OnSecret): string | undefined {
  const pair = /^(-{0,2}([A-Za-z][\w.-]*)\s*[=:]\s*)(.+)$/s.exec(arg);
  if (pair === null || !isSecretKey(pair[2]!)) return undefined;
  reportHeader(pair[2]!, pair[3]!, onSecret);
  return `${pair[1]}${hide(pair[3]!)}`;
}

/** Hides a password before the host and secret parameters of the query; any text without them stays as it is. */
function maskUrl(text: string, onSecret: OnSecret): string {
  const report = (value: string): string => {
    onSecret(value);
    onSecret(decodePercent(value));
    return hide(value);
  };
  return text
    .replace(
      /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/@:]*:)([^\s/]+)@/,
      (_, before: string, password: string) => `${before}${report(password)}@`,
    )
    .replace(/([?&])([^=&#?]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) => {
      const parameter = decodePercent(name);
      const secret = isSecretKey(parameter) || SECRET_PARAMETERS.has(parameter.toLowerCase());
      return secret ? `${mark}${name}=${report(value)}` : whole;
    })
    .replace(TOKENS, report);
}

/** A token that is recognised by its form, wherever it is: `ghp_…` as the only argument, or under a plain name. */
const TOKENS = new RegExp(
  PATTERNS.filter(({ replacement, hint }) => replacement === REDACTED && hint !== "-----BEGIN")
    .map(({ find }) => find.source)
    .join("|"),
  "g",
);

function hide(value: string): string {
  return isWholeReference(value) ? value : REDACTED;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** `OPENAI_KEY`, `Ocp-Apim-Subscription-Key`; a public key is for everybody. */
const KEY_NAME = /^(?!.*public).*(?:^|[_-])key$/i;
/** One long word with letters and digits, and no path: no column or button has such a name. */
const DRAWN_BY_LOT = /^(?![/~.])(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w.+/=:~-]{16,}$/;

/**
 * Whether a variable or a header holds a secret. `SORT_KEY=created_at` does not; a name that says more needs no look at
 * the value.
 */
export function isSecretEntry(name: string, value: string): boolean {
  return isSecretKey(name) || (KEY_NAME.test(name) && DRAWN_BY_LOT.test(value));
}
