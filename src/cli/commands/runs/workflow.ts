import { writeFile } from "node:fs/promises";
import { countOf } from "../../terminal/wording.ts";
import type { GlobalOptions } from "../../global-options.ts";
import type { App } from "../../../app/app.ts";
import { isJsonObject } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed, type ToolResult, fail } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { readSource, STDIN } from "./run-request.ts";
import { green, note, print, yellow, write } from "../../terminal/terminal.ts";
import { problemLines, problemsOf, type Problems } from "./workflow-file.ts";
import { defineCommand } from "../../command.ts";
import { messageOf, type ToolError } from "../../../core/errors.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";

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
      show: (verdict) => showVerdict(file, verdict),
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

function showVerdict(file: string, verdict: Verdict): void {
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

interface GraphOptions extends DryRunOptions {
  readonly svg?: boolean;
  readonly out?: string;
}

type Drawing =
  | {
      readonly valid: true;
      readonly format: "text" | "svg";
      readonly drawing: string;
      readonly out: string | null;
    }
  | { readonly valid: false; readonly problems: Problems };

export const graphCommand = defineCommand({
  name: "graph",
  group: "runs",
  summary: "Draw a workflow: the order of its nodes, and which run in parallel",
  arguments: [
    { words: "<file>", about: "the .json of a workflow, or - for standard input", completes: ["files"] },
  ],
  options: [
    { flags: "--svg", about: "draw an SVG instead of text" },
    {
      flags: "--out <file>",
      about: "write the drawing to this file instead of standard output",
      completes: ["files"],
    },
  ],
  dryRun: "own",
  examples: ["repertoire graph deploy.json", "repertoire graph deploy.json --svg --out deploy.svg"],
  run: graph,
});

async function graph(options: GraphOptions, file: string): Promise<number> {
  const isDry = options.dryRun === true;
  if (isDry) beginDryRun();
  const exitCode = await useApp(options, (app) => draw(app, file, options), {
    show: (drawing) => showDrawing(file, drawing),
    exitCodeOf: ({ valid }) => (valid ? EXIT.ok : EXIT.failed),
  });
  return isDry ? endDryRun(exitCode) : exitCode;
}

async function draw(
  app: App,
  file: string,
  { svg, out, dryRun }: GraphOptions,
): Promise<ToolResult<Drawing>> {
  const text = await readSource(file);
  if (!text.success) return text;
  const checked = await app.checkWorkflow(text.data);
  if (!checked.success) return succeed({ valid: false, problems: problemsOf(checked.error) });
  const format = svg === true ? "svg" : "text";
  const drawing = format === "svg" ? await checked.data.drawSvg() : checked.data.drawText();
  const failed = out === undefined || dryRun === true ? undefined : await writeOut(out, drawing);
  if (failed !== undefined) return { success: false, error: failed };
  return succeed({ valid: true, format, drawing, out: out ?? null });
}

async function writeOut(out: string, drawing: string): Promise<ToolError | undefined> {
  try {
    await writeFile(out, drawing);
    return undefined;
  } catch (error) {
    const message = `Cannot write the drawing: ${messageOf(error)}`;
    return fail("TOOL_INVALID_INPUT", message, { field: "out" }).error;
  }
}

function showDrawing(file: string, drawing: Drawing): void {
  if (!drawing.valid) {
    for (const line of problemLines(file === STDIN ? "stdin" : file, drawing.problems)) note(line);
  } else if (drawing.out === null) {
    write(drawing.drawing.endsWith("\n") ? drawing.drawing : `${drawing.drawing}\n`);
  } else {
    note(`written to ${drawing.out}`);
  }
}
