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

/** Offsets into `Program.checked`. The arguments are all that stands between the two parentheses. */
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
}

/** A namespace that the code uses as a value, without naming a tool of it. */
interface NamespaceUse extends Place {
  readonly namespace: string;
}

/** Code that may run, and what it can reach. */
export interface Program {
  /** JavaScript: the text of one async arrow function. Without a source map, the guest's line n is its line n + 1. */
  readonly script: string;
  /** What a type checker reads: the guest's own text in the same wrapper, called. */
  readonly checked: string;
  /** Each (namespace, tool, place) once, in source order. */
  readonly uses: readonly ToolUse[];
  readonly namespaces: readonly NamespaceUse[];
  /** JSON text, only where types could not simply be blanked out; read it with `placeInSource`. */
  readonly sourceMap?: string;
}

export type Analysis =
  | { readonly kind: "program"; readonly program: Program }
  | { readonly kind: "refused"; readonly problems: readonly CodeProblem[] };
