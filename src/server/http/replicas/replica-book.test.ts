import { expect, it } from "vitest";
import { BEAT_MS, type SeenReplica } from "../../../core/replica-store.ts";
import { createReplicaBook } from "./replica-book.ts";

const row: SeenReplica = {
  id: "one",
  owner: "one",
  place: "",
  url: "http://127.0.0.1:1",
  version: "0",
  isDraining: false,
  startedAt: 0,
  ageMs: 0,
};

it("asks the store once in a beat, also for a replica that there is not", async () => {
  let now = 0;
  const asked: string[] = [];
  const find = async (id: string) => (asked.push(id), id === "one" ? row : undefined);
  const book = createReplicaBook({ ownId: "me", find }, () => now);
  const found = await Promise.all(["one", "one", "none", "none"].map((id) => book.find(id)));
  expect(found).toEqual([row, row, undefined, undefined]);
  now = BEAT_MS - 1;
  await book.find("one");
  expect(asked).toEqual(["one", "none"]);
  now = BEAT_MS;
  await book.find("one");
  expect(asked).toEqual(["one", "none", "one"]);
});

it("goes by what it read last while the store is away, and says so where it read nothing", async () => {
  let now = 0;
  let isAway = false;
  const find = async () => {
    if (isAway) throw new Error("away");
    return row;
  };
  const book = createReplicaBook({ ownId: "me", find }, () => now);
  await book.find("one");
  isAway = true;
  now = 60_000;
  expect(await book.find("one")).toEqual(row);
  await expect(book.find("two")).rejects.toThrow("away");
});
