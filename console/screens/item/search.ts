import { readSearch } from "../../parts/url-search.ts";

/** The tab of an item's page, and the versions that it compares. */
export const parseSearch = readSearch(["tab", "before", "after", "text", "status"]);
export type Search = ReturnType<typeof parseSearch>;
