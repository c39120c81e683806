import { readSearch } from "../../parts/url-search.ts";

/** The tab of a server's page, the filters of what it shows, and the pin that is open. */
export const parseSearch = readSearch(["tab", "text", "status", "pin"]);
export type Search = ReturnType<typeof parseSearch>;
