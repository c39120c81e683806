/**
 * Which runs somebody looks for. The values that a partial index is made for are part of the statement's text: with a
 * parameter in their place it is not used.
 */
import { sql, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, type Expression } from "kysely";
import type { RunFilter, RunStarter } from "../../core/store.ts";
import type { Database } from "../database.ts";
import { fitsPattern, hasText } from "../like-pattern.ts";

type Runs<Output> = SelectQueryBuilder<Database, "runs", Output>;

/** More words make the statement longer and hardly ever find something else. */
const WORD_COUNT_MAX = 8;

const SUCCEEDED = sql.lit("succeeded" as const);

export function filterRuns<Output>(all: Runs<Output>, filter: RunFilter): Runs<Output> {
  const { statuses, kinds, tool, text, since, until, session, starter, mode } = filter;
  let query = ofStarter(all, starter);
  if (session !== undefined) query = query.where("session", "=", session);
  if (statuses !== undefined) query = oneOf(query, "status", statuses);
  // Says nothing new, but lets the index of the unfinished be used: of a hundred thousand runs most have succeeded.
  if (statuses?.includes("succeeded") === false) query = query.where("status", "<>", SUCCEEDED);
  if (mode !== undefined) query = query.where("mode", "=", mode);
  if (kinds !== undefined) query = oneOf(query, "kind", kinds);
  if (since !== undefined) query = query.where("started_at", ">=", since);
  if (until !== undefined) query = query.where("started_at", "<", until);
  if (tool !== undefined) query = query.where((eb) => hasStepOf(eb, tool));
  for (const word of wordsOf(text)) query = query.where((eb) => mentions(eb, word));
  return query;
}

/** PostgreSQL knows no empty list; nothing is one of none. */
function oneOf<Output, Column extends "status" | "kind">(
  query: Runs<Output>,
  column: Column,
  values: readonly Database["runs"][Column][],
): Runs<Output> {
  return values.length === 0 ? query.where(sql<SqlBool>`1 = 0`) : query.where(sql.ref(column), "in", values);
}

export function ofStarter<Output>(query: Runs<Output>, starter: RunStarter | undefined): Runs<Output> {
  let narrowed = query;
  for (const column of ["principal", "session"] as const) {
    const wanted = starter?.[column];
    if (wanted === undefined) continue;
    narrowed = wanted === null ? narrowed.where(column, "is", null) : narrowed.where(column, "=", wanted);
  }
  return narrowed;
}

function wordsOf(text = ""): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, WORD_COUNT_MAX);
}

function hasStepOf(eb: ExpressionBuilder<Database, "runs">, tool: string): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom("steps")
      .select("steps.run_id")
      .whereRef("steps.run_id", "=", "runs.id")
      .where(fitsPattern(sql.ref("steps.tool"), tool)),
  );
}

function mentions(eb: ExpressionBuilder<Database, "runs">, word: string): Expression<SqlBool> {
  const name = sql`capabilities.namespace || ':' || capabilities.action`;
  return eb.or([
    hasText(sql.ref("runs.intent"), word),
    hasText(sql.ref("runs.source"), word),
    eb.exists(
      eb
        .selectFrom("capabilities")
        .select("capabilities.id")
        .whereRef("capabilities.id", "=", "runs.capability_id")
        .where(hasText(name, word)),
    ),
  ]);
}
