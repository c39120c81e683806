/**
 * What is known of the login to one server, as one value in the secret store, by the server's id and URL. Everything in
 * it belongs to one issuer: a client or a token that one authorization server gave is never shown to another.
 */
import { createHash } from "node:crypto";
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { parseJson } from "../../core/json.ts";
import type { SecretStore } from "../../core/secret-store.ts";

export interface LoginRecord {
  readonly issuer: string;
  readonly authorizationServerUrl: string;
  readonly metadata?: AuthorizationServerMetadata;
  /** What the tokens are for, as the server calls itself. */
  readonly resource?: string;
  readonly client: OAuthClientInformationMixed;
  /** Where the client was registered to be called back. */
  readonly redirectUrl: string;
  /** None after a login that has ended. */
  readonly tokens?: OAuthTokens;
  /** What the server asked for beyond what was granted; the next login asks for it as well. */
  readonly wantedScope?: string;
}

export interface LoginRecords {
  read(): Promise<LoginRecord | undefined>;
  write(record: LoginRecord): Promise<void>;
  /** Says whether there was one. */
  remove(): Promise<boolean>;
  /** No other process reads, refreshes and writes meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** The record of one server. The URL is hashed: it may hold a secret, and the name of a value is not protected. */
export function openRecords(store: SecretStore, server: string, url: URL): LoginRecords {
  const key = `oauth:${server}:${createHash("sha256").update(url.href).digest("hex").slice(0, 32)}`;
  return {
    async read() {
      const text = await store.get(key);
      return text === undefined ? undefined : parseRecord(text);
    },
    write: (record) => store.set(key, JSON.stringify(record)),
    remove: () => store.delete(key),
    exclusive: (work) => store.exclusive(key, work),
  };
}

/** A record that is not whole is no record: the user logs in again. */
function parseRecord(text: string): LoginRecord | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return undefined;
  const record = parsed.value as unknown as LoginRecord;
  const texts = [record.issuer, record.authorizationServerUrl, record.redirectUrl, record.client?.client_id];
  const isWhole = texts.every((part) => typeof part === "string");
  const { tokens } = record;
  return isWhole && (tokens === undefined || typeof tokens.access_token === "string") ? record : undefined;
}
