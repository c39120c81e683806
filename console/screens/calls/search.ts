import { readSearch } from "../../parts/url-search.ts";

/** What the address of this screen can hold: the filters, and the call that is open. */
export const parseSearch = readSearch(["tool", "who", "outcome", "run", "since", "call"]);
export type Search = ReturnType<typeof parseSearch>;
