import { countOf } from "../../terminal/wording.ts";
import type { GlobalOptions } from "../../global-options.ts";
import type { App } from "../../../app/app.ts";
import { isJsonObject } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { readSource, STDIN } from "./run-request.ts";
import { green, note, print, yellow } from "../../terminal/terminal.ts";
import { problemLines, problemsOf, type Problems } from "./workflow-file.ts";
import { defineCommand } from "../../command.ts";

type Verdict =
  | {
      readonly valid: true;
      readonly nodes: number;
      readonly levels: readonly (readonly string[])[];
      readonly inputs: readonly string[];
      readonly warnings?: readonly string[];
    }
  | { readonly valid: false; readonly problems: Problems };

export const validateCommand = defineCommand({
  name: "validate",
  group: "runs",
  summary: "Check a workflow without running it: all problems at once, each with its fix",
  arguments: [
    { words: "<file>", about: "the .json of a workflow, or - for standard input", completes: ["files"] },
  ],
  help: `The exit code is 0 if the workflow is valid, else 1.`,
  examples: ["repertoire validate deploy.json", "repertoire validate - --json < deploy.json"],
  run: (options: GlobalOptions, file: string) =>
    useApp(options, (app) => check(app, file), {
      show: (verdict) => show(file, verdict),
      exitCodeOf: ({ valid }) => (valid ? EXIT.ok : EXIT.failed),
    }),
});

async function check(app: App, file: string): Promise<ToolResult<Verdict>> {
  const text = await readSource(file);
  if (!text.success) return text;
  const checked = await app.checkWorkflow(text.data);
  if (!checked.success) return succeed({ valid: false, problems: problemsOf(checked.error) });
  const { nodeCount, levels, inputSchema, warnings } = checked.data;
  const { properties } = inputSchema;
  const inputs = isJsonObject(properties) ? Object.keys(properties) : [];
  return succeed({ valid: true, nodes: nodeCount, levels, inputs, ...(warnings.length > 0 && { warnings }) });
}

function show(file: string, verdict: Verdict): void {
  const name = file === STDIN ? "stdin" : file;
  if (verdict.valid) {
    const { nodes, levels, inputs, warnings = [] } = verdict;
    const counts = [countOf(nodes, "node"), countOf(levels.length, "level"), countOf(inputs.length, "input")];
    print(`${green("valid")} ${name}: ${counts.join(", ")}`);
    for (const warning of warnings) note(`${yellow("warning")} ${escapeUnprintable(warning)}`);
    return;
  }
  for (const line of problemLines(name, verdict.problems)) print(line);
  note(countOf(verdict.problems.length, "problem"));
}
