import { writeFile } from "node:fs/promises";
import type { App } from "../../../app/app.ts";
import { messageOf, type ToolError } from "../../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import { readSource, STDIN } from "./run-request.ts";
import { note, write } from "../../terminal/terminal.ts";
import { problemLines, problemsOf, type Problems } from "./workflow-file.ts";
import { defineCommand } from "../../command.ts";

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
    show: (drawing) => show(file, drawing),
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

function show(file: string, drawing: Drawing): void {
  if (!drawing.valid) {
    for (const line of problemLines(file === STDIN ? "stdin" : file, drawing.problems)) note(line);
  } else if (drawing.out === null) {
    write(drawing.drawing.endsWith("\n") ? drawing.drawing : `${drawing.drawing}\n`);
  } else {
    note(`written to ${drawing.out}`);
  }
}
