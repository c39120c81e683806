/** Who imports whom, and where that goes round in a circle. */
import type { Import, SourceFile } from "./house-tree.ts";

/** The files that import each file, whatever they import of it. */
export function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map(files.map(({ path }) => [path, new Set<string>()]));
  for (const { path, imports } of files) {
    for (const { target } of imports) if (target !== path) importers.get(target)?.add(path);
  }
  return importers;
}

/**
 * The sets of files in which each reaches every other, the largest first. A set can hold several circles; it is what
 * must be understood as one piece.
 */
export function findCycles(files: readonly SourceFile[], kinds: readonly Import["kind"][]): string[][] {
  const targets = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target),
    ]),
  );
  return connectedSets(targets)
    .filter((set) => set.length > 1 || targets.get(set[0]!)!.includes(set[0]!))
    .map((set) => set.toSorted())
    .toSorted((one, other) => other.length - one.length);
}

/** Tarjan's strongly connected components. */
function connectedSets(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const sets: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const enter = (path: string): void => {
    numbers.set(path, numbers.size);
    lowest.set(path, numbers.get(path)!);
    open.push(path);
    isOpen.add(path);
    for (const target of targets.get(path) ?? []) {
      if (!numbers.has(target)) {
        enter(target);
        lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
      } else if (isOpen.has(target)) {
        lowest.set(path, Math.min(lowest.get(path)!, numbers.get(target)!));
      }
    }
    if (lowest.get(path) !== numbers.get(path)) return;
    const set = open.splice(open.indexOf(path));
    for (const member of set) isOpen.delete(member);
    sets.push(set);
  };
  for (const path of targets.keys()) if (!numbers.has(path)) enter(path);
  return sets;
}
