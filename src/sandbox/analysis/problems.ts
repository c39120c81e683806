import type { CodeProblem } from "./contract.ts";
import type { Position, ScriptPlaces, WrappedSource } from "./source.ts";
import type { FoundUses } from "./tool-uses.ts";
import { cut } from "../../text/cut.ts";

/** More would bury the reader, who corrects the first ones first. */
const PROBLEM_COUNT_MAX = 20;

/** The parser quotes names and regular expressions whole, and these may be as long as the code. */
const MESSAGE_MAX = 300;

const MODULES = {
  reason: "not_available",
  message: "There are no modules here: code cannot import them.",
  hint: "Call tools as await mcp.<server>.<tool>({ ... }) and return the result. Standard JavaScript is available without imports.",
} as const;

const START: Position = { line: 2, column: 1 };

export function syntaxError(source: WrappedSource, position: Position, cause: string): CodeProblem {
  const place = source.placeOf(position);
  const message = source.isBehind(position)
    ? `The code leaves something open, or closes more than it opens: ${cause}`
    : cause;
  return source.wordAt(position) === "import" || source.wordAt(position) === "export"
    ? { ...MODULES, ...place }
    : { reason: "syntax_error", message: cut(message, MESSAGE_MAX), ...place };
}

export function closesWrapper(source: WrappedSource, position: Position): CodeProblem {
  return {
    reason: "syntax_error",
    message: "This brace closes nothing that the code opened.",
    ...source.placeOf(position),
  };
}

export function severalFences(source: WrappedSource, line: number): CodeProblem {
  return {
    reason: "syntax_error",
    message: "The code has more than one Markdown fence.",
    hint: "Send the code of one block, without the lines of backticks.",
    ...source.placeOf({ line: line + 1, column: 1 }),
  };
}

export function halfCharacter(source: WrappedSource): CodeProblem {
  return {
    reason: "syntax_error",
    message: "The code holds half of a character (a lone UTF-16 surrogate), which no text file can hold.",
    hint: "Write it as an escape, such as \\ud83d.",
    ...source.placeOf(START),
  };
}

export function tooDeep(source: WrappedSource): CodeProblem {
  return {
    reason: "too_deep",
    message: "The code nests too deeply to be read. A few hundred levels of brackets or functions are fine.",
    hint: "Split the expression, or pass the data as args.",
    ...source.placeOf(START),
  };
}

export function problemsOf(
  source: WrappedSource,
  places: ScriptPlaces,
  found: FoundUses,
): readonly CodeProblem[] {
  if (found.isCutShort) return [tooEntangled(source)];
  const modules = found.modules.map((span) => ({ ...MODULES, ...places.placeOf(span) }));
  const computed = found.computed.map((span) => computedName(places.placeOf(span)));
  return [...modules, ...computed]
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, PROBLEM_COUNT_MAX);
}

function computedName(place: Pick<CodeProblem, "line" | "column" | "text">): CodeProblem {
  return {
    reason: "computed_name",
    message: `\`${place.text}\` computes the name of a server or tool at run time; the tools that code uses must be known before it runs.`,
    hint: 'Write names out: mcp.github.create_issue or mcp["my-server"]["my-tool"]. To choose between tools, choose between written names: (urgent ? mcp.a.x : mcp.a.y)(args).',
    ...place,
  };
}

function tooEntangled(source: WrappedSource): CodeProblem {
  return {
    reason: "too_deep",
    message: "The code passes mcp through so many variables that the tools it uses cannot be told.",
    hint: "Call tools directly: mcp.<server>.<tool>({ ... }).",
    ...source.placeOf(START),
  };
}
