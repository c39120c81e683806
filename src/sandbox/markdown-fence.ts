/** Code as a chat shows it, in a Markdown fence, and the code itself. */

/** The line that opens or closes a fence. Code has no such line: inside a template literal the backticks are escaped. */
const FENCE_LINE = /^[ \t]*(?:```|~~~)[ \t]*([\w+.-]*)[ \t]*$/;

export type Unfenced =
  | { readonly kind: "code"; readonly code: string; readonly isFenced: boolean }
  /** More than one fenced block: which of them is meant is not guessed. */
  | { readonly kind: "several"; readonly line: number };

/** Takes off the one fence around the code, with the text before and after it. Lines then count inside the fence. */
export function takeOffFence(code: string): Unfenced {
  if (!code.includes("```") && !code.includes("~~~")) return bare(code);
  const lines = code.split(/\r\n?|\n/);
  const fences = lines.flatMap((line, at) => (FENCE_LINE.test(line) && !isInComment(lines, at) ? [at] : []));
  const [open, close, next] = fences;
  if (open === undefined) return bare(code);
  if (next !== undefined) return { kind: "several", line: next + 1 };
  const isFirst = lines.slice(0, open).every((line) => line.trim() === "");
  // An answer that was cut off has no closing line; without an opening one at the start it is something else.
  if (close === undefined && !isFirst) return bare(code);
  return { kind: "code", code: lines.slice(open + 1, close).join("\n"), isFenced: true };
}

function bare(code: string): Unfenced {
  return { kind: "code", code, isFenced: false };
}

function isInComment(lines: readonly string[], at: number): boolean {
  const before = lines.slice(0, at).join("\n");
  return before.lastIndexOf("/*") > before.lastIndexOf("*/");
}
