/** Code as a chat shows it, in a Markdown fence, and the code itself. */

/** The line that opens or closes a fence. Sound code has no such line: inside a template literal the backticks are escaped. */
const FENCE_LINE = /^[ \t]*```[ \t]*([\w+.-]*)[ \t]*$/;
/** A template literal may well have lines of tildes, so these are a fence only where they come first. */
const TILDE_LINE = /^[ \t]*~~~[ \t]*([\w+.-]*)[ \t]*$/;

export type Unfenced =
  | { readonly kind: "code"; readonly code: string; readonly isFenced: boolean }
  /** More than one fenced block: which of them is meant is not guessed. */
  | { readonly kind: "several"; readonly line: number };

/** Takes off the one fence around the code, with the text before and after it. Lines then count inside the fence. */
export function takeOffFence(code: string): Unfenced {
  if (!code.includes("```") && !code.includes("~~~")) return bare(code);
  const lines = code.split(/\r\n?|\n/);
  const fence = TILDE_LINE.test(lines.find((line) => line.trim() !== "") ?? "") ? TILDE_LINE : FENCE_LINE;
  const [open, close, next] = fencesIn(lines, fence);
  if (open === undefined) return bare(code);
  if (next !== undefined) return { kind: "several", line: next + 1 };
  if (opensTemplate(lines.slice(0, open).join("\n"))) return bare(code);
  const isFirst = lines.slice(0, open).every((line) => line.trim() === "");
  // An answer that was cut off has no closing line; without an opening one at the start it is something else.
  if (close === undefined && !isFirst) return bare(code);
  return { kind: "code", code: lines.slice(open + 1, close).join("\n"), isFenced: true };
}

/** Whether text leaves a template literal open: a fence after it is data whose backticks were not escaped, and never what should run. */
function opensTemplate(text: string): boolean {
  return (text.replace(/\\./g, "").split("`").length - 1) % 2 === 1;
}

function bare(code: string): Unfenced {
  return { kind: "code", code, isFenced: false };
}

/** Where the lines of fences are; those in a comment are a part of it. */
function fencesIn(lines: readonly string[], fence: RegExp): number[] {
  const found: number[] = [];
  let isInComment = false;
  for (const [at, line] of lines.entries()) {
    if (!isInComment && fence.test(line)) found.push(at);
    const [opened, closed] = [line.lastIndexOf("/*"), line.lastIndexOf("*/")];
    if (opened !== closed) isInComment = opened > closed;
  }
  return found;
}
