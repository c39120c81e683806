import { describe, expect, it } from "vitest";
import { exportSPKI, generateKeyPair, importJWK, UnsecuredJWT, type CryptoKey } from "jose";
import { COOLDOWN_AFTER_FAILURE_MS } from "./issuer-fetch.ts";
import { oauthWith, openGate, requireAdmitted, requireRefused } from "./gate.testkit.ts";
import { AUDIENCE, NOW_S, startIssuer, type TestIssuer } from "./issuer.testkit.ts";

const CHALLENGE =
  'Bearer error="invalid_token", scope="read call", ' +
  'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';

describe("an access token of the issuer", () => {
  it.each(["RS256", "PS512", "ES256", "EdDSA"])(
    "signed with %s comes in, and is known from then on",
    async (alg) => {
      const issuer = await startIssuer({ alg });
      const { gate, admit } = openGate({ oauth: oauthWith(issuer) });
      const header = `Bearer ${await issuer.sign()}`;
      const principal = requireAdmitted(await admit(header));
      expect(principal).toMatchObject({
        id: `oauth:${issuer.issuer}#ann`,
        name: "ann",
        permissions: new Set(["read", "call"]),
      });
      expect(gate.known(header)).toBe(principal);
      expect(issuer.asked).toEqual(["/keys"]);
    },
  );

  it("is one principal, however often and at once it comes", async () => {
    const issuer = await startIssuer();
    const { admit } = openGate({ oauth: oauthWith(issuer) });
    const token = await issuer.sign();
    const all = await Promise.all([1, 2, 3].map((spaces) => admit(`Bearer${" ".repeat(spaces)}${token}`)));
    expect(new Set(all.map(requireAdmitted)).size).toBe(1);
    expect(issuer.asked).toEqual(["/keys"]);
  });

  it.each([
    ["scope as a text", { scope: "read mcp:call other" }, { call: "mcp:call" }, ["read", "call"]],
    ["scp as a list", { scope: undefined, scp: ["read", 7, "write"] }, {}, ["read", "write"]],
    ["scp as a text", { scope: undefined, scp: "admin call" }, {}, ["call", "admin"]],
    ["the plain name of a scope that has another", { scope: "read write" }, { write: "lib.write" }, ["read"]],
    ["none", { scope: undefined }, {}, []],
    ["no text", { scope: { read: true } }, {}, []],
  ])("has the permissions of its scopes: %s", async (_, claims, scopes, permissions) => {
    const issuer = await startIssuer();
    const { bearer } = openGate({ oauth: oauthWith(issuer, { scopes }) });
    expect([...requireAdmitted(await bearer(await issuer.sign(claims))).permissions]).toEqual(permissions);
  });

  it.each([
    ["expired within the tolerance", { exp: NOW_S - 30 }, {}],
    ["valid from a moment that is nearly there", { nbf: NOW_S + 30 }, {}],
    ["for several audiences", { aud: ["other", AUDIENCE] }, {}],
    ["of the type JWT", {}, { typ: "JWT" }],
    ["of the long type", {}, { typ: "application/at+jwt" }],
    ["without a type", {}, { typ: undefined }],
    ["without a kid where there is one key", {}, { kid: undefined }],
  ])("is good if it is %s", async (_, claims, header) => {
    const issuer = await startIssuer();
    const { bearer } = openGate({ oauth: oauthWith(issuer) });
    requireAdmitted(await bearer(await issuer.sign(claims, { header })));
  });
});

