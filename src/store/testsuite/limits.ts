import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../core/clock.ts";
import type { LimitStore, SlotLimit, WindowLimit } from "../../core/trust-store.ts";
import { createManualClock, type OpenedStore } from "./fixture.ts";

const MINUTE_MS = 60_000;
/** A killed process keeps its slots for so long. */
const SLOT_MS = MINUTE_MS;

type Open = (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>;

/** Limits go by the database's clock: here it stands until it is told to go. */
export function describeLimits(open: Open): void {
  async function openLimits() {
    const clock = createManualClock();
    let elapsed = 0;
    const own: Clock = { now: () => 1, elapsed: () => elapsed };
    const opened = await open(own, () => clock.now());
    onTestFinished(() => opened.dispose());
    const advance = (ms: number): void => {
      clock.advance(ms);
      elapsed += ms;
    };
    return { limits: opened.store.limits, advance, now: () => clock.now(), reopen: opened.reopen };
  }

  const window = (countMax: number, windowMs: number | null = MINUTE_MS, key = "k"): WindowLimit => ({
    key,
    countMax,
    windowMs,
  });
  const slot = (countMax: number, key = "s"): SlotLimit => ({ key, countMax });
  const takes = async (limits: LimitStore, count: number, windows: readonly WindowLimit[]) => {
    const taken = await Promise.all(Array.from({ length: count }, () => limits.take(windows, [])));
    return taken.filter(({ kind }) => kind === "taken").length;
  };

  it("lets as many pass as the limit says, and tells when the next may", async () => {
    const { limits, advance, now } = await openLimits();
    expect(await takes(limits, 10, [window(3)])).toBe(3);
    const reached = await limits.take([window(3)], []);
    if (reached.kind !== "reached" || reached.retryAt === null) throw new Error("expected a time");
    expect(reached.key).toBe("k");
    const waitMs = reached.retryAt - now();
    expect(waitMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(waitMs).toBeLessThanOrEqual(MINUTE_MS + MINUTE_MS / 60);
    advance(waitMs - 1);
    expect((await limits.take([window(3)], [])).kind).toBe("reached");
    advance(1);
    expect(await takes(limits, 10, [window(3)])).toBe(3);
  });

  it("never lets more pass in any time of the window's length", async () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat(400), calls: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (moves, countMax) => {
        const { limits, advance, now } = await openLimits();
        const passed: number[] = [];
        for (const { waitMs, calls } of moves) {
          advance(waitMs);
          const count = await takes(limits, calls, [window(countMax, 1_000)]);
          passed.push(...Array.from({ length: count }, now));
        }
        for (const at of passed) {
          const within = passed.filter((other) => other >= at && other < at + 1_000);
          expect(within.length).toBeLessThanOrEqual(countMax);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("counts against all limits of a call or against none", async () => {
    const { limits, advance } = await openLimits();
    const both = [window(5, MINUTE_MS, "long"), window(1, 1_000, "short")];
    expect(await takes(limits, 4, both)).toBe(1);
    expect(await limits.take(both, [])).toMatchObject({ kind: "reached", key: "short" });
    for (let i = 0; i < 4; i++) {
      advance(2_000);
      expect(await takes(limits, 3, both)).toBe(1);
    }
    advance(2_000);
    expect(await limits.take(both, [])).toMatchObject({ kind: "reached", key: "long" });
    const slots = [slot(1)];
    const held = await limits.take([], slots);
    expect(held.kind).toBe("taken");
    // The slot is held: the window is not counted.
    for (let i = 0; i < 3; i++) {
      expect(await limits.take([window(1, MINUTE_MS, "with slot")], slots)).toMatchObject({ key: "s" });
    }
    expect((await limits.take([window(1, MINUTE_MS, "with slot")], [])).kind).toBe("taken");
  });

  it("tells the first of several that are reached, windows before slots", async () => {
    const { limits } = await openLimits();
    const windows = [window(1, MINUTE_MS, "z"), window(1, MINUTE_MS, "a")];
    await limits.take(windows, [slot(1)]);
    expect(await limits.take(windows, [slot(1)])).toMatchObject({ kind: "reached", key: "z" });
  });

  it("counts without a window for ever, over a restart too, and says how often", async () => {
    const { limits, advance, reopen } = await openLimits();
    expect(await limits.used("k")).toBe(0);
    expect(await takes(limits, 5, [window(2, null)])).toBe(2);
    expect(await limits.used("k")).toBe(2);
    advance(1_000 * MINUTE_MS);
    const { limits: again } = await reopen();
    expect(await again.take([window(2, null)], [])).toEqual({ kind: "reached", key: "k", retryAt: null });
    expect(await again.take([window(3, null)], [])).toMatchObject({ kind: "taken" });
    expect(await again.used("k")).toBe(3);
  });

  it("has so many slots at once, and gives one that came back to the next", async () => {
    const { limits } = await openLimits();
    const first = await limits.take([], [slot(2)]);
    const second = await limits.take([], [slot(2)]);
    expect(await limits.take([], [slot(2)])).toEqual({ kind: "reached", key: "s", retryAt: null });
    expect((await limits.take([], [slot(2, "other")])).kind).toBe("taken");
    if (first.kind !== "taken" || second.kind !== "taken") throw new Error("expected slots");
    await limits.giveBack(first.slotIds);
    await limits.giveBack(first.slotIds);
    expect((await limits.take([], [slot(2)])).kind).toBe("taken");
    expect((await limits.take([], [slot(2)])).kind).toBe("reached");
  });

  it("frees the slots of a process that renews them no longer, after a minute", async () => {
    const { limits, advance } = await openLimits();
    const renewed = await limits.take([], [slot(2)]);
    await limits.take([], [slot(2)]);
    if (renewed.kind !== "taken") throw new Error("expected a slot");
    advance(SLOT_MS - 1);
    await limits.renew(renewed.slotIds);
    expect((await limits.take([], [slot(2)])).kind).toBe("reached");
    advance(1);
    expect((await limits.take([], [slot(2)])).kind).toBe("taken");
    expect((await limits.take([], [slot(2)])).kind).toBe("reached");
  });

  it("does not count for a year what was counted before the clock was set back", async () => {
    const { limits, advance } = await openLimits();
    advance(365 * 24 * 60 * MINUTE_MS);
    expect(await takes(limits, 3, [window(3)])).toBe(3);
    advance(-365 * 24 * 60 * MINUTE_MS);
    expect(await takes(limits, 5, [window(3)])).toBe(3);
    // A small step back changes nothing.
    advance(-MINUTE_MS / 2);
    expect(await takes(limits, 5, [window(3)])).toBe(0);
  });

  it("goes on where there is nothing to count", async () => {
    const { limits } = await openLimits();
    expect(await limits.take([], [])).toEqual({ kind: "taken", slotIds: [] });
    await limits.giveBack([]);
    await limits.renew([]);
  });
}
