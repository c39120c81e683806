import { expect, it } from "vitest";
import { queryOf, runFilters, withSpan } from "./run-filters.ts";
import type { Search } from "./search.ts";

const timesOf = (search: Search) => runFilters(search).find(({ key }) => key === "since")?.options ?? [];
/** In the viewer's time zone. */
const local = (year: number, month: number, day: number, hour: number) =>
  new Date(year, month, day, hour).toISOString();

it("names a time that was chosen in the bars by its hours, and by its days where they differ", () => {
  const since = local(2026, 2, 1, 14);
  expect(timesOf({ since, until: local(2026, 2, 1, 15) }).at(-1)?.label).toBe("Mar 1, 14:00 – 15:00");
  expect(timesOf({ since, until: local(2026, 2, 2, 15) }).at(-1)?.label).toBe("Mar 1, 14:00 – Mar 2, 15:00");
  expect(timesOf({ since }).at(-1)?.label).toBe("since Mar 1, 14:00");
});

it("adds nothing for a usual time", () => {
  expect(timesOf({ since: "24h" }).map(({ value }) => value)).toEqual(["1h", "24h", "7d", "30d"]);
});

it("leaves the end of a time behind when its beginning changes", () => {
  expect(withSpan({ since: "1h" })).toEqual({ since: "1h", until: undefined });
  expect(withSpan({ since: "a", until: "b" })).toEqual({ since: "a", until: "b" });
  expect(withSpan({ status: "failed" })).toEqual({ status: "failed" });
});

it("asks the gateway for what the address has", () => {
  expect(queryOf({ status: "failed,paused", text: "mail" })).toMatchObject({
    status: "failed,paused",
    text: "mail",
  });
});
