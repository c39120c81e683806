/** What the access log costs: a gateway that writes a line for each request, in turn with one that writes none. */
import { join } from "node:path";
import { measureAll } from "./http-calls.ts";
import type { CrowdProcess } from "./http-crowd.ts";
import { ofGateway, startGateway } from "./http-servers.ts";
import { perSecond, printGoal, printHttpFigures } from "./http-table.ts";

const COST_PERCENT_MAX = 15;

export async function benchAccessLog(crowds: CrowdProcess, bin: string, folder: string) {
  const silent = await startGateway(bin, join(folder, "silent"));
  const file = join(folder, "access.log");
  const telling = await startGateway(bin, join(folder, "telling"), { level: "info", file });
  try {
    const { together } = await measureAll(crowds, [
      { name: "level error", target: ofGateway(silent, "legacy"), pid: silent.pid },
      { name: "level info, into a file", target: ofGateway(telling, "legacy"), pid: telling.pid },
    ]);
    const figures = printHttpFigures("The access log, 32 calls under way", together);
    const [without, withLog] = together.map(perSecond) as [number, number];
    const cost = 100 * (1 - withLog / without);
    printGoal(
      `at most ${COST_PERCENT_MAX} % fewer calls/s`,
      cost <= COST_PERCENT_MAX,
      `${cost.toFixed(0)} %`,
    );
    return figures;
  } finally {
    await silent.close();
    await telling.close();
  }
}
