import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { codeNameOf, displayNameOf, toolNameOf } from "../core/names.ts";
import { succeed } from "../core/result.ts";
import type { CurrentCapability } from "../core/store.ts";
import type { ToolDefinition, ToolView } from "../core/tool.ts";
import type { Library } from "../library/library.ts";
import type { Component } from "../registry/listing.ts";
import type { Registry } from "../registry/registry.ts";
import { createSearchIndex } from "../registry/search-index.ts";
import { signatureOf, typeOf } from "../registry/signature.ts";
import type { Runs } from "../runs/runs.ts";
import { viewLibrary } from "./library-view.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";

/** The promise is an answer within a second whatever the servers do; this leaves time for the rest of the work. */
const SERVERS_WAIT_MS = 800;
const LIMIT_MAX = 100;

const parameter = z.object({
  key: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
});

const output = z.object({
  nodes: z.array(
    z.object({
      type: z.string().describe("The name to call or to use as a node's type."),
      // Where a profile calls it something else.
      tool: z.string().optional(),
      description: z.string(),
      server: z.string(),
      inputs: z.array(parameter),
      outputs: z.array(parameter),
      signature: z.string().describe("The TypeScript signature that code calls."),
      input_schema: z.looseObject({}).optional(),
      output_schema: z.looseObject({}).optional(),
    }),
  ),
  workflows: z.array(
    z.object({ name: z.string(), tool: z.string(), description: z.string(), signature: z.string() }),
  ),
  total: z.int().describe("How many match, beyond the limit too."),
  pending: z.array(z.string()).describe("Servers that have not answered yet; ask again to see their tools."),
  unavailable: z
    .array(z.object({ server: z.string(), reason: z.string() }))
    .describe("Servers that failed; tools that are known of them are shown all the same."),
});

export interface BrowseParts {
  readonly registry: Registry;
  readonly library: Library;
  readonly runs: Pick<Runs, "nodeTypes">;
  readonly freshenLibrary: () => Promise<void>;
  /** The ids of the servers that may be used. */
  readonly servers: () => readonly string[];
}

/** Where a built-in node type stands instead of a server. */
const BUILT_IN = "built_in";

export function createBrowseComponents(parts: BrowseParts): MetaTool {
  return createMetaTool({
    name: "browse_components",
    title: "Browse components",
    describe: (servers) =>
      "Search the tools that you can use: those of every connected server, and what was kept in the library. Start here. " +
      "Each hit has the TypeScript signature to call it in code: await mcp.server.tool({…}). " +
      describeServers(servers),
    input: z.strictObject({
      query: z
        .string()
        .max(1000)
        .optional()
        .describe("What you want to do, in a few words. Without it, everything."),
      include_workflows: z.boolean().default(true).describe("Also search the library."),
      limit: z.int().min(1).max(LIMIT_MAX).default(20).describe("How many hits at most."),
      detail: z.enum(["summary", "full"]).default("summary").describe("full adds the JSON Schemas."),
    }),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run(input, context) {
      const { view } = context;
      await parts.freshenLibrary();
      const asked =
        view === undefined ? {} : { servers: parts.servers().filter((id) => view.allowsServer(id)) };
      const [catalogue, kept] = await Promise.all([
        parts.registry.discover({ waitMs: SERVERS_WAIT_MS, ...asked }, context),
        input.include_workflows ? viewLibrary(parts.library, view).listCurrent(null) : [],
      ]);
      const allows = view === undefined ? undefined : (tool: string) => view.allows(tool);
      const tools = parts.registry.search(input.query ?? "", { limit: input.limit, allows });
      const workflows = searchKept(input.query ?? "", kept);
      const builtIn = searchBuiltIn(input.query ?? "", parts.runs.nodeTypes);
      const isFull = input.detail === "full";
      const nodes = [
        ...tools.hits.map(({ component }) => shownNodeOf(component, isFull, view)),
        ...builtIn.map((definition) => builtInNodeOf(definition, isFull)),
      ];
      return succeed({
        nodes: nodes.slice(0, input.limit),
        workflows: workflows.slice(0, input.limit).map((item) => workflowOf(item, view)),
        total: tools.total + builtIn.length + workflows.length,
        pending: catalogue.pending.filter((id) => view?.allowsServer(id) !== false),
        unavailable: catalogue.failed
          .filter(({ source }) => view?.allowsServer(source) !== false)
          .map(({ source, reason }) => ({ server: source, reason })),
      });
    },
  });
}

