import * as z from "zod";
import type { JsonObject } from "../../core/json.ts";
import { displayNameOf, fqdnOf, libraryUriOf, toolNameOf } from "../../core/names.ts";
import { succeed } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import { changedTools, compareTools, type LookUpTool, type ToolDrift } from "../../library/contracts.ts";
import type { CapabilityDetails, Library } from "../../library/library.ts";
import { typeOf } from "../../registry/signature.ts";
import type { Runs } from "../../runs/runs.ts";
import { viewLibrary } from "./library-view.ts";
import { isoOf } from "./list-library.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";

const field = z.object({
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
  default: z.unknown().optional(),
});

const output = z.object({
  name: z.string(),
  tool: z.string(),
  fqdn: z.string(),
  uri: z.string(),
  kind: z.enum(["code", "workflow"]),
  description: z.string(),
  tags: z.array(z.string()),
  visibility: z.enum(["private", "project", "org", "public"]),
  author: z.string(),
  version: z.int(),
  run_id: z.string().optional(),
  inputs: z.record(z.string(), field).describe("The declared inputs."),
  template_inputs: z.array(z.string()).describe("Inputs that a workflow's templates use."),
  outputs: z.record(z.string(), field),
  input_schema: z.looseObject({}),
  output_schema: z.looseObject({}).nullable(),
  source: z.string(),
  versions: z.array(z.looseObject({ version: z.int(), hash: z.string() })),
  aliases: z.array(z.string()),
  tools_used: z.array(
    z.looseObject({
      tool: z.string(),
      hash: z.string(),
      state: z.string(),
    }),
  ),
  still_valid: z.boolean().nullable().describe("Whether it fits tools that have changed."),
  problem: z.string().optional(),
  statistics: z.looseObject({ executions: z.int(), successes: z.int(), failures: z.int() }),
});

export interface DescribeDeps {
  readonly library: Library;
  readonly runs: Runs;
  readonly lookUpTool: LookUpTool;
  readonly freshenLibrary: () => Promise<void>;
}

export function createDescribeWorkflow(deps: DescribeDeps): MetaTool {
  return createMetaTool({
    name: "describe_workflow",
    title: "Describe what was kept",
    describe: () => "All about one item of the library: schemas, source, versions, tools used, statistics.",
    input: z.strictObject({
      name: z.string().describe("Any of its names; name@2 for a version"),
    }),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    searchHint: "show a kept tool: inputs, source, versions, statistics",
    async run(input, context) {
      await deps.freshenLibrary();
      const found = await viewLibrary(deps.library, context.view).describe(input.name);
      if (!found.success) return found;
      const drifts = compareTools(found.data.version.toolsUsed, deps.lookUpTool);
      const validity = await validityOf(deps.runs, found.data, drifts, context);
      const template_inputs = await templateInputsOf(deps.runs, found.data, context);
      const described = describe(found.data, drifts);
      const tool = context.view?.nameOf(described.tool) ?? described.tool;
      return succeed({ ...described, tool, template_inputs, ...validity });
    },
  });
}

/** Reading the code again costs something, so it is done only where a tool has changed. */
async function validityOf(
  runs: Runs,
  { capability, version }: CapabilityDetails,
  drifts: readonly ToolDrift[],
  context: CallContext,
): Promise<Pick<z.output<typeof output>, "still_valid" | "problem">> {
  if (changedTools(drifts).length === 0) return { still_valid: null };
  const tool = toolNameOf(capability);
  const prepared = await (capability.kind === "code"
    ? runs.prepare(version.source, tool, context, version.toolsUsed)
    : runs.prepareWorkflow(version.source, tool, context, version.toolsUsed));
  return prepared.success ? { still_valid: true } : { still_valid: false, problem: prepared.error.message };
}

function describe(
  { capability, version, versions, aliases }: CapabilityDetails,
  drifts: readonly ToolDrift[],
): Omit<z.output<typeof output>, "still_valid" | "problem" | "template_inputs"> {
  return {
    name: displayNameOf(capability),
    tool: toolNameOf(capability),
    fqdn: fqdnOf(capability.scope, capability, version.shortHash),
    uri: libraryUriOf(capability),
    kind: capability.kind,
    description: capability.description,
    tags: [...capability.tags],
    visibility: capability.visibility,
    author: capability.author,
    version: version.version,
    ...(version.fromRunId !== null && { run_id: version.fromRunId }),
    inputs: fieldsOf(version.inputSchema),
    outputs: fieldsOf(version.outputSchema ?? {}),
    input_schema: version.inputSchema,
    output_schema: version.outputSchema,
    source: version.source,
    versions: versions.map((item) => ({
      version: item.version,
      hash: item.shortHash,
      author: item.author,
      created_at: isoOf(item.createdAt),
      ...(item.fromRunId !== null && { run_id: item.fromRunId }),
    })),
    aliases: aliases.map(displayNameOf),
    tools_used: version.toolsUsed.map(({ tool, hash }, at) => ({
      tool,
      hash,
      state: drifts[at]!.state,
      changes: [...drifts[at]!.changes],
    })),
    statistics: {
      executions: capability.usageCount,
      successes: capability.successCount,
      failures: capability.usageCount - capability.successCount,
      average_ms: capability.usageCount === 0 ? null : roundMs(capability.totalMs / capability.usageCount),
      last_run: isoOf(capability.lastUsedAt),
    },
  };
}

/** Whole milliseconds, with one decimal where there are few. */
function roundMs(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms);
}

function fieldsOf(schema: JsonObject): Record<string, z.output<typeof field>> {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const fields = Object.entries(schema["properties"] ?? {}).map(([key, value]: [string, unknown]) => {
    const shape = typeof value === "object" && value !== null ? (value as JsonObject) : {};
    const description = typeof shape["description"] === "string" ? shape["description"] : "";
    const fallback = Object.hasOwn(shape, "default") ? { default: shape["default"] } : {};
    return [key, { type: typeOf(value, 1), required: required.has(key), description, ...fallback }] as const;
  });
  return Object.fromEntries(fields);
}

/** The inputs that a workflow's templates use; for one that is not valid any more, those that it declares. */
async function templateInputsOf(
  runs: Runs,
  { capability, version }: CapabilityDetails,
  context: CallContext,
): Promise<string[]> {
  if (capability.kind !== "workflow") return [];
  const prepared = await runs.prepareWorkflow(
    version.source,
    toolNameOf(capability),
    context,
    version.toolsUsed,
  );
  return prepared.success
    ? [...prepared.data.templateInputs]
    : Object.keys(fieldsOf(version.inputSchema)).sort();
}
