/** What gateways on one PostgreSQL keep behind a balancer that knows nothing of them: short forms of `npm run soak:replicas`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCase, type Case } from "./replicas/case.ts";
import { harmfulCases, HTTP_SHORT, mendedCases, roundRobinCases } from "./replicas/http-cases.ts";
import { openHttpStand, type HttpStand } from "./replicas/http-stand.ts";
import { startPostgres, type Postgres } from "./rig/postgres.ts";

/** Several starts of gateways and servers, on a busy machine. */
const TEST_MS_MAX = 180_000;

describe.skipIf(process.platform === "win32")("gateways on one PostgreSQL", () => {
  let postgres: Postgres;
  let stand: HttpStand;
  beforeAll(async () => {
    postgres = await startPostgres();
    stand = await openHttpStand(postgres, { isProxied: true, hasLogin: true });
  }, TEST_MS_MAX);
  afterAll(async () => {
    await stand.close();
    await postgres.close();
  }, TEST_MS_MAX);

  const cases: readonly Case[] = [
    ...roundRobinCases(() => stand, HTTP_SHORT),
    ...mendedCases((work) => () => work(stand), HTTP_SHORT),
    // The rolling restart is in the soak alone: it asks for more than a busy machine has.
    ...harmfulCases(() => postgres, HTTP_SHORT).filter(({ name }) => !name.includes("rolling")),
  ];

  it.each(cases)("$name: $bar", { timeout: TEST_MS_MAX }, async (given) => {
    const row = await runCase(given);
    console.info(`${row.name}: ${row.figures}`);
    expect(row.outcome, `${row.done}: ${row.figures}`).not.toBe("missed");
  });
});
