import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../core/clock.ts";
import { DEAD_AFTER_MS, type SealedSecret } from "../../core/replica-store.ts";
import { createManualClock, type OpenedStore, type StoreFixture } from "./fixture.ts";

const secretOf = (name: string, sealed = `sealed ${name}`): SealedSecret => ({ name, sealed, keyId: "k1" });

export function describeSecrets(fixture: () => StoreFixture): void {
  it("keeps a secret as it was sealed, also after a restart", async () => {
    const { store, reopen } = fixture();
    await store.secrets.put(secretOf("oauth:box"));
    const { secrets } = await reopen();
    expect(await secrets.get("oauth:box")).toEqual(secretOf("oauth:box"));
    expect(await secrets.get("oauth:Box")).toBeUndefined();
  });

  it("replaces a secret, also by one of another key", async () => {
    const { secrets } = fixture().store;
    await secrets.put(secretOf("a"));
    await secrets.put({ name: "a", sealed: "other", keyId: "k2" });
    expect(await secrets.get("a")).toEqual({ name: "a", sealed: "other", keyId: "k2" });
  });

  it("seals a secret again only if it is still the same", async () => {
    const { secrets } = fixture().store;
    const [first, second] = [secretOf("a", "first"), secretOf("a", "second")];
    await secrets.put(first);
    expect(await secrets.replace(first, { sealed: "again", keyId: "k2" })).toBe(true);
    expect(await secrets.get("a")).toEqual({ name: "a", sealed: "again", keyId: "k2" });
    await secrets.put(second);
    expect(await secrets.replace(first, { sealed: "late", keyId: "k2" })).toBe(false);
    expect(await secrets.get("a")).toEqual(second);
  });

  it("lists those whose names begin so, by name; letters and wildcards mean themselves", async () => {
    const { secrets } = fixture().store;
    for (const name of ["input:b", "input:a", "Input:c", "inputs", "oauth:x", "in_ut:d", "input"])
      await secrets.put(secretOf(name));
    const names = async (prefix: string) => (await secrets.list(prefix)).map(({ name }) => name);
    expect(await names("input:")).toEqual(["input:a", "input:b"]);
    expect(await names("in_")).toEqual(["in_ut:d"]);
    expect(await names("%")).toEqual([]);
    expect(await names("")).toHaveLength(7);
  });

  it("says whether there was one to delete", async () => {
    const { secrets } = fixture().store;
    await secrets.put(secretOf("a"));
    expect(await secrets.delete("a")).toBe(true);
    expect(await secrets.delete("a")).toBe(false);
    expect(await secrets.list("")).toEqual([]);
  });
}

/** Locks go by the database's clock: here it stands until it is told to go. */
export function describeLocks(
  open: (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>,
): void {
  async function openLocks() {
    const clock = createManualClock();
    const opened = await open({ now: () => 1, elapsed: () => 1 }, () => clock.now());
    onTestFinished(() => opened.dispose());
    const { locks, replicas } = opened.store;
    const beat = () =>
      replicas.beat({ id: "r", owner: "replica", place: "here", url: null, version: "1", isDraining: false });
    return { locks, beat, advance: (ms: number) => clock.advance(ms) };
  }

  it("gives a lock to one of many that take it at once", async () => {
    const { locks } = await openLocks();
    const taken = await Promise.all(Array.from({ length: 20 }, (_, i) => locks.take("a", `o${i}`, 1_000)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await locks.take("b", "another", 1_000)).toBe(true);
  });

  it("frees the lock of an owner that renews nothing when its time is over", async () => {
    const { locks, advance } = await openLocks();
    await locks.take("a", "dead", 1_000);
    advance(999);
    expect(await locks.take("a", "next", 1_000)).toBe(false);
    advance(1);
    expect(await locks.take("a", "next", 1_000)).toBe(true);
    expect(await locks.renew("a", "dead", 1_000)).toBe(false);
    await locks.release("a", "dead");
    expect(await locks.take("a", "third", 1_000)).toBe(false);
  });

  it("prolongs a lock that its owner takes again or renews", async () => {
    const { locks, advance } = await openLocks();
    await locks.take("a", "owner", 1_000);
    advance(900);
    expect(await locks.take("a", "owner", 1_000)).toBe(true);
    advance(900);
    expect(await locks.renew("a", "owner", 1_000)).toBe(true);
    advance(900);
    expect(await locks.take("a", "next", 1_000)).toBe(false);
  });

  it("gives a lock back at once, and does not bring it back by a late renewal", async () => {
    const { locks } = await openLocks();
    await locks.take("a", "owner", 60_000);
    await locks.release("a", "owner");
    expect(await locks.renew("a", "owner", 60_000)).toBe(false);
    expect(await locks.take("a", "next", 60_000)).toBe(true);
  });

  it("takes the lock of a dead replica at once, for a caller that may call others dead", async () => {
    const { locks, beat, advance } = await openLocks();
    await beat();
    await locks.take("a", "replica", 60_000);
    advance(DEAD_AFTER_MS - 1);
    expect(await locks.take("a", "next", 60_000, { fromDead: true })).toBe(false);
    advance(1);
    expect(await locks.take("a", "next", 60_000)).toBe(false);
    expect(await locks.take("a", "next", 60_000, { fromDead: true })).toBe(true);
    expect(await locks.renew("a", "replica", 60_000)).toBe(false);
  });

  it("leaves the lock of a replica that beats", async () => {
    const { locks, beat, advance } = await openLocks();
    await locks.take("a", "replica", 60_000);
    advance(DEAD_AFTER_MS);
    await beat();
    expect(await locks.take("a", "next", 60_000, { fromDead: true })).toBe(false);
  });

  it("takes no lock from an owner of which nothing is known, also where the dead may be taken from", async () => {
    const { locks } = await openLocks();
    await locks.take("a", "command line", 60_000);
    expect(await locks.take("a", "next", 60_000, { fromDead: true })).toBe(false);
  });
}
