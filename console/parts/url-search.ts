import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** The search parameters of a screen: every filter, so that a link shows the same to somebody else. */
export type UrlSearch = Readonly<Record<string, string | undefined>>;

/**
 * The filters of the screen, from the URL, and a way to change some of them. An empty one leaves the URL. It replaces the
 * entry of the history: going back leaves the screen and does not undo each letter.
 */
export function useUrlSearch<Search extends UrlSearch>(): readonly [
  search: Search,
  change: (patch: Partial<Search>) => void,
] {
  // Of whichever screen is shown; the type of its own is in its `search.ts`.
  const search = (useSearch as (options: { readonly strict: false }) => unknown)({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (patch: Partial<Search>) => {
      void navigate({
        to: ".",
        replace: true,
        search: ((before: UrlSearch) => withoutEmpty({ ...before, ...patch })) as never,
      });
    },
    [navigate],
  );
  return [search, change];
}

/** Reads the named parameters as texts; anything else in the URL is dropped. For `search.ts` of a screen. */
export function readSearch<Key extends string>(keys: readonly Key[]) {
  return (raw: Readonly<Record<string, unknown>>): { readonly [Each in Key]?: string } =>
    withoutEmpty(Object.fromEntries(keys.map((key) => [key, textOf(raw[key])]))) as {
      readonly [Each in Key]?: string;
    };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function withoutEmpty(search: UrlSearch): UrlSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ""),
  );
}
