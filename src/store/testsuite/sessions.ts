import { expect, it } from "vitest";
import type { StoredSession } from "../../core/replica-store.ts";
import type { StoreFixture } from "./fixture.ts";

function sessionOf(part: Partial<StoredSession> = {}): StoredSession {
  return {
    idHash: "hash",
    replica: "one",
    principal: "token:ann",
    profile: null,
    initialize: { protocolVersion: "2025-11-25", clientInfo: { name: "ann", version: "1" } },
    session: "http:1",
    settings: {},
    ...part,
  };
}

export function describeSessions(fixture: () => StoreFixture): void {
  it("gives a session back as it was written, also after a restart, and none that was not", async () => {
    const { store, reopen } = fixture();
    const whole = sessionOf({ profile: "triage", settings: { level: "error", uris: ["a://b"] } });
    expect(await store.sessions.put(whole)).toBe(true);
    expect(await store.sessions.find("hash")).toEqual(whole);
    expect(await store.sessions.find("other")).toBeUndefined();
    expect(await (await reopen()).sessions.find("hash")).toEqual(whole);
  });

  it("takes new settings of a session, and of no session that another replica has", async () => {
    const { sessions } = fixture().store;
    await sessions.put(sessionOf());
    expect(await sessions.put(sessionOf({ settings: { level: "debug" } }))).toBe(true);
    expect(await sessions.find("hash")).toMatchObject({ settings: { level: "debug" } });
    expect(await sessions.put(sessionOf({ replica: "two", settings: {} }))).toBe(false);
    expect(await sessions.find("hash")).toMatchObject({ replica: "one", settings: { level: "debug" } });
  });

  it("lets one of several adopt a session, and nobody what was adopted or never there", async () => {
    const { sessions } = fixture().store;
    await sessions.put(sessionOf());
    const tries = await Promise.all(
      ["two", "three", "four"].map(async (to) => ({ to, isWon: await sessions.adopt("hash", "one", to) })),
    );
    const won = tries.filter(({ isWon }) => isWon);
    expect(won).toHaveLength(1);
    expect(await sessions.find("hash")).toEqual(sessionOf({ replica: won[0]!.to }));
    expect(await sessions.adopt("hash", "one", "five")).toBe(false);
    expect(await sessions.adopt("other", "one", "two")).toBe(false);
  });

  it("removes a session for the replica that has it alone", async () => {
    const { sessions } = fixture().store;
    await sessions.put(sessionOf());
    await sessions.remove("hash", "two");
    expect(await sessions.find("hash")).toBeDefined();
    await sessions.remove("hash", "one");
    expect(await sessions.find("hash")).toBeUndefined();
  });

  it("names the touched sessions that the replica has lost, however many it touches", async () => {
    const { sessions } = fixture().store;
    const hashes = Array.from({ length: 1_100 }, (_, index) => `hash${index}`);
    for (const idHash of ["hash3", "hash700", "hash1000"]) await sessions.put(sessionOf({ idHash }));
    await sessions.adopt("hash700", "one", "two");
    const lost = await sessions.touch("one", hashes);
    expect(lost).toHaveLength(1_098);
    expect(lost).not.toContain("hash3");
    expect(lost).toContain("hash700");
    expect(await sessions.touch("one", [])).toEqual([]);
  });

  it("removes what no replica touched for so long, by the clock of the database", async () => {
    const { sessions } = fixture().store;
    await sessions.put(sessionOf());
    await sessions.removeIdle(60_000);
    expect(await sessions.find("hash")).toBeDefined();
    await sessions.removeIdle(-60_000);
    expect(await sessions.find("hash")).toBeUndefined();
  });
}
