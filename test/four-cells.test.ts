/**
 * The four cells: clients of the old and the new era in front of servers of the old and the new era, over HTTP and stdio on either
 * side. The table of what passes is printed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { connectCellClient, type CellClient, type ClientKind, type Way } from "./rig/cell-client.ts";
import {
  beAskedAtOnce,
  clockOf,
  hearOfNewTool,
  ROWS,
  tryEach,
  type Cell,
  type Outcomes,
} from "./rig/cell-rows.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";

const PROGRAM = join(import.meta.dirname, "fixtures/cell-server.ts");
const SERVERS = [
  { id: "old_stdio", era: "legacy", transport: "stdio" },
  { id: "old_http", era: "legacy", transport: "http" },
  { id: "new_stdio", era: "modern", transport: "stdio" },
  { id: "new_http", era: "modern", transport: "http" },
] as const;

/** A second modern client, so that there are two of each era over HTTP; the first generation of the SDK is of the old era. */
const CLIENTS: readonly { kind: ClientKind; over: "http" | "stdio"; name: string }[] = [
  { kind: "old", over: "http", name: "old-http" },
  { kind: "first", over: "http", name: "first-http" },
  { kind: "new", over: "http", name: "new-http" },
  { kind: "new", over: "http", name: "new-http-2" },
  { kind: "old", over: "stdio", name: "old-stdio" },
  { kind: "new", over: "stdio", name: "new-stdio" },
];

/** What the protocol itself does not let pass: `row: client → server`, and why. */
const GAPS: Readonly<Record<string, string>> = {};

async function openServers() {
  const folder = temporaryFolder();
  const opened = SERVERS.map(async ({ id, era, transport }) => {
    const state = join(folder, id);
    mkdirSync(state);
    const args = [PROGRAM, era, transport, state];
    if (transport === "stdio") return [id, { command: process.execPath, args }];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    return [id, { type: "http", url: (JSON.parse(line) as { url: string }).url }];
  });
  return { folder, mcpServers: Object.fromEntries(await Promise.all(opened)) as object };
}

async function openClients(config: object): Promise<CellClient[]> {
  const folder = temporaryFolder();
  const file = join(folder, "repertoire.json");
  writeFileSync(file, JSON.stringify(config));
  const { url, headers } = await openHttpGateway({ config });
  return Promise.all(
    CLIENTS.map(({ kind, over, name }) => {
      const home = join(folder, name);
      mkdirSync(home);
      const way: Way =
        over === "http"
          ? { url, headers }
          : {
              command: process.execPath,
              args: [BIN, "serve", "--config", file],
              env: environmentOf(home),
            };
      return connectCellClient(kind, name, way);
    }),
  );
}

type Table = Map<string, Map<string, Error | undefined>>;

function record(table: Table, row: string, outcomes: Outcomes): void {
  const cells = table.get(row) ?? new Map<string, Error | undefined>();
  for (const [{ client, server }, problem] of outcomes) cells.set(`${client.name} → ${server}`, problem);
  table.set(row, cells);
}

function draw(table: Table): string {
  const columns = [...table.values()][0]!.keys().toArray();
  const shown = columns.map((column, at) => `${String(at + 1).padStart(3)}  ${column}`);
  const width = Math.max(...[...table.keys()].map((row) => row.length));
  const head = `${"".padEnd(width)} ${columns.map((_, at) => String(at + 1).padStart(4)).join("")}`;
  const rows = [...table].map(([row, cells]) => {
    const marks = columns.map((column) => (cells.get(column) === undefined ? "ok" : "--").padStart(4));
    return `${row.padEnd(width)} ${marks.join("")}`;
  });
  return [...shown, "", head, ...rows].join("\n");
}

function problemsOf(table: Table): Record<string, string> {
  const problems = [...table].flatMap(([row, cells]) =>
    [...cells].flatMap(([column, problem]) =>
      problem === undefined ? [] : [[`${row}: ${column}`, String(problem)]],
    ),
  );
  return Object.fromEntries(problems) as Record<string, string>;
}

it("everything passes in each of the four cells, but for what the protocol itself does not let pass", async () => {
  const { folder, mcpServers } = await openServers();
  const clients = await openClients({ mcpServers, exposure: "full" });
  const cells = clients.flatMap((client) =>
    SERVERS.map(({ id: server }): Cell => {
      return { client, server, folder: join(folder, server), key: `${client.name}_${server}` };
    }),
  );
  const table: Table = new Map();
  await Promise.all(
    clients.map(async (client) => {
      await client.toolNames();
      await client.listen(SERVERS.map(({ id }) => clockOf(id)));
    }),
  );
  for (const [row, attempt] of Object.entries(ROWS)) record(table, row, await tryEach(cells, attempt));
  for (const { id } of SERVERS) {
    const own = cells.filter(({ server }) => server === id);
    record(table, "tools/list_changed", await hearOfNewTool(own));
  }
  record(table, "asked at once", await beAskedAtOnce(cells));
  process.stdout.write(`\n${draw(table)}\n`);
  const problems = problemsOf(table);
  const unexpected = Object.entries(problems).filter(([cell]) => !(cell in GAPS));
  expect(Object.fromEntries(unexpected)).toEqual({});
  expect(Object.keys(problems).sort()).toEqual(Object.keys(GAPS).sort());
}, 120_000);
