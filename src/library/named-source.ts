/** Looks up a name: a capability of the library, else a draft. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { parseReference, toolNameOf } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Capability, CapabilityStore, CapabilityVersion } from "../core/store.ts";
import type { RunSource } from "../runs/run.ts";
import { meantTools, nearestTools } from "../text/tool-spelling.ts";
import type { Draft, Drafts } from "./drafts.ts";
import { noSuchName, type Library } from "./library.ts";

export interface SourceFinder {
  find(name: string): Promise<ToolResult<RunSource>>;
  /** A version of a capability, also of one that was deleted: runs that began with it go on with it. */
  version(id: string, version: number): Promise<RunSource | undefined>;
}

export interface SourceFinderDeps {
  readonly library: Library;
  readonly drafts: Drafts;
  readonly capabilities: CapabilityStore;
}

export function createSourceFinder({ library, drafts, capabilities }: SourceFinderDeps): SourceFinder {
  return {
    async find(name) {
      const reference = parseReference(name);
      if (!reference.success) return noSuchName(reference.error, name, await knownNames(library, drafts));
      if ((await library.find(reference.data)) !== undefined) {
        const details = await library.describe(name);
        return details.success ? succeed(sourceOf(details.data.capability, details.data.version)) : details;
      }
      const draft = await drafts.find(name);
      if (draft.success) return succeed(draftSource(draft.data));
      return draft.error.code === "TOOL_NOT_FOUND" ? unknownName(name, library, drafts) : draft;
    },
    async version(id, version) {
      const [capability, found] = [await capabilities.get(id), await capabilities.version(id, version)];
      return capability === undefined || found === undefined ? undefined : sourceOf(capability, found);
    },
  };
}

export function sourceOf(capability: Capability, current: CapabilityVersion): RunSource {
  const { kind, id } = capability;
  const { version, source, inputSchema, toolsUsed: uses } = current;
  return {
    kind,
    source,
    capability: { tool: toolNameOf(capability), id, version },
    uses,
    sensitive: sensitiveIn(inputSchema),
  };
}

export function draftSource({ kind, text, name }: Draft): RunSource {
  return { kind, source: text, draft: `draft:${name}` };
}

/** Inputs that a schema marks as written and never shown. */
function sensitiveIn({ properties }: JsonObject): string[] {
  return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isJsonObject(schema) && schema["writeOnly"] === true ? [name] : [],
  );
}

export async function knownNames(library: Library, drafts: Drafts): Promise<string[]> {
  return [...(await library.names()), ...(await drafts.names())];
}

export async function unknownName(
  name: string,
  library: Library,
  drafts: Drafts,
): Promise<ToolResult<never>> {
  const known = await knownNames(library, drafts);
  const near = nearestTools(name, known);
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library or the drafts is called ${JSON.stringify(name)}.${meantTools(name, near)}`,
    {
      field: "name",
      nearest: near,
      hint: known.length === 0 ? "Both are empty." : `There are ${known.slice(0, 20).join(", ")}.`,
    },
  );
}
