/** What the store on PostgreSQL keeps when the server, the network or another replica fails: short forms of `npm run soak:replicas`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCase, type Case } from "./replicas/case.ts";
import { storeCases, SHORT } from "./replicas/store-cases.ts";
import { startPostgres, type Postgres } from "./rig/postgres.ts";

describe.skipIf(process.platform === "win32")("the store on PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  const cases: readonly Case[] = storeCases(() => postgres, SHORT);

  it.each(cases)("$name: $bar", { timeout: 180_000 }, async (given) => {
    const row = await runCase(given);
    expect(row.outcome, `${row.done}: ${row.figures}`).not.toBe("missed");
  });
});
