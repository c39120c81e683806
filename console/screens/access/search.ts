import { readSearch } from "../../parts/url-search.ts";

/** The tab of access: the token that is asked about, the filters of its tools, the call that is explained. */
export const parseSearch = readSearch([
  "tab",
  "token",
  "text",
  "effect",
  "decision",
  "profile",
  "call",
  "who",
  "as",
  "new",
]);
export type Search = ReturnType<typeof parseSearch>;
