/**
 * The names in code, looked up in the registry: `mcp.<server>.<tool>`, and where there is no such server, a capability.
 */
import { isAppOnly } from "../registry/app-tool.ts";
import { CAPABILITIES_ID, codeNameOf, parseToolName } from "../core/names.ts";
import { didYouMean, foldName, nearest } from "../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { UsedSource } from "../core/store.ts";
import type { CallContext, ToolDefinition, ToolView } from "../core/tool.ts";
import { nearestTools, respeltTools } from "../text/tool-spelling.ts";
import { viewOf } from "../core/tool-view.ts";
import type { LookUpTool } from "../library/contracts.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Registry } from "../registry/registry.ts";
import { isMeant, type Bound, type FoundTool, type ToolDirectory } from "../runs/prepare/tool-directory.ts";
import { declareTools, memberName } from "../sandbox/types/declarations.ts";
import { quote } from "../text/quote.ts";

export interface CodeDirectoryDeps {
  readonly registry: Registry;
  /** The ids of the servers that may be used. */
  readonly servers: () => readonly string[];
  /** The ids of those that are configured and not in use: disabled, or of a project file that is not trusted. */
  readonly absent?: () => readonly string[];
  /** Why one of them is not in use. */
  readonly explainAbsent?: (id: string) => ToolResult<never> | undefined;
  /** Has the registry read the library again where it has changed. */
  readonly freshenLibrary: () => Promise<void>;
  /** The name of the tool that an alias means. */
  readonly liveName: (tool: string) => string;
  /** The id of the capability that has this name. */
  readonly capabilityId?: (tool: string) => string | undefined;
  /** The namespace of static tools, where the program that embeds the gateway has any. */
  readonly programId?: string | undefined;
}

