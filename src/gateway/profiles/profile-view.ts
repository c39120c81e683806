/**
 * A profile as a view: which exposed names a client sees, and what they are called and described as. What it says of a name
 * is the same whether or not there is such a tool, so it gives nothing away; only bare names are those of tools that it
 * shows.
 */
import { isMetaToolName, META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { displayNameOf, parseToolName } from "../../core/names.ts";
import type { ToolDefinition, ToolView } from "../../core/tool.ts";
import { compilePatterns } from "../../text/glob.ts";
import type { ListedTools } from "../../registry/catalogue.ts";
import { remember } from "../../timing/last-answer.ts";
import type { Exposure } from "../exposure.ts";
import { findBareNames } from "./bare-names.ts";

/** What a profile shows, as it is configured. */
export interface ProfileRules {
  /** Without it, all. */
  readonly servers?: readonly string[];
  /** Of tools of servers, by exposed name; of meta-tools, by their own. */
  readonly tools?: Patterns;
  /** By `namespace:action`. */
  readonly capabilities?: Patterns;
  readonly rename?: Readonly<Record<string, string>>;
  readonly describe?: Readonly<Record<string, string>>;
  readonly exposure?: Exposure;
  /** Whether tools of servers are called by the servers' own names, where those are clear. */
  readonly names?: "bare" | "prefixed";
}

interface Patterns {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface ProfileView extends ToolView {
  readonly exposure?: Exposure;
  /** The exposed name of what a client calls; undefined for what it cannot call, a renamed tool's old name too. */
  exposedName(called: string): string | undefined;
}

const NO_TOOLS: ReadTools = () => ({ components: [], appOnly: [] });

/** The tools that there are; the same object until something changes. Only bare names depend on them. */
export type ReadTools = () => ListedTools;

export function createProfileView(
  profile: string,
  rules: ProfileRules,
  tools: ReadTools = NO_TOOLS,
): ProfileView {
  const { exposure } = rules;
  const servers = rules.servers === undefined ? undefined : new Set(rules.servers);
  const names = new Map(Object.entries(rules.rename ?? {}));
  const originals = new Map([...names].map(([tool, name]) => [name, tool]));
  const descriptions = new Map(Object.entries(rules.describe ?? {}));
  const hasMetaTool = metaToolRule(rules.tools);
  const hasTool = patternRule(rules.tools);
  const hasCapability = patternRule(rules.capabilities);
  const allowsServer = (id: string) => servers === undefined || servers.has(id);

  function allows(tool: string): boolean {
    const parsed = parseToolName(tool);
    switch (parsed.kind) {
      case "static":
        return hasMetaTool(tool);
      case "capability":
        return hasCapability(displayNameOf(parsed));
      case "upstream":
        return allowsServer(parsed.server) && hasTool(tool);
      case "invalid":
        return false;
    }
  }

  const bareNames = remember((listed: ListedTools) =>
    findBareNames(listed, {
      isNamed: (tool) => allows(tool) && !names.has(tool),
      isTaken: (name) => originals.has(name),
    }),
  );
  const bare = rules.names === "bare" ? () => bareNames(tools()) : undefined;
  const nameOf = (tool: string) => names.get(tool) ?? bare?.().nameOf(tool) ?? tool;

  return {
    profile,
    exposure,
    allows,
    allowsServer,
    nameOf,
    descriptionOf: (tool) => descriptions.get(tool),
    exposedName(called) {
      const tool = originals.get(called) ?? bare?.().exposedName(called) ?? called;
      const isOldName = tool === called && nameOf(called) !== called;
      return !isOldName && allows(tool) ? tool : undefined;
    },
  };
}

/** What a client of a profile sees when the profile is gone: nothing. */
export function closedView(profile: string): ProfileView {
  return createProfileView(profile, {
    servers: [],
    tools: { deny: META_TOOL_NAMES },
    capabilities: { deny: ["*"] },
  });
}

/** A definition as the profile shows it. */
export function present(view: ToolView, tool: string, definition: ToolDefinition): ToolDefinition {
  const description = view.descriptionOf(tool);
  return { ...definition, name: view.nameOf(tool), ...(description !== undefined && { description }) };
}

/** Patterns speak of tools of servers; a meta-tool is chosen by its own name alone. */
function metaToolRule({ allow = [], deny = [] }: Patterns = {}): (name: string) => boolean {
  const named = allow.filter(isMetaToolName);
  return (name) =>
    isMetaToolName(name) && !deny.includes(name) && (named.length === 0 || named.includes(name));
}

function patternRule({ allow, deny = [] }: Patterns = {}): (name: string) => boolean {
  const patterns = allow?.filter((pattern) => !isMetaToolName(pattern));
  const isDenied = compilePatterns(deny);
  // Who names nothing but meta-tools wants those, and not every tool with them.
  const isAllowed = patterns === undefined ? () => true : compilePatterns(patterns);
  return (name) => !isDenied(name) && isAllowed(name);
}
