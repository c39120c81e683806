import { expect, it } from "vitest";
import type { CallEntry } from "../../core/trust-store.ts";
import type { StoreFixture } from "./fixture.ts";

export function callOf(part: Partial<CallEntry> = {}): CallEntry {
  return {
    at: 1_000,
    principal: "local",
    client: "test 1",
    profile: null,
    kind: "tool",
    tool: "files__read",
    effect: "read",
    decision: "allow",
    rule: "default",
    argsDigest: "00ff",
    args: null,
    outcome: "ok",
    elapsedMs: 1.5,
    bytes: 12,
    runId: null,
    traceId: "trace",
    ...part,
  };
}

export function describeCalls(fixture: () => StoreFixture): void {
  const tools = (calls: readonly CallEntry[]): string[] => calls.map(({ tool }) => tool);

  it("keeps everything of a call, over a restart", async () => {
    const { store, reopen } = fixture();
    const call = callOf({ args: { b: [1, null], a: "ä" }, runId: "run", profile: "p", decision: "refuse" });
    await store.calls.append([call]);
    const [read] = await (await reopen()).calls.list({ limit: 10 });
    expect(read).toEqual({ id: read?.id, ...call });
  });

  it("lists newest first, and after an id oldest first, page by page", async () => {
    const { store } = fixture();
    await store.calls.append([]);
    await store.calls.append(["a", "b", "c"].map((tool) => callOf({ tool })));
    await store.calls.append(["d", "e"].map((tool) => callOf({ tool })));
    const all = await store.calls.list({ limit: 10 });
    expect(tools(all)).toEqual(["e", "d", "c", "b", "a"]);
    const page = await store.calls.list({ limit: 2 });
    expect(tools(page)).toEqual(["e", "d"]);
    expect(tools(await store.calls.list({ limit: 2, beforeId: page[1]!.id }))).toEqual(["c", "b"]);
    expect(tools(await store.calls.list({ limit: 2, afterId: all[4]!.id }))).toEqual(["b", "c"]);
    expect(await store.calls.list({ limit: 2, afterId: all[0]!.id })).toEqual([]);
  });

  it("puts what is appended later behind all others, also when the clock went back", async () => {
    const { store, clock, reopen } = fixture();
    await store.calls.append([callOf({ tool: "first" }), callOf({ tool: "second" })]);
    const [newest] = await store.calls.list({ limit: 1 });
    clock.advance(-100_000);
    const again = await reopen();
    await again.calls.append([callOf({ tool: "third" })]);
    expect(tools(await again.calls.list({ limit: 10, afterId: newest!.id }))).toEqual(["third"]);
  });

  it("finds by patterns of tools and callers, taken literally but for *", async () => {
    const { store } = fixture();
    await store.calls.append([
      callOf({ tool: "github__create_issue", principal: "token:ci" }),
      callOf({ tool: "githubXXcreate", principal: "token:ci2", profile: "triage" }),
      callOf({ tool: "files__100%", principal: "oauth:a\\b#c" }),
      callOf({ tool: "files__100", principal: "local" }),
    ]);
    const found = async (part: { tool?: string; who?: string }) =>
      tools(await store.calls.list({ limit: 10, ...part }));
    expect(await found({ tool: "github__*" })).toEqual(["github__create_issue"]);
    expect(await found({ tool: "*CREATE*" })).toEqual(["githubXXcreate", "github__create_issue"]);
    expect(await found({ tool: "files__100%" })).toEqual(["files__100%"]);
    expect(await found({ tool: "files" })).toEqual([]);
    expect(await found({ who: "token:ci" })).toEqual(["github__create_issue"]);
    expect(await found({ who: "token:*" })).toEqual(["githubXXcreate", "github__create_issue"]);
    expect(await found({ who: "profile:tri*" })).toEqual(["githubXXcreate"]);
    expect(await found({ who: "profile:*" })).toEqual(["githubXXcreate"]);
    expect(await found({ who: "oauth:a\\b#*" })).toEqual(["files__100%"]);
    expect(await found({ who: "local", tool: "files__*" })).toEqual(["files__100"]);
  });

  it("lists what was made since a time", async () => {
    const { store } = fixture();
    await store.calls.append([callOf({ at: 1, tool: "old" }), callOf({ at: 2, tool: "new" })]);
    expect(tools(await store.calls.list({ limit: 10, since: 2 }))).toEqual(["new"]);
  });

  it("removes what is older, some at a time, and nothing else", async () => {
    const { store } = fixture();
    const old = Array.from({ length: 1_500 }, (_, at) => callOf({ at }));
    await store.calls.append([...old, callOf({ at: 1_500, tool: "kept" })]);
    const first = await store.calls.removeBefore(1_500);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(1_500);
    expect(first + (await store.calls.removeBefore(1_500))).toBe(1_500);
    expect(await store.calls.removeBefore(1_500)).toBe(0);
    expect(tools(await store.calls.list({ limit: 10 }))).toEqual(["kept"]);
  });
}

