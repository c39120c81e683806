import { readSearch } from "../../parts/url-search.ts";

/** The filters of the servers, and whether the dialog that adds some is open. */
export const parseSearch = readSearch(["text", "state", "add"]);
export type Search = ReturnType<typeof parseSearch>;
