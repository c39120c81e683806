import type { Kysely, RawBuilder } from "kysely";
import type { Clock } from "../core/clock.ts";
import type { Database } from "./database.ts";

/** What a database brings; all that differs between SQLite and PostgreSQL. */
export interface Backend {
  readonly db: Kysely<Database>;
  /** The database's clock in ms. Leases are measured by it alone, so that owners need not agree on the time. */
  readonly databaseNow: RawBuilder<number>;
  /** What is wrong with its files or pages. */
  findDamage(): Promise<string[]>;
  /** See `Store`. */
  changeMark(): Promise<string>;
  /** Throws where a write would be refused; see `Store`. */
  check(): Promise<void>;
  /** Lets work in flight end, then closes; every later use throws `STORE_CLOSED`. */
  close(): Promise<void>;
}

/** What the stores of the single nouns work with. */
export interface StoreContext extends Pick<Backend, "db" | "databaseNow"> {
  readonly clock: Clock;
  readonly newId: () => string;
}
