import { describe, expect, it } from "vitest";
import { startOAuthServer, type OAuthScript } from "../../../test/rig/oauth-server.ts";
import { createServerHttp } from "../transport/server-http.ts";
import { agreeableUser, callTool, openPlace } from "./oauth.testkit.ts";

async function loggedIn(script: OAuthScript = {}) {
  const rig = await startOAuthServer(script);
  const place = openPlace(rig);
  await place.logIn();
  rig.seen.length = 0;
  return { rig, place };
}

const AUTH_REQUIRED = {
  error: {
    code: "TOOL_UNAVAILABLE",
    reason: "auth_required",
    retryable: false,
    hint: "Ask the user to run: repertoire login box",
  },
};

describe("T090: a token that has expired", () => {
  it("is renewed once for 50 calls at once, and all of them go through", async () => {
    const { rig, place } = await loggedIn();
    const fetch = place.openFetch();
    expect(await callTool(fetch, rig)).toBe(200);
    rig.expireTokens();
    const statuses = await Promise.all(Array.from({ length: 50 }, () => callTool(fetch, rig)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(rig.at("/token")).toHaveLength(1);
  });

  it("is renewed once for two gateways, whose refresh token may be used once", async () => {
    const { rig, place } = await loggedIn();
    const fetches = [place.openFetch(), place.openFetch(), place.openFetch()];
    for (let round = 0; round < 3; round++) {
      rig.expireTokens();
      rig.seen.length = 0;
      const calls = fetches.flatMap((fetch) => [callTool(fetch, rig), callTool(fetch, rig)]);
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
      expect(rig.at("/token")).toHaveLength(1);
    }
  });

  it("and whose login has ended is one error for all, that says what to do; the authorization server is asked once", async () => {
    const { rig, place } = await loggedIn();
    const fetch = place.openFetch();
    rig.expireTokens();
    rig.endLogins();
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => callTool(fetch, rig)));
    for (const call of calls) expect(call).toMatchObject({ status: "rejected", reason: AUTH_REQUIRED });
    await expect(callTool(fetch, rig)).rejects.toMatchObject(AUTH_REQUIRED);
    await expect(callTool(place.openFetch(), rig)).rejects.toMatchObject(AUTH_REQUIRED);
    expect(rig.at("/token")).toHaveLength(1);
    // A login of the user, in another process, is seen by the next call.
    await place.logIn();
    expect(await callTool(fetch, rig)).toBe(200);
  });

  it("stays where the authorization server is in trouble: the next call tries again", async () => {
    const { rig, place } = await loggedIn();
    const fetch = place.openFetch();
    rig.expireTokens();
    rig.script = { tokenAnswers: () => ({ status: 500, body: "oops" }) };
    await expect(callTool(fetch, rig)).rejects.toMatchObject({
      error: { reason: "auth_unavailable", retryable: true },
    });
    rig.script = {};
    expect(await callTool(fetch, rig)).toBe(200);
  });

  it("is not renewed for ever where the server takes no token at all", async () => {
    const { rig, place } = await loggedIn();
    const fetch = place.openFetch();
    rig.script = {
      tokenAnswers: () => ({ status: 200, body: { access_token: "no", token_type: "bearer" } }),
    };
    rig.expireTokens();
    for (let i = 0; i < 3; i++) await expect(callTool(fetch, rig)).rejects.toMatchObject(AUTH_REQUIRED);
    expect(rig.at("/token")).toHaveLength(1);
  });
});

it("without a login nothing is registered and nobody is asked", async () => {
  const rig = await startOAuthServer();
  await expect(callTool(openPlace(rig).openFetch(), rig)).rejects.toMatchObject(AUTH_REQUIRED);
  expect(rig.seen.map(({ path }) => path)).toEqual(["/mcp"]);
});

it("a server that wants a wider scope gets it from the next login", async () => {
  const { rig, place } = await loggedIn({ scopes: ["read"], callScope: "write" });
  await expect(callTool(place.openFetch(), rig)).rejects.toMatchObject({
    error: { reason: "auth_required", message: expect.stringContaining("the scope write") },
  });
  expect(rig.at("/token")).toHaveLength(0);
  expect(await place.logIn()).toMatchObject({ kind: "logged_in", scope: "read write" });
  expect(await callTool(place.openFetch(), rig)).toBe(200);
});

it("with a way to ask the user, the login and a wider scope are fetched during the call", async () => {
  const rig = await startOAuthServer({ scopes: ["read"], callScope: "write" });
  const fetch = openPlace(rig).openFetch(agreeableUser(rig));
  const calls = Array.from({ length: 5 }, () => callTool(fetch, rig));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  expect(rig.at("/authorize")).toHaveLength(2);
  rig.expireTokens();
  rig.endLogins();
  expect(await callTool(fetch, rig)).toBe(200);
});

it("T085: token and configured headers go to the server's own origin alone", async () => {
  const { rig, place } = await loggedIn();
  const other = await startOAuthServer();
  const fetch = place.openFetch();
  await (await fetch(other.url, { method: "POST", body: "{}" })).text();
  expect(other.seen[0]!.headers.authorization).toBeUndefined();
  const http = createServerHttp({ url: rig.url, headers: { "X-Key": "CANARY" } });
  await (await http.fetch(rig.url, { method: "POST", body: "{}" })).text();
  await (await http.fetch(other.url, { method: "POST", body: "{}" })).text();
  http.close();
  expect(rig.seen.at(-1)!.headers["x-key"]).toBe("CANARY");
  expect(JSON.stringify(other.seen)).not.toContain("CANARY");
});
