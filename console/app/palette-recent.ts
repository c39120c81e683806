/** What was opened from the palette in this tab, newest first: ids and labels, and nothing else. */
export interface RecentEntry {
  readonly id: string;
  readonly label: string;
}

const KEY = "repertoire.palette";
const KEPT_MAX = 12;

export function loadRecent(): readonly RecentEntry[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

export function keepRecent({ id, label }: RecentEntry): void {
  const others = loadRecent().filter((each) => each.id !== id);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([{ id, label }, ...others].slice(0, KEPT_MAX)));
  } catch {
    // Without storage, nothing is recent.
  }
}

function isRecent(value: unknown): value is RecentEntry {
  if (typeof value !== "object" || value === null) return false;
  const { id, label } = value as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof label === "string";
}
