/** A plan as text for a terminal or a model: levels from top to bottom, no line wider than 80 columns. */
import { escapeUnprintable } from "../../text/printable.ts";
import { inputLabel, marksOf } from "./notes.ts";
import type { Plan, PlannedNode } from "../plan.ts";
import type { Workflow } from "../workflow.ts";
import { cut } from "../../text/cut.ts";

const COLUMNS = 80;
/** What a node says takes a few lines at most, whatever it waits for. */
const NAMES_SHOWN_MAX = 12;

export function drawText(workflow: Workflow, plan: Plan): string {
  const byId = new Map(plan.nodes.map((planned) => [planned.node.id, planned]));
  const inputs = [...workflow.inputs].map(([name, input]) => inputLabel(name, input));
  const outputs = [...workflow.outputs].map(([name, { source }]) => `${name} = ${source}`);
  const levels = plan.levels.map((ids, level) => [
    `level ${level}`,
    ...ids.flatMap((id) => nodeLines(byId.get(id)!, workflow)),
  ]);
  const sections = [
    workflow.description === "" ? [] : wrap(workflow.description.split(/\s+/), " ", ""),
    section("inputs", inputs),
    ...levels,
    section("outputs", outputs),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => fit(`  ${line}`))];
}

function nodeLines({ node, after, handles }: PlannedNode, workflow: Workflow): string[] {
  const routes = workflow.edges.filter((edge) => edge.from === node.id && edge.action === "error");
  const notes = [
    ...nameNote("after", after),
    ...nameNote("only if one fails:", handles),
    ...marksOf(node),
    ...nameNote(
      "on failure →",
      routes.map((edge) => edge.to),
    ),
  ];
  const head = `  ${cut(node.id, 40)}  ${escapeUnprintable(node.type)}`;
  const line = [head, ...(notes.length === 0 ? [] : [`[${notes.join("; ")}]`])].join("  ");
  if (line.length <= COLUMNS) return [line];
  return [fit(head), ...wrap(notes.join("; ").split(" "), " ", "      ")];
}

function nameNote(words: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const rest = names.length - NAMES_SHOWN_MAX;
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(", ");
  return [`${words} ${shown}${rest > 0 ? ` and ${rest} more` : ""}`];
}

/** Lines of whole words; a word that is wider than a line is cut. */
function wrap(words: readonly string[], joint: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const joined = last === undefined ? undefined : last + joint + escapeUnprintable(word);
    if (joined !== undefined && joined.length <= COLUMNS) lines[lines.length - 1] = joined;
    else lines.push(fit(indent + word));
  }
  return lines;
}

function fit(line: string): string {
  return cut(escapeUnprintable(line), COLUMNS);
}
