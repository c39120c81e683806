import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CONSENT, oauthSettingsFor } from "./login.ts";

test("consent reads off where the authorization page sends the browser", async () => {
  const server = createServer((incoming, response) => {
    const asked = new URL(incoming.url!, "http://localhost").searchParams;
    response
      .writeHead(302, { location: `${asked.get("redirect_uri")}?code=c&state=${asked.get("state")}` })
      .end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const page = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/authorize`);
  page.searchParams.set("redirect_uri", CONSENT.redirectUrl);
  page.searchParams.set("state", "s");
  expect(String(await CONSENT.authorize(page, () => true))).toBe(`${CONSENT.redirectUrl}?code=c&state=s`);
});

test("a client that the scenario has registered is used before the document", () => {
  const secret = "x".repeat(8);
  expect(oauthSettingsFor({ client_id: "known", client_secret: secret })).toEqual({
    clientId: "known",
    clientSecret: secret,
  });
  expect(oauthSettingsFor({}).clientId).toMatch(/^https:/);
});
