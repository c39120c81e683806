/**
 * `npm run bench:tasks`: what a model's context takes in while it does 45 tasks with the tools of real servers, with
 * the servers connected to the client and behind the gateway. bench/tasks/conversation.ts has the rules of counting.
 *
 * `-- --worlds 5,20 --modes direct,lean --task ID --json FILE --outcomes FILE --gateway <other>/dist/main.js`; the second
 * file has the figures of every task.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeResult } from "./result-file.ts";
import { definitionsFile, loadDefinitions } from "./tasks/definitions.ts";
import { MODES, REPEATS, type Mode } from "./tasks/outcome.ts";
import { runTaskBench } from "./tasks/run.ts";
import { printDearer, printParts, printTable, rowsOf } from "./tasks/table.ts";
import { TASKS } from "./tasks/tasks.ts";

const SIZES = [5, 20, 50, 107, 364];

const { values } = parseArgs({
  options: {
    worlds: { type: "string", default: SIZES.join() },
    modes: { type: "string", default: MODES.join() },
    task: { type: "string" },
    json: { type: "string" },
    outcomes: { type: "string" },
    gateway: { type: "string", default: join(import.meta.dirname, "../dist/main.js") },
  },
});
const modes = values.modes.split(",").map((mode): Mode => {
  const known = MODES.find((one) => one === mode.trim());
  if (known === undefined) throw new Error(`There is no mode ${mode}: ${MODES.join(", ")}`);
  return known;
});
const tasks = TASKS.filter(({ id }) => values.task === undefined || id === values.task);
if (tasks.length === 0)
  throw new Error(`There is no task ${values.task}: ${TASKS.map(({ id }) => id).join(", ")}`);

const file = definitionsFile();
const definitions = loadDefinitions(file);
if (definitions === undefined) console.log(`The task bench: skipped, ${file} is not there`);
else {
  const startedAt = performance.now();
  const bin = resolve(values.gateway);
  const sizes = values.worlds.split(",").map(Number);
  const { outcomes, failures } = await runTaskBench({ bin, definitions, tasks, sizes, modes });
  console.log(
    `${tasks.length} tasks, ${bin}, Node ${process.version}, tokens of o200k in the mean of a task`,
  );
  console.log(
    `  context: what enters it once (definitions as {name, description, input_schema}, instructions, calls, answers as text);\n` +
      `  billed: input of all requests; ×${REPEATS}: context with the task done ${REPEATS} times; ratio: to direct;\n` +
      `  dearer: tasks that are dearer than direct; both shown: context where the client shows text and structure;\n` +
      `  first five: needed tools among the first five hits; answer: of the searches; overhead: of execute's answer\n`,
  );
  const rows = rowsOf(outcomes);
  printTable(rows);
  printParts(outcomes);
  console.log("");
  printDearer(outcomes);
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(`\n${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  writeResult("tasks", { rows, failures });
  if (values.outcomes !== undefined) writeFileSync(values.outcomes, `${JSON.stringify(outcomes, null, 1)}\n`);
  if (failures.length > 0) process.exitCode = 1;
}
