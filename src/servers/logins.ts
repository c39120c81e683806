/**
 * Logging in to the configured servers and out of them: what the command line needs of the config, the upstream room
 * and the secrets.
 */
import type { Config, ServerConfig } from "../config/config.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { SecretProtection, SecretStore } from "../core/secret-store.ts";
import type { AuthorizationWay } from "../upstream/oauth/authorize.ts";
import type { LoginServer } from "../upstream/oauth/login.ts";
import { refuseUnusable } from "./waiting-server.ts";

export type { AuthorizationWay } from "../upstream/oauth/authorize.ts";

/** What came of a login, for people. */
export interface LoginView {
  readonly server: string;
  readonly issuer?: string;
  /** As the authorization server calls the user, where it says. */
  readonly account?: string;
  readonly scope?: string;
  readonly storedIn: SecretProtection;
  /** False for a server that takes everybody. */
  readonly needed: boolean;
  readonly toolCount?: number;
}

export interface LogoutView {
  readonly server: string;
  readonly wasLoggedIn: boolean;
  readonly revocation?: "revoked" | "not_offered" | "failed";
}

export interface Logins {
  /**
   * The way is opened once it is sure that this server can be logged in to; it hears where the last login was called
   * back.
   */
  login(
    name: string,
    openWay: (lastRedirectUrl: string | undefined) => Promise<AuthorizationWay>,
  ): Promise<ToolResult<LoginView>>;
  logout(name: string): Promise<ToolResult<LogoutView>>;
  /** Whether a login to this server is stored; whether the server still takes it is not asked. */
  hasLogin(name: string): Promise<boolean>;
}

export interface LoginsDeps {
  readonly config: () => Config;
  readonly secrets: SecretStore;
  /** Asks the server again; undefined if it does not answer. */
  readonly countTools: (server: string) => Promise<number | undefined>;
}

export function createLogins({ config, secrets, countTools }: LoginsDeps): Logins {
  return {
    async login(name, openWay) {
      const found = findServer(config(), name);
      if (!found.success) return found;
      const { logIn, lastRedirectUrl } = await import("../upstream/oauth/login.ts");
      const server = found.data;
      const way = await openWay(await lastRedirectUrl(server, secrets));
      const outcome = await logIn(server, secrets, way);
      if (outcome.kind === "failed") {
        return fail("TOOL_UNAVAILABLE", `Login to ${server.id} failed: ${outcome.reason}.`, {
          reason: "auth_failed",
        });
      }
      const { kind, ...said } = outcome;
      return succeed({
        server: server.id,
        needed: kind === "logged_in",
        ...said,
        storedIn: await secrets.kind(),
        toolCount: await countTools(server.id),
      });
    },
    async logout(name) {
      const found = findServer(config(), name);
      if (!found.success) return found;
      const { logOut } = await import("../upstream/oauth/login.ts");
      const outcome = await logOut(found.data, secrets);
      const { kind, ...said } = outcome;
      return succeed({ server: found.data.id, wasLoggedIn: kind === "logged_out", ...said });
    },
    async hasLogin(name) {
      const found = findServer(config(), name);
      if (!found.success) return false;
      const { hasTokens } = await import("../upstream/oauth/login.ts");
      return hasTokens(found.data, secrets);
    },
  };
}

function findServer({ servers }: Config, name: string): ToolResult<LoginServer> {
  const server = servers.find((other) => other.id === name || other.key === name);
  if (server === undefined) {
    const near = nearest(
      name,
      servers.map((other) => other.id),
    );
    return fail("TOOL_NOT_FOUND", `There is no server "${name}".${didYouMean(near)}`, { nearest: near });
  }
  return checkServer(server);
}

function checkServer(server: ServerConfig): ToolResult<LoginServer> {
  const { id, transport, trusted, oauth, problems } = server;
  if (!trusted) {
    return fail("SECURITY_ERROR", `The server ${id} is not trusted.`, {
      hint: "Run first: repertoire trust",
    });
  }
  if (problems.length > 0) return refuseUnusable(id, problems);
  if (transport.kind === "stdio") {
    return fail("TOOL_INVALID_INPUT", `The server ${id} is a program on this machine and needs no login.`, {
      hint: "Put its credentials into env of this server in the config.",
    });
  }
  if (transport.kind === "openapi") {
    return fail(
      "TOOL_INVALID_INPUT",
      `The server ${id} is an API with an OpenAPI description, and has no login of MCP.`,
      {
        hint: 'Set its "auth" in the config.',
      },
    );
  }
  if (Object.keys(transport.headers).some((header) => /^authorization$/i.test(header))) {
    return fail("TOOL_INVALID_INPUT", `The server ${id} has an Authorization header of its own.`, {
      hint: "Remove the header, or its API key in the environment, to log in instead.",
    });
  }
  const { url, headers } = transport;
  return succeed({ id, url, headers, settings: oauth ?? {} });
}
