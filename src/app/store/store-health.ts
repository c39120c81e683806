/** What health says of the store. A file is there or not; a database can be away for a while. */
import { systemClock, type Clock } from "../../core/clock.ts";
import { RepertoireError } from "../../core/errors.ts";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import type { Store } from "../../core/store.ts";
import type { HealthDeps, StoreReport } from "../../server/health.ts";
import { within } from "../../timing/deadline.ts";

/** A question beside the report itself; without its answer the report is still worth having. */
const COUNT_MS = 1_000;

/** Replicas that live, where there can be several. */
export async function countReplicas({ replicas }: Pick<Store, "replicas">): Promise<number> {
  const seen = await replicas.list();
  return seen.filter(({ ageMs }) => ageMs < DEAD_AFTER_MS).length;
}

export function storeHealthOf(
  store: Pick<Store, "status" | "replicas">,
  waitMs: number,
  clock: Clock = systemClock,
): Pick<HealthDeps, "awayMs" | "isAway" | "describeStore"> {
  if (store.status().kind === "sqlite") return {};
  return {
    awayMs: waitMs,
    isAway: (error) => error instanceof RepertoireError && error.code === "STORE_BUSY",
    async describeStore(): Promise<StoreReport> {
      const { kind, place, awaySince } = store.status();
      if (awaySince !== undefined) {
        const since = new Date(clock.now() - (clock.elapsed() - awaySince));
        return { kind, place, away_since: since.toISOString() };
      }
      const replicas = await within(countReplicas(store), COUNT_MS).catch(() => undefined);
      return { kind, place, ...(replicas !== undefined && { replicas }) };
    },
  };
}
