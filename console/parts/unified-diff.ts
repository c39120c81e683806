/** A line of a unified difference, with its number on either side. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "part";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const PART = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;
const FILE_HEAD = /^(?:Index: |={3,}|--- |\+\+\+ |diff |\\ No newline)/;

/** Reads a unified difference. Lines before the first part are its head and are left out. */
export function parseUnified(text: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 1;
  let after = 1;
  let isInPart = !PART.test(text.split("\n").find((line) => line.startsWith("@@")) ?? "");
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const part = PART.exec(line);
    if (part !== null) {
      isInPart = true;
      before = Number(part[1]);
      after = Number(part[2]);
      lines.push({ kind: "part", text: line });
    } else if (!isInPart || (FILE_HEAD.test(line) && line.startsWith("\\"))) {
      continue;
    } else if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1), after: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1), before: before++ });
    else if (line !== "" || lines.length > 0)
      lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}
