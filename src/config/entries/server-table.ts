/** Where the servers stand in a file, whatever else is wrong with it. VS Code has them under `servers`. */
import { asObject } from "./server-check.ts";

/** The first wins where both have a key. */
export const SERVER_TABLES = ["mcpServers", "servers"] as const;

interface TableEntry {
  readonly key: string;
  readonly table: (typeof SERVER_TABLES)[number];
  readonly value: unknown;
  /** Whether an earlier table has this key, so that this one does not count. */
  readonly isDouble: boolean;
}

export function listEntries(file: unknown): TableEntry[] {
  const seen = new Set<string>();
  return SERVER_TABLES.flatMap((table) => {
    const root = asObject(file);
    const servers = root !== undefined && Object.hasOwn(root, table) ? asObject(root[table]) : undefined;
    return Object.entries(servers ?? {}).map(([key, value]) => {
      const isDouble = seen.has(key);
      seen.add(key);
      return { key, table, value, isDouble };
    });
  });
}
