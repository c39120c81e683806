import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StartLimit, TooLate, Unwanted } from "./start-limit.ts";

const MINUTE_MS = 60_000;

describe("C1: the limit of a start", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function watch(deps: Partial<ConstructorParameters<typeof StartLimit>[0]>) {
    const limit = new StartLimit({
      what: "start",
      limitMs: MINUTE_MS,
      longestMs: 10 * MINUTE_MS,
      lastSignAt: () => undefined,
      signal: undefined,
      ...deps,
    });
    let end: unknown;
    limit.race(new Promise(() => {})).catch((error: unknown) => (end = error));
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return end;
    };
    return { limit, pass };
  }

  it("C1: is reached without a sign of work", async () => {
    const { pass } = watch({});
    expect(await pass(MINUTE_MS - 1)).toBeUndefined();
    expect(await pass(1)).toBeInstanceOf(TooLate);
  });

  it("C1: is extended while the process writes to stderr, up to the longest", async () => {
    const { pass } = watch({ lastSignAt: () => performance.now() });
    expect(await pass(9 * MINUTE_MS)).toBeUndefined();
    expect(await pass(MINUTE_MS)).toBeInstanceOf(TooLate);
  });

  it("C1: is reached when the process has gone silent", async () => {
    let signAt = performance.now();
    const { pass } = watch({ lastSignAt: () => signAt });
    await pass(MINUTE_MS - 10_000);
    signAt = performance.now();
    expect(await pass(30_000 - 1)).toBeUndefined();
    expect(await pass(1)).toBeInstanceOf(TooLate);
  });

  it("C1: is exactly what the config says, whatever the process writes", async () => {
    const { pass } = watch({ limitMs: 500, longestMs: 500, lastSignAt: () => performance.now() });
    expect(await pass(1_000)).toBeInstanceOf(TooLate);
  });

  it("C1: ends at once when the start is not wanted any more, and never once it is stopped", async () => {
    const abort = new AbortController();
    const { pass } = watch({ signal: abort.signal });
    abort.abort();
    expect(await pass(0)).toBeInstanceOf(Unwanted);
    const stopped = watch({});
    stopped.limit.stop();
    expect(await stopped.pass(20 * MINUTE_MS)).toBeUndefined();
  });
});
