import { describe, expect, it } from "vitest";
import { startOAuthServer, type OAuthScript } from "../../../test/rig/oauth-server.ts";
import { logOut } from "./login.ts";
import { callTool, openPlace, REDIRECT_URL } from "./oauth.testkit.ts";

describe("a login", () => {
  it("registers, asks with PKCE and state, and keeps the tokens under their issuer", async () => {
    const rig = await startOAuthServer({ scopes: ["read"], withIdToken: true });
    const place = openPlace(rig);
    let asked: URL | undefined;
    const outcome = await place.logIn({ authorize: (url) => rig.follow((asked = url)) });
    expect(outcome).toEqual({
      kind: "logged_in",
      issuer: rig.issuer,
      account: "ada@example.com",
      scope: "read",
    });
    expect(Object.fromEntries(asked!.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: REDIRECT_URL,
      scope: "read",
      resource: rig.url,
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await place.record()).toMatchObject({ issuer: rig.issuer, resource: rig.url });
    expect(await callTool(place.openFetch(), rig)).toBe(200);
  });

  it("uses the registration again where it is called back to the same place, and the scope that is configured", async () => {
    const rig = await startOAuthServer({ scopes: ["read", "write"] });
    const place = openPlace(rig, { scopes: ["read"] });
    expect(await place.logIn()).toMatchObject({ kind: "logged_in", scope: "read" });
    await place.logIn();
    expect(rig.at("/register")).toHaveLength(1);
    const elsewhere = { redirectUrl: "http://127.0.0.1:7002/callback" };
    expect(await place.logIn(elsewhere)).toMatchObject({ kind: "logged_in" });
    expect(rig.at("/register")).toHaveLength(2);
  });

  it("takes a client from the config, by name or as a document", async () => {
    const rig = await startOAuthServer({ serverMetadata: { registration_endpoint: undefined } });
    expect(await openPlace(rig, { clientId: "me" }).logIn()).toMatchObject({ kind: "logged_in" });
    expect(await openPlace(rig).logIn()).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("put its clientId into oauth"),
    });
    const clientId = "https://client.example/client.json";
    rig.script = { serverMetadata: { client_id_metadata_document_supported: true } };
    const place = openPlace(rig, { clientId });
    expect(await place.logIn()).toMatchObject({ kind: "logged_in" });
    expect(await place.record()).toMatchObject({ client: { client_id: clientId } });
    expect(rig.at("/register")).toHaveLength(0);
  });

  it("is not needed for a server that takes everybody and names nobody", async () => {
    const rig = await startOAuthServer({ isOpen: true });
    expect(await openPlace(rig).logIn()).toMatchObject({ kind: "logged_in" });
    rig.script = { isOpen: true, isSilent: true };
    expect(await openPlace(rig).logIn()).toEqual({ kind: "not_needed" });
  });

  it("that is refused says so in the server's words", async () => {
    const callback = { code: undefined, error: "access_denied", error_description: "not today" };
    const rig = await startOAuthServer({ callback });
    const place = openPlace(rig);
    expect(await place.logIn()).toEqual({
      kind: "failed",
      reason: "it was refused: access_denied (not today)",
    });
    expect(await place.record()).toBeUndefined();
  });
});

const INTERNAL = "http://169.254.169.254/latest";

describe("T086: every URL that a server names is checked before anything is sent there", () => {
  const other = "http://10.0.0.9/as";
  it.each<[string, OAuthScript]>([
    ["resource_metadata", { resourceMetadataUrl: INTERNAL }],
    ["authorization_servers", { resourceMetadata: { authorization_servers: [INTERNAL] } }],
    ["authorization_endpoint", { serverMetadata: { authorization_endpoint: INTERNAL } }],
    ["token_endpoint", { serverMetadata: { token_endpoint: INTERNAL } }],
    ["registration_endpoint", { serverMetadata: { registration_endpoint: INTERNAL } }],
    ["revocation_endpoint", { serverMetadata: { revocation_endpoint: INTERNAL } }],
    ["a private address", { serverMetadata: { token_endpoint: other } }],
    ["another spelling", { serverMetadata: { token_endpoint: "http://[::ffff:a9fe:a9fe]/" } }],
    ["another scheme", { serverMetadata: { authorization_endpoint: "javascript:alert(1)" } }],
    ["a file", { serverMetadata: { authorization_endpoint: "file:///etc/passwd" } }],
  ])("%s", async (_, script) => {
    const rig = await startOAuthServer(script);
    let isOpened = false;
    const authorize = (url: URL) => {
      isOpened = true;
      return rig.follow(url);
    };
    expect(await openPlace(rig).logIn({ authorize })).toMatchObject({ kind: "failed" });
    expect([isOpened, rig.at("/token").length]).toEqual([false, 0]);
  });
});

