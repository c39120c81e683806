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
