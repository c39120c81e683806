/** The library as a profile shows it: what it hides is not there, under none of its names. */
import { displayNameOf, parseReference, toolNameOf, type CapabilityName } from "../../core/names.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { ToolView } from "../../core/tool.ts";
import { meantTools, nearestTools } from "../../text/tool-spelling.ts";
import { noSuchName, type Library } from "../../library/library.ts";

/** The library itself for a caller without a profile. */
export function viewLibrary(library: Library, view: ToolView | undefined): Library {
  if (view === undefined) return library;
  const shows = (name: CapabilityName): boolean => view.allows(toolNameOf(name));

  const list: Library["list"] = async (pattern) => (await library.list(pattern)).filter(shows);
  const names = async (): Promise<string[]> => (await list(null)).map(displayNameOf);
  const find: Library["find"] = async (reference) => {
    const found = await library.find(reference);
    return found !== undefined && shows(found) ? found : undefined;
  };

  return {
    list,
    names,
    find,
    example: (version) => library.example(version),
    async listCurrent(pattern) {
      return (await library.listCurrent(pattern)).filter(({ capability }) => shows(capability));
    },
    async describe(name) {
      const reference = parseReference(name);
      if (!reference.success) return noSuchName(reference.error, name, await names());
      return (await find(reference.data)) === undefined
        ? unknown(name, await names())
        : library.describe(name);
    },
  };
}

function unknown(name: string, known: readonly string[]): ToolResult<never> {
  const near = nearestTools(name, known);
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library is called ${JSON.stringify(name)}.${meantTools(name, near)}`,
    {
      reason: "not_granted",
      nearest: near,
      hint:
        known.length === 0
          ? "This profile shows nothing of the library."
          : "list_library shows what there is.",
    },
  );
}
