/**
 * What code gives back that does not say `return`: the value of its last expression, as in a REPL, or what its `main` returns. It is
 * written into the script that runs; the source that is kept, hashed and shown is never changed.
 */
import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Pattern,
  Statement,
} from "acorn";
import { DEFAULT_NAME } from "./module-syntax.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** A piece of text that the script has more than the code. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

export interface CodeResult {
  readonly insertions: readonly Insertion[];
  /** The parameter that is given `args`. */
  readonly parameter?: Pattern;
}

const UNCHANGED: CodeResult = { insertions: [] };
/** What people call the function that is everything. */
const ENTRY_NAMES = ["main", "run"];

export function findResult(
  tree: SyntaxTree,
  text: string,
  { body }: ArrowFunctionExpression,
  exported: string | undefined,
): CodeResult {
  if (body.type !== "BlockStatement" || body.body.some(hasReturn)) return UNCHANGED;
  const atEnd = body.end - 1;
  const entry = findEntry(tree, body.body, exported);
  if (entry !== undefined) return callOf(entry, atEnd);
  if (exported === DEFAULT_NAME) {
    const call = `typeof ${DEFAULT_NAME} === "function" ? ${DEFAULT_NAME}(args) : ${DEFAULT_NAME}`;
    return { insertions: [{ offset: atEnd, text: `return ${call};` }] };
  }
  return lastExpression(tree, text, body.body);
}

interface Entry {
  readonly name: string;
  readonly parameter: Pattern | undefined;
}

/** A function of such a name that nothing but itself calls. */
function findEntry(
  tree: SyntaxTree,
  statements: readonly Statement[],
  exported: string | undefined,
): Entry | undefined {
  const names = exported === undefined ? ENTRY_NAMES : [exported];
  const declared = statements.flatMap(functionsIn).filter(({ id }) => names.includes(id.name));
  const uncalled = declared.filter(({ id, node }) =>
    (tree.bindingOf(id)?.readers ?? []).every(({ start, end }) => start >= node.start && end <= node.end),
  );
  const found = uncalled.toSorted((a, b) => names.indexOf(a.id.name) - names.indexOf(b.id.name))[0];
  return found && { name: found.id.name, parameter: found.node.params[0] };
}

type FunctionValue = ArrowFunctionExpression | FunctionExpression;

interface Declared {
  readonly id: Extract<Pattern, { type: "Identifier" }>;
  readonly node: FunctionDeclaration | FunctionValue;
}

function functionsIn(statement: Statement): Declared[] {
  if (statement.type === "FunctionDeclaration") return [{ id: statement.id, node: statement }];
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ id, init }) =>
    id.type === "Identifier" && init && isFunction(init) ? [{ id, node: init }] : [],
  );
}

function callOf({ name, parameter }: Entry, offset: number): CodeResult {
  return { insertions: [{ offset, text: `return ${name}(args);` }], parameter };
}

/** Functions that are declared behind it have no value, and were there from the start. */
function lastExpression(tree: SyntaxTree, text: string, statements: readonly Statement[]): CodeResult {
  const last = statements.findLast(({ type }) => type !== "FunctionDeclaration" && type !== "EmptyStatement");
  if (last?.type !== "ExpressionStatement" || last.directive === "use strict") return UNCHANGED;
  if (isPrinted(tree, last.expression)) return UNCHANGED;
  const { start: offset, end } = last;
  if (!isFunction(last.expression)) return { insertions: [{ offset, text: "return " }] };
  const [parameter] = last.expression.params;
  const insertions = [
    { offset, text: "return (" },
    { offset: text[end - 1] === ";" ? end - 1 : end, text: ")(args)" },
  ];
  return { insertions, parameter };
}

/** `console.log(x)` is output, and no result. */
function isPrinted(tree: SyntaxTree, node: AnyNode): boolean {
  if (node.type === "AwaitExpression") return isPrinted(tree, node.argument);
  const callee = node.type === "CallExpression" ? node.callee : undefined;
  return callee?.type === "MemberExpression" && tree.freeReaders("console").includes(callee.object);
}

function isFunction(node: AnyNode): node is FunctionValue {
  return node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
}

/** Whether a statement returns from the code itself, and not from a function in it. */
function hasReturn(statement: Statement): boolean {
  const pending: AnyNode[] = [statement];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "ReturnStatement") return true;
    pending.push(...statementsIn(node));
  }
  return false;
}

function statementsIn(node: AnyNode): readonly AnyNode[] {
  const all = (...nodes: (AnyNode | null | undefined)[]): AnyNode[] => nodes.filter((item) => !!item);
  switch (node.type) {
    case "BlockStatement":
      return node.body;
    case "IfStatement":
      return all(node.consequent, node.alternate);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "LabeledStatement":
    case "CatchClause":
      return [node.body];
    case "TryStatement":
      return all(node.block, node.handler, node.finalizer);
    case "SwitchStatement":
      return node.cases.flatMap(({ consequent }) => consequent);
    default:
      return [];
  }
}
