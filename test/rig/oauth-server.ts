/**
 * A protected MCP server and its authorization server on loopback, in one process, by the book: protected resource metadata,
 * PKCE, registration, rotating refresh tokens that may be used once, revocation. What it does wrong is scripted. Every request
 * is on record.
 */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, jwtVerify } from "jose";
import { onTestFinished } from "vitest";

export interface OAuthScript {
  /** Fields in place of those of the documents; `undefined` takes one away. */
  readonly resourceMetadata?: Readonly<Record<string, unknown>>;
  readonly serverMetadata?: Readonly<Record<string, unknown>>;
  /** In place of the address of the protected resource metadata in the challenge. */
  readonly resourceMetadataUrl?: string;
  readonly scopes?: readonly string[];
  /** The scope that calling a tool takes. */
  readonly callScope?: string;
  /** Parameters that the answer to the browser has beside the right ones, or in place of them; `undefined` takes one away. */
  readonly callback?: Readonly<Record<string, string | undefined>>;
  /** Answers to the token endpoint instead of tokens. */
  readonly tokenAnswers?: (grant: string) => { status: number; body: unknown } | undefined;
  /** The MCP server takes everybody. */
  readonly isOpen?: boolean;
  /** Neither of the two has metadata. */
  readonly isSilent?: boolean;
  readonly withIdToken?: boolean;
}

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface OAuthRig {
  readonly url: string;
  readonly issuer: string;
  readonly seen: Seen[];
  /** What arrived at this path. */
  at(path: string): Seen[];
  /** Access tokens that were given so far are no longer taken. */
  expireTokens(): void;
  /** Refresh tokens that were given so far are no longer taken. */
  endLogins(): void;
  /** What a browser does: follows the page to where it sends it, without going there. */
  follow(authorizationUrl: URL): Promise<URL>;
  script: OAuthScript;
  close(): void;
}

const key = createHash("sha256").update(randomUUID()).digest();

/** Closed after the test. */
export async function startOAuthServer(script: OAuthScript = {}): Promise<OAuthRig> {
  const rig = await launchOAuthServer(script);
  onTestFinished(() => rig.close());
  return rig;
}

/** The caller closes it. */
export async function launchOAuthServer(script: OAuthScript = {}): Promise<OAuthRig> {
  const server: Server = createServer((request, response) => {
    response.on("error", () => {});
    void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen: Seen[] = [];
  const codes = new Map<string, { challenge: string; redirect: string; client: string; scope: string }>();
  const refreshTokens = new Map<string, { client: string; scope: string }>();
  const spentTokens = new Set<string>();
  const clients = new Set<string>();
  let generation = 0;

  const rig: OAuthRig = {
    url: `${issuer}/mcp`,
    issuer,
    seen,
    script,
    at: (path) => seen.filter((one) => one.path === path),
    expireTokens: () => void generation++,
    endLogins: () => refreshTokens.clear(),
    async follow(authorizationUrl) {
      const answer = await fetch(authorizationUrl, { redirect: "manual" });
      const location = answer.headers.get("location");
      if (location === null) throw new Error(`the page sent nobody back: ${await answer.text()}`);
      return new URL(location);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", issuer);
    const body = await textOf(request);
    seen.push({ method: request.method ?? "", path: url.pathname, headers: request.headers, body });
    const form = new URLSearchParams(body);
    if (rig.script.isSilent && url.pathname.startsWith("/.well-known/")) {
      return void response.writeHead(404).end();
    }
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return sendJson(response, 200, {
          resource: `${issuer}/mcp`,
          authorization_servers: [issuer],
          ...(rig.script.scopes && { scopes_supported: rig.script.scopes }),
          ...rig.script.resourceMetadata,
        });
      case "/.well-known/oauth-authorization-server":
        return sendJson(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
          ...rig.script.serverMetadata,
        });
      case "/register": {
        const client = randomUUID();
        clients.add(client);
        return sendJson(response, 201, { ...(JSON.parse(body) as object), client_id: client });
      }
      case "/authorize":
        return authorize(url, response);
      case "/token":
        return token(form, response);
      case "/revoke":
        refreshTokens.delete(form.get("token") ?? "");
        return sendJson(response, 200, {});
      case "/mcp":
        return serve(request, body, response);
      default:
        return void response.writeHead(404).end();
    }
  }

  function authorize(url: URL, response: ServerResponse): void {
    const asked = url.searchParams;
    const code = randomUUID();
    if (asked.get("code_challenge_method") !== "S256") return void response.writeHead(400).end("no PKCE");
    codes.set(code, {
      challenge: asked.get("code_challenge") ?? "",
      redirect: asked.get("redirect_uri") ?? "",
      client: asked.get("client_id") ?? "",
      scope: asked.get("scope") ?? "",
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    const parameters = { code, state: asked.get("state") ?? "", iss: issuer, ...rig.script.callback };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) back.searchParams.set(name, value);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const grant = form.get("grant_type") ?? "";
    const scripted = rig.script.tokenAnswers?.(grant);
    if (scripted !== undefined) return sendJson(response, scripted.status, scripted.body);
    const refused = (error: string): void => sendJson(response, 400, { error });
    if (grant === "refresh_token") {
      const old = form.get("refresh_token") ?? "";
      const login = refreshTokens.get(old);
      // Used once: a second use means that it was stolen, and everything ends.
      if (spentTokens.has(old)) refreshTokens.clear();
      if (login === undefined || login.client !== form.get("client_id")) return refused("invalid_grant");
      refreshTokens.delete(old);
      spentTokens.add(old);
      return sendJson(response, 200, await tokensFor(login));
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || code.challenge !== verifier) return refused("invalid_grant");
    if (code.redirect !== form.get("redirect_uri") || code.client !== form.get("client_id")) {
      return refused("invalid_grant");
    }
    sendJson(response, 200, await tokensFor(code));
  }

  async function tokensFor({ client, scope }: { client: string; scope: string }): Promise<object> {
    const refresh = randomUUID();
    refreshTokens.set(refresh, { client, scope });
    const sign = (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setIssuer(issuer).sign(key);
    return {
      access_token: await sign({ scope, generation, id: randomUUID() }),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: refresh,
      ...(scope !== "" && { scope }),
      ...(rig.script.withIdToken && { id_token: await sign({ sub: "u1", email: "ada@example.com" }) }),
    };
  }

  async function serve(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const scope = rig.script.isOpen ? "" : await scopeOf(request.headers.authorization);
    if (scope === undefined) {
      const metadata = rig.script.resourceMetadataUrl ?? `${issuer}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method: string };
    const wanted = message.method === "tools/call" ? rig.script.callScope : undefined;
    if (wanted !== undefined && !scope.split(" ").includes(wanted)) {
      const challenge = `Bearer error="insufficient_scope", scope="${wanted}"`;
      return void response.writeHead(403, { "www-authenticate": challenge }).end();
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    sendJson(response, 200, { jsonrpc: "2.0", id: message.id, ...answerOf(message.method) });
  }

  async function scopeOf(authorization: string | undefined): Promise<string | undefined> {
    try {
      const { payload } = await jwtVerify(authorization?.replace(/^Bearer /, "") ?? "", key, { issuer });
      return payload["generation"] === generation ? String(payload["scope"]) : undefined;
    } catch {
      return undefined;
    }
  }

  return rig;
}

function answerOf(method: string): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "protected", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: "hello" }] } };
    default:
      return { error: { code: -32601, message: `no ${method}` } };
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
