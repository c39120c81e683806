/** The last column of docs/threats.md: a row names the test files that cite its number. A number without a row is an error. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A row with more files than this names the first ones and counts the rest: the table stays readable. */
const FILES_SHOWN_MAX = 3;
/** It makes numbers up. */
const OWN_TEST = "test/threats.test.ts";
const ROW = /^\| (T\d{3}) \| ([^|]+) \| ([^|]+) \|[^|]*\|$/gm;

/** Each threat number that a file below `src/`, `test/` or `console/` cites, with these files; those that cross rooms come first. */
export function findCitations(root: string): Map<string, string[]> {
  const files = ["test/**/*.ts", "src/**/*.ts", "console/**/*.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: root }).sort(),
  );
  const citations = new Map<string, string[]>();
  for (const file of files.filter((path) => path !== OWN_TEST)) {
    for (const number of new Set(readFileSync(join(root, file), "utf8").match(/\bT\d{3}\b/g))) {
      citations.set(number, [...(citations.get(number) ?? []), file.replaceAll("\\", "/")]);
    }
  }
  return citations;
}

export function withCitations(page: string, citations: ReadonlyMap<string, readonly string[]>): string {
  const rows = new Set([...page.matchAll(ROW)].map(([, number]) => number!));
  const astray = [...rows.symmetricDifference(new Set(citations.keys()))].sort();
  if (astray.length > 0) {
    throw new Error(
      `docs/threats.md needs one row for each number that a test cites. Look at: ${astray.join(", ")}`,
    );
  }
  return page.replace(ROW, (_, number: string, fault: string, answer: string) => {
    return `| ${number} | ${fault} | ${answer} | ${describeFiles(citations.get(number)!)} |`;
  });
}

function describeFiles(files: readonly string[]): string {
  const shown = files.slice(0, FILES_SHOWN_MAX).map((file) => `\`${file}\``);
  const rest = files.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
