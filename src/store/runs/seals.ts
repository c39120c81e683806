import { randomBytes } from "node:crypto";
import type { SealStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";

const KEY_BYTES = 32;
/** A clock that is behind by less than this does not bring a spent state back. */
const EXPIRED_FOR_MS = 24 * 60 * 60 * 1000;

export function createSealStore({ db, clock }: StoreContext): SealStore {
  const keys = new Map<string, Buffer>();

  async function readKey(name: string): Promise<Buffer | undefined> {
    const row = await db.selectFrom("sealing_keys").select("key").where("name", "=", name).executeTakeFirst();
    return row === undefined ? undefined : Buffer.from(row.key, "base64url");
  }

  /** Of several processes that make one at once, the first insert counts and the others read it. */
  async function makeKey(name: string): Promise<Buffer> {
    await db
      .insertInto("sealing_keys")
      .values({ name, key: randomBytes(KEY_BYTES).toString("base64url"), created_at: clock.now() })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    return (await readKey(name))!;
  }

  return {
    async key(name) {
      const known = keys.get(name) ?? (await readKey(name)) ?? (await makeKey(name));
      keys.set(name, known);
      return known;
    },
    async spend(id, expiresAt) {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto("spent_states")
        .values({ id, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await db
        .deleteFrom("spent_states")
        .where("expires_at", "<", clock.now() - EXPIRED_FOR_MS)
        .execute();
      return true;
    },
    async isSpent(id) {
      const row = await db.selectFrom("spent_states").select("id").where("id", "=", id).executeTakeFirst();
      return row !== undefined;
    },
  };
}
