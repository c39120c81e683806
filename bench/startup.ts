/** From spawn to the answer of tools/list over stdio, beside a bare server of the SDK in the same run. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { printFigures, quantile, takeTurns, type Figures } from "./figures.ts";
import { timeToList } from "./lines.ts";

const ROUNDS = 21;
const GOAL_RATIO = 1.5;

const root = join(import.meta.dirname, "..");
const bareServer = join(import.meta.dirname, "fixtures/bare-server.mjs");

export async function benchStartup(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  try {
    const bundled = await bundleBareServer(folder);
    const config = join(folder, "config.json");
    writeFileSync(config, "{}");
    const warmHome = join(folder, "warm");
    let homeCount = 0;
    const serve = (home: string) => [
      join(root, "dist/main.js"),
      "serve",
      "--config",
      config,
      "--home",
      home,
      "--log-level",
      "error",
    ];
    const samples = await takeTurns(
      [
        { name: "bare SDK server", run: () => timeToList([bareServer]) },
        { name: "bare SDK server, bundled like ours", run: () => timeToList([bundled]) },
        { name: "repertoire serve", run: () => timeToList(serve(warmHome)) },
        {
          name: "repertoire serve, first start in a new home",
          run: () => timeToList(serve(join(folder, `h${homeCount++}`))),
        },
      ],
      ROUNDS,
    );
    const figures = printFigures(
      "Start-up: spawn to the answer of tools/list over stdio",
      samples,
      "bare SDK server",
    );
    const ratio = quantile(samples[2]!.values, 0.5) / quantile(samples[0]!.values, 0.5);
    console.log(
      `  goal: at most ${GOAL_RATIO} × the bare server: ${ratio <= GOAL_RATIO ? "met" : "MISSED"} (${ratio.toFixed(2)} ×)`,
    );
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundleBareServer(folder: string): Promise<string> {
  const file = join(folder, "bare.mjs");
  const build = await rolldown({ input: bareServer, platform: "node" });
  await build.write({ file, format: "esm" });
  await build.close();
  return file;
}
