import { readSearch } from "../../parts/url-search.ts";

/**
 * What the address of this screen can hold: the tab, the chosen step (of a run below, with `run`), the part of the time that is
 * shown, how deep it is open, whether the end is followed, the line of the source, and the filters of the log.
 */
export const parseSearch = readSearch([
  "tab",
  "step",
  "run",
  "from",
  "to",
  "depth",
  "follow",
  "line",
  "level",
  "text",
]);
export type Search = ReturnType<typeof parseSearch>;
