import type { Json } from "../../core/json.ts";

/** A position in the guest's own text. Lines and columns count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The source text there, on one line, at most 120 characters. */
  readonly text: string;
}

/** Why code is refused before it runs. */
export interface CodeProblem extends Place {
  readonly reason: "syntax_error" | "computed_name" | "not_available" | "too_deep";
  readonly message: string;
  readonly hint?: string;
}

/** Offsets into `Program.checked`. The arguments are all that is between the two parentheses. */
export interface CallSpan {
  readonly calleeStart: number;
  readonly calleeEnd: number;
  readonly argumentsStart: number;
  readonly argumentsEnd: number;
}

/** A tool that the code names. */
export interface ToolUse extends Place {
  readonly namespace: string;
  readonly tool: string;
  /** Where the tool is called right here; absent when it is only named, or when types could not simply be blanked out. */
  readonly call?: CallSpan;
  /** The keys of the argument, where it is written out right here as an object; none for a call without arguments. */
  readonly keys?: readonly string[];
  /** The name that the call is given as a text, as in `mcp.tools.call("notes__list")`. */
  readonly given?: string;
}

/** A namespace that the code uses as a value, without naming a tool of it. */
interface NamespaceUse extends Place {
  readonly namespace: string;
  /** Where it is called like a function: the name that it is given as a text, as in `mcp.callTool("notes__list")`. */
  readonly given?: string;
}

/** A name that nothing declares, as it is written, with the members that follow it; see `stray-calls.ts`. */
export interface StrayUse extends Place {
  readonly written: string;
  readonly given?: string;
}

/** Where the script has more than what it was made of: at this line and column of the latter, from 1, so many characters. */
export interface InsertedText {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A place in the argument of a tool: the names that lead there, with `*` for any item of a list. Empty: the argument itself. */
export interface ToolArgument {
  readonly namespace: string;
  readonly tool: string;
  readonly path: readonly string[];
}

/** An input that the code reads by its name. */
export interface InputUse {
  readonly name: string;
  /**
   * The code has something else for when it is not given: a default in a pattern, `??`, `||`, `?.`, a test (`if (args.x)`,
   * `args.x ? … : …`, `args.x === undefined`, `"x" in args`). A test that throws when it is not given is no such thing.
   */
  readonly isOptional: boolean;
  /** A default that is written out, where every use of the input has this same one: only then it may be filled in before. */
  readonly defaultValue?: Json;
  /** The arguments of tools that it goes into unchanged. */
  readonly flows: readonly ToolArgument[];
}

/** A tool whose argument is all of `args`, as it is or spread into an object: the tool's inputs are the code's. */
export interface WholeFlow {
  readonly namespace: string;
  readonly tool: string;
  /** What the code itself sets beside the spread, or takes out of it; these names are no inputs by this flow. */
  readonly without: readonly string[];
}

/** A value that is written out in the argument of a tool. */
export interface LiteralUse extends Place, ToolArgument {
  readonly value: string | number | boolean;
}

/** Code that may run, and what it can reach. */
export interface Program {
  /** JavaScript: the text of one async arrow function. Without a source map, the guest's line n is its line n + 1. */
  readonly script: string;
  /** What a type checker reads: the guest's own text in the same wrapper, called. */
  readonly checked: string;
  /** The lines of `checked` as their writer sent them, where words of a module were blanked out. */
  readonly shown?: string;
  /** Each (namespace, tool, place) once, in source order. */
  readonly uses: readonly ToolUse[];
  readonly namespaces: readonly NamespaceUse[];
  /** What the code reads of its inputs, by name, in source order. */
  readonly inputs: readonly InputUse[];
  /** The code uses `args` as a whole, or names that are known only at run time: there may be more inputs than `inputs`. */
  readonly hasOpenInputs: boolean;
  /** Where `args` goes into a tool as a whole, in source order, each tool once. Then `hasOpenInputs` is true as well. */
  readonly wholeFlows: readonly WholeFlow[];
  /** Values that are written out as arguments of tools, where an input might be. The first of them, in source order. */
  readonly literals: readonly LiteralUse[];
  /** Names that nothing declares, in source order. */
  readonly strays: readonly StrayUse[];
  /** What the reader should know of how the code was read, each with its place where it has one. */
  readonly notes: readonly string[];
  /** In source order; see `placeInSource`. */
  readonly inserted: readonly InsertedText[];
  /** JSON text, only where types could not simply be blanked out; read it with `placeInSource`. */
  readonly sourceMap?: string;
}

export type Analysis =
  | { readonly kind: "program"; readonly program: Program }
  | { readonly kind: "refused"; readonly problems: readonly CodeProblem[] };
