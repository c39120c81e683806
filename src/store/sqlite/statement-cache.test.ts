import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { STATEMENT_COUNT_MAX, StatementCache } from "./sqlite-connection.ts";

function createCounted(): { cache: StatementCache; prepared: string[] } {
  const database = new DatabaseSync(":memory:");
  database.exec("create table t (a text)");
  const prepared: string[] = [];
  const cache = new StatementCache({
    isTransaction: false,
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      prepared.push(sql);
      return database.prepare(sql);
    },
  });
  return { cache, prepared };
}

it("compiles a text once", () => {
  const { cache, prepared } = createCounted();
  expect(cache.get("select 1")).toBe(cache.get("select 1"));
  expect(prepared).toEqual(["select 1"]);
});

it("knows which statements give rows", () => {
  const { cache } = createCounted();
  expect(cache.get("select * from t").reads).toBe(true);
  expect(cache.get("pragma user_version").reads).toBe(true);
  expect(cache.get("insert into t values ('a') returning a").reads).toBe(true);
  expect(cache.get("insert into t values ('a')").reads).toBe(false);
  expect(cache.get("update t set a = 'b'").reads).toBe(false);
});

it("drops the statement that was unused for longest when it is full", () => {
  const { cache, prepared } = createCounted();
  for (let i = 0; i < STATEMENT_COUNT_MAX; i++) cache.get(`select ${i}`);
  cache.get("select 0");
  cache.get("select 'one more'");
  prepared.length = 0;
  cache.get("select 0");
  expect(prepared).toEqual([]);
  cache.get("select 1");
  expect(prepared).toEqual(["select 1"]);
});

it("keeps nothing of a text that does not compile", () => {
  const { cache, prepared } = createCounted();
  expect(() => cache.get("selct 1")).toThrow();
  expect(() => cache.get("selct 1")).toThrow();
  expect(prepared).toEqual(["selct 1", "selct 1"]);
});
