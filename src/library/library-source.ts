/**
 * The library as a source of tools, like any server: capabilities are listed, called and watched through the same
 * contract.
 *
 * The store has the last word. A list reads the keys of all capabilities, and the definitions of those that are new or
 * changed; the other definitions, the live names of aliases and the ids are those of the last list. A call always reads
 * the version that it runs. Other processes write to the same store: `lookForChanges` compares its revision, and is
 * called before each list and by whoever watches the revisions.
 */
import type { JsonObject } from "../core/json.ts";
import { CAPABILITIES_ID, toolNameOf, type CapabilityName, type Scope } from "../core/names.ts";
import { attempt, fail, succeed, type ToolResult } from "../core/result.ts";
import type {
  Capability,
  CapabilityKey,
  CapabilityStore,
  CapabilityVersion,
  CurrentCapability,
} from "../core/store.ts";
import type { CapabilityUses } from "../core/rule.ts";
import type { CallContext, Offer, ToolAnswer, ToolDefinition, ToolSource } from "../core/tool.ts";
import { builtInNodesOf } from "../runs/prepare/built-in-nodes.ts";
import { reportProgress } from "../runs/progress.ts";
import type { RunReport } from "../runs/run.ts";
import type { Runs } from "../runs/runs.ts";
import { WARNINGS_KEY, WRAPPED_KEY } from "../runs/unwrap.ts";
import { sourceOf } from "./named-source.ts";
import { annotationsOf, changedTools, compareTools, type LookUpTool, type ToolDrift } from "./contracts.ts";

/** In `_meta` of an answer: the id of the run. */
const RUN_ID_KEY = "repertoire/runId";

export interface LibrarySourceDeps {
  readonly capabilities: CapabilityStore;
  readonly scope: () => Scope;
  readonly runs: Runs;
  readonly lookUpTool: LookUpTool;
  /** What happens to calls when a tool has changed. */
  readonly changedTools: () => "warn" | "refuse";
}

export interface LibrarySource extends ToolSource {
  /** Whether clients are shown it in their tool list; the others can be called and found as well. */
  isListed(tool: string): boolean;
  /** The current name of the tool of an alias; any other name is itself. */
  liveName(tool: string): string;
  /** The id of the capability that has this name now. */
  idOf(tool: string): string | undefined;
  /** What its current version uses; undefined where no capability of this name is known. */
  usesOf(tool: string): CapabilityUses | undefined;
  /** Warnings about tools that have changed since the version was saved, or the refusal to run it. */
  checkContracts(current: CurrentCapability): ToolResult<readonly string[]>;
  /**
   * Calls the listeners if the library has changed since the last list, and resolves with whether it has. Without the
   * revision that it has now, the store is asked.
   */
  lookForChanges(revision?: number): Promise<boolean>;
}

export function createLibrarySource(deps: LibrarySourceDeps): LibrarySource {
  const { capabilities, scope } = deps;
  const listeners = new Set<() => void>();
  const listed = new Set<string>();
  let known: ReadonlyMap<string, Known> = new Map();
  let liveNames: ReadonlyMap<string, string> = new Map();
  let ids: ReadonlyMap<string, string> = new Map();
  let readRevision: number | undefined;
  let isClosed = false;

  async function lookForChanges(told?: number): Promise<boolean> {
    const revision = told ?? (await capabilities.revision());
    if (revision === readRevision || isClosed) return false;
    for (const listener of listeners) listener();
    return true;
  }

  /**
   * Reads only new and changed capabilities; the others stay the same objects, so that they need not be compared again.
   */
  async function read(keys: readonly CapabilityKey[]): Promise<ToolDefinition[]> {
    const missing = keys.filter((key) => known.get(key.id)?.mark !== markOf(key)).map(({ id }) => id);
    const isFew = missing.length <= READ_BY_ID_MAX;
    const fresh =
      missing.length === 0 ? [] : await capabilities.listCurrent(scope(), isFew ? missing : undefined);
    const next = new Map<string, Known>();
    for (const { id } of keys) if (known.has(id)) next.set(id, known.get(id)!);
    for (const current of fresh) {
      next.set(current.capability.id, {
        mark: markOf(current.capability),
        definition: definitionOf(current),
        uses: usesOf(current),
      });
    }
    known = next;
    return keys.flatMap(({ id }) => known.get(id)?.definition ?? []);
  }

  async function list(): Promise<ToolResult<Offer>> {
    const revision = await capabilities.revision();
    const keys = await capabilities.listKeys(scope());
    const aliases = await capabilities.listAliases(scope());
    const tools = await read(keys);
    liveNames = new Map(aliases.map(({ alias, name }) => [toolNameOf(alias), toolNameOf(name)]));
    ids = new Map(keys.map((key) => [toolNameOf(key), key.id]));
    listed.clear();
    for (const key of keys) if (key.isListed) listed.add(toolNameOf(key));
    readRevision = revision;
    return succeed({ tools });
  }

  async function call(
    name: string,
    args: JsonObject,
    { capabilityVersion, ...context }: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    if (isClosed) return fail("TOOL_UNAVAILABLE", "The library is closed.", { retryable: false });
    const found = await find(name, capabilityVersion);
    if (!found.success) return found;
    const { capability, version } = found.data;
    const warnings = checkContracts(found.data);
    if (!warnings.success) return warnings;
    const checked = await deps.runs.checkArguments(version.inputSchema, args);
    if (!checked.success) return checked;
    const report = await deps.runs.execute(
      {
        ...sourceOf(capability, version),
        inputs: checked.data,
        observe: (event) => reportProgress(event, context),
      },
      context,
    );
    return resumable(capabilityAnswer(report, hasOutput(version), warnings.data), report, context);
  }

  function checkContracts({ capability, version }: CurrentCapability): ToolResult<readonly string[]> {
    const drifts = changedTools(compareTools(version.toolsUsed, deps.lookUpTool));
    if (drifts.length > 0 && deps.changedTools() === "refuse") return refuseChanged(capability, drifts);
    return succeed(drifts.map(warningOf));
  }

  async function find(name: string, wanted?: number): Promise<ToolResult<CurrentCapability>> {
    const [namespace = "", action = ""] = name.split("__");
    const capability = await capabilities.find(scope(), { namespace, action });
    const version =
      capability && (await capabilities.version(capability.id, wanted ?? capability.currentVersion));
    if (capability === undefined || version === undefined) {
      return fail("TOOL_NOT_FOUND", `Capability not found: ${CAPABILITIES_ID}__${name}`);
    }
    if (version.source.trim() === "") {
      return fail("TOOL_EXECUTION_FAILED", `Capability has no code: ${toolNameOf(capability)}`);
    }
    return succeed({ capability, version });
  }

  return {
    id: CAPABILITIES_ID,
    list: () => attempt(list),
    call: (name, args, context) => attempt(() => call(name, args, context)),
    isListed: (tool) => listed.has(tool),
    liveName: (tool) => liveNames.get(tool) ?? tool,
    idOf: (tool) => ids.get(tool),
    usesOf: (tool) => known.get(ids.get(tool) ?? "")?.uses(),
    checkContracts,
    lookForChanges,
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
    },
  };
}

