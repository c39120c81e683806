/**
 * A file in which some settings take inputs whose values are not read, because somebody only looks at the file. What stands there
 * cannot be checked, and must not keep the rest of the file from being checked.
 */
import { checkFile, type FileChecked } from "../files/file-check.ts";
import type { KeyPath } from "../problem.ts";

/** The names under .invalid lead nowhere, so nothing is ever sent to it. */
const PLACEHOLDER_URL = "https://unresolved.invalid";

/** The tree is changed where a gap would not pass: it becomes an address, and if that does not pass either, the key is left out. */
export function checkWithGaps(tree: unknown, gaps: readonly KeyPath[]): FileChecked {
  const open = new Map(gaps.map((path) => [JSON.stringify(path), path]));
  let checked = checkFile(tree);
  for (const filling of [PLACEHOLDER_URL, undefined]) {
    if (checked.ok || open.size === 0) return checked;
    for (const complaint of checked.complaints) {
      const gap = open.get(JSON.stringify(complaint.path));
      if (gap !== undefined) fill(tree, gap, filling);
    }
    checked = checkFile(tree);
  }
  return checked;
}

function fill(tree: unknown, path: KeyPath, value: string | undefined): void {
  let parent = tree as Record<string | number, unknown>;
  for (const part of path.slice(0, -1)) parent = parent[part] as Record<string | number, unknown>;
  const key = path.at(-1)!;
  if (value === undefined) delete parent[key];
  else parent[key] = value;
}
