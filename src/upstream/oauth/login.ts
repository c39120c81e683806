/**
 * Logging in to a remote server and out of it, with the user at hand. Neither throws; what went wrong is in the
 * outcome.
 */
import { selectClientAuthMethod, type AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { SecretStore } from "../../core/secret-store.ts";
import { createServerHttp, type ServerHttp } from "../transport/server-http.ts";
import { reasonOf } from "./authorization-failed.ts";
import { authorizeAt, type AuthorizationWay } from "./authorize.ts";
import { challengeOf, type Challenge } from "./challenge.ts";
import type { OAuthSettings } from "./client.ts";
import { discover } from "./discovery.ts";
import { openRecords, type LoginRecord } from "./record.ts";

/** One remote server, for its login. */
export interface LoginServer {
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: OAuthSettings;
}

export type LoginOutcome =
  | {
      readonly kind: "logged_in";
      readonly issuer: string;
      readonly account?: string;
      readonly scope?: string;
    }
  /** The server takes everybody, and names no authorization server. */
  | { readonly kind: "not_needed" }
  | { readonly kind: "failed"; readonly reason: string };

export type LogoutOutcome =
  | { readonly kind: "logged_out"; readonly revocation: "revoked" | "not_offered" | "failed" }
  | { readonly kind: "not_logged_in" };

/** Where the last login was called back: the next one uses it again and needs no new registration. */
export async function lastRedirectUrl(
  server: LoginServer,
  secrets: SecretStore,
): Promise<string | undefined> {
  return (await openRecords(secrets, server.id, new URL(server.url)).read())?.redirectUrl;
}

/** Whether there are tokens of an earlier login. */
export async function hasTokens(server: LoginServer, secrets: SecretStore): Promise<boolean> {
  return (await openRecords(secrets, server.id, new URL(server.url)).read())?.tokens !== undefined;
}

export async function logIn(
  server: LoginServer,
  secrets: SecretStore,
  way: AuthorizationWay,
): Promise<LoginOutcome> {
  const http = createServerHttp(server);
  const records = openRecords(secrets, server.id, http.url);
  const { policy, quickFetch: fetch } = http;
  try {
    const { challenge, isDenied } = await knock(http);
    const discovery = await discover({ serverUrl: http.url, fetch, policy }, challenge);
    if (!isDenied && !discovery.isDescribed) return { kind: "not_needed" };
    const previous = await records.read();
    const { settings } = server;
    const deps = { serverUrl: http.url, fetch, policy, settings, way, challenge, previous };
    const record = await authorizeAt(discovery, deps);
    await records.exclusive(() => records.write(record));
    return outcomeOf(record);
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  } finally {
    http.close();
  }
}

/** Ends the login at the authorization server where that can be done, and forgets it in any case. */
export async function logOut(server: LoginServer, secrets: SecretStore): Promise<LogoutOutcome> {
  const http = createServerHttp(server);
  const records = openRecords(secrets, server.id, http.url);
  try {
    return await records.exclusive(async () => {
      const record = await records.read();
      if (!(await records.remove())) return { kind: "not_logged_in" };
      return { kind: "logged_out", revocation: await revoke(record, http) };
    });
  } finally {
    http.close();
  }
}

/** Asks without a token, to hear what the server wants for one. */
async function knock({ url, quickFetch }: ServerHttp): Promise<{ challenge: Challenge; isDenied: boolean }> {
  const response = await quickFetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await response.body?.cancel();
  const isDenied = response.status === 401;
  return { challenge: isDenied ? challengeOf(response) : {}, isDenied };
}

function outcomeOf({ issuer, tokens }: LoginRecord): LoginOutcome {
  return { kind: "logged_in", issuer, account: accountOf(tokens?.id_token), scope: tokens?.scope };
}

/**
 * For people only: nothing is decided by it. It came from the token endpoint itself, so its signature says nothing
 * more.
 */
function accountOf(idToken: string | undefined): string | undefined {
  try {
    const [, payload = ""] = idToken?.split(".") ?? [];
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    return [claims["email"], claims["preferred_username"], claims["name"], claims["sub"]].find(
      (claim): claim is string => typeof claim === "string" && claim !== "",
    );
  } catch {
    return undefined;
  }
}

async function revoke(
  record: LoginRecord | undefined,
  http: ServerHttp,
): Promise<"revoked" | "not_offered" | "failed"> {
  const endpoint = (record?.metadata as { revocation_endpoint?: unknown } | undefined)?.revocation_endpoint;
  if (record?.tokens === undefined || typeof endpoint !== "string") return "not_offered";
  const { access_token: accessToken, refresh_token: refreshToken } = record.tokens;
  try {
    // The refresh token first: with it goes, on most servers, everything that came of it.
    for (const [hint, token] of [
      ["refresh_token", refreshToken],
      ["access_token", accessToken],
    ] as const) {
      if (token === undefined) continue;
      const request = withClient(record, new URLSearchParams({ token, token_type_hint: hint }));
      const response = await http.quickFetch(endpoint, { method: "POST", ...request });
      await response.body?.cancel();
      if (!response.ok) return "failed";
    }
    return "revoked";
  } catch {
    return "failed";
  }
}

function withClient({ client, metadata }: LoginRecord, body: URLSearchParams): RequestInit {
  const { client_id: id, client_secret: secret } = client;
  const supported = (metadata as AuthorizationServerMetadata).token_endpoint_auth_methods_supported ?? [];
  const method = selectClientAuthMethod(client, supported);
  if (method === "client_secret_basic" && secret !== undefined) {
    return { body, headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` } };
  }
  body.set("client_id", id);
  if (method === "client_secret_post" && secret !== undefined) body.set("client_secret", secret);
  return { body };
}
