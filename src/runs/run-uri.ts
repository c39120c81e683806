/** Where runs and what they left can be read over MCP. */

export const RUNS_URI = "repertoire://runs";
const RESULT = "outputs";

export function runUriOf(runId: string): string {
  return `${RUNS_URI}/${runId}`;
}

/** What the run as a whole came to. */
export function resultUriOf(runId: string): string {
  return `${RUNS_URI}/${runId}/${RESULT}`;
}

export function stepUriOf(runId: string, step: number): string {
  return `${RUNS_URI}/${runId}/${step}`;
}

export type RunAddress =
  | { readonly kind: "list" }
  | { readonly kind: "trace"; readonly runId: string }
  /** A step by its number or its name; without one, the run's own result. */
  | { readonly kind: "result"; readonly runId: string; readonly step: string | null; readonly path: string };

const ADDRESS = /^repertoire:\/\/runs(?:\/([0-9a-f-]{36})(?:\/([^/?]{1,300}))?)?(?:\?path=([^&]{0,2000}))?$/;

/** Undefined for what is no address of a run. */
export function parseRunUri(uri: string): RunAddress | undefined {
  const match = ADDRESS.exec(uri);
  if (match === null) return undefined;
  const [, runId, step, path = ""] = match;
  if (runId === undefined) return { kind: "list" };
  if (step === undefined) return { kind: "trace", runId };
  const [name, pointer] = [decode(step), decode(path)];
  if (name === undefined || pointer === undefined) return undefined;
  return { kind: "result", runId, step: name === RESULT ? null : name, path: pointer };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
