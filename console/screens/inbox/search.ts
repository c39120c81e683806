import { readSearch } from "../../parts/url-search.ts";

/** What the address of this screen can hold: the kinds that are shown, and the item that is open. */
export const parseSearch = readSearch(["kind", "open"]);
export type Search = ReturnType<typeof parseSearch>;
