/**
 * A call written as in code: `files.read_text_file(path: "/tmp/x")`, `mcp.files.read_text_file({ path: "/tmp/x" })`. It
 * is parsed as JavaScript and never run: only literals, lists and objects of them are taken.
 */
import type { Expression, ObjectExpression, Property, SpreadElement } from "acorn";
import { messageOf } from "../../../core/errors.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { quote } from "../../../text/quote.ts";

export interface CallExpression {
  /** As a name is written: `server.tool`. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** A name, or names in brackets where they are no identifiers, and what is between the parentheses. */
const CALL =
  /^\s*(?:await\s+)?((?:[^()[\]"']|\[\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])+?)\s*\(([\s\S]*)\)\s*;?\s*$/;
const BRACKETS = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/g;

/** No name of a tool has a parenthesis. */
const OPEN_CALL = /^[\w.:-]+\(/;

/** Undefined for a word that is no call. */
export async function parseCallExpression(text: string): Promise<ToolResult<CallExpression> | undefined> {
  const parts = CALL.exec(text);
  if (parts === null)
    return OPEN_CALL.test(text) ? unreadable(text, "its parenthesis is not closed") : undefined;
  const inside = parts[2]!.trim();
  const source = inside.startsWith("{") ? inside : `{${inside}}`;
  try {
    const { parse } = await import("acorn");
    const read = (code: string): Expression => {
      const [statement, ...others] = parse(`(${code})`, { ecmaVersion: "latest" }).body;
      if (statement?.type !== "ExpressionStatement" || others.length > 0)
        throw new Error("only arguments can be between the parentheses");
      return statement.expression;
    };
    const tool = parts[1]!.replaceAll(BRACKETS, (_, name: string) => `.${nameIn(read(name))}`);
    const args = read(source);
    if (args.type !== "ObjectExpression") throw new Error("the arguments are not an object");
    return succeed({ tool: tool.trim().replace(/^\./, ""), args: objectOf(args) });
  } catch (error) {
    const why = messageOf(error).replace(/ \(\d+:\d+\)$/, "");
    return unreadable(text, why);
  }
}

function unreadable(text: string, why: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The arguments in ${quote(text, 200)} cannot be read: ${why}.`, {
    field: "args",
    hint: `Write literals only: server.tool(key: "text", n: 3, list: [1, 2])`,
  });
}

function nameIn(node: Expression): string {
  const name = valueOf(node);
  return typeof name === "string" ? name : "";
}

function valueOf(node: Expression | SpreadElement | null): Json {
  switch (node?.type) {
    case "Literal":
      return literalOf(node.value);
    case "TemplateLiteral":
      if (node.expressions.length > 0) throw new Error("a template with ${…} is not a literal");
      return node.quasis[0]!.value.cooked ?? "";
    case "UnaryExpression":
      return signedOf(node.operator, valueOf(node.argument));
    case "ArrayExpression":
      return node.elements.map(valueOf);
    case "ObjectExpression":
      return objectOf(node);
    default:
      throw new Error(
        `${node?.type === "Identifier" ? JSON.stringify(node.name) : "an expression"} is not a literal`,
      );
  }
}

function literalOf(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Error("only strings, numbers, true, false and null are literals");
}

function signedOf(operator: string, value: Json): Json {
  if (typeof value === "number" && (operator === "-" || operator === "+"))
    return operator === "-" ? -value : value;
  throw new Error(`${operator} cannot be used in a literal`);
}

function objectOf({ properties }: ObjectExpression): JsonObject {
  const object: Record<string, Json> = {};
  for (const property of properties) {
    if (property.type === "SpreadElement") throw new Error("... is not a literal");
    const key = keyOf(property);
    if (Object.hasOwn(object, key)) throw new Error(`${JSON.stringify(key)} is given twice`);
    define(object, key, valueOf(property.value));
  }
  return object;
}

function keyOf({ key, computed, shorthand, method, kind }: Property): string {
  if (computed || shorthand || method || kind !== "init") throw new Error("write key: value");
  if (key.type === "Identifier") return key.name;
  if (key.type === "Literal") return String(key.value);
  throw new Error("write key: value");
}

/** Defined, so that no name reaches a prototype. */
export function define(object: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
