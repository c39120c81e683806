/**
 * Who we are to an authorization server: configured, known from an earlier login, named by a document, or newly
 * registered.
 */
import {
  registerClient,
  type AuthorizationServerMetadata,
  type OAuthClientInformationMixed,
} from "@modelcontextprotocol/client";
import { AuthorizationFailed, reasonOf } from "./authorization-failed.ts";
import type { Discovery } from "./discovery.ts";
import type { Fetch } from "../../net/http-client.ts";
import type { LoginRecord } from "./record.ts";

/** What the user says about the login to a server. */
export interface OAuthSettings {
  /** A name that the authorization server gave, or the https URL of a client metadata document. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
}

export interface ClientChoice {
  readonly discovery: Discovery;
  readonly settings: OAuthSettings;
  readonly previous: LoginRecord | undefined;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly fetch: Fetch;
}

export async function chooseClient(choice: ClientChoice): Promise<OAuthClientInformationMixed> {
  const { discovery, settings, previous, redirectUrl } = choice;
  const { clientId, clientSecret } = settings;
  const isDocument = clientId !== undefined && isDocumentUrl(clientId);
  if (clientId !== undefined && !isDocument) {
    requireSameIssuer(clientId, previous, discovery.issuer);
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  }
  if (isDocument && discovery.metadata?.client_id_metadata_document_supported === true) {
    return { client_id: clientId };
  }
  const isKnown =
    previous?.issuer === discovery.issuer &&
    previous.redirectUrl === redirectUrl &&
    !isExpired(previous.client) &&
    "redirect_uris" in previous.client;
  return isKnown ? previous.client : register(choice);
}

/** A secret that belongs to one authorization server is not shown to another because a server says so. */
function requireSameIssuer(clientId: string, previous: LoginRecord | undefined, issuer: string): void {
  if (previous === undefined || previous.client.client_id !== clientId || previous.issuer === issuer) return;
  throw new AuthorizationFailed(
    `the server has turned from ${previous.issuer} to ${issuer}, and the configured client belongs to the former`,
  );
}

async function register({
  discovery,
  redirectUrl,
  scope,
  fetch,
}: ClientChoice): Promise<OAuthClientInformationMixed> {
  const { metadata, authorizationServerUrl } = discovery;
  if (metadata !== undefined && metadata.registration_endpoint === undefined) {
    throw new AuthorizationFailed(
      `${discovery.issuer} does not register clients by itself; register one there and put its clientId into oauth of this server`,
    );
  }
  try {
    return await registerClient(authorizationServerUrl, {
      metadata,
      clientMetadata: {
        client_name: "Repertoire",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: authMethodFor(metadata),
        application_type: "native",
      },
      scope,
      fetchFn: fetch,
    });
  } catch (cause) {
    throw new AuthorizationFailed(`the client was not registered: ${reasonOf(cause)}`, { cause });
  }
}

/** A program on the user's machine keeps no secret of its own, unless the authorization server insists. */
function authMethodFor(metadata: AuthorizationServerMetadata | undefined): string {
  const supported = metadata?.token_endpoint_auth_methods_supported;
  if (supported === undefined || supported.includes("none")) return "none";
  return ["client_secret_basic", "client_secret_post"].find((method) => supported.includes(method)) ?? "none";
}

function isDocumentUrl(clientId: string): boolean {
  const url = URL.parse(clientId);
  return url?.protocol === "https:" && url.pathname !== "/";
}

function isExpired(client: OAuthClientInformationMixed): boolean {
  const { client_secret_expires_at: expiresAt } = client as { client_secret_expires_at?: number };
  return expiresAt !== undefined && expiresAt !== 0 && expiresAt * 1000 <= Date.now();
}
