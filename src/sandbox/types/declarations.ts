import type { JsonObject } from "../../core/json.ts";
import { requiresSomething, signatureOf, typeText } from "../../text/schema-type.ts";
import { DECLARED_INPUT, DECLARED_OUTPUT } from "../../text/type-style.ts";
import { docComment, indent, propertyName, stringLiteral } from "../../text/type-text.ts";

export interface DeclaredTool {
  readonly namespace: string;
  readonly tool: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

export interface DeclarationOptions {
  /** Descriptions as comments, and a line for each property: to be read, not only to be checked against. */
  readonly docs?: boolean;
}

/**
 * `args` is `any`: as a Record, passing it on to a tool that requires something would be reported, and that is what most
 * kept code does.
 */
const GUEST_GLOBALS = `declare const args: any;
declare const console: {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
};
`;

/**
 * The name under which a namespace or tool can also be reached as a member: every character that an identifier cannot
 * have turned into "_" (also a leading digit).
 */
export function memberName(name: string): string {
  const member = name.replace(/[^\p{ID_Continue}$]/gu, "_");
  return member === "" ? "_" : member.replace(/^[^\p{ID_Start}$_]/u, "_");
}

/** What code sees, as TypeScript: `mcp` with these tools, `args` and `console`. */
export function declareTools(tools: readonly DeclaredTool[], options: DeclarationOptions = {}): string {
  const namespaces = Map.groupBy(tools, (tool) => tool.namespace);
  const lines = membersOf([...namespaces.keys()], "(typeof mcp)", (namespace) =>
    namespaceType(namespace, namespaces.get(namespace)!, options.docs === true),
  );
  return `declare const mcp: ${block(lines)};\n${GUEST_GLOBALS}`;
}

/** The one-line signature shown in errors and answers. */
export function signatureOfTool(tool: DeclaredTool): string {
  return signatureOf(tool.namespace, tool.tool, tool.inputSchema, tool.outputSchema);
}

function namespaceType(namespace: string, tools: readonly DeclaredTool[], docs: boolean): string {
  const byName = new Map(tools.toReversed().map((tool) => [tool.tool, tool]));
  const names = tools.map(({ tool }) => tool);
  const docOf = (name: string): string => (docs ? docComment(byName.get(name)!.description) : "");
  const typeOf = (name: string): string => callType(byName.get(name)!, docs);
  return block(membersOf([...new Set(names)], `(typeof mcp)[${stringLiteral(namespace)}]`, typeOf, docOf));
}

/** Every name exactly, and under its member name where that can mean nothing else; the second refers to the first. */
function membersOf(
  names: readonly string[],
  self: string,
  typeOf: (name: string) => string,
  docOf: (name: string) => string = () => "",
): string[] {
  const exact = new Set(names);
  const byMember = Map.groupBy(names, memberName);
  return names.flatMap((name) => {
    const member = memberName(name);
    const line = `${docOf(name)}${propertyName(name)}: ${typeOf(name)};`;
    const isClear = !exact.has(member) && byMember.get(member)!.length === 1;
    return isClear ? [line, `${propertyName(member)}: ${self}[${stringLiteral(name)}];`] : [line];
  });
}

function callType(tool: DeclaredTool, docs: boolean): string {
  const optional = requiresSomething(tool.inputSchema) ? "" : "?";
  const input = typeText(tool.inputSchema, { ...DECLARED_INPUT, docs });
  const output =
    tool.outputSchema === undefined ? "any" : typeText(tool.outputSchema, { ...DECLARED_OUTPUT, docs });
  return `(args${optional}: ${input}) => Promise<${output}>`;
}

function block(lines: readonly string[]): string {
  return `{${lines.map((line) => indent(`\n${line}`)).join("")}\n}`;
}
