/** For tests: a database as the first version made it, filled without today's store, which knows more columns. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { MIGRATIONS } from "../migrations.ts";
import { openTestStore, testHome } from "./temp-home.testkit.ts";

/** The home of an empty database that only the first migration has seen. */
export async function createVersionOne(): Promise<string> {
  const home = testHome();
  await (await openTestStore(home, { migrations: MIGRATIONS.slice(0, 1) })).close();
  return home;
}

export function insertRow(raw: DatabaseSync, table: string, row: Record<string, SQLInputValue>): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  raw.prepare(`insert into ${table} (${columns.join(", ")}) values (${places})`).run(...Object.values(row));
}

export interface OldCapability {
  readonly id: string;
  readonly scope: { readonly org: string; readonly project: string };
  readonly namespace: string;
  readonly action: string;
  readonly usageCount?: number;
  readonly deletedAt?: number;
}

const CAPABILITY = {
  kind: "code",
  description: "Old.",
  tags: '["t"]',
  visibility: "org",
  author: "ada",
  current_version: 1,
  success_count: 1,
  total_ms: 2.5,
  last_used_at: 7,
  created_at: 1,
  updated_at: 2,
};

const VERSION = {
  version: 1,
  source_hash: "h".repeat(64),
  short_hash: "hhhh",
  input_schema: '{"type":"object"}',
  output_schema: null,
  tools_used: '[{"hash":"x","tool":"a__b"}]',
  from_run_id: "r",
  author: "ada",
  created_at: 1,
};

/** With its one version. */
export function insertCapability(raw: DatabaseSync, capability: OldCapability): void {
  const { id, scope, namespace, action, usageCount = 0, deletedAt = null } = capability;
  const { org, project } = scope;
  const name = { org, project, namespace, action };
  insertRow(raw, "capabilities", {
    id,
    ...name,
    ...CAPABILITY,
    usage_count: usageCount,
    deleted_at: deletedAt,
  });
  insertRow(raw, "capability_versions", { capability_id: id, ...VERSION, source: `return "${id}"` });
}
