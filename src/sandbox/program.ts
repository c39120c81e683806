/**
 * Guest code as it may run: types off, in one async arrow function, with the tools that it can reach.
 *
 * The text is wrapped before it is read, so `await` and `return` stand in a function. Code that closes the wrapper itself is
 * refused: the tree must be exactly our function, from the first character to the last. This runs in the analysis thread only:
 * deep nesting breaks the type stripper for good, and then `isSpent` says that the thread must be replaced.
 */
import type { ArrowFunctionExpression } from "acorn";
import type { Analysis, CallSpan, CodeProblem, Program } from "./analysis-contract.ts";
import { parseScript, type Parsed } from "./analysis-parse.ts";
import { countUpTo } from "./analysis-place.ts";
import * as problem from "./analysis-problems.ts";
import { createScriptPlaces, wrapSource, type ScriptPlaces, type WrappedSource } from "./analysis-source.ts";
import { stripTypes } from "./analysis-strip.ts";
import { findInputUses } from "./input-uses.ts";
import { findLiteralUses } from "./literal-uses.ts";
import { findToolUses, type FoundTool, type FoundUses, type Span } from "./tool-uses.ts";
import { readSyntaxTree, type SyntaxTree } from "./tool-uses-tree.ts";

export interface Analysed {
  readonly analysis: Analysis;
  /** The type stripper of this thread is broken, or the thread holds more memory than it is worth. */
  readonly isSpent: boolean;
}

export function analyseCode(code: string): Analysed {
  const source = wrapSource(code);
  if (!code.isWellFormed()) return refused(problem.halfCharacter(source));
  try {
    const plain = parsePlain(source.text);
    if (plain !== undefined) return { analysis: analyseParsed(source, source, plain), isSpent: false };
    const stripped = stripTypes(source.text);
    if (stripped.kind === "broken") return { ...refused(problem.tooDeep(source)), isSpent: true };
    if (stripped.kind === "invalid") return refused(problem.syntaxError(source, stripped, stripped.message));
    return { analysis: analyseScript(source, stripped), isSpent: false };
  } catch (error) {
    // The tree that was too deep to walk is large: the thread's memory goes back with the thread.
    if (error instanceof RangeError) return { ...refused(problem.tooDeep(source)), isSpent: true };
    throw error;
  }
}

function refused(...problems: CodeProblem[]): Analysed {
  return { analysis: { kind: "refused", problems }, isSpent: false };
}

/** JavaScript that was made from the source; with a source map if it was more than blanked. */
interface Script {
  readonly text: string;
  readonly sourceMap?: string;
}

/** The stripper refuses what nests deeply before a tree of a hundred megabytes is made of it. */
const PLAIN_LENGTH_MAX = 64 * 1024;

/**
 * Code that is JavaScript already needs no stripping, which saves the loading of the stripper where it is the first. Without a
 * `<` there are no type arguments, the one thing that is both JavaScript and TypeScript and means two things.
 */
function parsePlain(text: string): Parsed | undefined {
  if (text.includes("<") || text.length > PLAIN_LENGTH_MAX) return undefined;
  // As a module, because the stripper reads code as one: strict.
  const parsed = parseScript(text, "module");
  return parsed.kind === "parsed" ? parsed : undefined;
}

function analyseScript(source: WrappedSource, script: Script): Analysis {
  const parsed = parseScript(script.text, "script");
  if (parsed.kind === "parsed") return analyseParsed(source, script, parsed);
  const places = createScriptPlaces(source, script);
  return {
    kind: "refused",
    problems: [problem.syntaxError(source, places.positionAt(parsed.offset), parsed.message)],
  };
}