export function createCodeDirectory(deps: CodeDirectoryDeps): ToolDirectory {
  const { registry, servers } = deps;

  /** The servers that the caller may use. */
  function serversFor(view: ToolView | undefined): readonly string[] {
    return view === undefined ? servers() : servers().filter((id) => view.allowsServer(id));
  }

  /** A server by its id, or by its id as an identifier where only one has it. */
  const serverOf = (namespace: string, view: ToolView | undefined): string | undefined =>
    pick(serversFor(view), namespace, (id) => id);

  async function findServerTool(
    server: string,
    tool: string,
    context: CallContext,
  ): Promise<ToolResult<FoundTool>> {
    const exact = await registry.find(`${server}__${tool}`, context);
    if (exact.success) return succeed(foundTool(`${server}__${tool}`, exact.data.definition));
    if (exact.error.code !== "TOOL_NOT_FOUND") return exact;
    const view = viewOf(context);
    // Only the server knows whether it is another spelling of a name that is granted.
    if (!isGranted(view, `${server}__${tool}`)) {
      await registry.discover({ waitMs: SERVER_WAIT_MS, servers: [server] }, context);
    }
    const siblings = toolsOf(server, view);
    const member = pick(siblings, tool, (sibling) => sibling.part);
    if (member !== undefined) return succeed(foundTool(member.name, member.definition));
    const near = nearest(
      tool,
      siblings.map(({ part }) => part),
    );
    return unknown(
      `${server === deps.programId ? "The program" : `The server ${server}`} has no tool ${quote(tool)}.`,
      near.map((part) => codeName(server, part)),
      { isGranted: isGranted(view, `${server}__${tool}`) },
    );
  }

  function toolsOf(source: string, view: ToolView | undefined): (FoundTool & { readonly part: string })[] {
    const own = registry
      .catalogue()
      .components.filter((component) => component.source === source && isGranted(view, component.name));
    return own.map(({ name, definition }) => ({ name, definition, part: name.slice(source.length + 2) }));
  }

  async function findCapability(
    namespace: string,
    tool: string,
    context: CallContext,
  ): Promise<ToolResult<FoundTool>> {
    await deps.freshenLibrary();
    const name = deps.liveName(`${CAPABILITIES_ID}__${namespace}__${tool}`);
    if (parseToolName(name).kind === "capability") {
      const found = await registry.find(name, context);
      if (found.success) return succeed(foundTool(name, found.data.definition));
      if (found.error.code !== "TOOL_NOT_FOUND") return found;
    }
    const view = viewOf(context);
    const actions = capabilities(view).filter((capability) => capability.namespace === namespace);
    if (actions.length === 0) return unknownNamespace(namespace, view);
    const near = nearest(
      tool,
      actions.map(({ action }) => action),
    );
    return unknown(
      `There is no capability ${quote(`${namespace}:${tool}`)}.`,
      near.map((part) => codeName(namespace, part)),
      { isGranted: isGranted(view, name) },
    );
  }

  function capabilities(
    view: ToolView | undefined,
  ): { readonly namespace: string; readonly action: string }[] {
    return toolsOf(CAPABILITIES_ID, view).map(({ name }) => {
      const { namespace, tool } = codeNameOf(name);
      return { namespace, action: tool };
    });
  }

  function unknownNamespace(namespace: string, view: ToolView | undefined): ToolResult<never> {
    const absent = view === undefined ? (deps.absent?.() ?? []) : [];
    const meant = pick(absent, namespace, (id) => id);
    const why = meant === undefined ? undefined : deps.explainAbsent?.(meant);
    if (why !== undefined) return why;
    const known = [...serversFor(view), ...capabilities(view).map((capability) => capability.namespace)];
    const near = nearest(namespace, known).map((name) => `mcp${memberOf(name)}`);
    const what = `There is no server and no capability namespace ${quote(namespace)}.`;
    const names = [...new Set(known)].slice(0, NAMES_SHOWN_MAX).join(", ");
    const unused = absent.length > 0 ? `Configured and not in use: ${absent.join(", ")}.` : undefined;
    const none = view === undefined ? (unused ?? "No servers are configured.") : "This profile shows none.";
    return unknown(what, near, {
      isGranted: view === undefined,
      hint: known.length === 0 ? none : `There are ${names}.`,
    });
  }

  function foundTool(name: string, definition: ToolDefinition): FoundTool {
    const source = sourceOf(name, deps);
    return { name, definition, source };
  }

  /** Where the name leads today: a real server wins over a namespace. */
  async function findUnbound(
    namespace: string,
    tool: string,
    context: CallContext,
  ): Promise<ToolResult<FoundTool>> {
    const server = serverOf(namespace, viewOf(context));
    return server === undefined
      ? findCapability(namespace, tool, context)
      : findServerTool(server, tool, context);
  }

  /** A server that has the name now is not asked, whatever it has. */
  function isOfOtherProgram(namespace: string, bound: Bound): boolean {
    const isMissing = namespace !== deps.programId;
    return isMissing && bound.some(({ source }) => source?.kind === "program" && source.id === namespace);
  }

  /** For kept code the recorded source wins: a capability is found behind a server that was added since. */
  async function findBound(
    namespace: string,
    tool: string,
    context: CallContext,
    bound: Bound,
  ): Promise<ToolResult<FoundTool>> {
    if (isOfOtherProgram(namespace, bound)) return otherProgram(codeName(namespace, tool));
    const today = await findUnbound(namespace, tool, context);
    if (today.success && isBound(today.data, bound)) return today;
    const behind = await findCapability(namespace, tool, context);
    if (behind.success && isBound(behind.data, bound)) return behind;
    return today.success ? sourceChanged(codeName(namespace, tool), today.data) : today;
  }

  async function findExposed(
    name: string,
    context: CallContext,
    bound: Bound = [],
  ): Promise<ToolResult<FoundTool>> {
    const parsed = parseToolName(name);
    const isCapability = parsed.kind === "capability";
    if (parsed.kind === "upstream" && isOfOtherProgram(parsed.server, bound)) return otherProgram(name);
    if (isCapability) await deps.freshenLibrary();
    const live = isCapability ? deps.liveName(name) : name;
    const found = await registry.find(live, context);
    if (found.success) {
      const tool = foundTool(live, found.data.definition);
      return isBound(tool, bound) ? succeed(tool) : sourceChanged(name, tool);
    }
    if (found.error.code !== "TOOL_NOT_FOUND") return found;
    const view = viewOf(context);
    const known = registry.catalogue().components.map((component) => component.name);
    const granted = known.filter((tool) => isGranted(view, tool));
    return unknown(`There is no tool ${quote(name)}.`, nearestTools(name, granted), {
      isGranted: isGranted(view, live),
    });
  }

  /** The server that the text begins with may not have been asked for its tools yet. */
  async function respell(text: string, context: CallContext): Promise<readonly string[]> {
    const view = viewOf(context);
    const folded = foldName(text.replace(/^mcp[._]+/, ""));
    const named = serversFor(view).filter((id) => folded.startsWith(foldName(id)));
    await deps.freshenLibrary();
    if (named.length > 0) await registry.discover({ waitMs: SERVER_WAIT_MS, servers: named }, context);
    return respeltTools(text, callable(view)).map((name) => {
      const { namespace, tool } = codeNameOf(name);
      return codeName(namespace, tool);
    });
  }

  /** The exposed names of what code can call: not the built-in nodes of workflows. */
  function callable(view: ToolView | undefined): string[] {
    const names = registry.catalogue().components.map(({ name }) => name);
    return names.filter((name) => parseToolName(name).kind !== "static" && isGranted(view, name));
  }

  return {
    respell,
    findCalled: findExposed,
    findExposed: async (name, context, bound = []) => refuseAppOnly(await findExposed(name, context, bound)),
    find: async (namespace, tool, context, bound = []) =>
      refuseAppOnly(await findBound(namespace, tool, context, bound)),
    async findNamespace(namespace, context) {
      const view = viewOf(context);
      if (serverOf(namespace, view) === undefined) await deps.freshenLibrary();
      const isKnown =
        serverOf(namespace, view) !== undefined ||
        capabilities(view).some((capability) => capability.namespace === namespace);
      return isKnown ? succeed(undefined) : unknownNamespace(namespace, view);
    },
  };
}

