/**
 * Finds the tools that code can reach through the free variable `mcp`.
 *
 * A value is followed from where it is read to where it goes: into a member, out of an expression, into variables and
 * patterns, and on from every place that reads them. The order of statements plays no part, so the answer is the union over all
 * that a variable may ever hold. What leaves this net (arguments, results of functions, properties of other objects) is a
 * plain value: at run time it holds only what was granted, so a tool that is missed here cannot be called there.
 */
import type {
  AnyNode,
  CallExpression,
  MemberExpression,
  AssignmentProperty,
  ObjectPattern,
  Pattern,
} from "acorn";
import { callOf, isDiscarded, isValueOf, nameOf, targetOf } from "./tool-uses-flow.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** Where something is in the parsed text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface FoundTool extends Span {
  readonly namespace: string;
  readonly tool: string;
  readonly call?: CallExpression;
}

interface FoundNamespace extends Span {
  readonly namespace: string;
  readonly call?: CallExpression;
}

export interface FoundUses {
  readonly tools: readonly FoundTool[];
  readonly namespaces: readonly FoundNamespace[];
  /** Names that are known only at run time. */
  readonly computed: readonly Span[];
  /** Syntax that needs modules. */
  readonly modules: readonly Span[];
  /** The search was given up at its limit. */
  readonly isCutShort: boolean;
}

/**
 * How often a value may be carried on. 256 KiB full of `m.a.b;` need 175,000. Only variables that each hold many namespaces and are
 * each assigned to many others multiply: without a limit, 10,000 of both would take 100 million.
 */
const FLOW_COUNT_MAX = 250_000;

/** What a value is: `mcp` itself, or the namespace of that name. Tools are noted where they are named and not followed. */
const WHOLE = Symbol("mcp");
type Held = typeof WHOLE | string;

const MODULE_SYNTAX = new Set([
  "ImportDeclaration",
  "ImportExpression",
  "ExportNamedDeclaration",
  "ExportDefaultDeclaration",
  "ExportAllDeclaration",
]);

export function findToolUses(tree: SyntaxTree): FoundUses {
  const search = createSearch(tree);
  for (const reader of tree.freeReaders("mcp")) search.hold(reader, WHOLE);
  return { ...search.finish(), modules: Iterator.from(tree.nodes).filter(needsModules).toArray() };
}

function needsModules(node: AnyNode): boolean {
  return MODULE_SYNTAX.has(node.type) || (node.type === "MetaProperty" && node.meta.name === "import");
}

function createSearch(tree: SyntaxTree) {
  const tools: FoundTool[] = [];
  const namespaces: FoundNamespace[] = [];
  const computed = new Set<AnyNode>();
  const known = new Map<object, Set<Held>>();
  const pending: { readonly node: AnyNode; readonly held: Held }[] = [];
  let flowCount = 0;

  /** Whether it is news that this node or variable may have this value. */
  function learn(holder: object, held: Held): boolean {
    const all = known.get(holder) ?? new Set();
    if (all.has(held)) return false;
    known.set(holder, all.add(held));
    return true;
  }

  /** The expression `node` may have the value `held`. */
  function hold(node: AnyNode, held: Held): void {
    flowCount++;
    if (learn(node, held)) pending.push({ node, held });
  }

  function keepPlain(node: AnyNode, held: Held): void {
    if (held !== WHOLE) {
      namespaces.push({ namespace: held, start: node.start, end: node.end, ...callOf(tree, node) });
    }
  }

  /** Says which namespace a name of `held` gives, if it gives one; a tool or a computed name is noted and goes no further. */
  function namespaceNamed(node: MemberExpression | AssignmentProperty, held: Held): string | undefined {
    flowCount++;
    const name = nameOf(tree, node);
    if (name === undefined) computed.add(node);
    else if (held === WHOLE) return name;
    else tools.push({ namespace: held, tool: name, start: node.start, end: node.end, ...callOf(tree, node) });
    return undefined;
  }

  /** Carries a value into a variable or pattern. `from` is where it came from. */
  function bind(pattern: Pattern, held: Held, from: AnyNode): void {
    if (pattern.type === "AssignmentPattern") bind(pattern.left, held, from);
    else if (pattern.type === "RestElement") bind(pattern.argument, held, from);
    else if (pattern.type === "Identifier") bindVariable(pattern, held, from);
    else if (pattern.type === "ObjectPattern" && pattern.properties.length > 0) bindProperties(pattern, held);
    else keepPlain(from, held);
  }

  function bindVariable(
    identifier: Extract<Pattern, { type: "Identifier" }>,
    held: Held,
    from: AnyNode,
  ): void {
    const binding = tree.bindingOf(identifier);
    if (binding === undefined || binding.readers.length === 0) return keepPlain(from, held);
    if (!learn(binding, held)) return;
    for (const reader of binding.readers) hold(reader, held);
  }

  function bindProperties(pattern: ObjectPattern, held: Held): void {
    if (!learn(pattern, held)) return;
    for (const property of pattern.properties) {
      if (property.type === "RestElement") bind(property.argument, held, property);
      else {
        const namespace = namespaceNamed(property, held);
        if (namespace !== undefined) bind(property.value, namespace, property);
      }
    }
  }

  /** Carries the value of an expression one step on, into whatever the expression is a part of. */
  function follow(node: AnyNode, held: Held): void {
    const parent = tree.parentOf(node)!;
    if (parent.type === "MemberExpression" && parent.object === node) {
      const namespace = namespaceNamed(parent, held);
      if (namespace !== undefined) hold(parent, namespace);
      return;
    }
    const target = targetOf(parent, node);
    if (target !== undefined) bind(target, held, node);
    if (isValueOf(parent, node)) hold(parent, held);
    else if (target === undefined && !isDiscarded(parent, node)) keepPlain(node, held);
  }

  function finish(): Omit<FoundUses, "modules"> {
    for (let flow = pending.pop(); flow !== undefined; flow = pending.pop()) {
      if (flowCount > FLOW_COUNT_MAX) break;
      follow(flow.node, flow.held);
    }
    return { tools, namespaces, computed: [...computed], isCutShort: flowCount > FLOW_COUNT_MAX };
  }

  return { hold, finish };
}
