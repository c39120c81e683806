import { readSearch } from "../../parts/url-search.ts";

/** The tab, and how the arguments of a try are written. */
export const parseSearch = readSearch(["tab", "as"]);
export type Search = ReturnType<typeof parseSearch>;
