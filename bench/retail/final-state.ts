/** The database after the actions of a log, as one hash of its canonical JSON. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../src/core/json.ts";
import type { Database } from "./records.ts";
import { changesOf, readLog } from "./shop.ts";

/** The hash of the database that a log leaves behind. */
export type HashOf = (logFile: string) => string;

/** Most records are those of `db.json` in every shop: their text is made once. */
export function createStateHash(database: Database): HashOf {
  const kinds = ["orders", "products", "users"] as const;
  const texts = new Map(
    kinds.flatMap((kind) =>
      Object.entries(database[kind]).map(([id, record]) => [`${kind}/${id}`, textOf(record)] as const),
    ),
  );
  return (logFile) => {
    const { users, orders } = changesOf(readLog(logFile));
    const after = new Map(texts);
    for (const [id, user] of Object.entries(users)) after.set(`users/${id}`, textOf(user));
    for (const [id, order] of Object.entries(orders)) after.set(`orders/${id}`, textOf(order));
    const hash = createHash("sha256");
    for (const key of [...after.keys()].toSorted()) hash.update(`${key} ${after.get(key)!}\n`);
    return hash.digest("hex");
  };
}

function textOf(record: object): string {
  return canonicalJson(record);
}
