import { findFileSecrets } from "../../clients/connect/file-secrets.ts";
import { EXIT } from "./exit-code.ts";
import { diffFile } from "./file-diff.ts";
import { cyan, escapeLines, green, note, print, printJson, red } from "./terminal.ts";

interface TextChange {
  readonly path: string;
  /** `undefined` where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  readonly format?: "jsonc" | "toml";
}

/** A unified diff of a file with servers, without the secrets of either text. */
export function diffServers({ path, before, after, format = "jsonc" }: TextChange): string {
  const secrets = [before ?? "", after].flatMap((text) => findFileSecrets(text, format));
  return diffFile({ path, before, after, secrets });
}

/** A diff for a person, line by line; with a width, a longer line goes on in the next one. */
export function showDiff(diff: string, show: (line: string) => void, width = Number.POSITIVE_INFINITY): void {
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const text = line.split("\t").map(escapeLines).join("\t");
    const shown = width === Number.POSITIVE_INFINITY ? text : text.replaceAll("\t", TAB);
    for (const part of fold(shown, width)) show(paintOf(line)(part));
  }
}

const FOLD_MARK = "    ";
/**
 * A terminal gives a tab up to eight columns, and a line that was measured without them would be broken a second time.
 */
const TAB = "  ";

/** Cut at the width, wherever that is: the text is not prose. */
function fold(text: string, width: number): string[] {
  const parts = [text.slice(0, width)];
  for (let at = width; at < text.length; at += width - FOLD_MARK.length) {
    parts.push(FOLD_MARK + text.slice(at, at + width - FOLD_MARK.length));
  }
  return parts;
}

function paintOf(line: string): (text: string) => string {
  if (line.startsWith("@@")) return cyan;
  if (line.startsWith("+")) return green;
  return line.startsWith("-") ? red : String;
}

/** The output of a dry run: the diff, and that nothing was changed. */
export function showDryRun(change: TextChange, isJson: boolean): number {
  const diff = diffServers(change);
  if (isJson) printJson({ file: change.path, changed: false, diff });
  else {
    showDiff(diff, print);
    note("Nothing was changed (--dry-run)");
  }
  return EXIT.ok;
}
