import { expect, it } from "vitest";
import { RepertoireError } from "../../core/errors.ts";
import type { ReplicaStore, SeenReplica } from "../../core/replica-store.ts";
import type { StoreStatus } from "../../core/store.ts";
import { storeHealthOf } from "./store-health.ts";

const clock = { now: () => Date.UTC(2026, 0, 1, 0, 1), elapsed: () => 70_000 };

function storeWith(status: StoreStatus, list: () => Promise<SeenReplica[]> = async () => []) {
  const replicas: Pick<ReplicaStore, "list"> = { list };
  return { status: () => status, replicas: replicas as ReplicaStore };
}

const seen = (ageMs: number): SeenReplica => ({
  id: `r${ageMs}`,
  owner: "o",
  place: "here",
  url: null,
  version: "1",
  isDraining: false,
  startedAt: 0,
  ageMs,
});

it("a file has no patience and no report", () => {
  expect(storeHealthOf(storeWith({ kind: "sqlite", place: "/home/x" }), 30_000)).toEqual({});
});

it("a database has its place, and the replicas that live", async () => {
  const store = storeWith({ kind: "postgresql", place: "db/x" }, async () => [seen(9_999), seen(10_000)]);
  const { describeStore, isAway, awayMs } = storeHealthOf(store, 30_000, clock);
  expect(awayMs).toBe(30_000);
  expect(await describeStore!()).toEqual({ kind: "postgresql", place: "db/x", replicas: 1 });
  expect(isAway!(new RepertoireError("STORE_BUSY", ""))).toBe(true);
  expect(isAway!(new RepertoireError("STORE_NEWER", ""))).toBe(false);
});

it("says since when it is away, and asks it nothing then", async () => {
  const store = storeWith({ kind: "postgresql", place: "db/x", awaySince: 10_000 }, () => {
    throw new Error("asked");
  });
  const { describeStore } = storeHealthOf(store, 30_000, clock);
  expect(await describeStore!()).toEqual({
    kind: "postgresql",
    place: "db/x",
    away_since: "2026-01-01T00:00:00.000Z",
  });
});
