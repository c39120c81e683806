import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../fixtures/temporary.ts";
import { debianPrograms } from "./postgres-programs.ts";
import { startPostgres, type Postgres } from "./postgres.ts";
import { temporaryDatabase, useDatabase } from "./shared-postgres.ts";

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "none",
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

describe.skipIf(process.platform === "win32")("a PostgreSQL for tests", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  test("makes databases and drops them, also while somebody is connected", async () => {
    const url = await postgres.createDatabase();
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    await postgres.dropDatabase(url);
    expect(await codeOf(postgres.query("select 1", [], url))).toBe("3D000");
  });

  test("sorts by a language where that is asked for, and by bytes otherwise", async () => {
    const sql = "select string_agg(x, ' ' order by x) as sorted from unnest(array['B', 'a_1', 'a1', 'b']) x";
    const [bytes] = await postgres.query(sql, [], await postgres.createDatabase());
    const [icu] = await postgres.query(sql, [], await postgres.createDatabase({ icuLocale: "en-US" }));
    expect([bytes, icu]).toEqual([{ sorted: "B a1 a_1 b" }, { sorted: "a_1 a1 b B" }]);
  });

  test("knows a user with a password, who is refused with another one", async () => {
    const url = await postgres.withPassword(await postgres.createDatabase());
    expect(await postgres.query("select current_user as name", [], url)).toEqual([{ name: "guarded" }]);
    const wrong = Object.assign(new URL(url), { password: "wrong" }).href;
    expect(await codeOf(postgres.query("select 1", [], wrong))).toBe("28P01");
  });

  test.each(["fast", "immediate"] as const)("stops (%s), and has its data after a start", async (mode) => {
    const url = await postgres.createDatabase();
    await postgres.query("create table kept as select $1::text as word", ["stays"], url);
    await postgres.query("checkpoint");
    await postgres.stop(mode);
    expect(await codeOf(postgres.query("select 1", [], url))).toBe("ECONNREFUSED");
    await postgres.start();
    expect(await postgres.query("select word from kept", [], url)).toEqual([{ word: "stays" }]);
  });

  test("ends every connection but its own", async () => {
    const client = new Client({ connectionString: postgres.adminUrl });
    let isEnded = false;
    client.on("error", () => (isEnded = true));
    await client.connect();
    expect(await postgres.terminateBackends()).toBeGreaterThan(0);
    await eventually("the end of the connection", () => isEnded);
  });
});

test.skipIf(debianPrograms() === undefined)("Debian's PostgreSQL runs too", async () => {
  const postgres = await startPostgres({ binaries: "debian", settings: { max_connections: "20" } });
  onTestFinished(() => postgres.close());
  expect(await postgres.query("show max_connections")).toEqual([{ max_connections: "20" }]);
});

test.skipIf(process.platform === "win32")(
  "no server and no folder outlive a process that is killed",
  async () => {
    const module = join(import.meta.dirname, "postgres.ts");
    const program = `import { startPostgres } from ${JSON.stringify(module)};
const postgres = await startPostgres();
const [row] = await postgres.query("show data_directory");
console.log(JSON.stringify({ pid: postgres.pid(), folder: row.data_directory }));
setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string };
    expect([isAlive(pid), existsSync(folder)]).toEqual([true, true]);
    child.kill("SIGKILL");
    await eventually("the end of the server", () => !isAlive(pid));
    await eventually("the end of its folder", () => !existsSync(folder));
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === "win32")("the PostgreSQL that test files share", () => {
  const database = useDatabase();

  test("gives each file a database, and a test one of its own", async () => {
    const own = await temporaryDatabase();
    expect(new URL(own).host).toBe(new URL(database.url).host);
    expect(own).not.toBe(database.url);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});
