import { sql, type RawBuilder, type SqlBool } from "kysely";

/** Whether a column fits a pattern with `*`. SQLite's `like` looks past the case of letters and PostgreSQL's does not: both get lower case. */
export function fitsPattern(column: RawBuilder<unknown>, pattern: string): RawBuilder<SqlBool> {
  return isLike(column, literal(pattern).replaceAll("*", "%"));
}

/** Whether a column has these very characters somewhere; case does not matter. */
export function hasText(column: RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  return isLike(column, `%${literal(text)}%`);
}

function literal(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");
}

function isLike(column: RawBuilder<unknown>, written: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${column}) like ${written} escape '\\'`;
}
