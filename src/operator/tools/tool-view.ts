/** Tools as `--json` and the API have them. */
import type { App } from "../../app/app.ts";
import { CAPABILITIES_ID } from "../../core/names.ts";
import { answerTypeOf, type ToolDefinition, type ToolView } from "../../core/tool.ts";
import { typeText } from "../../text/schema-type.ts";
import { SHOWN } from "../../text/type-style.ts";
import { signatureOfCallable, type Callable } from "./callables.ts";
import { commandAt } from "../command-line.ts";
import type { OperatorDeps } from "../operator.ts";
import { exampleWords, parametersOf } from "./parameters.ts";

/** All that a tool says of itself, and a call of it. */
export function describeCallable(one: Callable, place: OperatorDeps["place"]) {
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
    ...(definition.annotations !== undefined && { annotations: { ...definition.annotations } }),
    ...(kind !== "node" && { example: commandAt(place, exampleWords(written, parameters)) }),
    input_schema: definition.inputSchema,
    ...(definition.outputSchema !== undefined && { output_schema: definition.outputSchema }),
  };
}

/** What a tool gives, as a type. */
export function outputOf(definition: Pick<ToolDefinition, "outputSchema" | "answerSchema">): string {
  const schema = answerTypeOf(definition);
  return schema === undefined ? "unknown: the server does not declare it" : typeText(schema, SHOWN);
}

/** A tool in the list that `repertoire tools --json` prints: its definition, and what tells why it is in the list. */
export function describeInList(one: Callable, listed: ReadonlySet<string>): object {
  return {
    ...one.definition,
    name: one.name,
    kind: one.kind,
    ...(one.server !== undefined && { server: one.server }),
    signature: signatureOfCallable(one),
    listed: listed.has(one.name),
  };
}

/** A tool of a server, below the server. */
export function describeOfServer(one: Callable) {
  return {
    name: one.written,
    tool: one.name,
    description: one.definition.description ?? "",
    signature: signatureOfCallable(one),
  };
}

/** What a row of the API is made with. */
interface RowDeps {
  readonly app: Pick<App, "effectOf">;
  readonly view: ToolView | undefined;
  /** The names in the list that clients get. */
  readonly listed: ReadonlySet<string>;
}

/** A tool in a list of the API: no schemas. */
export function rowOf(one: Callable, { app, view, listed }: RowDeps) {
  const { kind, server, written, definition } = one;
  const name = view?.nameOf(one.name) ?? one.name;
  return {
    name,
    written,
    kind,
    ...(server !== undefined && { server }),
    description: definition.description ?? "",
    signature: signatureOfCallable(one),
    // Rules are not about meta-tools: each call that one makes has its own effect.
    ...(kind !== "meta_tool" && { effect: effectOf(app, one) }),
    listed: listed.has(name),
  };
}

function effectOf(app: RowDeps["app"], { kind, name, server, definition }: Callable) {
  if (kind === "node") return app.effectOf({ kind: "node", name });
  return app.effectOf({ kind: "tool", name, source: server ?? CAPABILITIES_ID, definition });
}
