/** The disk of the tables is full. Their tablespace lies on a small file system of its own, so that the server itself has room. */
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RepertoireError } from "../../src/core/errors.ts";
import { findAccount } from "../rig/postgres-programs.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { Outcome, Skipped } from "./case.ts";
import { LEASE_MS, leaseOf, newRunOf, recordedStep, workThrough } from "./journal-work.ts";
import { openStore } from "./stores.ts";

/** The tables of an empty store have some MB. */
const SIZE = "24m";
/** Beside the tables, and removed for the room that comes again. */
const BALLAST = "ballast";
const BALLAST_BYTES = 4 * 1024 * 1024;
/** Does not compress. */
const noise = (): string => Array.from({ length: 2_000 }, () => Math.random().toString(36)).join("");

export async function diskFull(postgres: Postgres): Promise<Outcome | Skipped> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-small-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true });
    return { skipped: "a file system of a fixed size cannot be mounted here: that needs root" };
  }
  const { uid, gid } = findAccount()!;
  chownSync(folder, uid, gid);
  try {
    return await fillAndFree(postgres, folder);
  } finally {
    spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillAndFree(postgres: Postgres, folder: string): Promise<Outcome> {
  const space = `small_${Math.random().toString(36).slice(2, 8)}`;
  await postgres.query(`create tablespace ${space} location '${folder}'`);
  const url = await postgres.createDatabase({ tablespace: space });
  const store = await openStore(url);
  try {
    writeFileSync(join(folder, BALLAST), Buffer.alloc(BALLAST_BYTES));
    const lease = leaseOf(await store.runs.start(newRunOf("fills"), "owner", LEASE_MS));
    let written = 0;
    const told = await (async () => {
      for (; ; written++)
        await store.runs.recordStep(lease, {
          ...recordedStep(`k${written}`, 2 * written),
          result: noise(),
        });
    })().catch((error: unknown) => error);
    const code = told instanceof RepertoireError ? told.code : String(told);
    const kept = (await store.runs.steps(lease.runId)).length;
    rmSync(join(folder, BALLAST));
    await workThrough(store, "goes on", 5);
    return {
      done: `steps until a disk of ${SIZE} is full, then room again`,
      figures: `${code}; ${kept} of ${written} acknowledged steps are there; goes on`,
      isMet: code === "STORE_FULL" && kept === written,
    };
  } finally {
    await store.close();
    await postgres.dropDatabase(url);
    await postgres.query(`drop tablespace ${space}`);
  }
}
