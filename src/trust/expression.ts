/**
 * `when` of a rule: an expression over `args`, in a subset of JavaScript. It is parsed once and compiled to closures.
 *
 * It has no calls, no assignments and no loops, so it ends and changes nothing. Only own properties are seen, and what
 * is not there is undefined: `args.a.b` of a call without `a` is undefined and no error. Everything else is as in
 * JavaScript, with one exception: where JavaScript would turn an object into a text or a number, the expression is
 * undecided. The caller of a tool chooses its arguments, and `[1000] > 100` must not depend on how a list is written.
 * What an undecided expression means for a rule is in `rule-set.ts`.
 */
import { parseExpressionAt, type AnyNode, type Expression, type PrivateIdentifier } from "acorn";
import type { JsonObject } from "../core/json.ts";
import {
  hasKey,
  looselyEqual,
  memberOf,
  OPERATIONS,
  ownMember,
  primitive,
  UNDECIDED,
} from "./expression-values.ts";

/** Whether the arguments fulfil it; undefined where that cannot be decided. */
export type Condition = (args: JsonObject) => boolean | undefined;

export type CompiledExpression =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly message: string };

/** As long as two hundred comparisons; what is longer is better written as several rules. */
export const EXPRESSION_LENGTH_MAX = 4_000;
/** Every comparison in a text of that length. */
const NODE_COUNT_MAX = 1_000;
/** A chain of `||` nests by one with each link. */
const DEPTH_MAX = 250;

const ALLOWED =
  "allowed are args.name, args.list[0], texts, numbers, true, false, null, === !== == != < <= > >=, && || ?? !, " +
  "a ? b : c, + - * / %, in and typeof";

export function compileExpression(text: string): CompiledExpression {
  if (text.length > EXPRESSION_LENGTH_MAX) {
    return { ok: false, message: `must have at most ${EXPRESSION_LENGTH_MAX} characters` };
  }
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  try {
    const evaluate = createCompiler().compile(parsed.tree, 0);
    return { ok: true, condition: conditionOf(evaluate) };
  } catch (error) {
    if (error instanceof NotAllowed) return { ok: false, message: error.message };
    throw error;
  }
}

function conditionOf(evaluate: Evaluate): Condition {
  return (args) => {
    try {
      return Boolean(evaluate(args));
    } catch (error) {
      if (error === UNDECIDED) return undefined;
      throw error;
    }
  };
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

type Parsed =
  | { readonly ok: true; readonly tree: Expression }
  | { readonly ok: false; readonly message: string };

/** The message of the parser is not passed on: it may repeat the text, and that may hold a secret. */
function parse(text: string): Parsed {
  try {
    const tree = parseExpressionAt(text, 0, {
      ecmaVersion: 2024,
      sourceType: "module",
      preserveParens: true,
    });
    const rest = text.slice(tree.end);
    if (rest.trim() === "") return { ok: true, tree };
    return misread(tree.end + rest.length - rest.trimStart().length);
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, message: "nests too deep" };
    if (!(error instanceof SyntaxError)) throw error;
    return misread("pos" in error && typeof error.pos === "number" ? error.pos : 0);
  }
}

function misread(offset: number): Parsed {
  return { ok: false, message: `is not a JavaScript expression from its column ${offset + 1} on` };
}

/** Something that JavaScript has and a rule does not. */
class NotAllowed extends Error {
  constructor(what: string, { start }: { readonly start: number }, hint = ALLOWED) {
    super(`${what} is not allowed here (column ${start + 1}); ${hint}`);
  }
}

type Evaluate = (args: JsonObject) => unknown;

function createCompiler() {
  let nodeCount = 0;

  function compile(node: Expression | PrivateIdentifier, depth: number): Evaluate {
    if (++nodeCount > NODE_COUNT_MAX)
      throw new NotAllowed(`More than ${NODE_COUNT_MAX} parts`, node, "split it");
    if (depth > DEPTH_MAX) throw new NotAllowed(`Nesting deeper than ${DEPTH_MAX}`, node, "split it");
    const below = (inner: Expression | PrivateIdentifier) => compile(inner, depth + 1);
    switch (node.type) {
      case "Literal":
        return constant(valueOf(node));
      case "Identifier":
        return compileName(node);
      case "ParenthesizedExpression":
      case "ChainExpression":
        return below(node.expression);
      case "MemberExpression": {
        if (node.object.type === "Super") throw new NotAllowed("super", node);
        const target = below(node.object);
        if (!node.computed) return compileProperty(target, nameOf(node.property));
        const key = below(node.property);
        return (args) => memberOf(target(args), key(args));
      }
      case "ArrayExpression":
        return compileList(node.elements.map((element) => compileElement(element, node, below)));
      case "UnaryExpression":
        return compileUnary(node.operator, below(node.argument), node);
      case "BinaryExpression":
        return compileBinary(node.operator, node.right, below(node.left), below(node.right), node);
      case "LogicalExpression":
        return compileLogical(node.operator, below(node.left), below(node.right));
      case "ConditionalExpression": {
        const [test, yes, no] = [below(node.test), below(node.consequent), below(node.alternate)];
        return (args) => (test(args) ? yes(args) : no(args));
      }
      default:
        throw new NotAllowed(WORDS[node.type] ?? "This", node);
    }
  }

  return { compile };
}

