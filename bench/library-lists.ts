/** `tools/list` of a small, a full and a huge library: at the start, again, and right after another process has saved. */
import { LISTED_COUNT_MAX } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { printFigures, quantile, takeTurns, type Samples } from "./figures.ts";
import { earlyName, save, type LibraryHome } from "./library-home.ts";
import { openGateway, type GatewayLines } from "./sandbox-gateway.ts";

const COLD_ROUNDS = 5;
const WARM_ROUNDS = 60;
const SAVE_ROUNDS = 7;
const GOAL_WARM_MS = 5;

interface SizedHome {
  readonly size: number;
  readonly home: LibraryHome;
}

interface Served extends SizedHome {
  readonly gateway: GatewayLines;
}

export async function benchLists(homes: readonly SizedHome[]): Promise<void> {
  const cold = await takeTurns(
    homes.map((sized) => ({ name: nameOf(sized), run: () => timeCold(sized.home) })),
    COLD_ROUNDS,
  );
  printFigures("tools/list with a library, the first after the handshake", cold, nameOf(homes[0]!));
  const all: Served[] = [];
  try {
    for (const sized of homes) all.push({ ...sized, gateway: await openGateway(sized.home) });
    await benchWarm(all);
    await benchSaves(all);
  } finally {
    for (const { gateway } of all) await gateway.close();
  }
}

function nameOf({ size }: SizedHome): string {
  return `${size.toLocaleString("en")} capabilities`;
}

async function timeCold(home: LibraryHome): Promise<number> {
  const gateway = await openGateway(home);
  const { elapsedMs } = await timeList(gateway);
  await gateway.close();
  return elapsedMs;
}

async function benchWarm(all: readonly Served[]): Promise<void> {
  const warm = await takeTurns(
    all.map((served) => ({
      name: nameOf(served),
      run: async () => (await timeList(served.gateway)).elapsedMs,
    })),
    WARM_ROUNDS,
  );
  printFigures("tools/list when nothing has changed", warm, nameOf(all[0]!));
  const worst = Math.max(...warm.map(({ values }) => quantile(values, 0.5)));
  console.log(
    `  goal: each under ${GOAL_WARM_MS} ms: ${worst < GOAL_WARM_MS ? "met" : "MISSED"} (${worst.toFixed(2)} ms)`,
  );
}

async function benchSaves(all: readonly Served[]): Promise<void> {
  const samples: Samples[] = [];
  const problems: string[] = [];
  for (const served of all) samples.push(await timeSaves(served, problems));
  printFigures("tools/list right after another process has saved", samples, nameOf(all[0]!));
  console.log(
    `  goal: the very next list has it, and no more than ${LISTED_COUNT_MAX}: ${problems.length === 0 ? "met" : `MISSED (${problems.join("; ")})`}`,
  );
}

async function timeSaves(served: Served, problems: string[]): Promise<Samples> {
  const store = await openSqliteStore({ home: served.home.home });
  const values: number[] = [];
  for (let round = 1; round <= SAVE_ROUNDS; round++) {
    await save(store, earlyName(`save${round}`), `Saved in round ${round}.`);
    const { elapsedMs, capabilities } = await timeList(served.gateway);
    values.push(elapsedMs);
    const problem = `${nameOf(served)}, round ${round}`;
    if (!capabilities.includes(`mcp__early__save${round}`)) problems.push(`${problem}: it is not there`);
    // Most of them have no place in the budget of the list.
    if (capabilities.length > LISTED_COUNT_MAX)
      problems.push(`${problem}: ${capabilities.length} are listed`);
  }
  await store.close();
  return { name: nameOf(served), values };
}

async function timeList(
  gateway: GatewayLines,
): Promise<{ readonly elapsedMs: number; readonly capabilities: string[] }> {
  const startedAt = performance.now();
  const line = await gateway.request("tools/list");
  const elapsedMs = performance.now() - startedAt;
  const { result } = JSON.parse(line) as { result: { tools: { name: string }[] } };
  const names = result.tools.map(({ name }) => name);
  return { elapsedMs, capabilities: names.filter((name) => name.startsWith("mcp__")) };
}
