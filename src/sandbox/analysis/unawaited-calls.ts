/** Calls of tools whose promise is used as if it were the result. Types do not tell: a promise is a value like any other. */
import type { AnyNode } from "acorn";
import { nameOf } from "./tool-uses-flow.ts";
import type { FoundTool, Span } from "./tool-uses.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** Functions that look into a value; any other may well wait for it. */
const READS_ITS_ARGUMENT = new Set([
  "JSON.stringify",
  "console.log",
  "console.info",
  "console.warn",
  "console.error",
]);

/** The calls, each once. */
export function findUnawaited(tree: SyntaxTree, tools: readonly FoundTool[]): Span[] {
  const calls = new Set(tools.map(({ call }) => call).filter((call) => call !== undefined));
  return [...calls].filter((call) => isUsedAsResult(tree, call)).sort((a, b) => a.start - b.start);
}

function isUsedAsResult(tree: SyntaxTree, call: AnyNode): boolean {
  const parent = tree.parentOf(call);
  if (parent?.type === "ChainExpression") return isUsedAsResult(tree, parent);
  if (parent?.type !== "VariableDeclarator" || parent.id.type !== "Identifier") return isRead(tree, call);
  return (tree.bindingOf(parent.id)?.readers ?? []).some((reader) => isRead(tree, reader));
}

function isRead(tree: SyntaxTree, node: AnyNode): boolean {
  const parent = tree.parentOf(node);
  switch (parent?.type) {
    case "TemplateLiteral":
    case "BinaryExpression":
    case "SpreadElement":
      return true;
    case "Property":
      return parent.value === node && tree.parentOf(parent)?.type === "ObjectExpression";
    case "CallExpression":
      return parent.callee !== node && READS_ITS_ARGUMENT.has(pathOf(tree, parent.callee));
    default:
      return false;
  }
}

function pathOf(tree: SyntaxTree, callee: AnyNode): string {
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return "";
  return `${callee.object.name}.${nameOf(tree, callee) ?? ""}`;
}
