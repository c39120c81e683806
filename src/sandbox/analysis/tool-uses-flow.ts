/** Where a value goes in one step, by the grammar alone. */
import type { AnyNode, AssignmentProperty, CallExpression, MemberExpression, Pattern, Property } from "acorn";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** The name of a member or a property, if it is written out. */
export function nameOf(
  tree: SyntaxTree,
  node: MemberExpression | AssignmentProperty | Property,
): string | undefined {
  const name: AnyNode = node.type === "MemberExpression" ? node.property : node.key;
  if (!node.computed && (name.type === "Identifier" || name.type === "PrivateIdentifier")) return name.name;
  return tree.writtenText(name);
}

/** The call of a member, also of one in parentheses that end an optional chain: `(mcp.a?.b)()`. */
export function callOf(tree: SyntaxTree, member: AnyNode): { call?: CallExpression } {
  const parent = tree.parentOf(member);
  if (parent?.type === "ChainExpression") return callOf(tree, parent);
  return parent?.type === "CallExpression" && parent.callee === member ? { call: parent } : {};
}

const ASSIGNS_RIGHT = new Set(["=", "??=", "||=", "&&="]);
const KEEPS_LEFT = new Set(["??", "||", "??=", "||="]);

/** The variable or pattern that takes the value of `node`, a part of `parent`. */
export function targetOf(parent: AnyNode, node: AnyNode): Pattern | undefined {
  if (parent.type === "VariableDeclarator" && parent.init === node) return parent.id;
  if (parent.type === "AssignmentPattern" && parent.right === node) return parent.left;
  if (parent.type === "AssignmentExpression" && parent.right === node && ASSIGNS_RIGHT.has(parent.operator))
    return parent.left;
  return undefined;
}

/** Whether the value of `node` may become the value of `parent`. */
export function isValueOf(parent: AnyNode, node: AnyNode): boolean {
  switch (parent.type) {
    case "ChainExpression":
    case "AwaitExpression":
      return true;
    case "ConditionalExpression":
      return parent.test !== node;
    case "SequenceExpression":
      return parent.expressions.at(-1) === node;
    case "LogicalExpression":
      // A namespace is an object, so the left side of && is only asked whether it is there.
      return parent.right === node || KEEPS_LEFT.has(parent.operator);
    case "AssignmentExpression":
      return parent.right === node ? ASSIGNS_RIGHT.has(parent.operator) : KEEPS_LEFT.has(parent.operator);
    default:
      return false;
  }
}

/** `gh = mcp.github;` has a value that goes nowhere: the assignment has been followed already. */
export function isDiscarded(parent: AnyNode, node: AnyNode): boolean {
  return parent.type === "ExpressionStatement" && node.type === "AssignmentExpression";
}
