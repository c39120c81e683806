import { readSearch } from "../../parts/url-search.ts";

/** What is looked for, and which groups are folded, by their keys. */
export const parseSearch = readSearch(["query", "server", "effect", "listed", "closed"]);
export type Search = ReturnType<typeof parseSearch>;
