/** The bin. It loads nothing before it knows that this Node can run the rest, and before stdout is safe from stray lines. */
import { findNodeProblem } from "./process/node-version.ts";

const nodeProblem = findNodeProblem();
if (nodeProblem !== undefined) {
  process.stderr.write(`${nodeProblem}\n`);
  process.exit(1);
}
const { reserveStdout } = await import("./process/stdout.ts");
reserveStdout();
const { keepHeapSmall } = await import("./process/heap.ts");
keepHeapSmall();
const { useCompileCache } = await import("./process/compile-cache.ts");
useCompileCache();
const { runCli } = await import("./cli/program.ts");
process.exitCode = await runCli(process.argv.slice(2));
