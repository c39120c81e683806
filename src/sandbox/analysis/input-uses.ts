/**
 * Finds what code reads of its inputs, through the free variable `args`, and which arguments of tools they go into.
 *
 * Values are followed as in the search for tools: into variables, patterns and whatever an expression is a part of, whatever
 * the order of statements. An input is also followed inside objects and lists that are written out, with the path to it.
 * What leaves this net (arguments of other functions, members of an input) is used and goes no further. The answer serves to
 * describe code, so a flow that is missed only makes the description vaguer, and a search that is given up says so.
 */
import type {
  AnyNode,
  AssignmentProperty,
  Identifier,
  MemberExpression,
  ObjectExpression,
  ObjectPattern,
  Pattern,
  Property,
} from "acorn";
import { fallbackOf, isAsked, isDemanded, isPassedOver } from "./input-absence.ts";
import { createInputNotes, NAME_LENGTH_MAX, type FoundInputs } from "./input-notes.ts";
import { fieldName, VALUE_DEPTH_MAX, writtenJson } from "./literal-uses.ts";
import type { FoundTool } from "./tool-uses.ts";
import { isValueOf, nameOf, targetOf } from "./tool-uses-flow.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

/** How often a value may be carried on. Real code needs some hundreds; only variables that hold many inputs each multiply. */
const FLOW_COUNT_MAX = 50_000;
/** Of what is left out of `args`: an object that sets more beside it is no longer followed. */
const WITHOUT_COUNT_MAX = 50;

/** All of `args`, but for some names. */
interface HeldWhole {
  readonly kind: "whole";
  readonly without: readonly string[];
}

/** An input, at a path inside of what is written out around it. */
interface HeldInput {
  readonly kind: "input";
  readonly name: string;
  readonly path: readonly string[];
  /** A default has taken its place where it was missing. */
  readonly isSettled: boolean;
}

type Held = HeldWhole | HeldInput;

/** `parameter` is that of the function which is called with `args` and is all of the code. */
export function findInputUses(
  tree: SyntaxTree,
  tools: readonly FoundTool[],
  parameter?: Pattern,
): FoundInputs {
  const search = createSearch(tree, tools);
  if (parameter !== undefined) search.bind(parameter, { kind: "whole", without: [] });
  for (const reader of tree.freeReaders("args")) search.hold(reader, { kind: "whole", without: [] });
  return search.finish();
}

