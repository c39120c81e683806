import type { Answer } from "../../api/client.ts";

export type ItemDetails = Answer<"getItem">;
type Fields = ItemDetails["inputs"];

/** How code calls it: `mail__digest(input: { to: string; limit?: number }): { text: string }`. */
export function signatureOf({
  tool,
  inputs,
  outputs,
}: Pick<ItemDetails, "tool" | "inputs" | "outputs">): string {
  const input = Object.keys(inputs).length === 0 ? "" : shapeOf(inputs);
  const output = Object.keys(outputs).length === 0 ? "unknown" : shapeOf(outputs);
  return `${tool}(${input}): ${output}`;
}

function shapeOf(fields: Fields): string {
  const members = Object.entries(fields).map(
    ([name, { type, required }]) => `${name}${required ? "" : "?"}: ${type}`,
  );
  return `{ ${members.join("; ")} }`;
}

export type UsedTool = ItemDetails["tools_used"][number];

export interface Drift {
  readonly word: string;
  readonly tone: "ok" | "wait" | "fail" | "idle";
}

const DRIFTS: Readonly<Record<string, Drift>> = {
  same: { word: "As it was", tone: "ok" },
  changed: { word: "Changed", tone: "wait" },
  source_changed: { word: "Means something else", tone: "wait" },
  missing: { word: "Gone", tone: "fail" },
  unknown: { word: "Not known now", tone: "idle" },
};

/** What became of a tool since the item was saved. */
export function driftOf({ state }: Pick<UsedTool, "state">): Drift {
  return DRIFTS[state] ?? { word: state, tone: "idle" };
}

/** The number of the current version; the one that is shown may be older. */
export function currentVersionOf({ versions, version }: Pick<ItemDetails, "versions" | "version">): number {
  return Math.max(version, ...versions.map((each) => each.version));
}
