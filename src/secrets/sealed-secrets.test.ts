import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { silentLog } from "../core/log.ts";
import { newKey, openDatabase, openSealed } from "./sealed-secrets.testkit.ts";

const SECRET = "s3cret-VALUE-of-a-person";

function recordingLog() {
  const lines: string[] = [];
  const note = (event: string, fields?: unknown): void =>
    void lines.push(`${event} ${JSON.stringify(fields)}`);
  return { lines, log: { ...silentLog, warn: note, error: note, info: note } };
}

it("a secret that one gateway keeps, another reads; the database has neither value nor key", async () => {
  const home = temporaryFolder();
  const key = newKey();
  const [one, other] = [await openDatabase(home), await openDatabase(home)];
  await openSealed(one, { key }).set("input:a", SECRET);
  expect(await openSealed(other, { key }).get("input:a")).toBe(SECRET);
  expect(await openSealed(other, { key }).names("input:")).toEqual(["input:a"]);
  await one.close();
  await other.close();
  const bytes = readFileSync(join(home, "repertoire.db"));
  for (const text of [SECRET, key, Buffer.from(key, "base64url").toString("latin1")])
    expect(bytes.includes(Buffer.from(text, "latin1"))).toBe(false);
});

it("a secret opens under its own name alone", async () => {
  const store = await openDatabase(temporaryFolder());
  const secrets = openSealed(store, { key: newKey() });
  await secrets.set("oauth:good", SECRET);
  const row = await store.secrets.get("oauth:good");
  await store.secrets.put({ ...row!, name: "oauth:evil" });
  expect(await secrets.get("oauth:evil")).toBeUndefined();
});

it("without a key, what is not there is not missed, and all else says how to make one", async () => {
  const store = await openDatabase(temporaryFolder());
  const bare = openSealed(store, {});
  expect(await bare.get("a")).toBeUndefined();
  expect(await bare.names("")).toEqual([]);
  await openSealed(store, { key: newKey() }).set("a", SECRET);
  const locked = { code: "SECRETS_LOCKED", hint: expect.stringContaining("openssl rand -base64 32") };
  await expect(bare.get("a")).rejects.toMatchObject(locked);
  await expect(bare.set("b", SECRET)).rejects.toMatchObject(locked);
  await expect(bare.rotate()).rejects.toMatchObject(locked);
  expect(await bare.delete("a")).toBe(true);
});

it("with another key, a secret counts as absent, and the log says so once, without the key", async () => {
  const store = await openDatabase(temporaryFolder());
  await openSealed(store, { key: newKey() }).set("oauth:box", SECRET);
  const { lines, log } = recordingLog();
  const key = newKey();
  const secrets = openSealed(store, { key }, { log });
  for (let i = 0; i < 3; i++) expect(await secrets.get("oauth:box")).toBeUndefined();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("oauth:box");
  expect(lines[0]).not.toContain(key);
  await secrets.set("oauth:box", "new");
  expect(await secrets.get("oauth:box")).toBe("new");
});

it("what the previous key sealed is sealed again when it is read, and by rotating", async () => {
  const store = await openDatabase(temporaryFolder());
  const [before, after, lost] = [newKey(), newKey(), newKey()];
  const old = openSealed(store, { key: before });
  await old.set("read", "1");
  await old.set("rotated", "2");
  await openSealed(store, { key: lost }).set("lost", "3");
  const changing = openSealed(store, { key: after, previous: before });
  expect(await changing.get("read")).toBe("1");
  expect(await openSealed(store, { key: after }).get("read")).toBe("1");
  expect(await openSealed(store, { key: after }).get("rotated")).toBeUndefined();
  const rotation = { sealedCount: 2, changedCount: 1, unreadable: ["lost"] };
  expect(await changing.rotate({ isDry: true })).toEqual(rotation);
  expect(await changing.rotate()).toEqual(rotation);
  expect(await openSealed(store, { key: after }).get("rotated")).toBe("2");
  expect(await changing.rotate()).toMatchObject({ sealedCount: 2, changedCount: 0 });
});

it("sealing again loses nothing that another gateway writes meanwhile", async () => {
  const store = await openDatabase(temporaryFolder());
  const [before, after] = [newKey(), newKey()];
  await openSealed(store, { key: before }).set("a", "old");
  const fresh = openSealed(store, { key: after });
  const late = openSealed(
    store,
    { key: after, previous: before },
    {
      rows: {
        ...store.secrets,
        async replace(...args) {
          await fresh.set("a", "new");
          return store.secrets.replace(...args);
        },
      },
    },
  );
  expect(await late.get("a")).toBe("old");
  expect(await fresh.get("a")).toBe("new");
});
