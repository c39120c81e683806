/** Several processes on one database: they start on an empty one at once, save one name, and one is stopped while another takes over. */
import type { Store } from "../../src/core/store.ts";
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import { MOMENTS, startFaultProxy } from "../rig/fault-proxy.ts";
import type { Postgres } from "../rig/postgres.ts";
import { startTogether, startWriter, type Writer } from "../rig/store-writers.ts";
import type { Outcome } from "./case.ts";
import { LEASE_MS } from "./journal-work.ts";
import { openStore } from "./stores.ts";
import { firstOf } from "./terminated.ts";

/** Processes that all get to their end by themselves, or are killed. */
async function withWriters<T>(writers: readonly Writer[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    for (const writer of writers) writer.signal("SIGKILL");
    await Promise.all(writers.map((writer) => writer.ended));
  }
}

/** What went wrong with those that should have ended well. */
async function faultsOf(writers: readonly Writer[]): Promise<string[]> {
  const ends = await Promise.all(writers.map((writer) => writer.ended));
  return ends.filter(({ code }) => code !== 0).map(({ signal, stderr }) => `${signal ?? ""}${stderr}`);
}

export async function migrateAtOnce(
  postgres: Postgres,
  { processCount, rounds }: { readonly processCount: number; readonly rounds: number },
): Promise<Outcome> {
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const url = await postgres.createDatabase();
    const writers = Array.from({ length: processCount }, (_, i) => startWriter(url, "open", `w${i}`, 0));
    await withWriters(writers, async () => {
      await startTogether(writers);
      wrong.push(...(await faultsOf(writers)));
    });
    await postgres.dropDatabase(url);
  }
  const count = processCount * rounds;
  return {
    done: `${processCount} processes open an empty database at once, ${rounds} times`,
    figures: `${count - wrong.length} of ${count} open${firstOf(wrong)}`,
    isMet: wrong.length === 0,
  };
}

/** The connection of who migrates is lost at each statement; the next who opens finds all or nothing. */
export async function migrationLost(postgres: Postgres, everyNth = 1): Promise<Outcome> {
  const statementCount = await countStatements(postgres);
  const wrong: string[] = [];
  let losses = 0;
  for (let number = 1; number <= statementCount; number += everyNth) {
    const moment = MOMENTS[losses++ % MOMENTS.length]!;
    const url = await postgres.createDatabase();
    const proxy = await startFaultProxy(postgres.port);
    let seen = 0;
    proxy.onNext(moment, () => ++seen === number, "cut");
    const first = await openStore(proxy.urlOf(url)).catch((error: unknown) => String(error));
    const problem = await faultOf(first, url);
    if (problem !== undefined) wrong.push(`statement ${number} ${moment}: ${problem}`);
    if (typeof first !== "string") await first.close();
    proxy.close();
    await postgres.dropDatabase(url);
  }
  return {
    done: `the connection lost at ${losses} of the ${statementCount} statements of a first start`,
    figures: `${losses - wrong.length} of ${losses} opened in the end, with a whole schema${firstOf(wrong)}`,
    isMet: wrong.length === 0 && losses > 0,
  };
}

async function faultOf(first: Store | string, url: string): Promise<string | undefined> {
  if (typeof first === "string") return first;
  const second = await openStore(url);
  const damage = await second.findDamage();
  await second.close();
  return damage[0];
}

async function countStatements(postgres: Postgres): Promise<number> {
  const url = await postgres.createDatabase();
  const proxy = await startFaultProxy(postgres.port);
  await (await openStore(proxy.urlOf(url))).close();
  proxy.close();
  await postgres.dropDatabase(url);
  return proxy.statements.length;
}

/** Each version of one name is there once, with its number, whoever saved it. */
export async function sameName(
  url: string,
  store: Store,
  { processCount, writeCount }: { readonly processCount: number; readonly writeCount: number },
): Promise<Outcome> {
  const writers = Array.from({ length: processCount }, (_, i) =>
    startWriter(url, "mixed", `w${i}`, writeCount),
  );
  const faults = await withWriters(writers, async () => {
    await startTogether(writers);
    return faultsOf(writers);
  });
  const said = writers.flatMap(({ lines }) => lines);
  const countOf = (kind: string): number => said.filter((line) => line === kind).length;
  const shared = await store.capabilities.find(DEFAULT_SCOPE, { namespace: "math", action: "shared" });
  const versions = await store.capabilities.versions(shared?.id ?? "");
  const sources = new Set(versions.map(({ source }) => source));
  const [saves, uses, audits] = [countOf("save"), countOf("use"), countOf("audit")];
  const trail = await store.audit.list({ limit: audits + 1 });
  const wrong = [...faults, ...(await store.findDamage())];
  return {
    done: `${processCount} processes save, use and audit one name, ${writeCount} writes each`,
    figures: `${sources.size} of ${saves} versions, ${shared?.usageCount ?? 0} of ${uses} uses, ${trail.length} of ${audits} entries${firstOf(wrong)}`,
    isMet:
      wrong.length === 0 &&
      saves > 0 &&
      sources.size === saves &&
      versions[0]?.version === saves &&
      shared?.usageCount === uses &&
      trail.length === audits,
  };
}

/** An owner that is frozen, and taken for dead, wakes up in the midst of its work. */
export async function stoppedOwner(
  url: string,
  store: Store,
  { rounds, stoppedMs }: { readonly rounds: number; readonly stoppedMs: number },
): Promise<Outcome> {
  const counts = { fenced: 0, zombies: 0 };
  const faults: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const writer = startWriter(url, "steps", `owner-${round}`, 1_000_000);
    await withWriters([writer], async () => {
      await startTogether([writer]);
      const runId = await freeze(writer, 10 + round);
      const claimed = await store.runs.claim(runId, "heir", LEASE_MS, { gone: `owner-${round}` });
      if (claimed === undefined) faults.push("could not be claimed");
      const before = JSON.stringify(await store.runs.steps(runId));
      await new Promise((resolve) => setTimeout(resolve, stoppedMs));
      writer.signal("SIGCONT");
      faults.push(...(await faultsOf([writer])));
      if (writer.lines.includes("fenced")) counts.fenced++;
      if (JSON.stringify(await store.runs.steps(runId)) !== before) counts.zombies++;
    });
  }
  return {
    done: `${rounds} owners stopped (SIGSTOP) for ${stoppedMs / 1_000} s, claimed, and woken`,
    figures: `${counts.fenced} of ${rounds} fenced, ${counts.zombies} zombie rows${firstOf(faults)}`,
    isMet: counts.fenced === rounds && counts.zombies === 0 && faults.length === 0,
  };
}

/** Stops it after so many lines; the answer is its run. */
async function freeze(writer: Writer, lineCount: number): Promise<string> {
  while (writer.lines.length < lineCount) await new Promise((resolve) => setTimeout(resolve, 5));
  writer.signal("SIGSTOP");
  return writer.lines[0]!.replace("run ", "");
}
