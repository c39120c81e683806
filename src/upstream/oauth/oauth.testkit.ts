import { silentLog } from "../../core/log.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { OAuthRig } from "../../../test/rig/oauth-server.ts";
import type { SecretStore } from "../../core/secret-store.ts";
import { openSecretStore } from "../../secrets/secrets.ts";
import { createServerHttp } from "../transport/server-http.ts";
import type { AuthorizationWay } from "./authorize.ts";
import type { OAuthSettings } from "./client.ts";
import { Credentials, createAuthorizedFetch } from "./credentials.ts";
import { logIn, type LoginServer } from "./login.ts";
import { openRecords } from "./record.ts";

export const REDIRECT_URL = "http://127.0.0.1:7001/callback";

/** A user who agrees to everything. */
export function agreeableUser(rig: OAuthRig): AuthorizationWay {
  return { redirectUrl: REDIRECT_URL, authorize: (url) => rig.follow(url) };
}

export const openTestStore = (home: string) => openSecretStore({ home, env: { REPERTOIRE_KEYRING: "off" } });

/** What a gateway and a command line with the same home have of one server. */
export function openPlace(
  rig: OAuthRig,
  settings: OAuthSettings = {},
  home = temporaryFolder(),
  openSecrets: () => SecretStore = () => openTestStore(home),
) {
  const secrets = openSecrets();
  const server: LoginServer = { id: "box", url: rig.url, headers: {}, settings };
  return {
    home,
    secrets,
    server,
    record: () => openRecords(secrets, "box", new URL(rig.url)).read(),
    logIn: (way: Partial<AuthorizationWay> = {}) => logIn(server, secrets, { ...agreeableUser(rig), ...way }),
    /** As another process of the same home has it. */
    openFetch(way?: AuthorizationWay) {
      const { url, policy, fetch, quickFetch } = createServerHttp(server);
      const deps = { server: "box", settings, secrets: openSecrets(), log: silentLog, way };
      const credentials = new Credentials({ ...deps, serverUrl: url, policy, fetch: quickFetch });
      return createAuthorizedFetch(fetch, url, credentials);
    },
  };
}

/** A request of the MCP server behind the login; resolves to the status. */
export async function callTool(
  fetch: ReturnType<ReturnType<typeof openPlace>["openFetch"]>,
  rig: OAuthRig,
): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
  const response = await fetch(rig.url, { method: "POST", body });
  await response.text();
  return response.status;
}
