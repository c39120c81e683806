import { readSearch } from "../../parts/url-search.ts";

/** The filters of the library. */
export const parseSearch = readSearch(["pattern", "kind", "tag", "drift"]);
export type Search = ReturnType<typeof parseSearch>;