/** Names a bounded number of servers: a description is read in every request of every client. */
function describeServers(servers: readonly string[]): string {
  if (servers.length === 0) return "No servers are configured yet.";
  const shown = servers.slice(0, 30).join(", ");
  const rest = servers.length > 30 ? ` and ${servers.length - 30} more` : "";
  return `Servers: ${shown}${rest}.`;
}

/** By the same rules as the tools of servers; all of them, in their order, without a query. */
function searchKept(query: string, kept: readonly CurrentCapability[]): CurrentCapability[] {
  if (query.trim() === "") return [...kept];
  const byId = new Map(kept.map((item) => [item.capability.id, item]));
  const index = createSearchIndex();
  const documents = kept.map(({ capability: item }) => ({
    id: item.id,
    fields: { name: displayNameOf(item), description: `${item.description} ${item.tags.join(" ")}` },
  }));
  index.put("library", documents);
  return index.search(query, kept.length).hits.map(({ id }) => byId.get(id)!);
}

/** The built-in node types come after the tools: a workflow can use both, code only the tools. */
function searchBuiltIn(query: string, types: readonly ToolDefinition[]): ToolDefinition[] {
  if (query.trim() === "") return [...types];
  const byName = new Map(types.map((type) => [type.name, type]));
  const index = createSearchIndex();
  index.put(
    BUILT_IN,
    types.map(({ name, description = "" }) => ({ id: name, fields: { name, description } })),
  );
  return index.search(query, types.length).hits.map(({ id }) => byName.get(id)!);
}

function builtInNodeOf(definition: ToolDefinition, full: boolean): z.output<typeof output>["nodes"][number] {
  const node = nodeOf({ name: definition.name, source: BUILT_IN, definition }, full);
  const fields = node.inputs.map(({ key, type, required }) => `${key}${required ? "" : "?"}: ${type}`);
  return { ...node, signature: `{ "type": "${definition.name}", "params": { ${fields.join(", ")} } }` };
}

function workflowOf(
  { capability, version }: CurrentCapability,
  view: ToolView | undefined,
): z.output<typeof output>["workflows"][number] {
  const { namespace, action } = capability;
  const tool = toolNameOf(capability);
  return {
    name: displayNameOf(capability),
    tool: view?.nameOf(tool) ?? tool,
    description: view?.descriptionOf(tool) ?? capability.description,
    signature: signatureOf(namespace, action, version.inputSchema, version.outputSchema ?? undefined),
  };
}

/** As a profile shows it; code and workflows use its exposed name all the same. */
function shownNodeOf(
  component: Component,
  full: boolean,
  view: ToolView | undefined,
): z.output<typeof output>["nodes"][number] {
  const node = nodeOf(component, full);
  if (view === undefined) return node;
  const name = view.nameOf(component.name);
  const { type, description, ...rest } = node;
  return {
    type,
    ...(name !== type && { tool: name }),
    description: view.descriptionOf(type) ?? description,
    ...rest,
  };
}

function nodeOf(
  { name, source, definition }: Pick<Component, "name" | "source" | "definition">,
  full: boolean,
): z.output<typeof output>["nodes"][number] {
  const { namespace, tool } = codeNameOf(name);
  const schemas = {
    input_schema: definition.inputSchema,
    ...(definition.outputSchema === undefined ? {} : { output_schema: definition.outputSchema }),
  };
  return {
    type: name,
    description: definition.description ?? "",
    server: source,
    inputs: parametersOf(definition.inputSchema),
    outputs: parametersOf(definition.outputSchema ?? {}),
    signature: signatureOf(namespace, tool, definition.inputSchema, definition.outputSchema),
    ...(full ? schemas : {}),
  };
}

function parametersOf(schema: JsonObject): z.output<typeof parameter>[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(schema["properties"] ?? {}).map(([key, value]) => ({
    key,
    type: typeOf(value, 1),
    required: required.has(key),
    description: descriptionOf(value),
  }));
}

function descriptionOf(schema: unknown): string {
  const isObject = typeof schema === "object" && schema !== null && "description" in schema;
  return isObject && typeof schema.description === "string" ? schema.description : "";
}