function analyseParsed(source: WrappedSource, script: Script, parsed: Parsed): Analysis {
  const places = createScriptPlaces(source, script);
  const body = soleFunction(script.text, parsed);
  if (body === undefined) {
    return {
      kind: "refused",
      problems: [problem.closesWrapper(source, places.positionAt(parsed.firstBraceClosedAt))],
    };
  }
  const tree = readSyntaxTree(parsed.tree);
  const found = findToolUses(tree);
  const problems = problem.problemsOf(source, places, found);
  if (problems.length > 0) return { kind: "refused", problems };
  const isBlanked = script.sourceMap === undefined && script.text.length === source.text.length;
  return {
    kind: "program",
    program: {
      script: script.sourceMap === undefined ? script.text : `(${script.text.slice(body.start, body.end)})`,
      checked: `${source.text}();`,
      ...usesIn(found, places, isBlanked ? parsed.parentheses : undefined),
      ...findInputUses(tree, found.tools),
      literals: literalsIn(tree, found, places),
      ...(script.sourceMap !== undefined && { sourceMap: script.sourceMap }),
    },
  };
}

/** Our function, if the text is nothing else. What rewrites types drops the parentheses around it and adds a semicolon. */
function soleFunction(
  text: string,
  { tree, firstBraceClosedAt }: Parsed,
): ArrowFunctionExpression | undefined {
  const [statement, ...others] = tree.body;
  if (others.length > 0 || statement?.type !== "ExpressionStatement") return undefined;
  const { expression } = statement;
  if (expression.type !== "ArrowFunctionExpression" || expression.end !== firstBraceClosedAt + 1)
    return undefined;
  return /^\)?;?\s*$/.test(text.slice(expression.end)) ? expression : undefined;
}

function usesIn(
  found: FoundUses,
  places: ScriptPlaces,
  parentheses: readonly number[] | undefined,
): Pick<Program, "uses" | "namespaces"> {
  return {
    uses: inOrder(found.tools).map((use) => ({
      namespace: use.namespace,
      tool: use.tool,
      ...places.placeOf(use),
      ...(use.call && parentheses && { call: spanOf(use.call, parentheses) }),
      ...keysOf(use.call),
    })),
    namespaces: inOrder(found.namespaces).map((use) => ({
      namespace: use.namespace,
      ...places.placeOf(use),
    })),
  };
}

function literalsIn(tree: SyntaxTree, { tools }: FoundUses, places: ScriptPlaces): Program["literals"] {
  return findLiteralUses(tree, inOrder(tools)).map(({ start, end, ...use }) => ({
    ...use,
    ...places.placeOf({ start, end }),
  }));
}

function spanOf({ callee, end }: NonNullable<FoundTool["call"]>, parentheses: readonly number[]): CallSpan {
  // Between the callee and its arguments stand only `)`, `?.` and comments, so the next open parenthesis is theirs.
  const open = parentheses[countUpTo(parentheses, callee.end - 1)]!;
  return {
    calleeStart: callee.start,
    calleeEnd: callee.end,
    argumentsStart: open + 1,
    argumentsEnd: end - 1,
  };
}

/** What the argument has for certain: nothing is said of one that is not written out, or only in part. */
function keysOf(call: FoundTool["call"]): { keys?: string[] } {
  if (call === undefined) return {};
  const [argument] = call.arguments;
  if (argument === undefined) return { keys: [] };
  if (argument.type !== "ObjectExpression") return {};
  const keys = argument.properties.map((property) => {
    if (property.type !== "Property" || property.computed) return undefined;
    const { key } = property;
    return key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : undefined;
  });
  return keys.every((key) => key !== undefined) ? { keys } : {};
}

/** In source order, each once. */
function inOrder<Use extends Span & { readonly namespace: string; readonly tool?: string }>(
  uses: readonly Use[],
): Use[] {
  const distinct = new Map(
    uses.map((use) => [JSON.stringify([use.start, use.end, use.namespace, use.tool]), use]),
  );
  return [...distinct.values()].sort(
    (a, b) =>
      a.start - b.start || a.end - b.end || compare(a.namespace, b.namespace) || compare(a.tool, b.tool),
  );
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
