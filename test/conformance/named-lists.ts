/**
 * The little YAML that the suite's requirement sets and our baseline need: names, and below each a list of words. Entries may carry a
 * comment; anything else is not understood and therefore left out of a requirement set, and refused in the baseline.
 */
export interface ListEntry {
  readonly value: string;
  /** The comment behind it. */
  readonly comment: string;
}

const HEAD = /^([\w@.-]+):\s*(?:\[\])?\s*(?:#.*)?$/;
const ENTRY = /^\s+-\s+([^\s#]+)\s*(?:#\s*(.*))?$/;
const EMPTY = /^\s*(?:#.*)?$/;

/** `refuse` is told of each line that is none of these. */
export function parseNamedLists(text: string, refuse: (line: string) => void = () => {}) {
  const lists = new Map<string, ListEntry[]>();
  let current: ListEntry[] | undefined;
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line)?.[1];
    const entry = ENTRY.exec(line);
    if (head !== undefined) lists.set(head, (current = []));
    else if (entry && current) current.push({ value: entry[1] ?? "", comment: entry[2] ?? "" });
    else if (!EMPTY.test(line)) refuse(line);
  }
  return lists;
}
