/** Lines that fit a terminal. */

/** Narrower than this, breaking lines makes them worse. */
const WIDTH_MIN = 40;
/** For a terminal that does not report its width. */
const WIDTH_DEFAULT = 80;
const HEIGHT_DEFAULT = 24;

/** How wide a line on stdout may be; what is not a terminal takes lines of any length, one for each thing. */
export function outputWidth(output: NodeJS.WriteStream = process.stdout): number {
  if (!output.isTTY) return Number.POSITIVE_INFINITY;
  return Math.max(WIDTH_MIN, output.columns || WIDTH_DEFAULT);
}

/** A terminal that does not know its size reports 0, and a prompt would wrap after every letter. */
export function assumeSize(outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    if (!output.isTTY) continue;
    if (output.columns === 0) output.columns = WIDTH_DEFAULT;
    if (output.rows === 0) output.rows = HEIGHT_DEFAULT;
  }
}

/** Breaks at spaces; the lines after the first are indented further. A word that is longer than a line stays whole. */
export function wrapText(text: string, width: number, indent: string, hanging = indent): string[] {
  const lines: string[] = [];
  let line = indent;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = hanging;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
