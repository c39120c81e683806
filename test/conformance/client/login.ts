/** How the gateway logs in to the servers of the suite's auth scenarios. */
import type { JsonObject } from "../../../src/core/json.ts";
import type { AuthorizationWay } from "../../../src/upstream/oauth/authorize.ts";
import type { OAuthSettings } from "../../../src/upstream/oauth/client.ts";

/** The document by which the suite expects a client to name itself; nobody ever fetches it. */
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";

/** A user who agrees at once. The browser's last address is read off its redirect, so nobody has to listen there. */
export const CONSENT: AuthorizationWay = {
  redirectUrl: "http://127.0.0.1:9/callback",
  async authorize(authorizationUrl) {
    const response = await fetch(authorizationUrl, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`the authorization page answered ${response.status} without a redirect`);
    return new URL(location, authorizationUrl);
  },
};

/** A client that is registered beforehand where the scenario has one, otherwise one that names itself by its document. */
export function oauthSettingsFor(context: JsonObject): OAuthSettings {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (typeof clientId !== "string") return { clientId: CLIENT_DOCUMENT };
  return { clientId, ...(typeof clientSecret === "string" && { clientSecret }) };
}
