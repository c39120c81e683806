import { randomBytes, randomUUID } from "node:crypto";
import type { SealStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";

const KEY_BYTES = 32;
/** A clock that is behind by less than this does not bring a spent state back. */
const EXPIRED_FOR_MS = 24 * 60 * 60 * 1000;

export function createSealStore({ db, clock, attempt }: StoreContext): SealStore {
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

  /** Whether this attempt was the first. One whose answer was lost finds itself again by its name. */
  async function insertSpent(id: string, expiresAt: number, spender: string): Promise<boolean> {
    const row = await db
      .insertInto("spent_states")
      .values({ id, expires_at: expiresAt, spender })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    return row !== undefined;
  }

  async function isSpender(id: string, spender: string): Promise<boolean> {
    const row = await db.selectFrom("spent_states").select("spender").where("id", "=", id).executeTakeFirst();
    return row?.spender === spender;
  }

  return {
    async key(name) {
      const known = keys.get(name) ?? (await readKey(name)) ?? (await makeKey(name));
      keys.set(name, known);
      return known;
    },
    async spend(id, expiresAt) {
      const spender = randomUUID();
      const isFirst = await attempt(
        async (count) =>
          (await insertSpent(id, expiresAt, spender)) || (count > 1 && (await isSpender(id, spender))),
      );
      if (!isFirst) return false;
      await attempt(() =>
        db
          .deleteFrom("spent_states")
          .where("expires_at", "<", clock.now() - EXPIRED_FOR_MS)
          .execute(),
      );
      return true;
    },
    async isSpent(id) {
      const row = await db.selectFrom("spent_states").select("id").where("id", "=", id).executeTakeFirst();
      return row !== undefined;
    },
  };
}
