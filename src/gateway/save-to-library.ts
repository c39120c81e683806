import * as z from "zod";
import { capabilityNameOf, displayNameOf, parseReference } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { VISIBILITIES } from "../core/store.ts";
import type { Draft, Drafts } from "../library/drafts.ts";
import type { Library } from "../library/library.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";

/** A longer description is cut by most clients. */
const DESCRIPTION_LENGTH_MAX = 8 * 1024;
const TAG_COUNT_MAX = 20;

const output = z.object({
  success: z.boolean(),
  path: z.string().describe("Where it can be read: a resource URI."),
  tool: z.string(),
  fqdn: z.string(),
  version: z.int(),
});

export interface SaveParts {
  readonly library: Library;
  readonly drafts: Drafts;
  /** The ids of all configured servers: a namespace of that name could never be called. */
  readonly servers: () => readonly string[];
}

export function createSaveToLibrary(parts: SaveParts): MetaTool {
  return createMetaTool({
    name: "save_to_library",
    title: "Save to the library",
    describe: () =>
      "Keep a draft under a name: from then on it is a tool (mcp__namespace__action) for every client. " +
      "An existing name is refused; overwrite makes a new version and keeps the old one.",
    input: z.strictObject({
      draft_name: z.string().describe("The draft, as execute named it or as it lies in the drafts folder."),
      final_name: z.string().describe("namespace:action, or a bare name such as pr-analyzer."),
      description: z
        .string()
        .trim()
        .min(1)
        .max(DESCRIPTION_LENGTH_MAX)
        .describe("What it does and when to use it."),
      tags: z.array(z.string().min(1).max(64)).max(TAG_COUNT_MAX).optional(),
      visibility: z.enum(VISIBILITIES).optional(),
      overwrite: z.boolean().default(false).describe("Make a new version if the name exists."),
    }),
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run(args) {
      const draft = await parts.drafts.find(args.draft_name, "draft_name");
      if (!draft.success) return draft;
      const name = await checkFinalName(args.final_name, args.overwrite, draft.data, parts);
      if (!name.success) return name;
      return fail(
        "TOOL_NOT_IMPLEMENTED",
        "The request is valid, but this version cannot save to the library yet.",
        {
          hint: `The draft ${draft.data.name} stays where it is.`,
        },
      );
    },
  });
}

async function checkFinalName(
  finalName: string,
  overwrite: boolean,
  draft: Draft,
  { library, servers }: SaveParts,
): Promise<ToolResult<void>> {
  const field = "final_name";
  const reference = parseReference(finalName, field);
  if (!reference.success) return reference;
  if (reference.data.kind === "fqdn" || reference.data.version !== undefined) {
    const message = "A new name has neither a hash nor a version: give namespace:action.";
    return fail("TOOL_INVALID_INPUT", message, { field });
  }
  const name = capabilityNameOf(reference.data, draft.kind);
  if (servers().includes(name.namespace)) {
    const message = `The namespace ${name.namespace} is the id of a server; its tools would hide yours.`;
    return fail("TOOL_INVALID_INPUT", message, { field, hint: "Choose another namespace." });
  }
  const existing = await library.find({ kind: "capability", ...name });
  if (existing === undefined || overwrite) return succeed(undefined);
  return fail(
    "TOOL_INVALID_INPUT",
    `${displayNameOf(name)} exists already (version ${existing.currentVersion}).`,
    {
      reason: "taken",
      field,
      hint: "Choose another name, or give overwrite: true to make a new version; the old one is kept.",
    },
  );
}
