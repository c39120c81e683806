/** Sealed states of a real store, for all tests of a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../core/store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createSealedStates, type SealedStates } from "./sealed-state.ts";

/** Each call is another process; all share the store. */
export function useSealedStates(): (clock?: Clock, replica?: string) => SealedStates {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  let store: Store | undefined;
  beforeAll(async () => {
    store = await openSqliteStore({ home: join(folder, "home") });
  });
  afterAll(async () => {
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return (clock, replica) =>
    createSealedStates({ store: store!.seals, replica, ...(clock !== undefined && { clock }) });
}
