import { expect, it } from "vitest";
import { KEPT_EVENT_BYTES_MAX, KEPT_EVENT_COUNT_MAX } from "./limits.ts";
import { EventLog, parseEventId } from "./event-stream.ts";

function logOf(count: number, data = "x"): EventLog {
  const log = new EventLog();
  for (let place = 1; place <= count; place++) log.add(1, place, data);
  return log;
}

it("gives what came after an event, of its own stream alone", () => {
  const log = new EventLog();
  expect([log.add(1, 1, "a"), log.add(2, 1, "b"), log.add(1, 2, "c")]).toEqual(["1-1", "2-1", "1-2"]);
  expect(log.after(1, 1).map(({ data }) => data)).toEqual(["c"]);
  expect(log.after(1, 0).map(({ data }) => data)).toEqual(["a", "c"]);
  expect(log.after(3, 0)).toEqual([]);
});

it("keeps so many events, and one more pushes the oldest out", () => {
  expect(logOf(KEPT_EVENT_COUNT_MAX).after(1, 0)).toHaveLength(KEPT_EVENT_COUNT_MAX);
  const full = logOf(KEPT_EVENT_COUNT_MAX + 1).after(1, 0);
  expect(full).toHaveLength(KEPT_EVENT_COUNT_MAX);
  expect(full[0]!.place).toBe(2);
});

it("keeps so many bytes, and one more pushes the oldest out", () => {
  const half = "x".repeat(KEPT_EVENT_BYTES_MAX / 2);
  expect(logOf(2, half).after(1, 0)).toHaveLength(2);
  expect(logOf(2, `${half}x`).after(1, 0)).toHaveLength(1);
});

it.each(["", "x", "1", "1-", "-1", "1-2-3", "1e3-1", `${"9".repeat(16)}-1`, " 1-1"])(
  "%j is no id of an event",
  (id) => {
    expect(parseEventId(id)).toBeUndefined();
  },
);
