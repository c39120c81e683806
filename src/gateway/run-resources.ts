/** Runs as resources: the list, the trace of each, and results that are too large for an answer. */
import type { JsonObject } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import { RUNS_URI } from "../runs/run-uri.ts";
import type { Traces } from "../runs/trace.ts";

const MIME_TYPE = "application/json";

export const RUN_LIST: JsonObject = {
  uri: RUNS_URI,
  name: "runs",
  title: "Runs",
  description: "The newest runs: what ran, how it went, and how to go on with what stopped.",
  mimeType: MIME_TYPE,
};

export const RUN_TEMPLATES: readonly JsonObject[] = [
  {
    uriTemplate: `${RUNS_URI}/{run_id}`,
    name: "run",
    title: "The trace of a run",
    description: "Steps, times and the runs below it, as a tree.",
    mimeType: MIME_TYPE,
  },
  {
    uriTemplate: `${RUNS_URI}/{run_id}/{step}{?path}`,
    name: "run-result",
    title: "The result of a step",
    description:
      "The whole of it, or the part at a JSON Pointer; the step is its number, its name, or outputs.",
    mimeType: MIME_TYPE,
  },
];

export function isRunUri(uri: unknown): uri is string {
  return typeof uri === "string" && (uri === RUNS_URI || uri.startsWith(`${RUNS_URI}/`));
}

export async function readRunResource(traces: Traces, uri: string): Promise<ToolResult<JsonObject>> {
  const read = await traces.readResource(uri);
  if (!read.success) return read;
  return succeed({ contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(read.data, null, 1) }] });
}
