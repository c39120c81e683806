/** Going from row to row: with arrows, to what a row is inside of, and from one failure to the next. */
import { kindOf } from "./bar.ts";
import type { WaterRow } from "./row-types.ts";

/** The row with an outcome that somebody should look at, in this direction from `at`; it begins again at the other end. */
export function nextTrouble(rows: readonly WaterRow[], at: number, step: 1 | -1): number | undefined {
  for (let away = 1; away <= rows.length; away += 1) {
    const next = (((at + step * away) % rows.length) + rows.length) % rows.length;
    if (isTrouble(rows[next]!)) return next;
  }
  return undefined;
}

function isTrouble(row: WaterRow): boolean {
  if (row.kind !== "step" && row.kind !== "group") return false;
  const { status } = row.kind === "step" ? row.step : row.group;
  const kind = kindOf(status, row.place.endMs !== undefined);
  return kind === "failed" || kind === "uncertain";
}

/** The row that this one is inside of. */
export function parentOf(rows: readonly WaterRow[], at: number): number | undefined {
  const { level } = rows[at]!;
  for (let before = at - 1; before >= 0; before -= 1) if (rows[before]!.level < level) return before;
  return undefined;
}

export type Move =
  | { readonly kind: "go"; readonly at: number }
  | { readonly kind: "open" | "close" }
  | undefined;

/** What an arrow to the right does in a tree: opens, or goes inside. */
export function moveRight(rows: readonly WaterRow[], at: number): Move {
  const row = rows[at];
  if (row?.isOpen === undefined) return undefined;
  if (!row.isOpen) return { kind: "open" };
  return (rows[at + 1]?.level ?? 0) > row.level ? { kind: "go", at: at + 1 } : undefined;
}

/** And to the left: closes, or goes out. */
export function moveLeft(rows: readonly WaterRow[], at: number): Move {
  const row = rows[at];
  if (row === undefined) return undefined;
  if (row.isOpen === true) return { kind: "close" };
  const parent = parentOf(rows, at);
  return parent === undefined ? undefined : { kind: "go", at: parent };
}