describe("T128: an answer that is not the one to this login is refused, and no code is redeemed", () => {
  it.each<[string, OAuthScript, string]>([
    ["state missing", { callback: { state: undefined } }, "state"],
    ["state of another login", { callback: { state: "x".repeat(43) } }, "state"],
    ["iss of another server", { callback: { iss: "https://evil.example" } }, "another authorization server"],
    ["iss missing where it is promised", { callback: { iss: undefined } }, "another authorization server"],
    [
      "iss of another server, in an error",
      { callback: { iss: "https://evil.example", error: "x", error_description: "call the bank" } },
      "another authorization server",
    ],
    ["no code", { callback: { code: undefined } }, "no code"],
    [
      "PKCE is not in the metadata",
      { serverMetadata: { code_challenge_methods_supported: undefined } },
      "PKCE with S256",
    ],
    ["PKCE is plain", { serverMetadata: { code_challenge_methods_supported: ["plain"] } }, "PKCE with S256"],
    ["metadata of another issuer", { serverMetadata: { issuer: "https://evil.example" } }, "ssuer mismatch"],
    [
      "another server's resource",
      { resourceMetadata: { resource: "https://bank.example/mcp" } },
      "another server",
    ],
  ])("%s", async (_, script, reason) => {
    const rig = await startOAuthServer(script);
    const place = openPlace(rig);
    const outcome = await place.logIn();
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) });
    expect(JSON.stringify(outcome)).not.toContain("call the bank");
    expect(rig.at("/token")).toHaveLength(0);
    expect(await place.record()).toBeUndefined();
  });

  it.each([
    ["another path", (url: URL) => (url.pathname = "/callback/../x")],
    ["a path with the right beginning", (url: URL) => (url.pathname = "/callbacks")],
    ["another port", (url: URL) => (url.port = "7002")],
    ["another host", (url: URL) => (url.hostname = "127.0.0.2")],
    ["two states", (url: URL) => url.searchParams.append("state", "x")],
    ["two codes", (url: URL) => url.searchParams.append("code", "x")],
  ])("it came back to %s", async (_, change) => {
    const rig = await startOAuthServer();
    const authorize = async (asked: URL) => {
      const url = await rig.follow(asked);
      change(url);
      return url;
    };
    expect(await openPlace(rig).logIn({ authorize })).toMatchObject({ kind: "failed" });
    expect(rig.at("/token")).toHaveLength(0);
  });

  it("an answer that was good once is not good for the next login", async () => {
    const rig = await startOAuthServer();
    const place = openPlace(rig);
    let first: URL | undefined;
    const remember = async (url: URL) => (first = await rig.follow(url));
    expect(await place.logIn({ authorize: remember })).toMatchObject({ kind: "logged_in" });
    expect(await place.logIn({ authorize: async () => first! })).toMatchObject({ kind: "failed" });
  });

  it("a code of somebody else does not fit the verifier", async () => {
    const rig = await startOAuthServer();
    const authorize = async (url: URL) => {
      const stolen = new URL(url);
      stolen.searchParams.set("code_challenge", "x".repeat(43));
      return rig.follow(stolen);
    };
    expect(await openPlace(rig).logIn({ authorize })).toMatchObject({ kind: "failed" });
  });
});

describe("T129: a server that turns to another authorization server", () => {
  it("gets a new registration there, and no token and no client of the old one", async () => {
    const [rig, next] = [await startOAuthServer(), await startOAuthServer()];
    const place = openPlace(rig);
    await place.logIn();
    const before = (await place.record())!;
    rig.script = { resourceMetadata: { authorization_servers: [next.issuer] } };
    rig.expireTokens();
    // The gateway does not go on with the old one, and registers nothing by itself.
    await expect(callTool(place.openFetch(), rig)).rejects.toMatchObject({
      error: { reason: "auth_required" },
    });
    expect([rig.at("/token").length, next.seen.length]).toEqual([1, 0]);
    const authorize = (url: URL) => (url.origin === rig.issuer ? rig : next).follow(url);
    expect(await place.logIn({ authorize })).toMatchObject({ kind: "logged_in", issuer: next.issuer });
    const after = (await place.record())!;
    expect(after.client.client_id).not.toBe(before.client.client_id);
    const said = JSON.stringify(next.seen);
    expect(said).not.toContain(before.client.client_id);
    expect(said).not.toContain(before.tokens!.refresh_token);
  });

  it("is not shown a client that was configured for the old one", async () => {
    const [rig, next] = [await startOAuthServer(), await startOAuthServer()];
    const place = openPlace(rig, { clientId: "me", clientSecret: "x".repeat(8) });
    await place.logIn();
    rig.script = { resourceMetadata: { authorization_servers: [next.issuer] } };
    expect(await place.logIn()).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("belongs to the former"),
    });
    expect(next.seen.every((one) => one.method === "GET")).toBe(true);
  });
});

describe("a logout", () => {
  it("ends the login there and forgets it here", async () => {
    const rig = await startOAuthServer();
    const place = openPlace(rig);
    await place.logIn();
    expect(await logOut(place.server, place.secrets)).toEqual({ kind: "logged_out", revocation: "revoked" });
    expect(rig.at("/revoke")).toHaveLength(2);
    expect(await place.record()).toBeUndefined();
    expect(await logOut(place.server, place.secrets)).toEqual({ kind: "not_logged_in" });
  });

  it("forgets it also where it cannot be ended there", async () => {
    const rig = await startOAuthServer({ serverMetadata: { revocation_endpoint: undefined } });
    const place = openPlace(rig);
    await place.logIn();
    const outcome = await logOut(place.server, place.secrets);
    expect(outcome).toEqual({ kind: "logged_out", revocation: "not_offered" });
    expect(await place.record()).toBeUndefined();
  });
});
