import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRefresher, goesStaleWith } from "./refresh.ts";

describe("what goes stale", () => {
  it("is an answer whose route has the topic", () => {
    expect(goesStaleWith(["listRuns", {}], { topic: "runs" })).toBe(true);
    expect(goesStaleWith(["listRuns", {}], { topic: "servers" })).toBe(false);
    expect(goesStaleWith(["readValue", { params: { run: "r1", step: "1" } }], { topic: "runs" })).toBe(false);
  });

  it("is of a run only what is about that run", () => {
    const key = ["getRun", { params: { run: "r1" } }];
    expect(goesStaleWith(key, { topic: "runs", id: "r1" })).toBe(true);
    expect(goesStaleWith(key, { topic: "runs", id: "r2" })).toBe(false);
    expect(goesStaleWith(key, { topic: "runs" })).toBe(true);
    expect(goesStaleWith(["getServer", { params: { server: "a" } }], { topic: "calls", id: "c1" })).toBe(
      true,
    );
  });
});

describe("a query on screen", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function show(answer: () => Promise<unknown>) {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
    let count = 0;
    const observer = new QueryObserver(client, {
      queryKey: ["listRuns", {}],
      queryFn: () => {
        count += 1;
        return answer();
      },
    });
    const hide = observer.subscribe(() => {});
    return { refresher: createRefresher(client), fetches: () => count, hide };
  }

  it("is fetched at most four times a second, and once more after the last change", async () => {
    const { refresher, fetches, hide } = show(() => Promise.resolve(1));
    await vi.advanceTimersByTimeAsync(1_000);
    const before = fetches();
    for (let ms = 0; ms < 1_000; ms += 10) {
      refresher.refresh({ topic: "runs" });
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fetches() - before).toBeGreaterThanOrEqual(4);
    expect(fetches() - before).toBeLessThanOrEqual(5);
    hide();
  });

  it("is not fetched again while an answer is on its way, but after it", async () => {
    const { refresher, fetches, hide } = show(
      () => new Promise((resolve) => void setTimeout(() => resolve(1), 2_000)),
    );
    await vi.advanceTimersByTimeAsync(100);
    refresher.refresh({ topic: "runs" });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(fetches()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fetches()).toBe(2);
    hide();
  });
});
