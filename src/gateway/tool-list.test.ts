import { expect, it, onTestFinished, vi } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { fail, succeed } from "../core/result.ts";
import { createMemoryCache } from "../registry/cached-lists.ts";
import { createRegistry } from "../registry/registry.ts";
import type { Exposure, ToolTokens } from "./exposure.ts";
import { ASKING_TOKENS } from "./finding-cost.ts";
import { createGateway } from "./whole-gateway.ts";
import type { Gateway } from "./gateway.ts";
import { META_TOOLS } from "./gateway.testkit.ts";
import { createProfileGateway } from "./profiles/profile-gateway.ts";
import { createProfileView, type ProfileRules } from "./profiles/profile-view.ts";
import { openProfileRig } from "./profiles/profile.testkit.ts";
import { listTools } from "./list-all.ts";
import { versionOf } from "./lists.testkit.ts";

/** Counts that say the same of every tool, and nothing of the answer of a search. */
function tokensOf(perTool: number): ToolTokens {
  return {
    countOf: async (tools) => tools.map(() => perTool),
    countTexts: async (texts) => texts.map(() => 0),
  };
}

/** Tools whose size alone does not decide. */
const openTools = Array.from({ length: 3 }, (_, at) => toolOf(`t${at}`, "x".repeat(700)));

/** A gateway with `auto`, whose counts are given, over servers that are known. */
async function openRig(perTool: number) {
  const rig = await openProfileRig();
  const big = createFixtureSource("big", openTools);
  rig.registry.add(big);
  await rig.registry.discover({ waitMs: 5_000 }, contextOf());
  // The notice of these tools goes out a moment later; what is heard afterwards is not about them.
  await new Promise<void>((resolve) => void rig.registry.changed(() => resolve()));
  const config = { mark: "a", exposure: "auto" as Exposure };
  const changed = new Set<() => void>();
  const deps = {
    ...rig.deps,
    servers: () => ["big", "files", "notes"],
    exposure: () => config.exposure,
    serversMark: () => config.mark,
    configChanged: (listener: () => void) => {
      changed.add(listener);
      return () => changed.delete(listener);
    },
    toolTokens: tokensOf(perTool),
  };
  const core = createGateway(deps);
  const profile = (rules: ProfileRules) => {
    const view = createProfileView("p", rules);
    return createProfileGateway({ core, deps, view: () => view });
  };
  const reload = (next: Partial<typeof config>) => {
    Object.assign(config, next);
    for (const listener of changed) listener();
  };
  return { ...rig, core, big, profile, reload };
}

const namesOf = async (gateway: Gateway) => (await listTools(gateway)).map(({ name }) => name);
const bigCountOf = async (gateway: Gateway) =>
  (await namesOf(gateway)).filter((name) => name.startsWith("big__")).length;

function listen(gateway: Gateway): string[] {
  const told: string[] = [];
  gateway.watch((what) => told.push(what));
  return told;
}

it("decides before the first list, for the gateway and each profile by what it shows", async () => {
  const { core, profile } = await openRig(ASKING_TOKENS / 4);
  const [one, full] = [profile({ tools: { allow: ["big__t0"] } }), profile({ exposure: "full" })];
  const gateways = [core, profile({}), one, full, profile({ exposure: "lean" })];
  const told = gateways.map(listen);
  // Six tools are dearer than a search for them, and one is not.
  expect(await Promise.all(gateways.map(bigCountOf))).toEqual([0, 0, 1, 3, 0]);
  expect((await namesOf(core)).slice(0, META_TOOLS.length)).toEqual(META_TOOLS);
  expect(told.flat()).toEqual([]);
});

it("keeps showing all tools of a server that grows", async () => {
  const { core, big } = await openRig(1);
  const told = listen(core);
  expect(await bigCountOf(core)).toBe(3);
  big.tools = Array.from({ length: 60 }, (_, at) => toolOf(`t${at}`, "x".repeat(2_000)));
  big.announce();
  await vi.waitFor(async () => expect(await bigCountOf(core)).toBe(60), 30_000);
  await vi.waitFor(() => expect(told).toContain("tools"), 30_000);
});

