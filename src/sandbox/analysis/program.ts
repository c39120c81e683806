/**
 * Guest code as it may run: types off, in one async arrow function, with the tools that it can reach.
 *
 * What its writer meant is read into it: a Markdown fence is taken off, `export` is blanked out, and code that does not say `return` gives
 * back its last expression or the result of its `main`. This is the one place that does so, whatever runs the code: a run, a resumed run, a
 * draft, something kept, a node of a workflow. The text is wrapped before it is read, so `await` and `return` stand in a function. Code that closes the wrapper itself is
 * refused: the tree must be exactly our function, from the first character to the last. This runs in the analysis thread only:
 * deep nesting breaks the type stripper for good, and then `isSpent` says that the thread must be replaced.
 */
import type { ArrowFunctionExpression } from "acorn";
import type { Analysis, CallSpan, CodeProblem, Place, Program } from "./contract.ts";
import { parseScript, type Parsed } from "./parse.ts";
import { countUpTo, createLinedText } from "./place.ts";
import * as problem from "./problems.ts";
import {
  createScriptPlaces,
  readWrapped,
  wrapSource,
  type Position,
  type ScriptPlaces,
  type WrappedSource,
} from "./source.ts";
import { stripTypes } from "./strip.ts";
import { findResult, type Insertion } from "./code-result.ts";
import { findInputUses } from "./input-uses.ts";
import { findLiteralUses } from "./literal-uses.ts";
import { takeOffFence } from "./markdown-fence.ts";
import { blankModuleSyntax } from "./module-syntax.ts";
import { findStrays, givenName } from "./stray-calls.ts";
import { findToolUses, type FoundTool, type FoundUses, type Span } from "./tool-uses.ts";
import { readSyntaxTree, type SyntaxTree } from "./tool-uses-tree.ts";
import { findUnawaited } from "./unawaited-calls.ts";
import { compareText } from "../../text/compare-text.ts";

export interface Analysed {
  readonly analysis: Analysis;
  /** The type stripper of this thread is broken, or the thread holds more memory than it is worth. */
  readonly isSpent: boolean;
}

export function analyseCode(code: string): Analysed {
  const unfenced = takeOffFence(code);
  const source = wrapSource(unfenced.kind === "code" ? unfenced.code : code);
  if (!code.isWellFormed()) return refused(problem.halfCharacter(source));
  if (unfenced.kind === "several") return refused(problem.severalFences(source, unfenced.line));
  const notes = unfenced.isFenced ? [FENCE_NOTE] : [];
  try {
    return analyseSource({ source, notes });
  } catch (error) {
    // The tree that was too deep to walk is large: the thread's memory goes back with the thread.
    if (error instanceof RangeError) return { ...refused(problem.tooDeep(source)), isSpent: true };
    throw error;
  }
}

const FENCE_NOTE = "The Markdown fence around the code was taken off; lines count inside it.";
/** Each is found by the reader at the one before; code with more is a whole module. */
const MODULE_WORDS_MAX = 20;

/** What is read: the text in its wrapper, and what is known of it already. */
interface Reading {
  readonly source: WrappedSource;
  readonly notes: readonly string[];
  /** The name of what the code exports by default. */
  readonly exported?: string;
}

function analyseSource(given: Reading): Analysed {
  let reading = given;
  for (let words = 0; ; words++) {
    const { source } = reading;
    const plain = parsePlain(source.text);
    if (plain !== undefined) return { analysis: analyseParsed(reading, source, plain), isSpent: false };
    const stripped = stripTypes(source.text);
    if (stripped.kind === "broken") return { ...refused(problem.tooDeep(source)), isSpent: true };
    if (stripped.kind === "stripped") return { analysis: analyseScript(reading, stripped), isSpent: false };
    const next = words < MODULE_WORDS_MAX ? withoutModuleWord(reading, stripped) : undefined;
    if (next === undefined) return refused(problem.syntaxError(source, stripped, stripped.message));
    reading = next;
  }
}

/** Without the `export` or `import type` that the reader stopped at. */
function withoutModuleWord({ source, notes, exported }: Reading, at: Position): Reading | undefined {
  if (!["import", "export"].includes(source.wordAt(at))) return undefined;
  const found = blankModuleSyntax(source.text, source.offsetAt(at));
  if (found === undefined) return undefined;
  const entry = found.entry ?? exported;
  return {
    source: readWrapped(found.text, source.shown),
    notes,
    exported: entry,
  };
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

function analyseScript(reading: Reading, script: Script): Analysis {
  const { source } = reading;
  const parsed = parseScript(script.text, "script");
  if (parsed.kind === "parsed") return analyseParsed(reading, script, parsed);
  const places = createScriptPlaces(source, script);
  return {
    kind: "refused",
    problems: [problem.syntaxError(source, places.positionAt(parsed.offset), parsed.message)],
  };
}

function analyseParsed({ source, notes, exported }: Reading, script: Script, parsed: Parsed): Analysis {
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
  const result = findResult(tree, script.text, body, exported);
  return {
    kind: "program",
    program: {
      ...withResult(script, body, result.insertions),
      checked: `${source.text}();`,
      ...(source.shown !== source.text && { shown: source.shown }),
      ...usesIn(tree, found, places, isBlanked ? parsed.parentheses : undefined),
      ...findInputUses(tree, found.tools, result.parameter),
      literals: literalsIn(tree, found, places),
      strays: findStrays(tree).map(({ start, end, ...stray }) => ({
        ...stray,
        ...places.placeOf({ start, end }),
      })),
      notes: [...notes, ...findUnawaited(tree, found.tools).map((call) => unawaited(places.placeOf(call)))],
      sourceMap: script.sourceMap,
    },
  };
}

function unawaited({ line, column, text }: Place): string {
  return `Line ${line}, column ${column}: this call is used without await: its promise is there, not its result. [${text}]`;
}

/** What runs: the function with the insertions, and where they are. What was rewritten is taken out of whatever is around it. */
function withResult(
  { text, sourceMap }: Script,
  body: ArrowFunctionExpression,
  insertions: readonly Insertion[],
): Pick<Program, "script" | "inserted"> {
  const lines = createLinedText(text);
  const [start, end] = sourceMap === undefined ? [0, text.length] : [body.start, body.end];
  let script = "";
  let from = start;
  for (const { offset, text: more } of insertions) {
    script += text.slice(from, offset) + more;
    from = offset;
  }
  script += text.slice(from, end);
  return {
    script: sourceMap === undefined ? script : `(${script})`,
    inserted: insertions.map(({ offset, text: more }) => ({
      ...lines.positionAt(offset),
      length: more.length,
    })),
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
  tree: SyntaxTree,
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
      ...givenTo(tree, use.call),
    })),
    namespaces: inOrder(found.namespaces).map((use) => ({
      namespace: use.namespace,
      ...places.placeOf(use),
      ...givenTo(tree, use.call),
    })),
  };
}

/** Only a text is a name that was meant. */
function givenTo(tree: SyntaxTree, call: FoundTool["call"]): { given?: string } {
  const given = call && givenName(tree, call);
  return given === undefined ? {} : { given };
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
      a.start - b.start ||
      a.end - b.end ||
      compareText(a.namespace, b.namespace) ||
      compareText(a.tool ?? "", b.tool ?? ""),
  );
}