describe("T125: a token is refused, and told where tokens come from, if it", () => {
  const claims: [string, Record<string, unknown>][] = [
    ["is expired", { exp: NOW_S - 120 }],
    ["never expires", { exp: undefined }],
    ["says in words when it expires", { exp: "tomorrow" }],
    ["is not valid yet", { nbf: NOW_S + 600 }],
    ["is of another issuer", { iss: "https://evil.example.com" }],
    ["is of no issuer", { iss: undefined }],
    ["is of an issuer that is nearly ours", { iss: "http://127.0.0.1" }],
    ["is meant for another service", { aud: "https://other.example.com/mcp" }],
    ["is meant for nobody", { aud: undefined }],
    ["is meant for a longer name", { aud: `${AUDIENCE}/work` }],
    ["is meant for a shorter name", { aud: "https://mcp.example.co" }],
    ["is of nobody", { sub: undefined }],
    ["is of an empty name", { sub: "" }],
    ["is of a name without end", { sub: "a".repeat(300) }],
  ];
  it.each(claims)("%s", async (_, changed) => {
    const issuer = await startIssuer();
    await expectRefused(issuer, await issuer.sign(changed));
  });

  it("is an ID token or one of another type", async () => {
    const issuer = await startIssuer();
    for (const typ of ["logout+jwt", "dpop+jwt", "id_token"]) {
      await expectRefused(issuer, await issuer.sign({}, { header: { typ } }));
    }
  });

  it("has no signature (alg none)", async () => {
    const issuer = await startIssuer();
    const token = new UnsecuredJWT({ scope: "admin" })
      .setIssuer(issuer.issuer)
      .setAudience(AUDIENCE)
      .setSubject("ann")
      .setExpirationTime("1h")
      .encode();
    await expectRefused(issuer, token);
    const [, payload] = (await issuer.sign()).split(".");
    for (const alg of ["none", "None", "NONE", ""]) {
      const header = Buffer.from(JSON.stringify({ alg, typ: "at+jwt" })).toString("base64url");
      await expectRefused(issuer, `${header}.${payload}.`);
      await expectRefused(issuer, `${header}.${payload}.AAAA`);
    }
    expect(issuer.asked).toEqual([]);
  });

  it("is signed with HS256 and the public key as the secret", async () => {
    const issuer = await startIssuer({ alg: "RS256" });
    const publicKey = (await importJWK({ ...issuer.publicJwk, ext: true }, "RS256")) as CryptoKey;
    const secrets = [await exportSPKI(publicKey), JSON.stringify(issuer.publicJwk), issuer.publicJwk.n!];
    for (const secret of secrets) {
      const key = new TextEncoder().encode(secret);
      await expectRefused(issuer, await issuer.sign({}, { header: { alg: "HS256" }, key }));
    }
    expect(issuer.asked).toEqual([]);
  });

  it("is signed with a key of somebody else, under the kid of ours", async () => {
    const issuer = await startIssuer();
    const { privateKey } = await generateKeyPair("ES256");
    await expectRefused(issuer, await issuer.sign({}, { key: privateKey }));
  });

  it("has a kid that is a path, or is not known", async () => {
    const issuer = await startIssuer();
    const { privateKey } = await generateKeyPair("ES256");
    const kids = [
      "../../../../dev/null",
      "/etc/passwd",
      "first/../x",
      "x' OR 1=1",
      "http://127.0.0.1/key",
      "second",
    ];
    for (const kid of kids)
      await expectRefused(issuer, await issuer.sign({}, { header: { kid }, key: privateKey }));
    expect(new Set(issuer.asked)).toEqual(new Set(["/keys"]));
  });

  it("says itself where its key is (jku, x5u, jwk): nobody looks there", async () => {
    const [issuer, evil] = await Promise.all([startIssuer(), startIssuer()]);
    const claimed = { iss: issuer.issuer };
    for (const header of [
      { jku: evil.jwksUrl },
      { x5u: evil.jwksUrl },
      { jwk: evil.publicJwk },
      { jku: evil.jwksUrl, kid: "other" },
      { crit: ["jku"], jku: evil.jwksUrl },
    ]) {
      const token = await evil.sign(claimed, { header }).catch(() => forge(evil, claimed, header));
      await expectRefused(issuer, token);
    }
    expect(evil.asked).toEqual([]);
  });

  it("was changed after it was signed", async () => {
    const issuer = await startIssuer();
    const [header, , signature] = (await issuer.sign({ scope: "read" })).split(".");
    const [, payload] = (await issuer.sign({ scope: "admin" })).split(".");
    await expectRefused(issuer, `${header}.${payload}.${signature}`);
    await expectRefused(issuer, `${header}.${payload}`);
    await expectRefused(issuer, `${header}.${payload}.${signature}.x.y`);
    await expectRefused(issuer, "a.b.c");
    await expectRefused(issuer, "..");
  });

  it("has the beginning of one of our own before it: the issuer is not asked", async () => {
    const issuer = await startIssuer();
    await expectRefused(issuer, `rpt_${await issuer.sign()}`);
    expect(issuer.asked).toEqual([]);
  });
});

async function expectRefused(issuer: TestIssuer, token: string): Promise<void> {
  const { gate, bearer } = openGate({ oauth: oauthWith(issuer) });
  const refused = requireRefused(await bearer(token));
  expect({ status: refused.status, challenge: refused.challenge }).toEqual({
    status: 401,
    challenge: CHALLENGE,
  });
  expect(gate.known(`Bearer ${token}`)).toBeUndefined();
}

/** A header that no honest library writes. */
async function forge(issuer: TestIssuer, claims: Record<string, unknown>, header: Record<string, unknown>) {
  const [, payload, signature] = (await issuer.sign(claims)).split(".");
  const forged = Buffer.from(JSON.stringify({ alg: "ES256", kid: "first", ...header })).toString("base64url");
  return `${forged}.${payload}.${signature}`;
}

