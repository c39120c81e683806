import * as z from "zod";
import { displayNameOf, toolNameOf } from "../../core/names.ts";
import { succeed } from "../../core/result.ts";
import { LISTED_COUNT_MAX, LISTED_TOKENS_MAX } from "../../core/store.ts";
import type { ToolView } from "../../core/tool.ts";
import { changedTools, compareTools, type LookUpTool } from "../../library/contracts.ts";
import type { CapabilityDetails, Library } from "../../library/library.ts";
import { viewLibrary } from "./library-view.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";

const output = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      tool: z.string().describe("The tool to call it by."),
      kind: z.enum(["code", "workflow"]),
      description: z.string(),
      version: z.int(),
      tags: z.array(z.string()),
      usage_count: z.int(),
      success_count: z.int(),
      last_used_at: z.string().nullable().describe("ISO 8601."),
      changed_tools: z.array(z.string()).optional(),
      listed: z.boolean().optional(),
    }),
  ),
  note: z.string().optional(),
});

export interface ListLibraryDeps {
  readonly library: Library;
  readonly lookUpTool: LookUpTool;
  readonly freshenLibrary: () => Promise<void>;
}

export function createListLibrary({ library, lookUpTool, freshenLibrary }: ListLibraryDeps): MetaTool {
  return createMetaTool({
    name: "list_library",
    title: "List the library",
    describe: () => "List what was kept: code and workflows that are tools now. Look here first.",
    input: z.strictObject({
      pattern: z.string().max(200).nullish().describe("Substring or glob: math:*"),
    }),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    searchHint: "list the scripts and workflows that were kept as tools",
    async run(input, { view }) {
      await freshenLibrary();
      const kept = await viewLibrary(library, view).listCurrent(input.pattern ?? null);
      const unlisted = kept.filter(({ capability }) => !capability.isListed).length;
      return succeed({
        items: kept.map((item) => itemOf(item, lookUpTool, view)),
        ...(unlisted > 0 && { note: unlistedNote(unlisted) }),
      });
    },
  });
}

/** Said only where it is so. */
function unlistedNote(count: number): string {
  return `${count} of these are not in the list of tools (listed: false), which has room for ${LISTED_TOKENS_MAX} tokens and ${LISTED_COUNT_MAX} tools. They are called by their names all the same.`;
}

function itemOf(
  { capability, version }: Pick<CapabilityDetails, "capability" | "version">,
  lookUpTool: LookUpTool,
  view: ToolView | undefined,
): z.output<typeof output>["items"][number] {
  const tool = toolNameOf(capability);
  const changed = changedTools(compareTools(version.toolsUsed, lookUpTool)).map((drift) => drift.tool);
  return {
    name: displayNameOf(capability),
    tool: view?.nameOf(tool) ?? tool,
    kind: capability.kind,
    description: view?.descriptionOf(tool) ?? capability.description,
    version: capability.currentVersion,
    tags: [...capability.tags],
    usage_count: capability.usageCount,
    success_count: capability.successCount,
    last_used_at: isoOf(capability.lastUsedAt),
    ...(changed.length > 0 && { changed_tools: changed }),
    ...(!capability.isListed && { listed: false }),
  };
}

export function isoOf(at: number): string;
export function isoOf(at: number | null): string | null;
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
