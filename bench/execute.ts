/**
 * `npm run bench:execute -- --against <other>/dist/main.js`: what `execute` costs over stdio in this bundle and in another one,
 * taking turns: warm, the first one of a process, and with a hundred calls in it. With the path of this bundle it shows what is
 * noise. `--only warm,first,calls` runs some parts, `--json` prints the figures as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchCallsInTurn } from "./execute-calls.ts";
import {
  createSamples,
  figureAsJson,
  OTHER,
  OWN,
  printFigure,
  timeCode,
  type Figure,
  type NamedHome,
} from "./execute-figures.ts";
import { benchFirst } from "./execute-first.ts";
import { copyBuild } from "./sandbox-build.ts";
import { openGateway, prepareHome } from "./sandbox-gateway.ts";

const ROUNDS = 100;
const WARM_UP_ROUNDS = 10;
/** Of two processes of one bundle the one that started later can be a tenth slower: each bundle has an early and a late one. */
const SLOTS = [OTHER, OWN, OWN, OTHER];
const PARTS = { warm: benchWarm, first: benchFirst, calls: benchCallsInTurn };

const { values: asked } = parseArgs({
  options: { against: { type: "string" }, json: { type: "boolean" }, only: { type: "string" } },
});
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
const ownBin = copyBuild(join(folder, "build")).bin;
const binOf = (name: string): string => (name === OWN ? ownBin : (asked.against ?? ownBin));
const homes = SLOTS.map((name, at) => ({
  name,
  home: prepareHome(binOf(name), join(folder, String(at)), []),
}));
const chosen = asked.only?.split(",");
const isJson = asked.json === true;
try {
  if (!isJson) console.log(`Node ${process.version}, ${cpus().length} cores`);
  const all: object[] = [];
  for (const [part, bench] of Object.entries(PARTS)) {
    if (chosen !== undefined && !chosen.includes(part)) continue;
    const figures = await bench(homes);
    all.push(...figures.map(figureAsJson));
    if (!isJson) for (const figure of figures) printFigure(figure);
  }
  if (isJson) console.log(JSON.stringify({ node: process.version, figures: all }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The same text each time, which the gateway has read before, and a text that no run has had before. */
async function benchWarm(named: readonly NamedHome[]): Promise<Figure[]> {
  const same = createSamples([OTHER, OWN]);
  const fresh = createSamples([OTHER, OWN]);
  let textCount = 0;
  const gateways = await Promise.all(
    named.map(async ({ name, home }) => ({ name, gateway: await openGateway(home) })),
  );
  try {
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const { name, gateway } of round % 2 === 0 ? gateways : gateways.toReversed()) {
        const sameMs = await timeCode(gateway, "return 1");
        const freshMs = await timeCode(gateway, `return ${++textCount} - ${textCount - 1}`);
        if (round < 0) continue;
        same.add(name, sameMs);
        fresh.add(name, freshMs);
      }
    }
  } finally {
    for (const { gateway } of gateways) await gateway.close();
  }
  const goals = [{ of: OWN, against: OTHER, ratioMax: 0.5 }];
  return [
    { title: "A warm execute of the same trivial code", samples: same.samples, goals },
    { title: "A warm execute of trivial code that is new", samples: fresh.samples, goals },
  ];
}
