import { parseReference } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse, callMetaToolIn, operatorOf } from "../../app-call.ts";
import {
  callablesIn,
  nodesOf,
  signatureOfCallable,
  type Callable,
} from "../../../operator/tools/callables.ts";
import { findCallable, gatherTools } from "./callable.ts";
import { openSession, type Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, print, red, yellow, escapeLines, note, printJson } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { countOf } from "../../terminal/wording.ts";
import type { ToolAnnotations } from "../../../core/tool.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { exampleWords, parametersOf } from "../../../operator/tools/parameters.ts";
import { describeServer as describeWhole } from "../../../operator/servers/servers.ts";
import { describeTool } from "../../../operator/tools/tool-details.ts";
import { outputOf } from "../../../operator/tools/tool-view.ts";
import { parameterLines } from "./parameter-lines.ts";
import { outputWidth, wrapText } from "../../terminal/wrap-text.ts";

interface Field {
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

interface ToolUsed {
  readonly tool: string;
  /** Beside what the tool is now. */
  readonly state: "same" | "changed" | "source_changed" | "missing" | "unknown";
  readonly changes: readonly string[];
}

interface Described {
  readonly name: string;
  readonly tool: string;
  readonly fqdn: string;
  readonly kind: string;
  readonly description: string;
  readonly version: number;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly inputs: Readonly<Record<string, Field>>;
  readonly outputs: Readonly<Record<string, Field>>;
  readonly tools_used: readonly ToolUsed[];
  /** Whether the code fits the tools that have changed; null where none has. */
  readonly still_valid: boolean | null;
  readonly problem?: string;
  readonly statistics: {
    readonly executions: number;
    readonly successes: number;
    readonly average_ms: number | null;
  };
  readonly source: string;
}

const LABEL_WIDTH = 10;

export const describeCommand = defineCommand({
  name: "describe",
  group: "use",
  summary:
    "Show the parameters, the result and an example call of a tool, or the details of a server or library item",
  arguments: [
    {
      words: "<name>",
      about:
        "server.tool, an item of the library (name@2 for a version), a server, a meta-tool or a built-in node",
      completes: ["tools", "servers", "nodes"],
    },
  ],
  examples: [
    "repertoire describe files.read_text_file",
    "repertoire describe read_text_file         the bare name, if it is unique",
    "repertoire describe files                  a server",
    "repertoire describe math:sum",
    "repertoire describe mcp__math__sum@2 --json",
  ],
  run: (options: GlobalOptions, name: string) => describe(name, options),
});

async function describe(name: string, options: GlobalOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const { app, config } = session;
    const reference = parseReference(name);
    const item = reference.success ? await app.library.find(reference.data) : undefined;
    if (item !== undefined || /[:@/\\]|^mcp__/.test(name)) {
      return await callMetaToolIn<Described>(session, options, "describe_workflow", { name }, showNamed);
    }
    const servers = config.current().servers.map(({ id }) => id);
    if (servers.includes(name)) return await describeServer(session, name, options);
    const node = nodesOf(app).find((one) => one.name === name);
    const found = await findCallable(app, name, servers);
    if (found.success) return await showCallable(session, found.data, options, node);
    if (node !== undefined) return await showCallable(session, node, options);
    // What cannot be a name at all is told so.
    if (!reference.success && !isToolName(name)) return refuse(reference.error, options);
    return refuse(found.error, options);
  } finally {
    await session.close();
  }
}

/** Names of tools are wider than those of the library: upper case, dots and dashes are common. */
function isToolName(name: string): boolean {
  return /^[\w.-]+$/.test(name);
}

function showNamed(item: Described): void {
  const { executions, successes, average_ms: averageMs } = item.statistics;
  const average = averageMs === null ? "" : `, ${Math.round(averageMs)} ms on average`;
  print(`${bold(item.name)}  ${item.kind}, version ${item.version}`);
  print(escapeUnprintable(item.description));
  print();
  printField("tool", item.tool);
  printField("fqdn", item.fqdn);
  printField("aliases", item.aliases.join(", "));
  printField("tags", item.tags.join(", "));
  showToolsUsed(item);
  printField("runs", executions === 0 ? "none yet" : `${executions}, ${successes} succeeded${average}`);
  showFields("inputs", item.inputs);
  showFields("outputs", item.outputs);
  print();
  for (const sourceLine of item.source.split("\n")) print(dim("  │ ") + escapeUnprintable(sourceLine));
}

function printField(label: string, text: string): void {
  if (text !== "") print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
}

