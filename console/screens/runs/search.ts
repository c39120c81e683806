import { readSearch } from "../../parts/url-search.ts";

/** What the address of this screen can hold. */
export const parseSearch = readSearch(["text", "status", "kind", "tool", "since", "until"]);
export type Search = ReturnType<typeof parseSearch>;
