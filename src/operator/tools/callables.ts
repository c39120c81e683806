/**
 * Everything that has a name and can be looked at: tools of servers, what was kept, the meta-tools, the built-in nodes.
 */
import type { App, FoundTools } from "../../app/app.ts";
import { isMetaToolName, META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { CAPABILITIES_ID, codeNameOf, displayNameOf, parseReference, toolNameOf } from "../../core/names.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { signatureOf } from "../../text/schema-type.ts";
import { answerTypeOf, type ToolDefinition, type ToolView } from "../../core/tool.ts";
import { quote } from "../../text/quote.ts";

export interface Callable {
  readonly kind: "tool" | "kept" | "meta_tool" | "node";
  /** The exposed name: what clients call it by, unless their profile says otherwise. */
  readonly name: string;
  /** Of a tool of a server. */
  readonly server?: string;
  /** As it is written on the command line: `files.read_text_file`, `math:sum`. */
  readonly written: string;
  /** The last part of its name, which alone is enough where it is the only one. */
  readonly bare: string;
  readonly definition: ToolDefinition;
}

export function callablesIn({ tools }: FoundTools): Callable[] {
  return tools.map(({ name, source, definition }) => {
    const { namespace, tool } = codeNameOf(name);
    const isKept = source === CAPABILITIES_ID;
    return isKept
      ? { kind: "kept", name, written: `${namespace}:${tool}`, bare: tool, definition }
      : { kind: "tool", name, server: source, written: `${namespace}.${tool}`, bare: tool, definition };
  });
}

/** Of a list that clients get. */
export function metaToolsIn(listed: readonly ToolDefinition[]): Callable[] {
  return listed
    .filter(({ name }) => isMetaToolName(name))
    .map((definition) => ({
      kind: "meta_tool",
      name: definition.name,
      written: definition.name,
      bare: definition.name,
      definition,
    }));
}

export function nodesOf(app: Pick<App, "runs">): Callable[] {
  return app.runs.nodeTypes.map((definition) => ({
    kind: "node",
    name: definition.name,
    written: definition.name,
    bare: definition.name,
    definition,
  }));
}

/** As code would write it; a meta-tool and a node are no functions in code. */
export function signatureOfCallable({ kind, name, definition }: Callable): string {
  const { namespace, tool } = codeNameOf(name);
  const signature = signatureOf(namespace, tool, definition.inputSchema, answerTypeOf(definition));
  if (kind === "tool" || kind === "kept") return signature.replace(/: Promise<unknown>$/, "");
  return `${name}${signature.slice(signature.indexOf("("))}`.replace(/: Promise<.*>$/, "");
}

/** How the tools are found that a name may mean. */
export interface Lookup {
  /** The tools of these servers, or of all. */
  readonly gather: (servers?: readonly string[]) => Promise<FoundTools>;
  /** Says why a tool that is not among them cannot be called; it may start the tool's server. */
  readonly explainMiss?: App["lookUpTool"];
  /** What the caller may see; without one, everything. */
  readonly view?: ToolView | undefined;
}

/** From what is known: no server is asked. */
export function knownLookup(app: App, view?: ToolView): Lookup {
  return { gather: () => app.knownTools(), view };
}

/**
 * What a person means by a name: `files.read_text_file`, `files__read_text_file`, `mcp.files.read_text_file`,
 * `math:sum`, an FQDN, an alias, a meta-tool, or the bare name of a tool where it is the only one. Only the server that
 * the name names is asked, if it does. What the view does not allow is not there.
 */
export async function findCallable(
  app: App,
  given: string,
  servers: readonly string[],
  lookup: Lookup,
): Promise<ToolResult<Callable>> {
  const { view, gather } = lookup;
  const metaTools = isMetaToolName(given) ? metaToolsIn(await app.listKnown(view)) : [];
  const metaTool = metaTools.find(({ name }) => name === given);
  if (metaTool !== undefined) return succeed(metaTool);
  const name = given.replace(/^mcp\./, "");
  const server = servers.find((id) => name.startsWith(`${id}.`) || name.startsWith(`${id}__`));
  const item = server === undefined ? await findKept(app, name, view) : undefined;
  if (item?.success === false) return item;
  const kept = item?.data;
  const found = await gather(kept !== undefined ? [] : server === undefined ? undefined : [server]);
  const callables = seenThrough(view, callablesIn(found));
  const exact = callables.find(
    (one) =>
      one.name === (kept ?? name) ||
      one.written === name ||
      one.written.replace(":", ".") === name ||
      (view !== undefined && view.nameOf(one.name) === name),
  );
  if (exact !== undefined) return succeed(exact);
  const sameName = callables.filter(({ bare }) => bare === name);
  if (sameName.length === 1) return succeed(sameName[0]!);
  if (sameName.length > 1) return ambiguous(name, sameName);
  return explainMiss(given, callables, found, lookup);
}

/** What a view shows of them, described as it describes them. */
export function seenThrough(view: ToolView | undefined, callables: readonly Callable[]): Callable[] {
  if (view === undefined) return [...callables];
  return callables
    .filter(({ name }) => view.allows(name))
    .map((one) => {
      const description = view.descriptionOf(one.name);
      return description === undefined ? one : { ...one, definition: { ...one.definition, description } };
    });
}

/**
 * The tool of something kept; undefined where nothing has this name. A tool is always the current version, so no other
 * can be meant.
 */
async function findKept(
  app: App,
  name: string,
  view: ToolView | undefined,
): Promise<ToolResult<string> | undefined> {
  const reference = parseReference(name);
  const item = reference.success ? await app.library.find(reference.data) : undefined;
  if (item === undefined || view?.allows(toolNameOf(item)) === false) return undefined;
  const described = await app.library.describe(name);
  if (!described.success) return described;
  const { capability, version } = described.data;
  if (version.version === capability.currentVersion) return succeed(toolNameOf(capability));
  const message = `${JSON.stringify(name)} is version ${version.version}; only the current version ${capability.currentVersion} is a tool.`;
  return fail("TOOL_INVALID_INPUT", message, {
    field: "tool",
    reason: "not_current",
    hint: `Run an older version with: repertoire run ${displayNameOf(capability)}@${version.version} --input key=value`,
  });
}

/** By their whole names, or by their last parts. */
function nearestOf(name: string, known: readonly Callable[]): string[] {
  const whole = nearest(
    name,
    known.flatMap((one) => [one.written, one.name]),
  );
  const bare = nearest(
    name,
    known.map((one) => one.bare),
  );
  const byName = (one: Callable) => whole.includes(one.written) || whole.includes(one.name);
  const near = known.filter(byName);
  return (near.length > 0 ? near : known.filter((one) => bare.includes(one.bare)))
    .map(({ written }) => written)
    .concat(nearest(name, META_TOOL_NAMES))
    .slice(0, NEAREST_MAX);
}

const NEAREST_MAX = 3;

function ambiguous(name: string, candidates: readonly Callable[]): ToolResult<never> {
  const names = candidates.map(({ written }) => written);
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(name)} is the name of ${names.length} tools.`, {
    field: "tool",
    nearest: names,
    hint: `Write one of: ${names.join(", ")}.`,
  });
}

/** The registry says why a known tool is unavailable; suggestions come from the names that people write. */
async function explainMiss(
  name: string,
  known: readonly Callable[],
  { pending, failed }: FoundTools,
  { explainMiss: lookUp, view }: Lookup,
): Promise<ToolResult<never>> {
  const told = await lookUp?.(name.replace(/^mcp\./, "").replace(".", "__"));
  const hint = "Run: repertoire tools";
  if (told?.success === false && told.error.code !== "TOOL_NOT_FOUND") return told;
  const near = nearestOf(name, known);
  const silent = [...pending, ...failed.map(({ source }) => source)].filter(
    (id) => view?.allowsServer(id) !== false,
  );
  const missing = silent.length === 0 ? "" : ` ${silent.join(", ")} did not list their tools.`;
  return fail("TOOL_NOT_FOUND", `There is no tool ${quote(name)}.${didYouMean(near)}${missing}`, {
    field: "tool",
    nearest: near,
    hint,
  });
}
