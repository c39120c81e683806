import { parseReference } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse, callMetaToolIn } from "../../app-call.ts";
import { findCallable, nodesOf } from "./callable.ts";
import { describeServer, showCallable } from "./describe-tool.ts";
import { openSession } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, print, red, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

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
      return await callMetaToolIn<Described>(session, options, "describe_workflow", { name }, show);
    }
    const servers = config.current().servers.map(({ id }) => id);
    if (servers.includes(name)) return await describeServer(session, name, options);
    const node = nodesOf(app).find((one) => one.name === name);
    const found = await findCallable(app, name, servers);
    if (found.success) return showCallable(found.data, options, node);
    if (node !== undefined) return showCallable(node, options);
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

function show(item: Described): void {
  const { executions, successes, average_ms: averageMs } = item.statistics;
  const average = averageMs === null ? "" : `, ${Math.round(averageMs)} ms on average`;
  print(`${bold(item.name)}  ${item.kind}, version ${item.version}`);
  print(escapeUnprintable(item.description));
  print();
  line("tool", item.tool);
  line("fqdn", item.fqdn);
  line("aliases", item.aliases.join(", "));
  line("tags", item.tags.join(", "));
  showToolsUsed(item);
  line("runs", executions === 0 ? "none yet" : `${executions}, ${successes} succeeded${average}`);
  showFields("inputs", item.inputs);
  showFields("outputs", item.outputs);
  print();
  for (const sourceLine of item.source.split("\n")) print(dim("  │ ") + escapeUnprintable(sourceLine));
}

function line(label: string, text: string): void {
  if (text !== "") print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
}

function showToolsUsed({ tools_used: used, still_valid: isValid, problem = "" }: Described): void {
  for (const [at, { tool, state, changes }] of used.entries()) {
    print(`${dim((at === 0 ? "uses" : "").padEnd(LABEL_WIDTH))} ${escapeUnprintable(tool)}  ${paint(state)}`);
    for (const change of changes) line("", `  ${change}`);
  }
  if (isValid !== null) line("fits", isValid ? "yes, the code fits the tools as they are" : `no: ${problem}`);
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