describe("the challenge", () => {
  it("names the metadata of the path, at the address that the client used", async () => {
    const issuer = await startIssuer();
    const bases = ["http://127.0.0.1:7373", "http://localhost:7373"];
    const { admit } = openGate({ oauth: oauthWith(issuer, { bases, scopes: { call: "tools" } }) });
    const challengeOf = async (request: Parameters<typeof admit>[1]) =>
      requireRefused(await admit(undefined, request)).challenge;
    const metadata = (base: string, path: string) =>
      `Bearer scope="read tools", resource_metadata="${base}/.well-known/oauth-protected-resource${path}"`;
    expect(await challengeOf({ resource: "/mcp/work" })).toBe(metadata(bases[0]!, "/mcp/work"));
    expect(await challengeOf({ base: bases[1]! })).toBe(metadata(bases[1]!, "/mcp"));
    expect(await challengeOf({ base: "http://evil.example.com" })).toBe(metadata(bases[0]!, "/mcp"));
    expect(await challengeOf({ resource: '/mcp/"x' })).toBe(metadata(bases[0]!, '/mcp/\\"x'));
  });
});

describe("whom a token is meant for", () => {
  it("can be a profile: then it is good there and nowhere else, each time", async () => {
    const issuer = await startIssuer();
    const { gate, admit } = openGate({ oauth: oauthWith(issuer) });
    const header = `Bearer ${await issuer.sign({ aud: "https://mcp.example.com/mcp/work" })}`;
    requireAdmitted(await admit(header, { resource: "/mcp/work" }));
    expect(gate.known(header)).toBeUndefined();
    for (const resource of ["/mcp", "/mcp/other", "/metrics"])
      requireRefused(await admit(header, { resource }));
    requireAdmitted(await admit(header, { resource: "/mcp/work" }));
  });

  it("is good for every profile when it is the whole endpoint", async () => {
    const issuer = await startIssuer();
    const { admit, bearer } = openGate({ oauth: oauthWith(issuer) });
    const token = await issuer.sign({ aud: "https://mcp.example.com/" });
    requireAdmitted(await admit(`Bearer ${token}`, { resource: "/mcp/work" }));
    requireAdmitted(await bearer(token));
  });

  it("is the configured audience where there is one", async () => {
    const issuer = await startIssuer();
    const { bearer } = openGate({ oauth: oauthWith(issuer, { audience: "api://repertoire" }) });
    requireAdmitted(await bearer(await issuer.sign({ aud: "api://repertoire" })));
    requireRefused(await bearer(await issuer.sign()));
  });
});

describe("the end of a token", () => {
  it("T135: ends what it opened, by the clock or by the timer, whichever comes first", async () => {
    const issuer = await startIssuer();
    let nowMs = NOW_S * 1000;
    const timers: { delayMs: number; run: () => void }[] = [];
    const { gate, admit } = openGate({
      clock: { now: () => nowMs, elapsed: () => nowMs },
      oauth: oauthWith(issuer, { later: (delayMs, run) => (timers.push({ delayMs, run }), () => {}) }),
    });
    const exp = NOW_S + 100;
    const header = `Bearer ${await issuer.sign({ exp })}`;
    const principal = requireAdmitted(await admit(header));
    const endsAtMs = (exp + 60) * 1000;
    expect(timers).toMatchObject([{ delayMs: endsAtMs - nowMs }]);
    nowMs = endsAtMs;
    expect(gate.known(header)).toBeUndefined();
    expect(principal.revoked.aborted).toBe(false);
    timers[0]!.run();
    expect(principal.revoked.aborted).toBe(true);
    requireRefused(await admit(header));
  });

  it("of a token that is good for years is waited for in steps", async () => {
    const issuer = await startIssuer();
    const delays: number[] = [];
    const { bearer } = openGate({
      oauth: oauthWith(issuer, { later: (delayMs) => (delays.push(delayMs), () => {}) }),
    });
    requireAdmitted(await bearer(await issuer.sign({ exp: NOW_S + 10 * 365 * 86_400 })));
    expect(delays).toEqual([2 ** 31 - 1]);
  });
});

