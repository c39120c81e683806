import { findJoinSecrets } from "../config/clients/join-secrets.ts";
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
  const secrets = [before ?? "", after].flatMap((text) => findJoinSecrets(text, format));
  return diffFile({ path, before, after, secrets });
}

/** A diff for a person, line by line. */
export function showDiff(diff: string, show: (line: string) => void): void {
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const text = line.split("\t").map(escapeLines).join("\t");
    show(paintOf(line)(text));
  }
}

function paintOf(line: string): (text: string) => string {
  if (line.startsWith("@@")) return cyan;
  if (line.startsWith("+")) return green;
  return line.startsWith("-") ? red : String;
}

/** What a dry run says: the difference, and that nothing came of it. */
export function showDryRun(change: TextChange, isJson: boolean): number {
  const diff = diffServers(change);
  if (isJson) printJson({ file: change.path, changed: false, diff });
  else {
    showDiff(diff, print);
    note("Nothing was changed (--dry-run)");
  }
  return EXIT.ok;
}
