/** A hundred calls in turn inside one `execute`, beside the same calls made by the client through the same gateway. */
import { createSamples, OTHER, OWN, timeCode, type Figure, type NamedHome } from "./execute-figures.ts";
import { openGateway, type GatewayLines } from "./sandbox-gateway.ts";

const ROUNDS = 15;
const WARM_UP_ROUNDS = 2;
const CALLS = 100;
const INSIDE_RATIO_MAX = 1.5;

/** The second says nothing of itself, so making it twice could do harm: two commits for each call in code. */
const TOOLS = [
  { tool: "noop", title: "a read-only tool", ratioMax: INSIDE_RATIO_MAX },
  { tool: "act", title: "a tool without annotations", ratioMax: undefined },
] as const;

export async function benchCallsInTurn(homes: readonly NamedHome[]): Promise<Figure[]> {
  const figures = TOOLS.map((tool) => ({
    ...tool,
    ...createSamples([
      `by the client, ${OTHER}`,
      `by the client, ${OWN}`,
      `inside, ${OTHER}`,
      `inside, ${OWN}`,
    ]),
  }));
  const gateways = await Promise.all(
    homes.map(async ({ name, home }) => ({ name, gateway: await openGateway(home) })),
  );
  try {
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const { name, gateway } of round % 2 === 0 ? gateways : gateways.toReversed()) {
        for (const { tool, add } of figures) {
          const clientMs = await timeClient(gateway, tool);
          const insideMs = await timeCode(gateway, codeFor(tool));
          if (round < 0) continue;
          add(`by the client, ${name}`, clientMs);
          add(`inside, ${name}`, insideMs);
        }
      }
    }
  } finally {
    for (const { gateway } of gateways) await gateway.close();
  }
  return figures.map(({ title, samples, ratioMax }) => ({
    title: `${CALLS} calls in turn: ${title}`,
    samples,
    goals:
      ratioMax === undefined ? [] : [{ of: `inside, ${OWN}`, against: `by the client, ${OWN}`, ratioMax }],
  }));
}

function codeFor(tool: string): string {
  return `for (let n = 1; n <= ${CALLS}; n++) await mcp.bench.${tool}({ n });\nreturn 1;`;
}

async function timeClient(gateway: GatewayLines, tool: string): Promise<number> {
  const startedAt = performance.now();
  for (let n = 1; n <= CALLS; n++) await gateway.callTool(`bench__${tool}`, { n });
  return performance.now() - startedAt;
}
