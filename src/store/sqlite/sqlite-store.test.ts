import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { describeSharedStore, describeStore } from "../store.testsuite.ts";
import type { OpenedStore } from "../testsuite/fixture.ts";
import { openSqliteStore } from "./sqlite-store.ts";

async function openOnEmptyHome(
  clock: Clock,
  databaseNow?: () => number,
  isShared = false,
): Promise<OpenedStore> {
  const home = mkdtempSync(join(tmpdir(), "repertoire-store-"));
  const options = { home, clock, isShared, ...(databaseNow !== undefined && { databaseNow }) };
  const first = await openSqliteStore(options);
  let current = first;
  return {
    store: first,
    async reopen() {
      await current.close();
      current = await openSqliteStore(options);
      return current;
    },
    async dispose() {
      await current.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

describeStore("the SQLite store", (...opened) => openOnEmptyHome(...opened));
// No product opens it so: the rules of several machines are tested without a server.
describeSharedStore("the SQLite store", (clock, databaseNow) => openOnEmptyHome(clock, databaseNow, true));
