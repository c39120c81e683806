import { describe, expect, it } from "vitest";
import { createTestTime, settle } from "../registry/time.testkit.ts";
import { within } from "./deadline.ts";

const never = new Promise<string>(() => {});

describe("within", () => {
  it("gives the result of work that is done in time, and leaves no timer", async () => {
    let timerCount = 0;
    const after = () => {
      timerCount++;
      return () => timerCount--;
    };
    expect(await within(Promise.resolve("done"), 1_000, { after })).toBe("done");
    expect(timerCount).toBe(0);
  });

  it("gives undefined, or what the caller says, when the time is up", async () => {
    const time = createTestTime();
    const { after } = time;
    const nothing = within(never, 100, { after });
    const words = within(never, 100, { after, late: () => "slow" });
    const failed = within(never, 100, {
      after,
      late: () => {
        throw new Error("too slow");
      },
    });
    void failed.catch(() => {});
    await time.advance(100);
    expect([await nothing, await words]).toEqual([undefined, "slow"]);
    await expect(failed).rejects.toThrow("too slow");
  });

  it("tells a failure that comes in time, and swallows one that comes later", async () => {
    await expect(within(Promise.reject(new Error("broken")), 1_000)).rejects.toThrow("broken");
    const time = createTestTime();
    const { after } = time;
    const { promise, reject } = Promise.withResolvers<string>();
    const waited = within(promise, 100, { after });
    await time.advance(100);
    reject(new Error("broken"));
    expect(await waited).toBeUndefined();
    await settle();
  });

  it("ends with the signal, and at once where there is no time", async () => {
    const { after } = createTestTime();
    const stop = new AbortController();
    const waited = within(never, 100, { after, signal: stop.signal });
    stop.abort();
    expect(await waited).toBeUndefined();
    expect(await within(never, 100, { after, signal: stop.signal })).toBeUndefined();
    expect(await within(never, 0, { after })).toBeUndefined();
  });

  it("prefers work that is done already", async () => {
    expect(await within(Promise.resolve("done"), 0)).toBe("done");
  });
});
