/**
 * The version after this one, as far as a database can tell: the same sources with one more migration, which adds a column to the
 * busiest table and a table of its own, as the rule for two versions side by side allows. It is built as the package is, without the
 * console.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../scripts/bundle.ts";
import { SCHEMA_VERSION } from "../../src/store/schema-version.ts";

const ROOT = join(import.meta.dirname, "../..");
export const NEXT_SCHEMA_VERSION = SCHEMA_VERSION + 1;

const MIGRATION = `  {
    name: "the next version",
    usableFrom: ${SCHEMA_VERSION},
    async up(db) {
      await db.schema.alterTable("runs").addColumn("colour", "text").execute();
      await db.schema.createTable("colours").addColumn("name", "text", (column) => column.primaryKey()).execute();
    },
  },
];`;

interface Change {
  readonly from: string | RegExp;
  readonly to: string;
}

/** By the file that it is made in. */
const CHANGES: Readonly<Record<string, Change>> = {
  "src/store/migrations.ts": { from: /(?<=MIGRATIONS: readonly Migration\[\] = \[.*?)^\];/ms, to: MIGRATION },
  "src/store/schema-version.ts": {
    from: `SCHEMA_VERSION = ${SCHEMA_VERSION};`,
    to: `SCHEMA_VERSION = ${NEXT_SCHEMA_VERSION};`,
  },
  // So that the table of replicas tells the two apart.
  "src/core/version.ts": { from: "manifest.version", to: "`${manifest.version}-next`" },
};

export interface NextVersion {
  readonly bin: string;
  close(): void;
}

export async function buildNextVersion(): Promise<NextVersion> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-next-"));
  const changed = new Set<string>();
  const transform = (code: string, id: string): string | null => {
    const file = Object.keys(CHANGES).find((name) => id === join(ROOT, name));
    if (file === undefined) return null;
    const { from, to } = CHANGES[file]!;
    const text = code.replace(from, () => to);
    if (text !== code) changed.add(file);
    return text;
  };
  const outDir = join(folder, "dist");
  await bundle({ outDir, console: false, plugins: [{ name: "next-version", transform }] });
  if (changed.size !== Object.keys(CHANGES).length)
    throw new Error(`only ${[...changed].join(", ")} could be changed to the next version`);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), `{"type": "module"}`);
  return { bin: join(outDir, "main.js"), close: () => rmSync(folder, { recursive: true, force: true }) };
}