/** A source that was recorded for this very tool, or none was recorded at all. */
function isBound(found: FoundTool, bound: Bound): boolean {
  const recorded = bound.filter(({ source }) => source !== undefined);
  return recorded.length === 0 || recorded.some(({ source }) => isMeant(source, found.source));
}

function sourceOf(
  tool: string,
  { capabilityId, programId }: Pick<CodeDirectoryDeps, "capabilityId" | "programId">,
): UsedSource | undefined {
  const parsed = parseToolName(tool);
  if (parsed.kind === "upstream")
    return { kind: parsed.server === programId ? "program" : "server", id: parsed.server };
  const id = capabilityId?.(tool);
  return id === undefined ? undefined : { kind: "capability", id };
}

function nameSource({ name, source }: FoundTool): string {
  if (source?.kind === "server") return `a tool of the server ${source.id}`;
  return source?.kind === "program" ? `the static tool ${name} of this program` : `the capability ${name}`;
}

function sourceChanged(written: string, found: FoundTool): ToolResult<never> {
  const now = nameSource(found);
  const message = `${written} was something else when this code was saved; now it is ${now}.`;
  return fail("TOOL_UNAVAILABLE", message, {
    reason: "source_changed",
    retryable: false,
    hint: "describe_workflow shows the tools that it was saved with. Save it again with overwrite to use the current ones.",
  });
}

function otherProgram(written: string): ToolResult<never> {
  const message = `${written} is a tool of the program that this was saved in, and this gateway is not in that program.`;
  return fail("TOOL_UNAVAILABLE", message, {
    reason: "source_missing",
    retryable: false,
    hint: "Call it in that program, or save a version that uses other tools.",
  });
}

const NAMES_SHOWN_MAX = 20;
/** As long as a call waits for a server whose tools were never listed. */
const SERVER_WAIT_MS = 10_000;

/** The one whose name it is exactly, else the only one whose name it is as an identifier. */
function pick<T>(all: readonly T[], wanted: string, nameOf: (item: T) => string): T | undefined {
  const exact = all.find((item) => nameOf(item) === wanted);
  if (exact !== undefined) return exact;
  const members = all.filter((item) => memberName(nameOf(item)) === wanted);
  return members.length === 1 ? members[0] : undefined;
}

