/** What the search for tool uses asks of a syntax tree: the parent of a node, who reads a variable, a name that is written out. */
import { analyze, type Reference, type Variable } from "eslint-scope";
import type { AnyNode, Identifier, Program } from "acorn";

/** A variable, or a name that nothing declares. */
interface Binding {
  readonly readers: AnyNode[];
  readonly constant?: string;
}

export interface SyntaxTree {
  /** Every node except the root, in no order that matters. */
  readonly nodes: Iterable<AnyNode>;
  parentOf(node: AnyNode): AnyNode | undefined;
  /** Of a name where it is declared, read or written. */
  bindingOf(identifier: Identifier): Binding | undefined;
  /** Where a name is read that nothing in the code declares. */
  freeReaders(name: string): readonly AnyNode[];
  /** The names that are read and that nothing in the code declares. */
  freeNames(): Iterable<string>;
  /** The text of a string that is written out, or of a `const` that holds one. */
  writtenText(node: AnyNode): string | undefined;
}

export function readSyntaxTree(root: Program): SyntaxTree {
  const parents = linkParents(root);
  const { bindings, free } = linkBindings(root);
  return {
    nodes: parents.keys(),
    parentOf: (node) => parents.get(node),
    bindingOf: (identifier) => bindings.get(identifier),
    freeReaders: (name) => free.get(name)?.readers ?? [],
    freeNames: () => free.keys(),
    writtenText: (node) =>
      literalText(node) ?? (node.type === "Identifier" ? bindings.get(node)?.constant : undefined),
  };
}

/** Walks with a stack of its own: a tree that the parser could make may still be too deep for recursion. */
function linkParents(root: Program): Map<AnyNode, AnyNode> {
  const parents = new Map<AnyNode, AnyNode>();
  const pending: AnyNode[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      pending.push(child);
    }
  }
  return parents;
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const part of Object.values(node)) {
    if (isNode(part)) children.push(part);
    else if (Array.isArray(part)) for (const item of part) if (isNode(item)) children.push(item);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function linkBindings(root: Program): { bindings: Map<AnyNode, Binding>; free: Map<string, Binding> } {
  const manager = analyze(root as Parameters<typeof analyze>[0], {
    ecmaVersion: 2026,
    sourceType: "script",
    ignoreEval: true,
  });
  const declared = new Map<Variable, Binding>();
  const free = new Map<string, Binding>();
  const bindings = new Map<AnyNode, Binding>();
  for (const reference of manager.scopes.flatMap((scope) => scope.references)) {
    const identifier = reference.identifier as AnyNode;
    const binding = bindingFor(reference, declared, free);
    bindings.set(identifier, binding);
    if (reference.isRead()) binding.readers.push(identifier);
  }
  for (const [variable, binding] of declared) {
    for (const { name } of variable.defs) if (isNode(name)) bindings.set(name, binding);
  }
  return { bindings, free };
}

function bindingFor(
  reference: Reference,
  declared: Map<Variable, Binding>,
  free: Map<string, Binding>,
): Binding {
  const { resolved } = reference;
  if (resolved === null) return remember(free, reference.identifier.name, () => ({ readers: [] }));
  return remember(declared, resolved, () => ({ readers: [], ...constantOf(resolved) }));
}

function remember<Key>(known: Map<Key, Binding>, key: Key, make: () => Binding): Binding {
  const binding = known.get(key) ?? make();
  known.set(key, binding);
  return binding;
}

function constantOf(variable: Variable): { constant?: string } {
  const [definition, ...others] = variable.defs;
  if (definition?.type !== "Variable" || others.length > 0 || definition.parent.kind !== "const") return {};
  const { id, init } = definition.node;
  const constant = id.type === "Identifier" && isNode(init) ? literalText(init) : undefined;
  return constant === undefined ? {} : { constant };
}

function literalText(node: AnyNode): string | undefined {
  if (node.type === "TemplateLiteral")
    return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
  if (node.type !== "Literal") return undefined;
  return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : undefined;
}
