/** What was kept, as resources: each item is a Markdown page under `repertoire://library/{namespace}/{action}`. */
import type { JsonObject } from "../core/json.ts";
import { displayNameOf, fqdnOf, libraryUriOf, toolNameOf } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CapabilityDetails, Library } from "../library/library.ts";
import { fenced } from "../text/markdown/fence.ts";
import { quote } from "../text/quote.ts";

const PREFIX = "repertoire://library/";
const TEMPLATE = `${PREFIX}{namespace}/{action}`;
/** As many as MCP lets a completion have. */
const COMPLETIONS_MAX = 100;

export const LIBRARY_TEMPLATE: JsonObject = {
  uriTemplate: TEMPLATE,
  name: "library",
  title: "What was kept",
  description: "Source, schemas and documentation of one item of the library.",
  mimeType: "text/markdown",
};

export function isLibraryUri(uri: unknown): uri is string {
  return typeof uri === "string" && uri.startsWith(PREFIX);
}

export async function readLibraryResource(library: Library, uri: string): Promise<ToolResult<JsonObject>> {
  const match = /^repertoire:\/\/library\/([^/]+)\/([^/]+)$/.exec(uri);
  const details = match === null ? undefined : await library.describe(`${match[1]}:${match[2]}`);
  if (details?.success !== true) {
    return fail("TOOL_NOT_FOUND", `There is nothing in the library at ${quote(uri, 200)}.`, {
      field: "uri",
      hint: `The items of the library are ${TEMPLATE}; list_library names them.`,
    });
  }
  return succeed({ contents: [{ uri, mimeType: "text/markdown", text: pageOf(details.data) }] });
}

/** Names that begin as the client has begun; the namespace that it has chosen narrows the actions. */
export async function completeLibrary(library: Library, params: JsonObject): Promise<ToolResult<JsonObject>> {
  const { name, value } = (params["argument"] ?? {}) as { name?: unknown; value?: unknown };
  const chosen = (params["context"] as { arguments?: Record<string, unknown> } | undefined)?.arguments ?? {};
  const items = await library.list(null);
  const fitting = items.filter(
    ({ namespace }) => name === "namespace" || (chosen["namespace"] ?? namespace) === namespace,
  );
  const all = fitting.map((item) => (name === "namespace" ? item.namespace : item.action));
  const begun = [...new Set(all)]
    .filter((word) => typeof value === "string" && word.startsWith(value))
    .sort();
  return succeed({
    completion: {
      values: begun.slice(0, COMPLETIONS_MAX),
      total: begun.length,
      hasMore: begun.length > COMPLETIONS_MAX,
    },
  });
}

/** Whether a completion is asked for the library's own template. */
export function isLibraryReference(ref: unknown): boolean {
  const { type, uri } = (ref ?? {}) as { type?: unknown; uri?: unknown };
  return type === "ref/resource" && uri === TEMPLATE;
}

function pageOf({ capability, version, versions, aliases }: CapabilityDetails): string {
  const language = capability.kind === "code" ? "ts" : "json";
  const facts = [
    ["tool", toolNameOf(capability)],
    ["fqdn", fqdnOf(capability.scope, capability, version.shortHash)],
    ["uri", libraryUriOf(capability)],
    ["kind", capability.kind],
    ["version", `${version.version} of ${versions.length}`],
    ["author", version.author],
    ["tags", capability.tags.join(", ")],
    ["aliases", aliases.map(displayNameOf).join(", ")],
    ["uses", version.toolsUsed.map(({ tool }) => tool).join(", ")],
  ].filter(([, value]) => value !== "");
  return [
    `# ${displayNameOf(capability)}`,
    capability.description,
    facts.map(([key, value]) => `- **${key}**: ${value}`).join("\n"),
    section("Input", "json", JSON.stringify(version.inputSchema, null, 2)),
    ...(version.outputSchema === null
      ? []
      : [section("Output", "json", JSON.stringify(version.outputSchema, null, 2))]),
    section("Source", language, version.source),
  ].join("\n\n");
}

function section(title: string, language: string, text: string): string {
  return `## ${title}\n\n${fenced(language, text)}`;
}