it("decides again when a person changes the servers or the exposure, and tells clients", async () => {
  const { core, big, registry, reload } = await openRig(1);
  expect(await bigCountOf(core)).toBe(3);
  big.tools = Array.from({ length: 60 }, (_, at) => toolOf(`t${at}`, "x".repeat(2_000)));
  await registry.discover({ waitMs: 5_000, servers: ["big"], force: true }, contextOf());
  expect(await bigCountOf(core)).toBe(60);
  const told = listen(core);
  const version = versionOf(core);
  reload({ mark: "b" });
  await vi.waitFor(() => expect(versionOf(core)).not.toBe(version), 30_000);
  expect(told).toContain("tools");
  expect(await bigCountOf(core)).toBe(0);
  reload({ exposure: "full" });
  expect(await bigCountOf(core)).toBe(60);
});

it("shows at once what an earlier process has read, and starts nothing for it", async () => {
  const cache = createMemoryCache();
  const lists = [];
  for (const isFirst of [true, false]) {
    const rig = await openProfileRig();
    const registry = createRegistry({ cache });
    onTestFinished(() => registry.close());
    const source = createFixtureSource("kept", [toolOf("one", "Does one thing")]);
    await registry.load();
    registry.add(source);
    const deps = { ...rig.deps, registry, servers: () => ["kept"], exposure: () => "auto" as const };
    lists.push((await namesOf(createGateway(deps))).includes("kept__one"));
    expect(source.listCount).toBe(isFirst ? 1 : 0);
  }
  expect(lists).toEqual([true, true]);
});

/** One server that answers at once, one that answers when it is told to; nobody has asked either yet. */
async function openUnasked(exposure: Exposure) {
  const rig = await openProfileRig();
  const soon = createFixtureSource("soon", [toolOf("one", "Does one thing")]);
  const late = createFixtureSource("late", [toolOf("two", "Does another thing")]);
  const hidden = createFixtureSource("hidden", [toolOf("three")]);
  const answer = Promise.withResolvers<void>();
  late.onList = () => answer.promise.then(() => succeed({ tools: late.tools }));
  for (const source of [soon, late, hidden]) rig.registry.add(source);
  const core = createGateway({ ...rig.deps, servers: () => ["soon", "late"], exposure: () => exposure });
  return { ...rig, core, soon, late, hidden, answer: answer.resolve };
}

it("C4: the first list of auto asks the servers that were never asked, once for all clients", async () => {
  const { core, soon, late, hidden, answer } = await openUnasked("auto");
  const startedAt = performance.now();
  setTimeout(answer, 300);
  const lists = await Promise.all([namesOf(core), namesOf(core)]);
  expect(performance.now() - startedAt).toBeLessThan(900);
  for (const names of lists) expect(names).toEqual(expect.arrayContaining(["soon__one", "late__two"]));
  expect([soon, late, hidden].map(({ listCount }) => listCount)).toEqual([1, 1, 0]);
});

it("C4: auto is lean and stays so where a server comes late", async () => {
  const { core, registry, late, answer } = await openUnasked("auto");
  const lists = await Promise.all([namesOf(core), namesOf(core)]);
  for (const names of lists) expect(names).not.toContain("soon__one");
  const version = versionOf(core);
  answer();
  await vi.waitFor(() => expect(registry.hasRead("late")).toBe(true), 30_000);
  expect(await namesOf(core)).toEqual(lists[0]);
  expect([versionOf(core), late.listCount]).toEqual([version, 1]);
});

it("C4: a server that fails is unknown, and auto is lean", async () => {
  const { core, late } = await openUnasked("auto");
  late.onList = async () => fail("TOOL_UNAVAILABLE", "It does not start.");
  expect(await namesOf(core)).not.toContain("soon__one");
});

it("C4: the first client that goes away ends nothing for the others", async () => {
  const { core, answer } = await openUnasked("auto");
  const gone = new AbortController();
  const first = listTools(core, { signal: gone.signal });
  gone.abort();
  setTimeout(answer, 200);
  expect(await namesOf(core)).toContain("late__two");
  await first;
});

it("C4: lean asks nobody", async () => {
  const { core, soon, late } = await openUnasked("lean");
  expect(await namesOf(core)).not.toContain("soon__one");
  expect([soon.listCount, late.listCount]).toEqual([0, 0]);
});

it("C4: a command waits longer than a client", async () => {
  const { core, answer } = await openUnasked("auto");
  const names = listTools(core, { startWaitMs: 30_000 });
  setTimeout(answer, 1_500);
  expect((await names).map(({ name }) => name)).toContain("late__two");
});