/** What people call what they wrote. */
const WORDS: Readonly<Record<string, string>> = {
  CallExpression: "A call",
  NewExpression: "A call",
  ImportExpression: "A call",
  TaggedTemplateExpression: "A call",
  AssignmentExpression: "An assignment",
  UpdateExpression: "An assignment",
  ArrowFunctionExpression: "A function",
  FunctionExpression: "A function",
  ClassExpression: "A class",
  TemplateLiteral: "A template in backquotes",
  ObjectExpression: "An object",
  SequenceExpression: "A comma",
  ThisExpression: "this",
};

function constant(value: unknown): Evaluate {
  return () => value;
}

function valueOf(node: Extract<AnyNode, { type: "Literal" }>): unknown {
  if (node.regex !== undefined && node.regex !== null) throw new NotAllowed("A regular expression", node);
  if (typeof node.value === "bigint" || typeof node.bigint === "string") {
    throw new NotAllowed("A BigInt", node);
  }
  return node.value;
}

const NAMES: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ["args", (args) => args],
  ["undefined", constant(undefined)],
  ["NaN", constant(Number.NaN)],
  ["Infinity", constant(Infinity)],
]);

function compileName(node: Extract<AnyNode, { type: "Identifier" }>): Evaluate {
  const known = NAMES.get(node.name);
  if (known === undefined)
    throw new NotAllowed("A name other than args", node, "write args.name, or a text in quotes");
  return known;
}

function nameOf(node: Expression | PrivateIdentifier): string {
  if (node.type !== "Identifier") throw new NotAllowed("A private name", node);
  return node.name;
}

/** The usual case, `args.name`, without a key to turn into a text. */
function compileProperty(target: Evaluate, name: string): Evaluate {
  return (args) => ownMember(target(args), name);
}

function compileElement(
  element: Extract<AnyNode, { type: "ArrayExpression" }>["elements"][number],
  list: AnyNode,
  below: (inner: Expression) => Evaluate,
): Evaluate {
  const isNumber = element?.type === "UnaryExpression" && element.argument.type === "Literal";
  if (element?.type === "Literal" || isNumber) return below(element);
  throw new NotAllowed("A list of anything but texts, numbers, true, false and null", element ?? list);
}

function compileList(elements: readonly Evaluate[]): Evaluate {
  const values = elements.map((element) => element({}));
  return constant(values);
}

function compileUnary(operator: string, operand: Evaluate, node: AnyNode): Evaluate {
  switch (operator) {
    case "!":
      return (args) => !operand(args);
    case "-":
      return (args) => -Number(primitive(operand(args)));
    case "+":
      return (args) => Number(primitive(operand(args)));
    case "typeof":
      return (args) => typeof operand(args);
    default:
      throw new NotAllowed(`The operator ${operator}`, node);
  }
}

function compileLogical(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  switch (operator) {
    case "&&":
      return (args) => left(args) && right(args);
    case "||":
      return (args) => left(args) || right(args);
    default:
      return (args) => left(args) ?? right(args);
  }
}

function compileBinary(
  operator: string,
  rightNode: Expression,
  left: Evaluate,
  right: Evaluate,
  node: AnyNode,
): Evaluate {
  switch (operator) {
    case "===":
      return (args) => left(args) === right(args);
    case "!==":
      return (args) => left(args) !== right(args);
    case "==":
      return (args) => looselyEqual(left(args), right(args));
    case "!=":
      return (args) => !looselyEqual(left(args), right(args));
    case "in":
      if (rightNode.type === "ArrayExpression") throw new NotAllowed('"in" with a list', node, IN_LIST);
      return (args) => hasKey(right(args), left(args));
    default: {
      const operation = OPERATIONS.get(operator);
      if (operation === undefined) throw new NotAllowed(`The operator ${operator}`, node);
      return (args) => operation(primitive(left(args)), primitive(right(args)));
    }
  }
}

/** A slip that would never match and never be seen. */
const IN_LIST = 'in JavaScript it asks for a key and not for a value; write args.x === "a" || args.x === "b"';
