/**
 * The rows of the waterfall, from the pages that are there. Groups and runs below open in place: their rows come from further
 * pages. What is missing is named in `slices`, together with what is used, so that one list says everything to be fetched.
 */
import { segmentsOfStep, type RunPlace } from "./bar.ts";
import {
  groupId,
  sliceKey,
  stepId,
  type GroupRow,
  type LoadedPage,
  type Slice,
  type StepRow,
  type WaterRow,
} from "./row-types.ts";

export interface RowsAsked {
  readonly run: string;
  /** When the run ended, from its start; undefined while it goes on. */
  readonly endMs: number | undefined;
  /** What has come of a slice; undefined where it was not asked for. */
  readonly pageOf: (slice: Slice) => LoadedPage | undefined;
  /** How many pages are fetched without being asked for. */
  readonly pagesMax: number;
  /** What was opened or closed by hand, by the row's id. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Everything down to this level is open otherwise. */
  readonly depth: number;
  /** A step that must not stay hidden in a group. */
  readonly reveal?: { readonly run: string; readonly step: number } | undefined;
}

export interface Rows {
  readonly rows: readonly WaterRow[];
  /** What the rows are made of, and what they lack. */
  readonly slices: readonly Slice[];
}

/** How deep runs start runs; the gateway has the same limit. */
const LEVEL_MAX = 16;

/** Where a list of rows goes: the steps of a run, or those of one group. */
interface Place {
  readonly run: string;
  readonly level: number;
  readonly time: RunPlace;
  /** Of a group: only up to this step, and each by itself. */
  readonly to?: number;
}

export function rowsOf(asked: RowsAsked): Rows {
  const found = { rows: [] as WaterRow[], slices: [] as Slice[] };
  addRows(asked, found, { run: asked.run, level: 1, time: { offsetMs: 0, endMs: asked.endMs } }, 0);
  return found;
}

type Found = { readonly rows: WaterRow[]; readonly slices: Slice[] };

function addRows(asked: RowsAsked, found: Found, place: Place, after: number): void {
  for (let at: number | undefined = after; at !== undefined;) at = addPage(asked, found, place, at);
}

/** The step after which the next page begins, where there is one to be shown. */
function addPage(asked: RowsAsked, found: Found, place: Place, after: number): number | undefined {
  const slice: Slice = { run: place.run, after, flat: place.to !== undefined };
  if (found.slices.length >= asked.pagesMax) return addNote(found, place, slice, "more");
  found.slices.push(slice);
  const loaded = asked.pageOf(slice);
  if (loaded?.page === undefined)
    return addNote(found, place, slice, loaded?.hasFailed === true ? "failed" : "loading");
  const { to = Infinity } = place;
  for (const row of loaded.page.rows) {
    if ((row.row === "step" ? row.step : row.from_step) > to) return undefined;
    if (row.row === "step") addStep(asked, found, place, row);
    else addGroup(asked, found, place, row);
  }
  const { next } = loaded.page;
  return next === undefined || next >= to ? undefined : next;
}

function addNote(
  found: Found,
  { run, level, time }: Place,
  slice: Slice,
  kind: "loading" | "failed" | "more",
): undefined {
  found.rows.push({
    kind,
    id: `${kind}:${sliceKey(slice)}`,
    run,
    level,
    place: time,
    isOpen: undefined,
    slice,
  });
}

function addStep(asked: RowsAsked, found: Found, place: Place, step: StepRow): void {
  const { run, level, time } = place;
  const id = stepId(run, step.step);
  const isOpen = step.run === undefined || level >= LEVEL_MAX ? undefined : isRowOpen(asked, id, level);
  found.rows.push({ kind: "step", id, run, level, place: time, isOpen, step });
  if (isOpen === true)
    addRows(asked, found, { run: step.run!, level: level + 1, time: placeOfChild(step, time) }, 0);
}

function addGroup(asked: RowsAsked, found: Found, place: Place, group: GroupRow): void {
  const { run, level, time } = place;
  const { from_step: from, to_step: to } = group;
  const id = groupId(run, from);
  const { reveal } = asked;
  const isRevealed = reveal?.run === run && reveal.step >= from && reveal.step <= to;
  const isOpen = asked.opened.get(id) ?? (isRevealed || level < asked.depth);
  found.rows.push({ kind: "group", id, run, level, place: time, isOpen, group });
  if (isOpen) addRows(asked, found, { ...place, level: level + 1, to }, from - 1);
}

function isRowOpen({ opened, depth }: RowsAsked, id: string, level: number): boolean {
  return opened.get(id) ?? level < depth;
}

/** A run below begins with the call that starts it, and is over when that call has ended. */
function placeOfChild(step: StepRow, time: RunPlace): RunPlace {
  const segments = segmentsOfStep(step, time);
  const { startMs, ms, pattern } = segments.at(-1)!;
  return { offsetMs: startMs, endMs: ms, ...(pattern === "journal" && { isPast: true }) };
}

/** Whether a page can change no more: nothing in it is under way, and it is full. */
export function isSettled({ page }: Pick<LoadedPage, "page">): boolean {
  if (page?.next === undefined) return false;
  return page.rows.every(
    ({ status }) => status === "succeeded" || status === "failed" || status === "skipped",
  );
}
