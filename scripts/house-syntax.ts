/** What `npm run house` reads in one file: its imports, types, functions, names and conditional spreads. */
import { parseSync } from "rolldown/utils";

export interface WrittenImport {
  readonly specifier: string;
  /** `type` is gone at run time; `lazy` is loaded by a call of `import()`. */
  readonly kind: "static" | "lazy" | "type";
}

/** An interface, a type alias or a class. */
export interface WrittenType {
  readonly name: string;
  /** Of an interface: how many methods it has itself, and the interfaces that it extends. */
  readonly methodCount: number;
  readonly parents: readonly string[];
}

export interface FileFacts {
  readonly imports: WrittenImport[];
  readonly types: WrittenType[];
  /** Lines of each named function and method. */
  readonly functionLines: number[];
  readonly identifiers: Set<string>;
  /** Spreads of an object that depend on a condition. */
  conditionalSpreads: number;
  /** Those of them whose condition is that a value is not undefined: `...(x !== undefined && { … })`. */
  undefinedSpreads: number;
  /** Those of these that add the value as it is: `{ x }` would do, were `x: undefined` allowed. */
  bareSpreads: number;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function readFacts(path: string, text: string): FileFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`src/${path} cannot be parsed: ${errors[0]!.message}`);
  const facts: FileFacts = {
    imports: [],
    types: [],
    functionLines: [],
    identifiers: new Set(),
    conditionalSpreads: 0,
    undefinedSpreads: 0,
    bareSpreads: 0,
  };
  visitNodes(program as unknown as SyntaxNode, (node) => takeNode(facts, node, text));
  return facts;
}

export function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function visitNodes(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) visitNodes(item, visit);
    } else if (isNode(value)) visitNodes(value, visit);
  }
}

function takeNode(facts: FileFacts, node: SyntaxNode, text: string): void {
  const imported = importIn(node);
  if (imported !== undefined) facts.imports.push(imported);
  if (isNamedFunction(node)) facts.functionLines.push(countLines(text.slice(node.start, node.end)));
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") facts.identifiers.add(nameOf(node)!);
  if (node.type === "SpreadElement") takeSpread(facts, node["argument"], text);
  const name = TYPE_NODES.has(node.type) ? nameOf(node["id"]) : undefined;
  if (name !== undefined)
    facts.types.push({ name, methodCount: countMethods(node), parents: parentsOf(node) });
}

const TYPE_NODES: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ClassDeclaration",
]);

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : undefined;
}

/** Under `verbatimModuleSyntax` only `import type` is gone at run time: `import { type A }` still loads the file. */
function importIn(node: SyntaxNode): WrittenImport | undefined {
  const specifier = isNode(node["source"]) ? node["source"]["value"] : undefined;
  if (typeof specifier !== "string") return undefined;
  if (node.type === "TSImportType") return { specifier, kind: "type" };
  if (node.type === "ImportExpression") return { specifier, kind: "lazy" };
  const isType = node["importKind"] === "type" || node["exportKind"] === "type";
  return { specifier, kind: isType ? "type" : "static" };
}

/** Not the functions that are written as an argument: most have one line, and say nothing about length. */
function isNamedFunction(node: SyntaxNode): boolean {
  if (node.type === "FunctionDeclaration") return isNode(node["body"]);
  if (!["VariableDeclarator", "MethodDefinition", "Property"].includes(node.type)) return false;
  const value = node.type === "VariableDeclarator" ? node["init"] : node["value"];
  return isNode(value) && /^(Arrow)?FunctionExpression$/.test(value.type) && isNode(value["body"]);
}

function countMethods({ body }: SyntaxNode): number {
  const members = isNode(body) && Array.isArray(body["body"]) ? (body["body"] as SyntaxNode[]) : [];
  return members.filter(isMethod).length;
}

function isMethod({ type, typeAnnotation }: SyntaxNode): boolean {
  if (type === "TSMethodSignature") return true;
  const written = isNode(typeAnnotation) ? typeAnnotation["typeAnnotation"] : undefined;
  return type === "TSPropertySignature" && isNode(written) && written.type === "TSFunctionType";
}

function parentsOf(node: SyntaxNode): string[] {
  const parents = Array.isArray(node["extends"]) ? (node["extends"] as SyntaxNode[]) : [];
  return parents.flatMap(({ expression }) => nameOf(expression) ?? []);
}

function takeSpread(facts: FileFacts, argument: unknown, text: string): void {
  const { test, given, otherwise } = isNode(argument) ? branchesOf(argument) : {};
  if (test === undefined || ![given, otherwise].some(isObject)) return;
  facts.conditionalSpreads++;
  const isEqual = test["operator"] === "===";
  const [present, absent] = isEqual ? [otherwise, given] : [given, otherwise];
  const textOf = (node: unknown): string => (isNode(node) ? text.slice(node.start, node.end) : "");
  const isTest = (isEqual || test["operator"] === "!==") && textOf(test["right"]) === "undefined";
  if (!isTest || !isObject(present) || !["", "{}", "undefined"].includes(textOf(absent))) return;
  facts.undefinedSpreads++;
  const properties = present["properties"] as readonly SyntaxNode[];
  if (properties.every(({ value }) => textOf(value) === textOf(test["left"]))) facts.bareSpreads++;
}

interface Branches {
  readonly test?: SyntaxNode;
  readonly given?: SyntaxNode;
  readonly otherwise?: SyntaxNode;
}

/** `test ? given : otherwise`, or `test && given`. */
function branchesOf(node: SyntaxNode): Branches {
  const { test, consequent, alternate, left, right, operator } = node;
  if (node.type === "ParenthesizedExpression" && isNode(node["expression"]))
    return branchesOf(node["expression"]);
  if (node.type === "ConditionalExpression" && isNode(test) && isNode(consequent) && isNode(alternate))
    return { test, given: consequent, otherwise: alternate };
  if (node.type === "LogicalExpression" && operator === "&&" && isNode(left) && isNode(right))
    return { test: left, given: right };
  return {};
}

function isObject(node: SyntaxNode | undefined): node is SyntaxNode {
  return node?.type === "ObjectExpression";
}