/** A definition that was read, and what it was made of. */
interface Known {
  readonly mark: string;
  readonly definition: ToolDefinition;
  readonly uses: () => CapabilityUses | undefined;
}

/** More are read faster in one go. */
const READ_BY_ID_MAX = 50;

function markOf({ namespace, action, currentVersion, updatedAt }: Omit<CapabilityKey, "isListed">): string {
  return `${namespace}:${action}@${currentVersion} ${updatedAt}`;
}

/** The definition of a capability, as clients see it. */
function definitionOf({ capability, version }: CurrentCapability): ToolDefinition {
  return {
    name: partOf(capability),
    description: capability.description,
    inputSchema: version.inputSchema,
    ...(hasOutput(version) && { outputSchema: promiseOf(version.outputSchema!) }),
    // What a workflow does beside the tools that it uses is not known here.
    ...(capability.kind === "code" && { annotations: annotationsOf(version.toolsUsed) }),
    metadata: { category: "capability", version: String(version.version), tags: capability.tags },
  };
}

/** A workflow is read when it is first asked for. */
function usesOf({ capability, version }: CurrentCapability): () => CapabilityUses | undefined {
  const tools = version.toolsUsed.map(({ tool }) => tool);
  if (capability.kind === "code") return () => ({ tools, nodes: [] });
  let nodes: CapabilityUses["nodes"] | undefined;
  return () => {
    nodes ??= builtInNodesOf(version.source);
    return nodes && { tools, nodes };
  };
}

/** MCP wants an object there; other results come as text. */
function hasOutput({ outputSchema }: CapabilityVersion): boolean {
  return outputSchema?.["type"] === "object";
}

/**
 * What can be promised of every result after one was seen: that it is an object, with these names as a rule. Clients
 * refuse an answer that breaks its schema, so types that one run had are no promise; `describe_workflow` shows them.
 */
function promiseOf({ properties }: JsonObject): JsonObject {
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

function partOf({ namespace, action }: CapabilityName): string {
  return `${namespace}__${action}`;
}

/**
 * The result as text and, where it is an object, as structure; text is always JSON, so that code reads back what was
 * returned. Where a structure was promised and the result is something else, it is put into one.
 */
export function capabilityAnswer(
  { result, runId, warnings }: RunReport,
  isPromised: boolean,
  driftWarnings: readonly string[] = [],
): ToolResult<ToolAnswer> {
  if (!result.success) return result;
  const told = [...warnings, ...driftWarnings];
  const { data } = result;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  const isWrapped = isPromised && !isObject;
  return succeed({
    content: [{ type: "text", text: JSON.stringify(data) }],
    ...(isObject && { structuredContent: data as JsonObject }),
    ...(isWrapped && { structuredContent: { result: data } }),
    _meta: {
      ...(runId !== null && { [RUN_ID_KEY]: runId }),
      ...(told.length > 0 && { [WARNINGS_KEY]: told }),
      ...(isWrapped && { [WRAPPED_KEY]: true }),
    },
  });
}

/** A client that called it as a tool learns which run can be resumed; inside a run, the outer run is resumed. */
function resumable(
  answer: ToolResult<ToolAnswer>,
  { runId }: RunReport,
  context: CallContext,
): ToolResult<ToolAnswer> {
  if (answer.success || runId === null || context.runId !== undefined) return answer;
  return { success: false, error: { ...answer.error, runId } };
}

function warningOf({ tool, state, changes }: ToolDrift): string {
  if (state === "source_changed") return `It uses ${tool}: ${changes.join("; ")}.`;
  if (state === "missing") return `It uses ${tool}, which is not there any more.`;
  return `It uses ${tool}, which has changed since it was kept${changes.length === 0 ? "" : `: ${changes.join("; ")}`}.`;
}

function refuseChanged(capability: Capability, drifts: readonly ToolDrift[]): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", drifts.map(warningOf).join(" "), {
    reason: "contract_changed",
    retryable: false,
    hint: `Look at it with describe_workflow ${toolNameOf(capability)}, and keep a version that fits; library.changedTools in the config decides.`,
  });
}
