/** Brings the schema of the configured store up to date, and says what that was, or would be. */
import { join } from "node:path";
import type { StorePlace } from "../../config/locate-store.ts";
import { isPresent, readFileVersion } from "../../store/sqlite/database-file.ts";
import { DATABASE_NAME } from "../../store/sqlite/home.ts";
import { SCHEMA_VERSION } from "../../store/schema-version.ts";
import { placeOfDatabase } from "../../text/database-place.ts";
import { openConfiguredStore } from "./configured-store.ts";

export interface StoreUpdated {
  readonly kind: "sqlite" | "postgresql";
  readonly place: string;
  /** Null where there was no store. */
  readonly from: number | null;
  readonly to: number;
}

export async function updateStore(place: StorePlace, isDry = false): Promise<StoreUpdated> {
  const from = await readVersion(place);
  if (!isDry) await (await openConfiguredStore(place)).close();
  const { url } = place.store;
  return {
    ...(url === undefined
      ? { kind: "sqlite", place: join(place.home, DATABASE_NAME) }
      : { kind: "postgresql", place: placeOfDatabase(url) }),
    from,
    // A newer one that this code may use stays as it is.
    to: Math.max(from ?? 0, SCHEMA_VERSION),
  };
}

async function readVersion({ home, store }: StorePlace): Promise<number | null> {
  if (store.url === undefined) {
    const path = join(home, DATABASE_NAME);
    return isPresent(path) ? readFileVersion(path) : null;
  }
  const { inspectDatabase } = await import("../../store/postgres/inspect-database.ts");
  return (await inspectDatabase(store.url)).schema?.version ?? null;
}
