import * as z from "zod";
import { displayNameOf, toolNameOf } from "../core/names.ts";
import { succeed } from "../core/result.ts";
import type { Library } from "../library/library.ts";
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
    }),
  ),
});

export function createListLibrary(library: Library): MetaTool {
  return createMetaTool({
    name: "list_library",
    title: "List the library",
    describe: () =>
      "List what was kept: named, versioned code and workflows that are tools for every client. Look here before you write something anew.",
    input: z.strictObject({
      pattern: z
        .string()
        .max(200)
        .nullish()
        .describe(
          "A substring or a glob such as math:*, of names, descriptions and tags. Null or absent: all.",
        ),
    }),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run(input) {
      const kept = await library.list(input.pattern ?? null);
      const items = kept.map((item) => ({
        name: displayNameOf(item),
        tool: toolNameOf(item),
        kind: item.kind,
        description: item.description,
        version: item.currentVersion,
        tags: [...item.tags],
        usage_count: item.usageCount,
        success_count: item.successCount,
        last_used_at: isoOf(item.lastUsedAt),
      }));
      return succeed({ items });
    },
  });
}

export function isoOf(at: number): string;
export function isoOf(at: number | null): string | null;
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