function showToolsUsed({ tools_used: used, still_valid: isValid, problem = "" }: Described): void {
  for (const [at, { tool, state, changes }] of used.entries()) {
    print(`${dim((at === 0 ? "uses" : "").padEnd(LABEL_WIDTH))} ${escapeUnprintable(tool)}  ${paint(state)}`);
    for (const change of changes) printField("", `  ${change}`);
  }
  if (isValid !== null)
    printField("fits", isValid ? "yes, the code fits the tools as they are" : `no: ${problem}`);
}

function paint(state: ToolUsed["state"]): string {
  if (state === "same" || state === "unknown") return dim(state);
  return state === "changed" ? yellow(state) : red(state.replace("_", " "));
}

function showFields(title: string, fields: Readonly<Record<string, Field>>): void {
  const entries = Object.entries(fields);
  if (entries.length === 0) return;
  print(dim(title));
  for (const [key, field] of entries) {
    const mark = field.required ? "" : "?";
    print(`  ${escapeUnprintable(`${key}${mark}: ${field.type}  ${field.description}`)}`);
  }
}

const KINDS: Readonly<Record<Callable["kind"], string>> = {
  tool: "a tool of a server",
  kept: "a library item",
  meta_tool: "a meta-tool, listed to every client",
  node: "a built-in node, for workflows only",
};

/** `node` is a built-in node of the same name. */
async function showCallable(
  session: Session,
  one: Callable,
  options: GlobalOptions,
  node?: Callable,
): Promise<number> {
  if (options.json === true) {
    const { deps, viewer } = operatorOf(session, options);
    printJson(await describeTool(deps, viewer, one));
  } else {
    printCallable(one, options);
    if (node !== undefined && node !== one)
      note(`There is also a built-in node ${node.name}, for workflows.`);
  }
  return EXIT.ok;
}

function printCallable(one: Callable, options: GlobalOptions): void {
  const { kind, name, server, written, definition } = one;
  const width = outputWidth();
  const parameters = parametersOf(definition.inputSchema);
  print(
    `${bold(escapeLines(written))}  ${dim(server === undefined ? KINDS[kind] : `${KINDS[kind]}, ${server}`)}`,
  );
  if (kind !== "node")
    for (const line of wrapText(escapeLines(signatureOfCallable(one)), width, "", "    ")) print(line);
  if (name !== written) print(dim(`clients call it ${name}`));
  section(
    "",
    (definition.description ?? "").split("\n").flatMap((line) => wrapText(escapeLines(line), width, "")),
  );
  section("parameters", parameters.length === 0 ? ["  none"] : parameterLines(parameters, width));
  if (kind !== "node") section("gives", wrapText(escapeLines(outputOf(definition)), width, "  ", "    "));
  section(
    "effect",
    effectsOf(definition.annotations).map((line) => `  ${line}`),
  );
  if (kind !== "node") section("example", [`  ${commandLine(exampleWords(written, parameters), options)}`]);
}

function section(title: string, lines: readonly string[]): void {
  if (lines.join("").trim() === "") return;
  print();
  if (title !== "") print(dim(title));
  for (const line of lines) print(line);
}

/** The server's own word for what a call does. */
function effectsOf(annotations: ToolAnnotations | undefined): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  const said = [
    ...(readOnlyHint === true ? ["only reads"] : []),
    ...(readOnlyHint === false ? ["changes something"] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? ["may delete or overwrite"] : []),
    ...(idempotentHint === true ? ["safe to repeat"] : []),
    ...(openWorldHint === true ? ["reaches external systems"] : []),
  ];
  return said.length === 0 ? ["not declared: it may change something"] : said;
}

async function describeServer(session: Session, id: string, options: GlobalOptions): Promise<number> {
  const { app } = session;
  const tools = callablesIn(await gatherTools(app, [id])).filter(({ server }) => server === id);
  if (options.json === true) {
    const { deps, viewer } = operatorOf(session, options);
    printJson(await describeWhole(deps, viewer, id));
    return EXIT.ok;
  }
  const [view] = await app.viewServers(false, [id]);
  const { state, target, era, protocolVersion, error, rejected } = view!;
  print(`${bold(id)}  ${dim("a server")}`);
  const rows: [string, string][] = [
    ["state", error === undefined ? state : `${state}: ${error}`],
    ["target", target],
    ["era", [era, protocolVersion].filter(Boolean).join(" ")],
    ["tools", countOf(tools.length, "tool")],
  ];
  for (const [label, text] of rows) if (text !== "") print(`${dim(label.padEnd(8))} ${escapeLines(text)}`);
  for (const { name, reason } of rejected) print(escapeLines(`rejected ${name}: ${reason}`));
  if (tools.length > 0)
    section(
      "tools",
      tools.map(({ written }) => `  ${escapeLines(written)}`),
    );
  note(`\nShow their parameters: ${commandLine(["tools", id], options)}`);
  return EXIT.ok;
}
