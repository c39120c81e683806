import type { KeyboardEvent } from "react";
import { useKeys, type KeyBindings } from "../../../parts/keys.ts";
import { moveLeft, moveRight, nextTrouble, type Move } from "./moves.ts";
import type { WaterRow } from "./row-types.ts";

export interface WaterMoves {
  readonly rows: readonly WaterRow[];
  readonly chosenAt: number | undefined;
  readonly onPick: (at: number) => void;
  readonly onToggle: (at: number) => void;
  readonly onDepth: (depth: number) => void;
  readonly onZoom: (factor: number) => void;
  readonly onFollow: () => void;
  readonly onLeave: () => void;
}

const PAGE_ROWS = 15;
const ZOOM = 0.5;
const GROUP = "Waterfall";

/** The keys of the waterfall: for the page, and for the grid while it has the focus. */
export function useWaterKeys(moves: WaterMoves, enabled: boolean): (event: KeyboardEvent) => void {
  const { rows, chosenAt, onPick, onToggle, onDepth, onZoom, onFollow, onLeave } = moves;
  const pick = (at: number) => {
    if (rows.length > 0) onPick(Math.max(0, Math.min(rows.length - 1, at)));
  };
  const move = (step: number) => pick(chosenAt === undefined ? 0 : chosenAt + step);
  const trouble = (step: 1 | -1) => {
    const at = nextTrouble(rows, chosenAt ?? -1, step);
    if (at !== undefined) onPick(at);
  };
  const act = (done: Move) => {
    if (done?.kind === "go") onPick(done.at);
    else if (done !== undefined && chosenAt !== undefined) onToggle(chosenAt);
  };
  const depths: KeyBindings = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [
      String(at + 1),
      { label: `Open ${at + 1} deep`, group: GROUP, hidden: at > 2, run: () => onDepth(at + 1) },
    ]),
  );
  useKeys(
    {
      j: { label: "Next step", group: GROUP, run: () => move(1) },
      k: { label: "Step before", group: GROUP, run: () => move(-1) },
      "]": { label: "Next failure", group: GROUP, run: () => trouble(1) },
      "[": { label: "Failure before", group: GROUP, run: () => trouble(-1) },
      f: { label: "Follow the end", group: GROUP, run: onFollow },
      "+": { label: "Look closer", group: GROUP, run: () => onZoom(ZOOM) },
      "=": { label: "Look closer", group: GROUP, hidden: true, run: () => onZoom(ZOOM) },
      "-": { label: "See more of the time", group: GROUP, run: () => onZoom(1 / ZOOM) },
      "0": { label: "The whole time", group: GROUP, run: () => onZoom(Infinity) },
      Escape: { label: "Close the step", group: GROUP, run: onLeave },
      ...depths,
    },
    enabled,
  );
  return (event) => {
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      ArrowRight: () => chosenAt !== undefined && act(moveRight(rows, chosenAt)),
      ArrowLeft: () => chosenAt !== undefined && act(moveLeft(rows, chosenAt)),
      PageDown: () => move(PAGE_ROWS),
      PageUp: () => move(-PAGE_ROWS),
      Home: () => pick(0),
      End: () => pick(rows.length - 1),
      Enter: () => chosenAt !== undefined && onToggle(chosenAt),
    };
    const found = acts[event.key];
    if (found === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    found();
  };
}
