/** A name of the library as people write it: `mail:digest`, or `mail:digest@2` for a version. */
export interface ItemReference {
  readonly name: string;
  readonly version: number | undefined;
}

export function readReference(text: string): ItemReference {
  const [, name, version] = /^(.+)@(\d{1,9})$/.exec(text) ?? [];
  return name === undefined ? { name: text, version: undefined } : { name, version: Number(version) };
}

export function referenceOf(name: string, version: number): string {
  return `${name}@${version}`;
}

/** The two versions to compare: those in the URL where they exist, else the newest beside the one before it. */
export function versionsToCompare(
  versions: readonly number[],
  asked: { readonly before?: string | undefined; readonly after?: string | undefined },
): { readonly before: number; readonly after: number } | undefined {
  const sorted = versions.toSorted((a, b) => b - a);
  const [newest, previous] = sorted;
  if (newest === undefined || previous === undefined) return undefined;
  const known = (text: string | undefined) => sorted.find((version) => String(version) === text);
  return { before: known(asked.before) ?? previous, after: known(asked.after) ?? newest };
}
