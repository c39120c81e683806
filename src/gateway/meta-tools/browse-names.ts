/** The components that are asked for by name, in any spelling that means one alone. */
import { CAPABILITIES_ID, displayNameOf, toolNameOf } from "../../core/names.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { Component, ToolDefinition } from "../../core/tool.ts";
import { meantTools, nearestTools, respeltTools } from "../../text/tool-spelling.ts";

/** Everything that has a name, as far as the caller may see it. */
export interface Named {
  readonly components: readonly Component[];
  readonly kept: readonly CurrentCapability[];
  readonly nodeTypes: readonly ToolDefinition[];
}

export interface FoundByName extends Named {
  /** A sentence for each name that means nothing, or more than one thing. */
  readonly missed: readonly string[];
}

export function findNamed(names: readonly string[], { components, kept, nodeTypes }: Named): FoundByName {
  const tools = new Map(
    components.filter(({ source }) => source !== CAPABILITIES_ID).map((one) => [one.name, one]),
  );
  const own = new Map(
    kept.flatMap((one) => [
      [toolNameOf(one.capability), one] as const,
      [displayNameOf(one.capability), one] as const,
    ]),
  );
  const builtIn = new Map(nodeTypes.map((one) => [one.name, one]));
  const known = [...tools.keys(), ...own.keys()];
  const isKnown = (name: string): boolean => tools.has(name) || own.has(name) || builtIn.has(name);
  const missed: string[] = [];
  const found = new Set<string>();
  for (const name of names) {
    const meant = isKnown(name) ? [name] : respeltTools(name, known);
    if (meant.length === 1) found.add(meant[0]!);
    else
      missed.push(`There is no tool ${JSON.stringify(name)}.${meantTools(name, nearestTools(name, known))}`);
  }
  const pick = <T>(from: ReadonlyMap<string, T>): T[] => [
    ...new Set([...found].flatMap((name) => from.get(name) ?? [])),
  ];
  return { components: pick(tools), kept: pick(own), nodeTypes: pick(builtIn), missed };
}
