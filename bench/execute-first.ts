/** The first `execute` of a fresh gateway on a home that has run code before, by when it comes. */
import { setTimeout as pause } from "node:timers/promises";
import { createSamples, OTHER, OWN, timeCode, type Figure, type NamedHome } from "./execute-figures.ts";
import { openGateway, type GatewayLines } from "./sandbox-gateway.ts";

const ROUNDS = 12;
/** What an agent takes to read a list and to write code, at the least. */
const THINKING_MS = 1000;

interface Moment {
  readonly title: string;
  readonly before: (gateway: GatewayLines) => Promise<unknown>;
}

const MOMENTS: readonly Moment[] = [
  { title: "at once after initialize", before: () => Promise.resolve() },
  { title: "at once after tools/list", before: (gateway) => gateway.request("tools/list") },
  {
    title: `${THINKING_MS} ms after tools/list`,
    async before(gateway) {
      await gateway.request("tools/list");
      await pause(THINKING_MS);
    },
  },
];

export async function benchFirst(homes: readonly NamedHome[]): Promise<Figure[]> {
  const figures = MOMENTS.map(({ title }) => ({ title, ...createSamples([OTHER, OWN]) }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const { name, home } of round % 2 === 0 ? homes : homes.toReversed()) {
      for (const [at, { before }] of MOMENTS.entries()) {
        const gateway = await openGateway(home);
        try {
          await before(gateway);
          const elapsedMs = await timeCode(gateway, "return 1");
          // The first round fills the caches on disk.
          if (round >= 0) figures[at]!.add(name, elapsedMs);
        } finally {
          await gateway.close();
        }
      }
    }
  }
  const goals = [{ of: OWN, against: OTHER, ratioMax: 0.5 }];
  return figures.map(({ title, samples }) => ({
    title: `The first execute of a process, ${title}`,
    samples,
    goals,
  }));
}
