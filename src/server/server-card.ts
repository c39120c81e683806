/**
 * The Server Card of the gateway and of each profile (SEP-2127): who it is and how it is reached, for clients that have
 * not connected yet.
 *
 * It is told without a token, so it says nothing that a stranger may not know: nothing of the servers and of what they
 * offer, and the same for a profile whether there is one of that name or not. Of a server that is fronted as it is, it
 * says nothing either: the endpoint is the gateway's.
 */
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import { VERSION } from "../core/version.ts";
import type { GateOAuth } from "./auth/gate.ts";
import { baseFor, metadataUrlOf } from "./auth/resource-metadata.ts";
import { headerOf, type HttpCall } from "./http/http-call.ts";
import { MODERN_VERSION } from "./http/modern-endpoint.ts";
import { replyJson } from "./http/reply.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const MEDIA_TYPE = "application/mcp-server-card+json";
/** As in the registry of MCP servers. */
const NAME = "io.github.repertoire-mcp/repertoire";
const PATH = /^(\/mcp(?:\/[a-z0-9_-]{1,64})?)\/server-card$/;
/** What it says changes with a new version. */
const KEPT_SECONDS = 3600;

/** The path of the endpoint whose card is asked for. */
export function cardOf({ request: { method }, path }: HttpCall): string | undefined {
  return method === "GET" || method === "HEAD" ? PATH.exec(path)?.[1] : undefined;
}

interface CardDeps {
  readonly bases: readonly string[];
  readonly oauth?: Pick<GateOAuth, "issuer"> | undefined;
  /** Whether any page may read it, as the protocol has it; else only those of the allowed origins. */
  readonly isPublic: boolean;
}

export function replyCard(call: HttpCall, endpoint: string, { bases, oauth, isPublic }: CardDeps): void {
  const base = baseFor(headerOf(call, "host"), bases);
  replyJson(call.response, 200, serverCard(base, endpoint, oauth !== undefined), {
    "Content-Type": MEDIA_TYPE,
    "Cache-Control": `public, max-age=${KEPT_SECONDS}`,
    "X-Content-Type-Options": "nosniff",
    ...(isPublic && {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "GET",
      "Access-Control-Allow-Headers": "Content-Type",
    }),
    // Sockets without a token are few.
    Connection: "close",
  });
}

function serverCard(base: string, endpoint: string, hasIssuer: boolean): JsonObject {
  const authorization = {
    name: "Authorization",
    description: hasIssuer
      ? "Bearer and an access token of the authorization server, or a token of the gateway"
      : "Bearer and a token of the gateway",
    isRequired: true,
    isSecret: true,
  };
  const remote = {
    type: "streamable-http",
    url: base + endpoint,
    headers: [authorization],
    supportedProtocolVersions: [MODERN_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS],
  };
  return {
    $schema: SCHEMA,
    name: NAME,
    title: "Repertoire",
    description: "One MCP endpoint in front of many MCP servers. It keeps what worked as a tool.",
    version: VERSION,
    remotes: [remote],
    ...(hasIssuer && { _meta: { [METADATA_KEY]: metadataUrlOf(base, endpoint) } }),
  };
}

/** Where a client reads whose tokens are taken (RFC 9728). */
const METADATA_KEY = "io.github.repertoire-mcp/protectedResourceMetadata";
