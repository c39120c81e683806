/**
 * Which capabilities of a scope are listed as tools: the newest and then the most used, as far as the budget of tokens
 * goes. It is chosen in the transaction of each change of the library, so all processes list the same, and a use alone
 * changes nothing.
 *
 * A definition that does not fit is passed over, and smaller ones after it may still fit. What is not listed is found
 * by search and called by name all the same.
 */
import { sql, type ExpressionBuilder, type Transaction } from "kysely";
import type { Scope } from "../../core/names.ts";
import {
  LISTED_ALWAYS_TOKENS_MAX,
  LISTED_COUNT_MAX,
  LISTED_COUNT_MIN,
  LISTED_TOKENS_MAX,
} from "../../core/store.ts";
import { estimateTokens } from "../../text/token-estimate.ts";
import type { Database } from "../database.ts";

/** A capability as far as the choice needs it. */
interface ListedCandidate {
  readonly id: string;
  readonly usageCount: number;
  readonly updatedAt: number;
  /** Of its tool name, description and input schema. */
  readonly bytes: number;
}

/** `{"description":"","input_schema":,"name":"mcp____"}` around them. */
const FRAME_BYTES = 48;

/** The ids of those that are listed, of the candidates in any order. */
function pickListed(candidates: readonly ListedCandidate[]): string[] {
  const chosen: string[] = [];
  let tokensLeft = LISTED_TOKENS_MAX;
  for (const { id, bytes } of inOrder(candidates)) {
    if (chosen.length === LISTED_COUNT_MAX) break;
    const tokens = estimateTokens(bytes + FRAME_BYTES);
    const isAlways = chosen.length < LISTED_COUNT_MIN && tokens <= LISTED_ALWAYS_TOKENS_MAX;
    if (tokens > tokensLeft && !isAlways) continue;
    chosen.push(id);
    tokensLeft -= tokens;
  }
  return chosen;
}

/** The newest first, used or not; then by use, of equally used ones the newer. */
function inOrder(candidates: readonly ListedCandidate[]): ListedCandidate[] {
  const byAge = (a: ListedCandidate, b: ListedCandidate) =>
    b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
  const newestFirst = candidates.toSorted(byAge);
  const rest = newestFirst.slice(LISTED_COUNT_MIN).toSorted((a, b) => b.usageCount - a.usageCount);
  return [...newestFirst.slice(0, LISTED_COUNT_MIN), ...rest];
}

/** Marks what is chosen, and writes only the rows that differ. */
export async function chooseListed(trx: Transaction<Database>, scope: Scope): Promise<void> {
  const chosen = pickListed(await readCandidates(trx, scope));
  await trx
    .updateTable("capabilities")
    .set((eb) => ({ listed: eb(eb.val(1), "-", eb.ref("listed")) }))
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("deleted_at", "is", null)
    .where((eb) => {
      // PostgreSQL knows no empty list.
      if (chosen.length === 0) return eb("listed", "=", 1);
      return eb("listed", "!=", eb.case().when("id", "in", chosen).then(1).else(0).end());
    })
    .execute();
}

/**
 * No more than can be listed, so that a large library is not read. `capabilities_most_used` gives them by use, so that
 * only those of equal use are compared.
 */
function readCandidates(trx: Transaction<Database>, scope: Scope): Promise<ListedCandidate[]> {
  return trx
    .selectFrom("capabilities")
    .innerJoin("capability_versions as current", (join) =>
      join
        .onRef("current.capability_id", "=", "capabilities.id")
        .onRef("current.version", "=", "capabilities.current_version"),
    )
    .select([
      "capabilities.id",
      "capabilities.usage_count as usageCount",
      "capabilities.updated_at as updatedAt",
      sql<number>`octet_length(namespace) + octet_length(action) + octet_length(description)
        + octet_length(current.input_schema)`.as("bytes"),
    ])
    .where((eb) => {
      const newest = liveOf(eb, scope)
        .orderBy("other.updated_at", "desc")
        .orderBy("other.id", "desc")
        .limit(LISTED_COUNT_MIN);
      const mostUsed = liveOf(eb, scope)
        .orderBy("other.usage_count", "desc")
        .orderBy("other.updated_at", "desc")
        .orderBy("other.id", "desc")
        .limit(LISTED_COUNT_MAX);
      return eb.or([eb("capabilities.id", "in", newest), eb("capabilities.id", "in", mostUsed)]);
    })
    .execute();
}

function liveOf(
  eb: ExpressionBuilder<Pick<Database, "capabilities" | "capability_aliases">, "capabilities">,
  { org, project }: Scope,
) {
  return eb
    .selectFrom("capabilities as other")
    .select("other.id")
    .where("other.org", "=", org)
    .where("other.project", "=", project)
    .where("other.deleted_at", "is", null);
}
