import { readSearch } from "../../parts/url-search.ts";

/** The address of this screen holds nothing. */
export const parseSearch = readSearch([]);