function createSearch(tree: SyntaxTree, tools: readonly FoundTool[]) {
  const calls = Map.groupBy(tools, ({ call }) => call);
  const notes = createInputNotes();
  const known = new Map<object, Set<string>>();
  const pending: { readonly node: AnyNode; readonly held: Held }[] = [];
  let flowCount = 0;

  /** Whether it is news that this node or variable may have this value. */
  function learn(holder: object, held: Held): boolean {
    const key = JSON.stringify(Object.values(held));
    const all = known.get(holder) ?? new Set();
    if (all.has(key)) return false;
    known.set(holder, all.add(key));
    return true;
  }

  function hold(node: AnyNode, held: Held): void {
    flowCount++;
    if (learn(node, held)) pending.push({ node, held });
  }

  /** What a member or a property of a pattern gives of `args`: an input, or nothing that can be named. */
  function inputNamed(node: MemberExpression | AssignmentProperty, held: HeldWhole): HeldInput | undefined {
    const name = nameOf(tree, node);
    if (name === undefined) notes.open();
    if (name === undefined || held.without.includes(name)) return undefined;
    return notes.read(name, node.start) ? { kind: "input", name, path: [], isSettled: false } : undefined;
  }

  function bind(pattern: Pattern, held: Held): void {
    if (pattern.type === "Identifier") bindVariable(pattern, held);
    else if (pattern.type === "AssignmentPattern") bind(pattern.left, settle(held, pattern.right));
    else if (pattern.type === "ObjectPattern" && held.kind === "whole") bindProperties(pattern, held);
    else use(held);
  }

  function bindVariable(identifier: Identifier, held: Held): void {
    const binding = tree.bindingOf(identifier);
    if (binding === undefined || !learn(binding, held)) return;
    for (const reader of binding.readers) hold(reader, held);
  }

  function bindProperties(pattern: ObjectPattern, held: HeldWhole): void {
    if (!learn(pattern, held)) return;
    const taken: string[] = [];
    for (const property of pattern.properties) {
      flowCount++;
      if (property.type === "RestElement") {
        notes.open();
        const rest = narrow(held, taken);
        if (rest !== undefined) bind(property.argument, rest);
      } else {
        const input = inputNamed(property, held);
        if (input === undefined) continue;
        taken.push(input.name);
        bind(property.value, input);
      }
    }
  }

  /** The value after something else has taken its place where it is missing. */
  function settle(held: Held, fallback: AnyNode): Held {
    if (!isBare(held)) return held;
    notes.fallBack(held.name, writtenJson(tree, fallback));
    return { ...held, isSettled: true };
  }

  /** The value is used here, by something that gets it as it is. */
  function use(held: Held): void {
    if (held.kind === "whole") notes.open();
    else if (isBare(held)) notes.useBare(held.name);
  }

  /** Carries a value into a variable, or on as the value of the expression around it. */
  function carry(parent: AnyNode, node: AnyNode, held: Held): boolean {
    const target = targetOf(parent, node);
    const isValue = isValueOf(parent, node);
    if (target !== undefined) bind(target, held);
    if (isValue) hold(parent, held);
    // A value that stands alone as a statement goes nowhere.
    return target !== undefined || isValue || parent.type === "ExpressionStatement";
  }

  function followWhole(parent: AnyNode, node: AnyNode, held: HeldWhole): void {
    if (parent.type === "MemberExpression" && parent.object === node) return followMember(parent, held);
    if (parent.type === "BinaryExpression" && parent.operator === "in" && parent.right === node) {
      const name = tree.writtenText(parent.left);
      return name !== undefined && notes.read(name, parent.start) ? ask(name, parent) : notes.open();
    }
    if (carry(parent, node, held) || isAsked(tree, node)) return;
    notes.open();
    for (const tool of toolsTaking(parent, node)) notes.flowWhole(tool, held.without);
    const object = spreadInto(parent);
    if (object === undefined || !learn(object.properties, held)) return;
    const copy = narrow(held, namesIn(object));
    if (copy !== undefined) hold(object, copy);
  }

  function followMember(member: MemberExpression, held: HeldWhole): void {
    const around = tree.parentOf(member)!;
    if (isWritten(around, member)) return;
    const isMethod = around.type === "CallExpression" && around.callee === member;
    // `args.hasOwnProperty(name)` asks for a name that is known only at run time, and is no input itself.
    if (isMethod && (nameOf(tree, member) ?? "") in Object.prototype) return notes.open();
    const input = inputNamed(member, held);
    if (input !== undefined) hold(member, input);
  }

  /** `"x" in args` is a question about x, and true when it is there. */
  function ask(name: string, question: AnyNode): void {
    notes.useBare(name);
    if (!isDemanded(tree, question)) notes.allowMissing(name);
  }

  function followInput(parent: AnyNode, node: AnyNode, held: HeldInput): void {
    const fallback = fallbackOf(parent, node);
    if (fallback !== undefined && isBare(held)) return hold(parent, settle(held, fallback));
    if (isBare(held) && isAsked(tree, node)) return ask(held.name, node);
    if (isBare(held) && isPassedOver(parent, node)) notes.allowMissing(held.name);
    if (carry(parent, node, held)) return;
    use(held);
    for (const tool of toolsTaking(parent, node)) notes.flow(held.name, tool, held.path);
    enclose(parent, node, held);
  }

  /** Follows an input into the object or list that is written out around it. */
  function enclose(parent: AnyNode, node: AnyNode, held: HeldInput): void {
    const { path } = held;
    const object = path.length > 0 ? spreadInto(parent) : undefined;
    if (object !== undefined) return hold(object, held);
    if (path.length >= VALUE_DEPTH_MAX) return;
    if (parent.type === "ArrayExpression") return hold(parent, { ...held, path: ["*", ...path] });
    const around = tree.parentOf(parent)!;
    if (parent.type !== "Property" || parent.value !== node || around.type !== "ObjectExpression") return;
    const name = fieldName(tree, parent as Property);
    if (name !== undefined && name.length <= NAME_LENGTH_MAX)
      hold(around, { ...held, path: [name, ...path] });
  }

  function spreadInto(parent: AnyNode): ObjectExpression | undefined {
    const around = parent.type === "SpreadElement" ? tree.parentOf(parent) : undefined;
    return around?.type === "ObjectExpression" ? around : undefined;
  }

  /** The names that an object has beside what is spread into it. */
  function namesIn({ properties }: ObjectExpression): string[] {
    const names = properties.map((part) => (part.type === "Property" ? fieldName(tree, part) : undefined));
    return names.filter((name) => name !== undefined);
  }

  function toolsTaking(parent: AnyNode, node: AnyNode): readonly FoundTool[] {
    if (parent.type !== "CallExpression" || parent.arguments[0] !== node) return [];
    return calls.get(parent) ?? [];
  }

  function finish(): FoundInputs {
    for (let flow = pending.pop(); flow !== undefined; flow = pending.pop()) {
      if (flowCount > FLOW_COUNT_MAX) {
        notes.open();
        break;
      }
      const parent = tree.parentOf(flow.node)!;
      if (flow.held.kind === "whole") followWhole(parent, flow.node, flow.held);
      else followInput(parent, flow.node, flow.held);
    }
    return notes.finish();
  }

  return { hold, bind, finish };
}

/** All of `args` but for some more names; nothing when these are too many to be followed. */
function narrow(held: HeldWhole, names: readonly string[]): HeldWhole | undefined {
  const without = [...new Set([...held.without, ...names])];
  return without.length <= WITHOUT_COUNT_MAX ? { kind: "whole", without } : undefined;
}

/** An input as it was given, or not given. */
function isBare(held: Held): held is HeldInput {
  return held.kind === "input" && held.path.length === 0 && !held.isSettled;
}

/** `args.x = 1` and `delete args.x` read nothing. */
function isWritten(parent: AnyNode, member: MemberExpression): boolean {
  if (parent.type === "UnaryExpression") return parent.operator === "delete";
  return parent.type === "AssignmentExpression" && parent.left === member && parent.operator === "=";
}