/** The call log in numbers, and what is looked for in it. */
export function describeCallSummaries(fixture: () => StoreFixture): void {
  it("lists the calls of a run, of exactly one principal, and by how they ended", async () => {
    const { store } = fixture();
    await store.calls.append([
      callOf({ tool: "a", runId: "r1", principal: "token:ci" }),
      callOf({ tool: "b", runId: "r2", principal: "token:ci2", outcome: "tool_error" }),
      callOf({ tool: "c", principal: "token:ci", decision: "refuse", outcome: "SECURITY_ERROR refused" }),
      callOf({ tool: "d", decision: "ask", outcome: "APPROVAL_REQUIRED" }),
    ]);
    const found = async (part: object) =>
      (await store.calls.list({ limit: 9, ...part })).map(({ tool }) => tool);
    expect(await found({ runId: "r1" })).toEqual(["a"]);
    expect(await found({ owner: "token:ci" })).toEqual(["c", "a"]);
    expect(await found({ outcome: "ok" })).toEqual(["a"]);
    expect(await found({ outcome: "failed" })).toEqual(["d", "b"]);
    expect(await found({ outcome: "refused" })).toEqual(["c"]);
    expect(await found({ outcome: "failed", owner: "token:ci2", tool: "*" })).toEqual(["b"]);
  });

  it("sums up calls: how many, how many failed, and how long they took", async () => {
    const { store } = fixture();
    expect(await store.calls.summary({ since: 0 })).toEqual({
      count: 0,
      errorCount: 0,
      p50Ms: 0,
      p95Ms: 0,
      totalMs: 0,
      bytes: 0,
    });
    const hundred = Array.from({ length: 100 }, (_, at) =>
      callOf({ at: 10, elapsedMs: 100 - at, bytes: 1, outcome: at < 3 ? "tool_error" : "ok" }),
    );
    await store.calls.append([
      ...hundred,
      callOf({ at: 9, elapsedMs: 9_999 }),
      callOf({ at: 10, tool: "files_x__read", elapsedMs: 9_999, principal: "token:a", runId: "r" }),
    ]);
    expect(await store.calls.summary({ since: 10, toolPrefix: "files__" })).toEqual({
      count: 100,
      errorCount: 3,
      p50Ms: 50,
      p95Ms: 95,
      totalMs: 5_050,
      bytes: 100,
    });
    expect(await store.calls.summary({ since: 0 })).toMatchObject({ count: 102 });
    expect(await store.calls.summary({ since: 0, owner: "token:a" })).toMatchObject({ count: 1 });
    expect(await store.calls.summary({ since: 0, runId: "r" })).toMatchObject({ count: 1, p50Ms: 9_999 });
  });

  it("lists the clients that were seen, the last first", async () => {
    const { store } = fixture();
    await store.calls.append([
      callOf({ at: 1, client: "old" }),
      callOf({ at: 5, client: "a" }),
      callOf({ at: 7, client: "b", principal: "token:b" }),
      callOf({ at: 9, client: "a" }),
      callOf({ at: 9, client: null }),
    ]);
    const [a, b] = [
      { name: "a", lastSeenAt: 9, callCount: 2 },
      { name: "b", lastSeenAt: 7, callCount: 1 },
    ];
    expect(await store.calls.clients({ since: 2, limit: 9 })).toEqual([a, b]);
    expect(await store.calls.clients({ since: 2, limit: 1 })).toEqual([a]);
    expect(await store.calls.clients({ since: 2, limit: 9, owner: "token:b" })).toEqual([b]);
  });
}

export function describeTokenUses(fixture: () => StoreFixture): void {
  it("remembers the latest use of each token", async () => {
    const { store, reopen } = fixture();
    await store.tokenUses.put(new Map());
    await store.tokenUses.put(
      new Map([
        ["ci", 5],
        ["laptop", 7],
      ]),
    );
    await store.tokenUses.put(new Map([["ci", 9]]));
    await store.tokenUses.put(new Map([["laptop", 3]]));
    const uses = await (await reopen()).tokenUses.list();
    expect([...uses]).toEqual([
      ["ci", 9],
      ["laptop", 7],
    ]);
  });
}
