/** Asks the database and the environment, and says what was found. */
import { openConfiguredStore } from "../../app/app.ts";
import {
  askDatabase,
  loadSecretKeys,
  MAKE_KEY,
  SCHEMA_VERSION,
  type DatabaseReport,
} from "../../app/store/database-report.ts";
import type { Config } from "../../config/config.ts";
import type { StorePlace } from "../../config/locate-store.ts";
import { messageOf } from "../../core/errors.ts";
import type { GlobalOptions } from "../global-options.ts";
import type { Check } from "./check.ts";
import { checkDatabase, checkReplica, describeBroken, type DatabaseCheckDeps } from "./database-checks.ts";

export async function examineDatabase(place: StorePlace, options: GlobalOptions): Promise<Check[]> {
  const { store } = place;
  const deps: DatabaseCheckDeps = { store, options, latestVersion: SCHEMA_VERSION, env: process.env };
  const asked = await askDatabase(store.url!);
  if (!asked.ok) return [describeBroken(asked.broken, deps)];
  return [...checkDatabase(asked.report, deps), ...(await findDamage(place, asked.report))];
}

/** Only where the tables are this version's: opening any others would change them. */
async function findDamage(place: StorePlace, { schema }: DatabaseReport): Promise<Check[]> {
  if (schema?.version !== SCHEMA_VERSION) return [];
  const store = await openConfiguredStore(place);
  try {
    const damage = await store.findDamage();
    if (damage.length === 0) return [];
    const message = `the database is damaged: ${damage.slice(0, 3).join("; ")}`;
    return [
      { name: "store", state: "failed", message, cure: "pg_restore --help", advice: "Restore a backup." },
    ];
  } finally {
    await store.close();
  }
}

/** A gateway on the same machine answers in some ms. */
const REACH_MS = 3_000;

export async function examineReplica(config: Config): Promise<Check[]> {
  try {
    return await checkReplica(config, {
      hasSecretKey: loadSecretKeys() !== undefined,
      makeKey: MAKE_KEY,
      reach,
    });
  } catch (error) {
    const cure = `export REPERTOIRE_SECRET_KEY=$(${MAKE_KEY})`;
    return [{ name: "secrets", state: "failed", message: messageOf(error), cure }];
  }
}

/** Any answer will do: what is asked is whether the address leads somewhere. */
async function reach(url: string): Promise<boolean> {
  try {
    await fetch(`${url.replace(/\/$/, "")}/health/live`, { signal: AbortSignal.timeout(REACH_MS) });
    return true;
  } catch {
    return false;
  }
}
