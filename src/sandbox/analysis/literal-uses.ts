/** Values that are written out: as arguments of tools, and wherever else the analysis asks what a text stands for. */
import type { AnyNode, ObjectExpression, Property } from "acorn";
import type { Json } from "../../core/json.ts";
import type { LiteralUse, Place } from "./contract.ts";
import type { FoundTool, Span } from "./tool-uses.ts";
import { nameOf } from "./tool-uses-flow.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

export type FoundLiteral = Omit<LiteralUse, keyof Place> & Span;

/** More would be no help to anybody who chooses what to make an input. */
const LITERAL_COUNT_MAX = 50;
/** A longer text is content, and no likely input. */
const LITERAL_LENGTH_MAX = 200;
/** Arguments of real tools nest less deeply; what a parser takes may be too deep for recursion. */
export const VALUE_DEPTH_MAX = 8;

/** The literals in the arguments that are written out in calls of these tools, in their order. */
export function findLiteralUses(tree: SyntaxTree, tools: readonly FoundTool[]): FoundLiteral[] {
  const found: FoundLiteral[] = [];
  for (const { namespace, tool, call } of tools) {
    const argument = call?.arguments[0];
    if (argument?.type !== "ObjectExpression") continue;
    for (const leaf of leavesOf(tree, argument, [])) {
      if (found.length >= LITERAL_COUNT_MAX) return found;
      found.push({ namespace, tool, ...leaf });
    }
  }
  return found;
}

type Leaf = Omit<FoundLiteral, "namespace" | "tool">;

function* leavesOf(tree: SyntaxTree, node: AnyNode, path: readonly string[]): Generator<Leaf> {
  if (path.length >= VALUE_DEPTH_MAX) return;
  if (node.type === "ObjectExpression") {
    for (const [name, value] of fieldsOf(tree, node)) yield* leavesOf(tree, value, [...path, name]);
  } else if (node.type === "ArrayExpression") {
    for (const item of node.elements) if (item !== null) yield* leavesOf(tree, item, [...path, "*"]);
  } else {
    const value = writtenValue(node);
    if (value === undefined || value === null || !isLikelyInput(value)) return;
    yield { path, value, start: node.start, end: node.end };
  }
}

function isLikelyInput(value: string | number | boolean): boolean {
  return typeof value !== "string" || (value !== "" && value.length <= LITERAL_LENGTH_MAX);
}

function* fieldsOf(tree: SyntaxTree, object: ObjectExpression): Generator<[string, AnyNode]> {
  for (const property of object.properties) {
    const name = property.type === "Property" ? fieldName(tree, property) : undefined;
    if (name !== undefined) yield [name, (property as Property).value];
  }
}

/** The name under which an object that is written out has a value, if that is known. */
export function fieldName(tree: SyntaxTree, property: Property): string | undefined {
  if (property.kind !== "init") return undefined;
  const name = nameOf(tree, property);
  // `__proto__: x` sets no field but the prototype.
  const isPrototype = name === "__proto__" && !property.computed && !property.shorthand;
  return isPrototype ? undefined : name;
}

/** The JSON value that is written out as an expression, if all of it is. */
export function writtenJson(tree: SyntaxTree, node: AnyNode, depth = 0): Json | undefined {
  if (depth >= VALUE_DEPTH_MAX) return undefined;
  if (node.type === "ArrayExpression") {
    const items = node.elements.map((item) => item && writtenJson(tree, item, depth + 1));
    return items.every((item, index) => item !== undefined && node.elements[index] !== null)
      ? (items as Json[])
      : undefined;
  }
  if (node.type !== "ObjectExpression") return writtenValue(node);
  const fields = [...fieldsOf(tree, node)].map(
    ([name, value]) => [name, writtenJson(tree, value, depth + 1)] as const,
  );
  const isWhole =
    fields.length === node.properties.length && fields.every(([, value]) => value !== undefined);
  return isWhole ? Object.fromEntries(fields as [string, Json][]) : undefined;
}

function writtenValue(node: AnyNode): string | number | boolean | null | undefined {
  if (node.type === "TemplateLiteral")
    return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
  if (node.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal") {
    const value = writtenValue(node.argument);
    // JSON has no -0.
    return typeof value === "number" ? 0 - value : undefined;
  }
  if (node.type !== "Literal") return undefined;
  const { value } = node;
  if (value === null) return node.raw === "null" ? null : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}
