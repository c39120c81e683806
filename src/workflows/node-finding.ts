import type { JsonObject } from "../core/json.ts";
import type { Path } from "./place.ts";
import type { ProblemDetails } from "./problem.ts";

/**
 * A mistake in a node that shows only to those who would run it: in its code, in what it starts by name, in what the
 * config allows.
 */
export interface NodeFinding {
  /** Below the node, such as `["params", "code"]`. */
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  readonly details?: ProblemDetails;
  /** It is what the schema of the node type says of the parameters. */
  readonly isBySchema?: true;
}

export interface NodeFindings {
  /** By the id of the node. */
  readonly findings: ReadonlyMap<string, readonly NodeFinding[]>;
  /** What the workflow takes that a node starts, by the id of the node. */
  readonly workflowInputs: ReadonlyMap<string, { readonly name: string; readonly inputSchema: JsonObject }>;
}

export const NO_FINDINGS: NodeFindings = { findings: new Map(), workflowInputs: new Map() };
