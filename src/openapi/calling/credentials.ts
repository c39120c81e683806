/**
 * What an operation needs to be let in, of what the config has. A scheme of the description says where a value goes; whether it
 * goes anywhere is decided by the origin, not here.
 */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import type { CallPlan, SecurityScheme } from "../api-description.ts";

/** `auth` of the config: of one kind for all operations, or values by the names of the description's schemes. */
export type ApiAuth = Readonly<Record<string, string>>;

export interface Credentials {
  /** By lower-case name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
}

export const NO_CREDENTIALS: Credentials = { headers: [], query: [], cookies: [] };

interface CredentialsDeps {
  /** The id of the server, for messages. */
  readonly server: string;
  readonly auth: ApiAuth;
  /** Those of the config: one that a scheme names is its value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
}

/** Fails where the operation is open to nobody without a scheme that the config has no value for. */
export function credentialsFor(
  security: CallPlan["security"],
  deps: CredentialsDeps,
): ToolResult<Credentials> {
  const typed = typedCredentials(deps.auth);
  const found = security
    .filter((names) => names.length > 0)
    .map((names) => names.map((name) => credentialsOf(name, typed, deps)))
    .find((all) => all.every((one) => one !== undefined));
  if (found !== undefined) return succeed(joined(found));
  const isOpen = security.length === 0 || security.some((names) => names.length === 0);
  return isOpen ? succeed(typed ?? NO_CREDENTIALS) : refuse(security, deps);
}

const TYPES: ReadonlySet<string> = new Set(["bearer", "basic", "apiKey"]);

/** Whether `auth` is of one kind, and not by the names of schemes. */
function isTyped({ type }: ApiAuth): boolean {
  return type !== undefined && TYPES.has(type);
}

/** The names of schemes in `auth` that the description does not have. */
export function unknownSchemes(auth: ApiAuth, schemes: ReadonlyMap<string, SecurityScheme>): string[] {
  return isTyped(auth) ? [] : Object.keys(auth).filter((name) => !schemes.has(name));
}

function typedCredentials(auth: ApiAuth): Credentials | undefined {
  if (!isTyped(auth)) return undefined;
  const { type, token = "", username = "", password = "", in: place, name = "", value = "" } = auth;
  if (type === "bearer") return authorization(`Bearer ${token}`);
  if (type === "basic") return authorization(basic(`${username}:${password}`));
  return apiKey(place === "query" || place === "cookie" ? place : "header", name, value);
}

function credentialsOf(
  name: string,
  typed: Credentials | undefined,
  { auth, headers, schemes }: CredentialsDeps,
): Credentials | undefined {
  const scheme = schemes.get(name);
  if (scheme === undefined || scheme.kind === "unknown") return undefined;
  const value = isTyped(auth) || !Object.hasOwn(auth, name) ? undefined : auth[name];
  if (value !== undefined) return valueOf(scheme, value);
  if (typed !== undefined && fits(scheme, auth)) return typed;
  const header =
    scheme.kind === "apiKey" ? (scheme.in === "header" ? scheme.name : undefined) : "authorization";
  const isGiven = Object.keys(headers).some((one) => one.toLowerCase() === header?.toLowerCase());
  return isGiven ? NO_CREDENTIALS : undefined;
}

function valueOf(scheme: SecurityScheme, value: string): Credentials | undefined {
  switch (scheme.kind) {
    case "bearer":
      return authorization(`Bearer ${value}`);
    case "basic":
      return authorization(basic(value));
    case "http":
      return authorization(`${scheme.scheme} ${value}`);
    case "apiKey":
      return apiKey(scheme.in, scheme.name, value);
    case "unknown":
      return undefined;
  }
}

function fits(scheme: SecurityScheme, { type, in: place, name }: ApiAuth): boolean {
  if (scheme.kind !== "apiKey") return scheme.kind === type;
  return type === "apiKey" && scheme.in === place && scheme.name.toLowerCase() === name?.toLowerCase();
}

function authorization(value: string): Credentials {
  return { ...NO_CREDENTIALS, headers: [["authorization", value]] };
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function apiKey(place: "header" | "query" | "cookie", name: string, value: string): Credentials {
  if (place === "header") return { ...NO_CREDENTIALS, headers: [[name.toLowerCase(), value]] };
  return place === "query"
    ? { ...NO_CREDENTIALS, query: [[name, value]] }
    : { ...NO_CREDENTIALS, cookies: [[name, value]] };
}

function joined(all: readonly (Credentials | undefined)[]): Credentials {
  const there = all.filter((one) => one !== undefined);
  return {
    headers: there.flatMap(({ headers }) => headers),
    query: there.flatMap(({ query }) => query),
    cookies: there.flatMap(({ cookies }) => cookies),
  };
}

function refuse(security: CallPlan["security"], { server, schemes }: CredentialsDeps): ToolResult<never> {
  const first = security.find((names) => names.length > 0) ?? [];
  const named = first.map((name) => quote(name)).join(" and ");
  const isUnknown = first.some((name) => (schemes.get(name)?.kind ?? "unknown") === "unknown");
  return fail(
    "TOOL_UNAVAILABLE",
    `The operation needs the login ${named}, which the config does not have. Nothing was sent.`,
    {
      reason: "auth_required",
      retryable: false,
      hint: isUnknown
        ? `Ask the user to put the login into "headers" of the server ${server} in the config: the description does not say how it is sent.`
        : `Ask the user to set "auth": {${first.map((name) => `${quote(name)}: "…"`).join(", ")}} of the server ${server} in the config.`,
    },
  );
}
