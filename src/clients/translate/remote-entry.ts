import type { Json } from "../../core/json.ts";
import { findHeaderNameProblem } from "../../config/http.ts";
import { asObject } from "../../config/entries/server-check.ts";
import { readPairs, scalarText, type EntryContext } from "./entry-fields.ts";
import type { Bridged } from "./mcp-remote.ts";
import { pairsOfEnv } from "./program-entry.ts";
import { escapeText } from "./references.ts";

type Headers = readonly (readonly [name: string, value: string])[];

/** A server that is reached by its address. */
export function remoteEntry(
  context: EntryContext,
  url: string,
  type: "stdio" | "http" | "sse" | undefined,
): Record<string, Json> {
  const { fields, rewriting } = context;
  const headers = readHeaders(context);
  for (const key of ["env", "environment", "envFile", "cwd", "args"]) {
    if (fields.take(key) !== undefined) fields.note(`Its ${key} is left out: nothing is started for it.`);
  }
  return buildRemote(context, {
    url: rewriting.text(url),
    headers,
    type: type === "stdio" ? undefined : type,
  });
}

/** The server behind a bridge. The bridge fills variables of its own environment into its headers. */
export function bridgedEntry(context: EntryContext, bridged: Bridged): Record<string, Json> {
  const { fields, rewriting } = context;
  const env = new Map(pairsOfEnv(context));
  const used = new Set<string>();
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_]\w*)\}/g, (token, name: string) => {
      used.add(name);
      return env.get(name) ?? token;
    });
  const isName = (name: string): boolean => findHeaderNameProblem(name) === undefined;
  const pairs = readPairs(Object.fromEntries(bridged.headers), {
    label: "headers",
    isName,
    note: fields.note,
  });
  const headers = pairs.map(([name, value]) => [name, rewriting.text(fill(value), true)] as const);
  fields.note("It was reached through mcp-remote; Repertoire reaches it directly.");
  const dropped = [...bridged.dropped, ...[...env.keys()].filter((name) => !used.has(name))];
  if (dropped.length > 0) fields.note("Flags and variables that only mcp-remote needs are left out.");
  const url = rewriting.text(bridged.url);
  const type = bridged.isSse ? "sse" : undefined;
  const remote = buildRemote(context, { url, headers, type });
  return bridged.hidden.length === 0 ? remote : { ...remote, tools: { deny: [...bridged.hidden] } };
}

interface Remote {
  readonly url: string;
  readonly headers: Headers;
  readonly type: "http" | "sse" | undefined;
}

function buildRemote(context: EntryContext, { url, headers, type }: Remote): Record<string, Json> {
  const login = splitLogin(url);
  const hasOwn = headers.some(([name]) => name.toLowerCase() === "authorization");
  const all =
    login.basic === undefined || hasOwn ? headers : [...headers, ["Authorization", login.basic] as const];
  if (login.basic !== undefined) {
    context.fields.note("The user name and password in its url are sent in a header instead.");
  }
  return {
    type: type ?? guessType(context, login.url),
    url: login.url,
    ...(all.length === 0 ? {} : { headers: Object.fromEntries(all) }),
    ...readOAuth(context),
  };
}

/**
 * Clients try both transports where none is given. Here one must be named, and the older one has always lived under
 * this name.
 */
function guessType({ fields }: EntryContext, url: string): "http" | "sse" {
  if (!/\/sse\/?(?:[?#]|$)/i.test(url)) return "http";
  fields.note('Its url ends in /sse, so it is reached over the older transport "sse".');
  return "sse";
}

/** A url with a login is refused by our config. One that is made of variables cannot be taken apart. */
function splitLogin(written: string): { readonly url: string; readonly basic?: string } {
  const parts = /^(https?:\/\/)([^/?#@]*)@(.*)$/is.exec(written);
  if (parts === null || parts[2]!.includes("${")) return { url: written };
  const login = decodePercent(parts[2]!);
  const basic = `Basic ${Buffer.from(login.includes(":") ? login : `${login}:`).toString("base64")}`;
  return { url: `${parts[1]}${parts[3]}`, basic: escapeText(basic) };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Headers as they are, and those of Codex that name the variable which holds them. */
function readHeaders({ fields, rewriting }: EntryContext): Headers {
  const isName = (name: string): boolean => findHeaderNameProblem(name) === undefined;
  const read = (value: unknown) => readPairs(value, { label: "headers", isName, note: fields.note });
  const plain = read(listedHeaders(fields.take("headers", "http_headers", "requestHeaders")));
  const named = read(fields.take("env_http_headers")).filter(([, name]) => /^[A-Za-z_]\w*$/.test(name));
  const bearer = fields.text("bearer_token_env_var");
  const token = fields.text("bearer_token", "bearerToken");
  const headers = new Map<string, readonly [string, string]>();
  const add = (name: string, value: string): void => {
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), [name, value]);
  };
  if (bearer !== undefined && /^[A-Za-z_]\w*$/.test(bearer)) add("Authorization", `Bearer \${${bearer}}`);
  for (const [name, variable] of named) add(name, `\${${variable}}`);
  for (const [name, value] of plain) add(name, rewriting.text(value));
  if (token !== undefined) add("Authorization", `Bearer ${rewriting.text(token)}`);
  return [...headers.values()];
}

/** Some files have a list of `Name: value`. */
function listedHeaders(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(
    value.flatMap((line) => {
      const text = scalarText(line) ?? "";
      const colon = text.indexOf(":");
      return colon < 1 ? [] : [[text.slice(0, colon).trim(), text.slice(colon + 1).trim()]];
    }),
  );
}

/** What a login needs to know, in the spellings of several clients. */
function readOAuth({ fields, rewriting }: EntryContext): Record<string, Json> {
  const settings = asObject(fields.take("oauth", "auth")) ?? {};
  const text = (...keys: string[]): string | undefined => {
    const found = keys.map((key) => settings[key]).find((value) => typeof value === "string" && value !== "");
    return typeof found === "string" ? rewriting.text(found) : undefined;
  };
  const clientId = text("clientId", "client_id", "CLIENT_ID");
  const clientSecret = text("clientSecret", "client_secret", "CLIENT_SECRET");
  const listed = fields.take("scopes") ?? settings["scopes"];
  const scopes = (Array.isArray(listed) ? listed : []).filter(
    (scope) => typeof scope === "string" && scope !== "",
  );
  const oauth = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scopes.length === 0 ? {} : { scopes: scopes.map((scope: string) => rewriting.text(scope)) }),
  };
  return Object.keys(oauth).length === 0 ? {} : { oauth };
}
