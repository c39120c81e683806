/** Many hostile runs at once, and a healthy call beside them. */
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.ts";
import type { GatewayLines, ServerLines } from "./sandbox-gateway.ts";

const RUN_COUNT = 200;
const TIMEOUT_MS = 2000;
const CALL_EVERY_MS = 50;
const ALONE_MS = 3000;
const GOAL_DELAY_MS = 250;

export async function benchCrowd(gateway: GatewayLines, control: ServerLines) {
  const alone = startCalls(gateway, "bench__noop");
  await pause(ALONE_MS);
  const aloneMs = await alone.stop();
  const beside = startCalls(gateway, "bench__noop");
  const bare = startCalls(control, "noop");
  const startedAt = performance.now();
  const ended = await Promise.all(
    Array.from({ length: RUN_COUNT }, () => gateway.execute("while (true) {}", TIMEOUT_MS)),
  );
  const elapsedMs = performance.now() - startedAt;
  const [besideMs, bareMs] = await Promise.all([beside.stop(), bare.stop()]);
  console.log(
    `\n${RUN_COUNT} × while (true) {} at once, timeout_ms ${TIMEOUT_MS}, and a tool call every ${CALL_EVERY_MS} ms`,
  );
  printCalls("the call alone", aloneMs);
  printCalls("the call beside them", besideMs);
  printCalls("the same to the server itself, beside them", bareMs);
  const endings = ended.map(({ error }) => `${error?.code ?? "result"} ${error?.reason ?? ""}`.trim());
  const counts = Object.entries(Object.groupBy(endings, (ending) => ending)).map(
    ([ending, all]) => `${all!.length} ${ending}`,
  );
  console.log(`  the ${RUN_COUNT} ended after ${elapsedMs.toFixed(0)} ms: ${counts.join(", ")}`);
  const delayMs = Math.max(...besideMs) - quantile(aloneMs, 0.5);
  const verdict = delayMs <= GOAL_DELAY_MS ? "met" : "MISSED";
  console.log(
    `  goal: no call delayed by more than ${GOAL_DELAY_MS} ms: ${verdict} (${delayMs.toFixed(0)} ms)`,
  );
  return { runs: RUN_COUNT, delayMs };
}

function startCalls(server: ServerLines, tool: string): { stop(): Promise<number[]> } {
  const times: Promise<number>[] = [];
  const call = async (): Promise<number> => {
    const sentAt = performance.now();
    const line = await server.callTool(tool, { n: 1 });
    if (line.includes('"isError":true')) throw new Error(line);
    return performance.now() - sentAt;
  };
  const timer = setInterval(() => times.push(call()), CALL_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      return Promise.all(times);
    },
  };
}

function printCalls(name: string, values: readonly number[]): void {
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => `${quantile(values, q).toFixed(1)} ms`.padStart(9));
  console.log(`  ${name.padEnd(44)} p50 ${p50}   p99 ${p99}   max ${max}   (${values.length} calls)`);
}
