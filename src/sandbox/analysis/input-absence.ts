/** What code does about a value that may be missing, by the grammar alone. */
import type { AnyNode, Expression, Statement } from "acorn";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** The expression that replaces `node` when it is missing: `??`, `||` and their assignments. */
export function fallbackOf(parent: AnyNode, node: AnyNode): Expression | undefined {
  if (parent.type !== "LogicalExpression" && parent.type !== "AssignmentExpression") return undefined;
  return parent.left === node && /^(?:\?\?|\|\|)=?$/.test(parent.operator) ? parent.right : undefined;
}

/** `node?.x` and `node?.()`. */
export function isPassedOver(parent: AnyNode, node: AnyNode): boolean {
  if (parent.type === "MemberExpression") return parent.object === node && parent.optional;
  return parent.type === "CallExpression" && parent.callee === node && parent.optional;
}

/** An expression, and whether it is true when the value that it asks about is missing. */
interface Question {
  readonly node: AnyNode;
  readonly isTrueWithout: boolean;
}

/** Whether `node` is only asked whether it is there. */
export function isAsked(tree: SyntaxTree, node: AnyNode): boolean {
  return questionOf(tree, node) !== undefined;
}

/** Whether the code throws when `node`, which it asks about, is missing: `if (!node) throw …`. */
export function isDemanded(tree: SyntaxTree, node: AnyNode): boolean {
  let question = questionOf(tree, node);
  while (question !== undefined) {
    const parent = tree.parentOf(question.node)!;
    if (parent.type === "IfStatement" && parent.test === question.node)
      return throws(question.isTrueWithout ? parent.consequent : parent.alternate);
    question = widen(parent, question);
  }
  return false;
}

/** The question around a question, where the one decides the other. */
function widen(parent: AnyNode, { isTrueWithout }: Question): Question | undefined {
  if (parent.type === "UnaryExpression" && parent.operator === "!")
    return { node: parent, isTrueWithout: !isTrueWithout };
  const deciding = isTrueWithout ? "||" : "&&";
  return parent.type === "LogicalExpression" && parent.operator === deciding
    ? { node: parent, isTrueWithout }
    : undefined;
}

function questionOf(tree: SyntaxTree, node: AnyNode): Question | undefined {
  const parent = tree.parentOf(node)!;
  if (isTested(parent, node)) return { node, isTrueWithout: false };
  if (parent.type === "BinaryExpression") return comparisonWith(parent, node, isNothing);
  if (parent.type !== "UnaryExpression") return undefined;
  if (parent.operator === "!") return { node: parent, isTrueWithout: true };
  const around = tree.parentOf(parent)!;
  if (parent.operator !== "typeof" || around.type !== "BinaryExpression") return undefined;
  const isUndefined = comparisonWith(around, parent, (other) => tree.writtenText(other) === "undefined");
  return isUndefined ?? negated(comparisonWith(around, parent, (other) => other.type === "Literal"));
}

function negated(question: Question | undefined): Question | undefined {
  return question && { node: question.node, isTrueWithout: !question.isTrueWithout };
}

/** A test for equality of `node` with something that it equals when it is missing. */
function comparisonWith(
  comparison: Extract<AnyNode, { type: "BinaryExpression" }>,
  node: AnyNode,
  equalsMissing: (other: AnyNode, isStrict: boolean) => boolean,
): Question | undefined {
  const { operator } = comparison;
  if (!/^[!=]==?$/.test(operator)) return undefined;
  const other = comparison.left === node ? comparison.right : comparison.left;
  if (!equalsMissing(other, operator.length === 3)) return undefined;
  return { node: comparison, isTrueWithout: operator.startsWith("=") };
}

function isNothing(node: AnyNode, isStrict: boolean): boolean {
  if (node.type === "Identifier") return node.name === "undefined";
  if (node.type === "UnaryExpression") return node.operator === "void";
  return !isStrict && node.type === "Literal" && node.raw === "null";
}

function isTested(parent: AnyNode, node: AnyNode): boolean {
  switch (parent.type) {
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return parent.test === node;
    case "LogicalExpression":
      return parent.operator === "&&" && parent.left === node;
    default:
      return false;
  }
}

function throws(statement: Statement | null | undefined): boolean {
  const last = statement?.type === "BlockStatement" ? statement.body.at(-1) : statement;
  return last?.type === "ThrowStatement";
}
