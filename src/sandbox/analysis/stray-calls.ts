/** Calls of tools as other programs write them: `notes__list({})`, `callTool("notes__list")`, `notes.list({})` without `mcp`. */
import type { AnyNode, CallExpression, MemberExpression } from "acorn";
import { callOf, nameOf } from "./tool-uses-flow.ts";
import type { Span } from "./tool-uses.ts";
import type { SyntaxTree } from "./tool-uses-tree.ts";

export interface FoundStray extends Span {
  /** As it is written, with dots: `notes__list`, `github.create_issue`, `client.callTool`. */
  readonly written: string;
  /** The name that the call is given as a text. */
  readonly given?: string;
}

/** What the code sees without declaring it. */
const OWN_NAMES = new Set(["mcp", "args", "console"]);
/** As many as are told at once; each is looked for among all tools. */
const STRAY_COUNT_MAX = 20;
const WRITTEN_LENGTH_MAX = 200;

/** Names that nothing declares, with the members that they are followed by; whether one is a tool's only the registry knows. */
export function findStrays(tree: SyntaxTree): FoundStray[] {
  const names = [...tree.freeNames()].filter((name) => !OWN_NAMES.has(name) && !(name in globalThis));
  const readers = names.flatMap((name) =>
    tree.freeReaders(name).map((reader) => strayAt(tree, name, reader)),
  );
  return readers.toSorted((a, b) => a.start - b.start).slice(0, STRAY_COUNT_MAX);
}

function strayAt(tree: SyntaxTree, name: string, reader: AnyNode): FoundStray {
  let node = reader;
  let written = name;
  for (let member = memberOn(tree, node); member !== undefined; member = memberOn(tree, node)) {
    const part = nameOf(tree, member);
    if (part === undefined || written.length + part.length > WRITTEN_LENGTH_MAX) break;
    written += `.${part}`;
    node = member;
  }
  const { call } = callOf(tree, node);
  const given = call && givenName(tree, call);
  return { written, start: reader.start, end: node.end, given };
}

function memberOn(tree: SyntaxTree, node: AnyNode): MemberExpression | undefined {
  const parent = tree.parentOf(node);
  return parent?.type === "MemberExpression" && parent.object === node ? parent : undefined;
}

/** `call("notes__list", …)` and `callTool({ name: "notes__list", … })`. */
export function givenName(tree: SyntaxTree, { arguments: given }: CallExpression): string | undefined {
  const [first] = given;
  if (first?.type !== "ObjectExpression") return first && tree.writtenText(first);
  const named = first.properties.find(
    (property) => property.type === "Property" && nameOf(tree, property) === "name",
  );
  return named?.type === "Property" ? tree.writtenText(named.value) : undefined;
}
