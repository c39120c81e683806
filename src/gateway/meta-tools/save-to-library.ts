import * as z from "zod";
import { crashPoint } from "../../process/crash-point.ts";
import {
  capabilityNameOf,
  displayNameOf,
  fqdnOf,
  libraryUriOf,
  parseReference,
  toolNameOf,
  type CapabilityName,
} from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { VISIBILITIES, type CapabilityKind } from "../../core/store.ts";
import type { Drafts } from "../../library/drafts.ts";
import type { CapabilitySaver, SavedCapability } from "../../library/save-capability.ts";
import type { Library } from "../../library/library.ts";
import type { ToolView, CallContext } from "../../core/tool.ts";
import type { Runs } from "../../runs/runs.ts";
import { viewDrafts, type HasRun } from "./draft-view.ts";
import { viewLibrary } from "./library-view.ts";
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
  input_schema: z.looseObject({}),
  possible_inputs: z.array(z.looseObject({})).optional().describe("Written-out values that might be inputs."),
  warnings: z.array(z.string()).optional(),
});

export interface SaveDeps {
  readonly library: Library;
  readonly drafts: Drafts;
  /** Without it, a token with limits has no drafts. */
  readonly hasRun?: HasRun;
  /** The ids of all configured servers: a namespace of that name could never be called. */
  readonly servers: () => readonly string[];
  readonly capabilitySaver: CapabilitySaver;
  readonly runs: Runs;
  readonly freshenLibrary: () => Promise<void>;
}

export function createSaveToLibrary(deps: SaveDeps): MetaTool {
  return createMetaTool({
    name: "save_to_library",
    title: "Save to the library",
    describe: () => "Keep a draft as a tool (mcp__namespace__action) of every client.",
    input: z.strictObject({
      draft_name: z.string().describe("As execute named it"),
      final_name: z.string().describe("namespace:action"),
      description: z
        .string()
        .trim()
        .min(1)
        .max(DESCRIPTION_LENGTH_MAX)
        .describe("What it does and when to use it"),
      tags: z.array(z.string().min(1).max(64)).max(TAG_COUNT_MAX).optional(),
      visibility: z.enum(VISIBILITIES).optional(),
      overwrite: z.boolean().default(false).describe("As a new version"),
    }),
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    searchHint: "keep code or a workflow that worked as a tool",
    async run(args, context) {
      const drafts = viewDrafts(deps.drafts, context.principal, deps.hasRun);
      const draft = await drafts.find(args.draft_name, "draft_name");
      const library = viewLibrary(deps.library, context.view);
      if (!draft.success) return (await findSaved(args, library)) ?? draft;
      const { text, kind } = draft.data;
      const what = { kind, source: text };
      const naming = { library, servers: deps.servers, view: context.view };
      const name = await checkFinalName(args.final_name, what, naming, "final_name", args.overwrite);
      if (!name.success) return name;
      const granted = await checkDraftGranted({ runs: deps.runs, library }, what, context);
      if (!granted.success) return granted;
      const kept = await deps.capabilitySaver.save(
        {
          ...what,
          name: name.data,
          description: args.description,
          ...(args.tags !== undefined && { tags: args.tags }),
          ...(args.visibility !== undefined && { visibility: args.visibility }),
          overwrite: args.overwrite,
          field: "draft_name",
        },
        context,
      );
      if (!kept.success) return kept;
      crashPoint("save.committed");
      // Saved first: a draft that is still there after a crash is the same version when it is saved again.
      await deps.drafts.remove(draft.data);
      await deps.freshenLibrary();
      return succeed(savedOf(kept.data));
    },
  });
}

/** The answer was lost and the client asks again: the draft is gone because it was saved under this very name. */
async function findSaved(
  args: { readonly draft_name: string; readonly final_name: string; readonly description: string },
  library: Library,
): Promise<ToolResult<Saved> | undefined> {
  const hash = /-([0-9a-f]{8})$/.exec(args.draft_name)?.[1];
  const reference = parseReference(args.final_name, "final_name");
  if (hash === undefined || !reference.success) return undefined;
  const details = await library.describe(args.final_name);
  if (!details.success || !details.data.version.sourceHash.startsWith(hash)) return undefined;
  return succeed(savedOf({ ...details.data, offers: [], warnings: [] }));
}

type Saved = z.output<typeof output>;