/** A tool that is not granted is reported as missing: a profile does not reveal what it hides. */
function unknown(
  what: string,
  near: readonly string[],
  told: { readonly isGranted: boolean; readonly hint?: string },
): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `${what}${didYouMean(near)}`, {
    reason: told.isGranted ? "unknown_tool" : "not_granted",
    nearest: near,
    hint: told.hint ?? "browse_components finds tools and shows how code calls them.",
  });
}

function isGranted(view: ToolView | undefined, tool: string): boolean {
  return view === undefined || view.allows(tool);
}

function codeName(namespace: string, tool: string): string {
  return `mcp${memberOf(namespace)}${memberOf(tool)}`;
}

function memberOf(name: string): string {
  return memberName(name) === name ? `.${name}` : `[${JSON.stringify(name)}]`;
}

export type ToolLookUpDeps = Pick<
  CodeDirectoryDeps,
  "registry" | "servers" | "liveName" | "capabilityId" | "programId"
>;

/** What its server keeps from models is called by no code that a model wrote. */
function refuseAppOnly(found: ToolResult<FoundTool>): ToolResult<FoundTool> {
  if (!found.success || !isAppOnly(found.data.definition)) return found;
  const { name } = found.data;
  return fail("SECURITY_ERROR", `The tool ${quote(name)} is only for the App of its server.`, {
    tool: name,
    hint: "Its server says that models do not call it (_meta.ui.visibility). Use another tool.",
  });
}

/** What is known of a tool now; a server whose list was never read may have any tool. */
export function createToolLookUp(deps: ToolLookUpDeps): LookUpTool {
  const { registry, liveName } = deps;

  /** Code writes tools of servers and capabilities alike, and a server wins. */
  function meansNow(used: string): string | undefined {
    const { namespace, tool } = codeNameOf(used);
    const isServer = deps.servers().includes(namespace);
    if (parseToolName(used).kind === "capability") return isServer ? `the server ${namespace}` : undefined;
    const other = liveName(`${CAPABILITIES_ID}__${namespace}__${tool}`);
    return isServer || registry.route(other) === undefined
      ? undefined
      : `the capability ${namespace}:${tool}`;
  }

  return (used) => {
    const tool = liveName(used);
    const source = sourceOf(tool, deps);
    return {
      definition: definitionNow(tool),
      source,
      meansNow: meansNow(used),
    };
  };

  function definitionNow(tool: string): ReturnType<LookUpTool>["definition"] {
    const route = registry.route(tool) ?? registry.resolveHidden(tool);
    if (route !== undefined) return route.definition;
    // It is there and may not be used: the call says so, which is more than that it is missing.
    if (registry.holdOf(tool) !== undefined) return "unknown";
    const parsed = parseToolName(tool);
    const source = parsed.kind === "upstream" ? parsed.server : CAPABILITIES_ID;
    return registry.hasRead(source) ? "missing" : "unknown";
  }
}

/** The TypeScript of what code can call. */
export interface Declarations {
  readonly text: string;
  readonly toolCount: number;
  /** Servers whose tools are not in it, and why. */
  readonly missing: readonly {
    readonly server: string;
    readonly reason: string;
    readonly isUnknown?: true;
  }[];
}

/** Declares the tools of these servers, and of all capabilities. */
export function declareCatalogue(
  catalogue: Pick<Catalogue, "components" | "failed" | "pending">,
  servers: readonly string[],
  known: readonly string[],
): Declarations {
  const wanted = new Set([...servers, CAPABILITIES_ID]);
  const shown = catalogue.components.filter(({ source }) => wanted.has(source));
  const tools = shown.map(({ name, definition }) => ({ ...definition, ...codeNameOf(name) }));
  const failed = catalogue.failed.map(({ source, reason }) => ({ server: source, reason }));
  const unlisted = servers.filter((server) => !known.includes(server));
  const pending = catalogue.pending.map((server) => ({ server, reason: "it has not answered yet" }));
  return {
    text: declareTools(tools, { docs: true }),
    toolCount: tools.length,
    missing: [
      ...unlisted.map((server) => ({
        server,
        reason: "no such server is configured and enabled",
        isUnknown: true as const,
      })),
      ...[...failed, ...pending].filter(({ server }) => wanted.has(server)),
    ],
  };
}
