import { readSearch } from "../../parts/url-search.ts";

/** What comes into the editor (the source of a run or an item, a call of a tool), and the tab of the result. */
export const parseSearch = readSearch(["run", "item", "tool", "tab"]);
export type Search = ReturnType<typeof parseSearch>;
