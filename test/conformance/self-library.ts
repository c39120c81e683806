/**
 * What the scenarios of extensions ask Repertoire itself for, as kept code and workflows, and the profiles that show them
 * under the names that the suite calls.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import { formatPortable, type PortableCapability } from "../../src/library/portable/portable.ts";
import type { Extension } from "./suite.ts";

/**
 * The suite waits 10 s for each answer, and just as long a call may take before it becomes a task. So these calls wait for
 * longer than a run may take: such a run pauses, and its call is a task at once.
 */
const RUN_MS = 3_000;
const LONG_MS = RUN_MS + 100;

const TEXT = { type: "string" };
const LONG_WAIT = { id: "rest", type: "wait", params: { ms: LONG_MS } };
const approve = (id: string) => ({ id, type: "approve", params: { message: "May it go on?" } });
const fail = { id: "fail", type: "code", params: { code: "throw new Error('the job has failed')" } };

function kept(
  action: string,
  kind: PortableCapability["kind"],
  source: string,
  inputs: JsonObject = {},
): PortableCapability {
  const inputSchema = { type: "object", properties: inputs };
  const about = { description: `${action} of the conformance suite`, tags: [], author: "test" };
  const name = { namespace: "tasks", action, aliases: [] };
  const rest = { visibility: "private", outputSchema: null, toolsUsed: [], example: null } as const;
  return { ...name, ...about, ...rest, kind, source, inputSchema };
}

function flow(
  action: string,
  nodes: readonly object[],
  more: object = {},
  inputs?: JsonObject,
): PortableCapability {
  return kept(action, "workflow", JSON.stringify({ ir_version: "1.0", nodes, ...more }), inputs);
}

const COMPUTE_NODES = [
  {
    id: "ms",
    type: "code",
    params: {
      code: `return args.seconds > 0 ? ${LONG_MS} + args.seconds * 1000 : 1`,
      inputs: { seconds: "${seconds}" },
    },
  },
  { id: "rest", type: "wait", params: { ms: "${ms}" } },
];
const COMPUTE_INPUTS = { seconds: { type: "number" }, label: { ...TEXT, default: "" } };

const TASK_TOOLS: readonly PortableCapability[] = [
  kept("greet", "code", "return `Hello, ${args.name}!`", { name: TEXT }),
  flow(
    "slow_compute",
    COMPUTE_NODES,
    { inputs: COMPUTE_INPUTS, outputs: { label: { source: "${label}" } } },
    COMPUTE_INPUTS,
  ),
  flow("failing_job", [LONG_WAIT, fail], { edges: [{ from: "rest", to: "fail" }] }),
  flow("protocol_error_job", [LONG_WAIT, fail], { edges: [{ from: "rest", to: "fail" }] }),
  flow("confirm_delete", [approve("ok")], { inputs: { filename: TEXT } }, { filename: TEXT }),
  flow("multi_input", [approve("first"), approve("second")]),
  flow("test_tool_with_task", [approve("ok")]),
];

const TOOLS: Readonly<Partial<Record<Extension, readonly PortableCapability[]>>> = { tasks: TASK_TOOLS };

export const SELF_LIMITS = { timeoutMs: RUN_MS };

/** A profile for each extension, by its name. */
export const SELF_PROFILES = Object.fromEntries(
  Object.entries(TOOLS).map(([extension, tools]) => [
    extension,
    {
      servers: [],
      capabilities: { allow: [`${extension}:*`] },
      rename: Object.fromEntries(tools.map(({ action }) => [`mcp__${extension}__${action}`, action])),
    },
  ]),
);

/** As `repertoire import` reads it. */
export function writeLibrary(folder: string): void {
  for (const tool of Object.values(TOOLS).flat()) {
    const { path, text } = formatPortable(tool);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
