/** One tool, meta-tool, built-in node or server, for a person who wants to use it. */
import { countOf } from "../../terminal/wording.ts";
import type { ToolAnnotations, ToolDefinition } from "../../../core/tool.ts";
import { typeText } from "../../../text/schema-type.ts";
import { SHOWN } from "../../../text/type-style.ts";
import { callablesIn, gatherTools, signatureOfCallable, type Callable } from "./callable.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { exampleWords, parameterLines, parametersOf } from "./parameters.ts";
import type { Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, escapeLines, note, print, printJson } from "../../terminal/terminal.ts";
import { outputWidth, wrapText } from "../../terminal/wrap-text.ts";

const KINDS: Readonly<Record<Callable["kind"], string>> = {
  tool: "a tool of a server",
  kept: "a library item",
  meta_tool: "a meta-tool, listed to every client",
  node: "a built-in node, for workflows only",
};

/** `node` is a built-in node of the same name. */
export function showCallable(one: Callable, options: GlobalOptions, node?: Callable): number {
  if (options.json === true) printJson(viewOf(one, options));
  else {
    show(one, options);
    if (node !== undefined && node !== one)
      note(`There is also a built-in node ${node.name}, for workflows.`);
  }
  return EXIT.ok;
}

function viewOf(one: Callable, options: GlobalOptions): object {
  const { kind, name, server, written, definition } = one;
  const parameters = parametersOf(definition.inputSchema);
  return {
    kind,
    name: written,
    tool: name,
    ...(server !== undefined && { server }),
    description: definition.description ?? "",
    signature: signatureOfCallable(one),
    parameters: parameters.map(({ name: parameter, type, required, description, default: usual }) => ({
      name: parameter,
      type,
      required,
      description,
      ...(usual !== undefined && { default: usual }),
    })),
    output: outputOf(definition),
    ...(definition.annotations !== undefined && { annotations: definition.annotations }),
    ...(kind !== "node" && { example: commandLine(exampleWords(written, parameters), options) }),
    input_schema: definition.inputSchema,
    ...(definition.outputSchema !== undefined && { output_schema: definition.outputSchema }),
  };
}

function show(one: Callable, options: GlobalOptions): void {
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

function outputOf({ outputSchema }: ToolDefinition): string {
  return outputSchema === undefined
    ? "unknown: the server does not declare it"
    : typeText(outputSchema, SHOWN);
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

export async function describeServer({ app }: Session, id: string, options: GlobalOptions): Promise<number> {
  const tools = callablesIn(await gatherTools(app, [id])).filter(({ server }) => server === id);
  const [view] = await app.viewServers(false, [id]);
  if (options.json === true) {
    const shown = tools.map((one) => ({
      name: one.written,
      tool: one.name,
      description: one.definition.description ?? "",
      signature: signatureOfCallable(one),
    }));
    printJson({ kind: "server", name: id, ...view, tools: shown });
    return EXIT.ok;
  }
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
