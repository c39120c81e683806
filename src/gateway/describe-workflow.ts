import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { displayNameOf, fqdnOf, libraryUriOf, toolNameOf } from "../core/names.ts";
import { succeed } from "../core/result.ts";
import type { CapabilityDetails, Library } from "../library/library.ts";
import { typeOf } from "../registry/signature.ts";
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
  inputs: z.record(z.string(), field).describe("The declared inputs."),
  template_inputs: z.array(z.string()).describe("Inputs that a workflow's templates use."),
  outputs: z.record(z.string(), field),
  input_schema: z.looseObject({}),
  output_schema: z.looseObject({}).nullable(),
  source: z.string(),
  versions: z.array(
    z.object({ version: z.int(), hash: z.string(), author: z.string(), created_at: z.string() }),
  ),
  aliases: z.array(z.string()),
  tools_used: z.array(z.object({ tool: z.string(), hash: z.string() })),
  statistics: z.object({
    executions: z.int(),
    successes: z.int(),
    failures: z.int(),
    average_ms: z.number().nullable(),
    last_run: z.string().nullable(),
  }),
});

export function createDescribeWorkflow(library: Library): MetaTool {
  return createMetaTool({
    name: "describe_workflow",
    title: "Describe what was kept",
    describe: () =>
      "Everything about one item of the library: its inputs and outputs, both schemas, source, versions, aliases, the tools it uses and how its runs went.",
    input: z.strictObject({
      name: z
        .string()
        .describe("namespace:action, its tool name, FQDN, alias or bare name; name@2 asks for a version."),
    }),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run(input) {
      const found = await library.describe(input.name);
      return found.success ? succeed(describe(found.data)) : found;
    },
  });
}

function describe({ capability, version, versions, aliases }: CapabilityDetails): z.output<typeof output> {
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
    inputs: fieldsOf(version.inputSchema),
    template_inputs: capability.kind === "workflow" ? templateInputsOf(version.source) : [],
    outputs: fieldsOf(version.outputSchema ?? {}),
    input_schema: version.inputSchema,
    output_schema: version.outputSchema,
    source: version.source,
    versions: versions.map((item) => ({
      version: item.version,
      hash: item.shortHash,
      author: item.author,
      created_at: isoOf(item.createdAt),
    })),
    aliases: aliases.map(displayNameOf),
    tools_used: version.toolsUsed.map(({ tool, hash }) => ({ tool, hash })),
    statistics: {
      executions: capability.usageCount,
      successes: capability.successCount,
      failures: capability.usageCount - capability.successCount,
      average_ms: capability.usageCount === 0 ? null : capability.totalMs / capability.usageCount,
      last_run: isoOf(capability.lastUsedAt),
    },
  };
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

/** The names of `${name}` templates that stand alone: `${node.path}` is a node's output, and `$${x}` is literal text. */
function templateInputsOf(source: string): string[] {
  const names = source.matchAll(/(?<!\$)\$\{\s*([A-Za-z_][\w-]*)\s*\}/g);
  return [...new Set([...names].map((match) => match[1]!))].sort();
}
