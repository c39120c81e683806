import { describe, expect, it } from "vitest";
import { eventually, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { openGate, requireAdmitted, requireRefused } from "./gate.testkit.ts";
import { NOW_S } from "./issuer.testkit.ts";
import { makeToken } from "./token.ts";
import { FAILURE_COUNT_MAX, FAILURE_WINDOW_MS } from "./refusal.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

describe("the gate", () => {
  it("lets the gateway's own token in, and knows it from then on", async () => {
    const { gate, admit, token } = openGate();
    const header = `Bearer ${token}`;
    expect(gate.known(header)).toBeUndefined();
    const principal = requireAdmitted(await admit(header));
    expect(principal).toMatchObject({
      id: "token:default",
      permissions: new Set(["read", "call", "write", "admin"]),
    });
    expect(gate.known(header)).toBe(principal);
    expect(requireAdmitted(await admit(`bearer  ${token} `))).toBe(principal);
    expect(gate.known(undefined)).toBeUndefined();
  });

  it.each([undefined, "", "Basic abc", "Digest x", "Bearerx y"])(
    "asks for a token where none is shown (%j), without the word error",
    async (header) => {
      const refused = requireRefused(await openGate().admit(header));
      expect(refused).toMatchObject({ status: 401, challenge: "Bearer" });
      expect(refused.message).toContain("repertoire token");
    },
  );

  it.each(["Bearer", "Bearer ", "Bearer a b", "Bearer ä", "Bearer a,b", 'Bearer "x"', "Bearer ===="])(
    "refuses a garbled token (%s)",
    async (header) => {
      expect(requireRefused(await openGate().admit(header))).toMatchObject({
        status: 401,
        challenge: 'Bearer error="invalid_token"',
      });
    },
  );

  it("keeps in mind no more than so many headers, and lets them all in", async () => {
    const { gate, admit, token } = openGate();
    const headers = Array.from({ length: 300 }, (_, i) => `Bearer${" ".repeat(i + 1)}${token}`);
    for (const header of headers) requireAdmitted(await admit(header));
    expect(headers.filter((header) => gate.known(header) !== undefined)).toHaveLength(256);
    requireAdmitted(await admit(headers[0]));
  });
});

describe("T134: guessing", () => {
  it("gets the same answer whatever is wrong with the token", async () => {
    const { tokens, token, bearer } = openGate();
    const made = tokens.create("gone", ["read"]);
    if (!made.success) throw new Error(made.error.message);
    tokens.revoke("gone");
    const wrong = [
      makeToken(),
      made.data.token,
      `${token.slice(0, -1)}x`,
      token.slice(0, -1),
      `${token}a`,
      "x",
      "a.b.c",
    ];
    const answers = new Set<string>();
    for (const text of wrong) answers.add(JSON.stringify(requireRefused(await bearer(text))));
    expect(answers.size).toBe(1);
  });

  it("is told to wait after so many failures, until the minute is over", async () => {
    let nowMs = 0;
    const { bearer, events } = openGate({ clock: { now: () => 0, elapsed: () => nowMs } });
    const guess = async () => requireRefused(await bearer(makeToken()));
    for (let i = 0; i < FAILURE_COUNT_MAX; i++) expect((await guess()).status).toBe(401);
    nowMs = 10_000;
    expect(await guess()).toMatchObject({
      status: 429,
      retryAfterS: 50,
      challenge: 'Bearer error="invalid_token"',
    });
    expect((await guess()).status).toBe(429);
    expect(events.filter(({ event }) => event === "auth.failures")).toHaveLength(1);
    nowMs = FAILURE_WINDOW_MS;
    expect((await guess()).status).toBe(401);
  });

  it("locks nobody out: a good token comes in from the same address", async () => {
    const { bearer, token } = openGate();
    for (let i = 0; i <= FAILURE_COUNT_MAX; i++) await bearer(makeToken());
    expect(requireRefused(await bearer(makeToken())).status).toBe(429);
    requireAdmitted(await bearer(token));
    expect(requireRefused(await bearer(makeToken())).status).toBe(429);
  });

  it("of others is counted apart, and asking without a token is not counted", async () => {
    const { admit } = openGate();
    for (let i = 0; i < 50; i++) expect(requireRefused(await admit(undefined)).status).toBe(401);
    for (let i = 0; i <= FAILURE_COUNT_MAX; i++) await admit(`Bearer ${makeToken()}`, { remote: "10.0.0.1" });
    const header = `Bearer ${makeToken()}`;
    expect(requireRefused(await admit(header, { remote: "10.0.0.1" })).status).toBe(429);
    expect(requireRefused(await admit(header, { remote: "10.0.0.2" })).status).toBe(401);
    expect(requireRefused(await admit(undefined, { remote: "10.0.0.1" })).status).toBe(401);
  });

  it("with one token from many addresses is counted together", async () => {
    const { admit } = openGate();
    const header = `Bearer ${makeToken()}`;
    for (let i = 0; i < FAILURE_COUNT_MAX; i++) await admit(header, { remote: `10.0.0.${i}` });
    expect(requireRefused(await admit(header, { remote: "10.0.1.1" })).status).toBe(429);
  });

  it("leaves no token in the log", async () => {
    const { bearer, events } = openGate();
    const guess = makeToken();
    for (let i = 0; i < 20; i++) await bearer(guess);
    expect(events.length).toBe(FAILURE_COUNT_MAX + 1);
    expect(JSON.stringify(events)).not.toContain(guess);
  });
});

describe("T135: a token that is revoked while it is in use", () => {
  it("ends what it opened, and is known no longer", async () => {
    const { gate, admit, tokens } = openGate();
    const made = tokens.create("laptop", ["read", "call"]);
    if (!made.success) throw new Error(made.error.message);
    const header = `Bearer ${made.data.token}`;
    // The folder's watch, or the slow look at the file, sees the new token a moment later.
    let last = await admit(header);
    await eventually("the new token", () => {
      void admit(header, { remote: crypto.randomUUID() }).then((next) => (last = next));
      return last.kind === "admitted";
    });
    const principal = requireAdmitted(last);
    expect(gate.known(header)).toBe(principal);
    const ended = new Promise((resolve) => principal.revoked.addEventListener("abort", resolve));
    tokens.revoke("laptop");
    await ended;
    expect(gate.known(header)).toBeUndefined();
    expect(requireRefused(await admit(header, { remote: "10.9.9.9" })).challenge).toContain("invalid_token");
  });
});

describe("T135: a token that expires", () => {
  const EXPIRES_AT_MS = NOW_S * 1000 + 1_000;

  async function openExpiring() {
    const time = { nowMs: NOW_S * 1000 };
    const clock = { now: () => time.nowMs, elapsed: () => 0 };
    const home = temporaryFolder();
    const expiresAt = new Date(EXPIRES_AT_MS).toISOString();
    const made = openHomeTokens(home, { clock }).create("bot", ["read", "call"], { expiresAt });
    if (!made.success) throw new Error(made.error.message);
    const opened = openGate({ clock, home });
    return { ...opened, time, header: `Bearer ${made.data.token}` };
  }

  it("is good to its last moment, and known no longer from then on, however it was known", async () => {
    const { gate, admit, time, header } = await openExpiring();
    const principal = requireAdmitted(await admit(header));
    time.nowMs = EXPIRES_AT_MS - 1;
    expect(gate.known(header)).toBe(principal);
    time.nowMs = EXPIRES_AT_MS;
    expect(gate.known(header)).toBeUndefined();
    requireRefused(await admit(header));
    expect(principal.revoked.aborted).toBe(true);
  });

  it("is told that it has expired, and since when; a guess is not told anything new", async () => {
    const { admit, bearer, time, header } = await openExpiring();
    time.nowMs = EXPIRES_AT_MS;
    const refused = requireRefused(await admit(header));
    expect(refused).toMatchObject({
      status: 401,
      challenge: 'Bearer error="invalid_token", error_description="The token has expired."',
    });
    expect(refused.message).toContain(new Date(EXPIRES_AT_MS).toISOString());
    expect(refused.message).toContain("repertoire token rotate");
    expect(requireRefused(await bearer(makeToken())).challenge).toBe('Bearer error="invalid_token"');
  });
});

it("notes the use of a token that is good, and of no other", async () => {
  const uses: string[] = [];
  const tokenUses = { put: async (put: ReadonlyMap<string, number>) => void uses.push(...put.keys()) };
  const { gate, token, bearer } = openGate({ tokenUses });
  await bearer("rpt_wrong");
  expect(uses).toEqual([]);
  await bearer(token);
  await bearer(token);
  gate.known(`Bearer ${token}`);
  expect(uses).toEqual(["default"]);
});
