/** A home with a library of any size, and a hand that saves into it as another process does. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { DEFAULT_SCOPE, type CapabilityName } from "../src/core/names.ts";
import type { CapabilityDraft, Store } from "../src/core/store.ts";
import { DATABASE_NAME } from "../src/store/sqlite/home.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { BenchHome } from "./sandbox-gateway.ts";

export interface LibraryHome extends BenchHome {
  /** The folder of the database. */
  readonly home: string;
}

const bin = join(import.meta.dirname, "../dist/main.js");
const toolServer = join(import.meta.dirname, "fixtures/sandbox-tools.mjs");

/** A config with one server, `fixture`, and a home of its own whose library has so many capabilities. */
export async function prepareLibrary(folder: string, count: number): Promise<LibraryHome> {
  mkdirSync(folder, { recursive: true });
  const rowsFile = join(folder, "rows.json");
  writeFileSync(rowsFile, "[]");
  const config = join(folder, "config.json");
  const fixture = { command: process.execPath, args: [toolServer, rowsFile] };
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture } }));
  const home = join(folder, "home");
  await fill(home, count);
  const serveArgs = [bin, "serve", "--config", config, "--home", home, "--log-level", "error"];
  return { folder, rowsFile, home, serveArgs };
}

/** The first and the last are saved: the last has the store choose what is listed. */
async function fill(home: string, count: number): Promise<void> {
  const store = await openSqliteStore({ home });
  if (count > 0) await save(store, nameOf(0), "The first");
  if (count > 2) copyFirst(join(home, DATABASE_NAME), count - 2);
  if (count > 1) await save(store, nameOf(count - 1), "The last");
  await store.close();
}

/** Each save brings its row to disk and looks at the whole library, so that 10,000 of them take minutes; copies of rows do not. */
function copyFirst(file: string, copyCount: number): void {
  const db = new DatabaseSync(file);
  const capability = db.prepare("select * from capabilities").get()!;
  const version = db.prepare("select * from capability_versions").get()!;
  const insertCapability = inserter(db, "capabilities", capability);
  const insertVersion = inserter(db, "capability_versions", version);
  db.exec("begin immediate");
  for (let n = 1; n <= copyCount; n++) {
    const id = `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
    insertCapability({ ...capability, ...nameOf(n), id, description: `${DESCRIPTION} No. ${n}.` });
    insertVersion({ ...version, capability_id: id });
  }
  db.exec("commit");
  db.close();
}

type Row = Record<string, SQLInputValue>;

function inserter(db: DatabaseSync, table: string, like: Row): (row: Row) => void {
  const columns = Object.keys(like);
  const values = columns.map((column) => `:${column}`);
  const insert = db.prepare(`insert into ${table} (${columns.join(", ")}) values (${values.join(", ")})`);
  return (row) => void insert.run(row);
}

function nameOf(n: number): CapabilityName {
  return { namespace: `topic${n % 50}`, action: `task${n}` };
}

/** Sorts before all that a home is filled with: of those that were never used, it is listed. */
export function earlyName(action: string): CapabilityName {
  return { namespace: "early", action };
}

/** In the process of the bench, which is not that of the gateway. Makes a new version where the name exists. */
export async function save(store: Store, name: CapabilityName, description: string): Promise<void> {
  await store.capabilities.save({ ...DRAFT, ...name, description, overwrite: true });
}

const DESCRIPTION =
  "Reads the issues of a repository, counts them by label and says which ones nobody answered.";

const text = (description: string) => ({ type: "string", description });

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    owner: text("Who the repository belongs to."),
    repo: text("The name of the repository."),
    limit: { type: "integer", minimum: 1, default: 50 },
  },
  required: ["owner", "repo"],
};

/** As large as what people keep: a few lines that use one tool. */
const DRAFT: Omit<CapabilityDraft, keyof CapabilityName | "description"> = {
  scope: DEFAULT_SCOPE,
  kind: "code",
  tags: ["issues", "report"],
  author: "bench",
  source: `const issues = await mcp.fixture.rows({ n: args.limit });\n${"// counts by label\n".repeat(20)}return { count: issues.length };`,
  inputSchema: INPUT_SCHEMA,
  outputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  toolsUsed: [
    {
      tool: "fixture__rows",
      hash: "0".repeat(64),
      definition: { inputSchema: INPUT_SCHEMA, annotations: { readOnlyHint: true } },
    },
  ],
};
