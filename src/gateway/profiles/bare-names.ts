/**
 * The servers' own names for the tools of a profile, as far as they are clear: a name that two of its tools have is no
 * tool's, and those keep their exposed names. So does a tool whose own name could be taken for another kind of name.
 */
import { isMetaToolName } from "../../core/meta-tool-names.ts";
import { CAPABILITIES_ID, EXPOSED_NAME_LENGTH_MAX } from "../../core/names.ts";
import { everyTool, type ListedTools } from "../../registry/catalogue.ts";

export interface BareNames {
  nameOf(tool: string): string | undefined;
  exposedName(called: string): string | undefined;
}

interface BareNaming {
  /** What the profile shows, and calls by no other name. */
  readonly isNamed: (tool: string) => boolean;
  /** The names that the profile gives itself. */
  readonly isTaken: (name: string) => boolean;
}

/** What clients take for a tool's name, without the `__` that ends a server's id in an exposed name. */
const PLAIN = /^(?!.*__)[A-Za-z0-9_-]+$/;

export function findBareNames(tools: ListedTools, { isNamed, isTaken }: BareNaming): BareNames {
  const byBare = new Map<string, string | undefined>();
  for (const { name, source, definition } of everyTool(tools)) {
    const bare = definition.name;
    if (source === CAPABILITIES_ID || !isNamed(name) || !isBare(bare) || isTaken(bare)) continue;
    byBare.set(bare, byBare.has(bare) ? undefined : name);
  }
  const names = new Map([...byBare].flatMap(([bare, tool]) => (tool === undefined ? [] : [[tool, bare]])));
  return { nameOf: (tool) => names.get(tool), exposedName: (called) => byBare.get(called) };
}

function isBare(name: string): boolean {
  return name.length <= EXPOSED_NAME_LENGTH_MAX && PLAIN.test(name) && !isMetaToolName(name);
}
