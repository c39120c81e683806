/** What a database says of itself, for people who look after it. Nothing is written. */
import { RepertoireError } from "../../core/errors.ts";
import type { DatabaseReport } from "../../store/postgres/inspect-database.ts";

export type { DatabaseReport } from "../../store/postgres/inspect-database.ts";
export { SCHEMA_VERSION } from "../../store/schema-version.ts";
export { MAKE_KEY, loadSecretKeys } from "../../secrets/secret-key.ts";

/** Why it could not be asked. */
export interface StoreBroken {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export type DatabaseAsked =
  | { readonly ok: true; readonly report: DatabaseReport }
  | { readonly ok: false; readonly broken: StoreBroken };

export async function askDatabase(url: string): Promise<DatabaseAsked> {
  const { inspectDatabase } = await import("../../store/postgres/inspect-database.ts");
  try {
    return { ok: true, report: await inspectDatabase(url) };
  } catch (error) {
    if (!(error instanceof RepertoireError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, broken: { code, message, ...(hint !== undefined && { hint }) } };
  }
}