/** What was saved, and what might be made of it. */
export function savedOf({ capability, version, offers, warnings }: SavedCapability): Saved {
  return {
    success: true,
    path: libraryUriOf(capability),
    tool: toolNameOf(capability),
    fqdn: fqdnOf(capability.scope, capability, version.shortHash),
    version: version.version,
    input_schema: version.inputSchema,
    ...(offers.length > 0 && { possible_inputs: offers.map((offer) => ({ ...offer })) }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

interface NamingDeps extends Pick<SaveDeps, "library" | "servers"> {
  readonly view: ToolView | undefined;
}

/** A name that something may be kept under: well formed, no server's, and free or the same source's already. */
export async function checkFinalName(
  finalName: string,
  { kind, source }: { readonly kind: CapabilityKind; readonly source: string },
  { library, servers, view }: NamingDeps,
  field: string,
  overwrite = false,
): Promise<ToolResult<CapabilityName>> {
  const reference = parseReference(finalName, field);
  const nameOf = (text: string): CapabilityName | undefined => {
    const other = parseReference(text);
    return other.success ? capabilityNameOf(other.data, kind) : undefined;
  };
  /** The first of these that could be taken: an error never proposes what would be refused again. */
  const offer = async (...texts: string[]): Promise<{ nearest?: string[] }> => {
    for (const name of texts.map(nameOf)) {
      if (name !== undefined && (await isFree(name, { library, servers, view })))
        return { nearest: [displayNameOf(name)] };
    }
    return {};
  };
  if (!reference.success) {
    if (reference.error.code === "SECURITY_ERROR") return reference;
    return { success: false, error: { ...reference.error, ...(await offer(slugOf(finalName))) } };
  }
  if (reference.data.kind === "fqdn" || reference.data.version !== undefined) {
    const message = "A new name has neither a hash nor a version: give namespace:action.";
    const { namespace, action } = capabilityNameOf(reference.data, kind);
    return fail("TOOL_INVALID_INPUT", message, { field, ...(await offer(`${namespace}:${action}`)) });
  }
  const name = capabilityNameOf(reference.data, kind);
  if (view?.allows(toolNameOf(name)) === false) return notGranted(name, view, field);
  if (servers().includes(name.namespace)) {
    // A profile does not name the servers that it hides.
    const message =
      view?.allowsServer(name.namespace) === false
        ? `The namespace ${name.namespace} cannot be used.`
        : `The namespace ${name.namespace} is the id of a server; its tools would hide yours.`;
    const other = await offer(`${kind}:${name.namespace}_${name.action}`);
    return fail("TOOL_INVALID_INPUT", message, { field, ...other, hint: "Choose another namespace." });
  }
  const existing = await library.describe(displayNameOf(name));
  if (!existing.success || overwrite || existing.data.version.source === source) return succeed(name);
  const numbered = NUMBERS.map((number) => `${displayNameOf(name)}_${number}`);
  return fail(
    "TOOL_INVALID_INPUT",
    `${displayNameOf(name)} exists already (version ${existing.data.capability.currentVersion}).`,
    {
      reason: "taken",
      field,
      ...(await offer(...numbered)),
      hint: "Choose another name, or give overwrite: true to make a new version; the old one is kept.",
    },
  );
}

/** What is tried behind a name that is taken. */
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9];

async function isFree(name: CapabilityName, { library, servers, view }: NamingDeps): Promise<boolean> {
  if (view?.allows(toolNameOf(name)) === false || servers().includes(name.namespace)) return false;
  return !(await library.describe(displayNameOf(name))).success;
}

/** The name that a text would be in our spelling: `Pull Requests: Open` is `pull_requests:open`. */
function slugOf(text: string): string {
  const parts = text.replace(/^mcp__/, "").split(/:|__/);
  const slugs = parts.map((part) =>
    part
      .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^[_0-9]+|_+$/g, ""),
  );
  const [namespace, ...rest] = slugs.filter((slug) => slug !== "");
  return rest.length === 0 ? (namespace ?? "") : `${namespace}:${rest.join("_")}`;
}

/** Whether something is kept under that name already is none of the profile's business. */
function notGranted(name: CapabilityName, { profile }: ToolView, field: string): ToolResult<never> {
  const message = `The profile "${profile}" does not show what is kept as ${displayNameOf(name)}.`;
  return fail("TOOL_INVALID_INPUT", message, {
    reason: "not_granted",
    field,
    hint: "Choose a name that the profile shows, such as one in a namespace that list_library names.",
  });
}

interface GrantedDeps {
  readonly runs: Pick<Runs, "prepareWorkflow">;
  /** As the client sees it. */
  readonly library: Library;
}

/**
 * Whether a client of a profile may keep a draft. The keeper looks at the names in it as that client; this looks at
 * the names that are not in it: a `workflow` node whose name a template gives, or that names a draft, could become
 * anything later.
 */
async function checkDraftGranted(
  deps: GrantedDeps,
  { kind, source }: { readonly kind: CapabilityKind; readonly source: string },
  context: CallContext,
): Promise<ToolResult<unknown>> {
  if (context.view === undefined || kind === "code") return succeed(undefined);
  const prepared = await deps.runs.prepareWorkflow(source, undefined, context);
  if (!prepared.success) return prepared;
  for (const { id, type, params } of prepared.data.workflow.nodes) {
    const checked = type === "workflow" ? await checkNamed(deps.library, id, params["name"]) : prepared;
    if (!checked.success) return checked;
  }
  return succeed(undefined);
}

/** Only the name of something kept says for good what will run: a template or a draft can become anything. */
async function checkNamed(library: Library, node: string, name: unknown): Promise<ToolResult<void>> {
  const reference = typeof name === "string" ? parseReference(name) : undefined;
  const found = reference?.success === true ? await library.find(reference.data) : undefined;
  if (found !== undefined) return succeed(undefined);
  return fail("TOOL_INVALID_INPUT", `The node ${node} runs what this profile does not show.`, {
    reason: "not_granted",
    field: "draft_name",
    hint: "In a profile, a workflow node of something that is to be kept names something of the library, written out.",
  });
}