describe("the issuer", () => {
  const metadata = (issuer: TestIssuer, changed: object = {}) => ({
    issuer: issuer.issuer,
    jwks_uri: issuer.jwksUrl,
    ...changed,
  });
  const discovering = (issuer: TestIssuer) => {
    const { jwksUrl: _, ...oauth } = oauthWith(issuer);
    return openGate({ oauth });
  };

  it.each([
    ["", "/.well-known/oauth-authorization-server"],
    ["", "/.well-known/openid-configuration"],
    ["/", "/.well-known/openid-configuration"],
    ["/tenant/a", "/.well-known/oauth-authorization-server/tenant/a"],
    ["/tenant/a", "/.well-known/openid-configuration/tenant/a"],
    ["/tenant/a", "/tenant/a/.well-known/openid-configuration"],
  ])("with the path %j may say at %s where its keys are", async (path, place) => {
    const issuer = await startIssuer({ path });
    issuer.answers.set(place, metadata(issuer));
    const { bearer } = discovering(issuer);
    requireAdmitted(await bearer(await issuer.sign()));
    requireAdmitted(await bearer(await issuer.sign({ sub: "bob" })));
    expect(issuer.asked.filter((url) => url === "/keys")).toHaveLength(1);
    expect(issuer.asked.filter((url) => url === place)).toHaveLength(1);
  });

  it.each([
    ["of another issuer", { issuer: "https://evil.example.com" }],
    ["without an address of keys", { jwks_uri: undefined }],
    ["with an address that is none", { jwks_uri: "keys" }],
    ["with an address that others could change on the way", { jwks_uri: "http://keys.example.com/keys" }],
    ["with an address that is a file", { jwks_uri: "file:///etc/passwd" }],
  ])("is not believed with metadata %s", async (_, changed) => {
    const issuer = await startIssuer();
    issuer.answers.set("/.well-known/oauth-authorization-server", metadata(issuer, changed));
    const { bearer, events } = discovering(issuer);
    expect(requireRefused(await bearer(await issuer.sign())).status).toBe(401);
    expect(events).toMatchObject([{ event: "auth.issuer.failed" }]);
  });

  it.each([
    ["is broken", 500],
    ["sends us elsewhere", 302],
    ["has no keys there", 404],
    ["answers nonsense", "nonsense"],
    ["answers without keys", {}],
    ["answers with keys that are none", { keys: "none" }],
    ["answers without end", { keys: [], more: "x".repeat(300_000) }],
  ])("that %s is not asked again at once, and nobody comes in", async (_, answer) => {
    const issuer = await startIssuer();
    let nowMs = 0;
    const { bearer, token } = openGate({
      oauth: oauthWith(issuer),
      clock: { now: () => NOW_S * 1000, elapsed: () => nowMs },
    });
    issuer.answers.set("/keys", answer);
    const shown = await issuer.sign();
    for (let i = 0; i < 3; i++) requireRefused(await bearer(shown));
    expect(issuer.asked).toEqual(["/keys"]);
    requireAdmitted(await bearer(token));
    issuer.answers.set("/keys", { keys: [issuer.publicJwk] });
    nowMs += COOLDOWN_AFTER_FAILURE_MS;
    requireAdmitted(await bearer(shown));
  });

  it("is asked once for keys that nobody knows, however many tokens name one", async () => {
    const issuer = await startIssuer();
    const { bearer } = openGate({ oauth: oauthWith(issuer) });
    requireAdmitted(await bearer(await issuer.sign()));
    for (let i = 0; i < 5; i++)
      requireRefused(await bearer(await issuer.sign({}, { header: { kid: `k${i}` } })));
    expect(issuer.asked).toEqual(["/keys"]);
  });

  it("that is gone takes nothing from keys that are known", async () => {
    const issuer = await startIssuer();
    const { bearer } = openGate({ oauth: oauthWith(issuer) });
    requireAdmitted(await bearer(await issuer.sign()));
    issuer.answers.set("/keys", 500);
    requireRefused(await bearer(await issuer.sign({}, { header: { kid: "other" } })));
    requireAdmitted(await bearer(await issuer.sign({ sub: "bob" })));
  });

  it("that is not https is not asked over the network", async () => {
    const issuer = await startIssuer();
    const urls: string[] = [];
    const { bearer } = openGate({
      oauth: oauthWith(issuer, {
        jwksUrl: "http://keys.example.com/keys",
        fetch: async (url) => {
          urls.push(url);
          throw new Error("never");
        },
      }),
    });
    requireRefused(await bearer(await issuer.sign()));
    expect(urls).toEqual([]);
  });

  it("whose fetch fails in any way throws nothing out of the gate", async () => {
    const issuer = await startIssuer();
    for (const thrown of [new TypeError("fetch failed"), undefined, "text", null]) {
      const fetch = () => Promise.reject(thrown);
      requireRefused(await openGate({ oauth: oauthWith(issuer, { fetch }) }).bearer(await issuer.sign()));
    }
  });
});
