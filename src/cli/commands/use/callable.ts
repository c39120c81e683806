/**
 * Everything that has a name and can be looked at: tools of servers, what was kept, the meta-tools, the built-in nodes.
 */
import type { App, FoundTools } from "../../../app/app.ts";
import { isMetaToolName, META_TOOL_NAMES } from "../../../core/meta-tool-names.ts";
import {
  CAPABILITIES_ID,
  codeNameOf,
  displayNameOf,
  parseReference,
  toolNameOf,
} from "../../../core/names.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { signatureOf } from "../../../text/schema-type.ts";
import { WHOLE_START_MS } from "../../../process/starting.ts";
import type { ToolDefinition } from "../../../core/tool.ts";
import { startProgressLine } from "../../terminal/progress-line.ts";
import { quote } from "../../../text/quote.ts";

export interface Callable {
  readonly kind: "tool" | "kept" | "meta_tool" | "node";
  /** The name that a client calls. */
  readonly name: string;
  /** Of a tool of a server. */
  readonly server?: string;
  /** As it is written on the command line: `files.read_text_file`, `math:sum`. */
  readonly written: string;
  /** The last part of its name, which alone is enough where it is the only one. */
  readonly bare: string;
  readonly definition: ToolDefinition;
}

/** As long as a person waits for servers that are being started. */
export const PATIENCE_MS = 25_000;

/**
 * What can be called, once the servers have answered or a person would wait no longer. A server that is named is waited
 * for to its end.
 */
export async function gatherTools(app: App, servers?: readonly string[]): Promise<FoundTools> {
  const progress = startProgressLine();
  progress.show("asking the servers for their tools");
  try {
    return await app.findTools({
      ...(servers !== undefined && { servers }),
      waitMs: servers === undefined ? PATIENCE_MS : WHOLE_START_MS,
      onProgress: ({ message }) => {
        if (typeof message === "string") progress.show(message);
      },
    });
  } finally {
    progress.end();
  }
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

export async function metaToolsOf(app: App): Promise<Callable[]> {
  const listed = await app.listTools();
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

export function nodesOf(app: App): Callable[] {
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
  const { inputSchema, outputSchema } = definition;
  const { namespace, tool } = codeNameOf(name);
  const signature = signatureOf(namespace, tool, inputSchema, outputSchema);
  if (kind === "tool" || kind === "kept") return signature.replace(/: Promise<unknown>$/, "");
  return `${name}${signature.slice(signature.indexOf("("))}`.replace(/: Promise<.*>$/, "");
}

/**
 * What a person means by a name: `files.read_text_file`, `files__read_text_file`, `mcp.files.read_text_file`,
 * `math:sum`, an FQDN, an alias, a meta-tool, or the bare name of a tool where it is the only one. Only the server that
 * the name names is asked, if it does.
 */
export async function findCallable(
  app: App,
  given: string,
  servers: readonly string[],
): Promise<ToolResult<Callable>> {
  // Clients list all tools to learn of these; that may start servers, which is needed for nothing else here.
  const metaTools = isMetaToolName(given) ? await metaToolsOf(app) : [];
  const metaTool = metaTools.find(({ name }) => name === given);
  if (metaTool !== undefined) return succeed(metaTool);
  const name = given.replace(/^mcp\./, "");
  const server = servers.find((id) => name.startsWith(`${id}.`) || name.startsWith(`${id}__`));
  const item = server === undefined ? await findKept(app, name) : undefined;
  if (item?.success === false) return item;
  const kept = item?.data;
  const found = await gatherTools(app, kept !== undefined ? [] : server === undefined ? undefined : [server]);
  const callables = callablesIn(found);
  const exact = callables.find(
    (one) => one.name === (kept ?? name) || one.written === name || one.written.replace(":", ".") === name,
  );
  if (exact !== undefined) return succeed(exact);
  const sameName = callables.filter(({ bare }) => bare === name);
  if (sameName.length === 1) return succeed(sameName[0]!);
  if (sameName.length > 1) return ambiguous(name, sameName);
  return explainMiss(app, given, callables, found);
}

/**
 * The tool of something kept; undefined where nothing has this name. A tool is always the current version, so no other
 * can be meant.
 */
async function findKept(app: App, name: string): Promise<ToolResult<string> | undefined> {
  const reference = parseReference(name);
  if (!reference.success || (await app.library.find(reference.data)) === undefined) return undefined;
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
  app: App,
  name: string,
  known: readonly Callable[],
  { pending, failed }: FoundTools,
): Promise<ToolResult<never>> {
  const told = await app.lookUpTool(name.replace(/^mcp\./, "").replace(".", "__"));
  const hint = "Run: repertoire tools";
  if (!told.success && told.error.code !== "TOOL_NOT_FOUND") return told;
  const near = nearestOf(name, known);
  const silent = [...pending, ...failed.map(({ source }) => source)];
  const missing = silent.length === 0 ? "" : ` ${silent.join(", ")} did not list their tools.`;
  return fail("TOOL_NOT_FOUND", `There is no tool ${quote(name)}.${didYouMean(near)}${missing}`, {
    field: "tool",
    nearest: near,
    hint,
  });
}
