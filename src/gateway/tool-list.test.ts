import { expect, it, vi } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { succeed } from "../core/result.ts";
import { AUTO_TOKENS_MAX, type Exposure, type ToolTokens } from "./exposure.ts";
import { createGateway } from "./whole-gateway.ts";
import type { Gateway } from "./gateway.ts";
import { META_TOOLS } from "./gateway.testkit.ts";
import { createProfileGateway } from "./profiles/profile-gateway.ts";
import { createProfileView, type ProfileRules } from "./profiles/profile-view.ts";
import { openProfileRig } from "./profiles/profile.testkit.ts";
import { listTools } from "./list-all.ts";
import { versionOf } from "./lists.testkit.ts";

const BIG_COUNT = 6;

/** Counts that arrive when the test says so: so many for each big tool, and none for the others. */
function createTokens(perTool: number) {
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let countOfCount = 0;
  const tokens: ToolTokens = {
    known: ({ name }) => counts.get(name),
    recall: async () => {},
    async countOf(tools: readonly ToolDefinition[]) {
      countOfCount++;
      await new Promise<void>((resolve) => waiting.push(resolve));
      for (const { name } of tools) counts.set(name, name.startsWith("big__") ? perTool : 0);
      return tools.map(({ name }) => counts.get(name)!);
    },
  };
  const arrive = async (): Promise<void> => {
    for (const resolve of waiting.splice(0)) resolve();
    await new Promise(setImmediate);
  };
  return { tokens, arrive, countOfCount: () => countOfCount };
}

/** Tools whose size alone does not decide, and that an estimate shows. */
async function openRig(perTool: number) {
  const rig = await openProfileRig();
  const text = "x".repeat((AUTO_TOKENS_MAX * 4) / BIG_COUNT - 100);
  const tools = Array.from({ length: BIG_COUNT }, (_, at) => toolOf(`t${at}`, text));
  rig.registry.add(createFixtureSource("big", tools));
  await rig.registry.discover({ waitMs: 5_000 }, contextOf());
  // The notice of these tools goes out a moment later; what is heard afterwards is not about them.
  await new Promise<void>((resolve) => void rig.registry.changed(() => resolve()));
  const { tokens, arrive, countOfCount } = createTokens(perTool);
  const deps = { ...rig.deps, servers: () => ["big", "files", "notes"] };
  const auto = { ...deps, exposure: () => "auto" as const, toolTokens: tokens };
  const core = createGateway(auto);
  const profile = (rules: ProfileRules) => {
    const view = createProfileView("p", rules);
    return createProfileGateway({ core, deps: auto, view: () => view });
  };
  return { core, profile, arrive, countOfCount };
}

const namesOf = async (gateway: Gateway) => (await listTools(gateway)).map(({ name }) => name);
const bigCountOf = async (gateway: Gateway) =>
  (await namesOf(gateway)).filter((name) => name.startsWith("big__")).length;

function listen(gateway: Gateway): string[] {
  const told: string[] = [];
  gateway.watch((what) => told.push(what));
  return told;
}

it("shows what an estimate says until the counts arrive, then tells clients that the list is another", async () => {
  const { core, profile, arrive, countOfCount } = await openRig(AUTO_TOKENS_MAX / BIG_COUNT + 1);
  const all = profile({});
  const [one, full] = [profile({ tools: { allow: ["big__t0"] } }), profile({ exposure: "full" })];
  const gateways = [core, all, one, full];
  const told = gateways.map(listen);
  expect(await Promise.all(gateways.map(bigCountOf))).toEqual([BIG_COUNT, BIG_COUNT, 1, BIG_COUNT]);
  const versions = gateways.map((gateway) => versionOf(gateway));
  await arrive();
  expect(told).toEqual([["tools"], ["tools"], [], []]);
  expect(gateways.map((gateway, at) => versionOf(gateway) === versions[at])).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(await Promise.all(gateways.map(bigCountOf))).toEqual([0, 0, 1, BIG_COUNT]);
  expect((await namesOf(core)).slice(0, META_TOOLS.length)).toEqual(META_TOOLS);
  // The core and the profile that shows as much asked; where one tool is shown, its size was enough.
  expect(countOfCount()).toBe(2);
});

it("tells nobody when the counts say what the estimate said", async () => {
  const { core, arrive } = await openRig(AUTO_TOKENS_MAX / BIG_COUNT);
  const told = listen(core);
  const version = versionOf(core);
  await arrive();
  expect([told, versionOf(core), await bigCountOf(core)]).toEqual([[], version, BIG_COUNT]);
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
  return { core, soon, late, hidden, answer: answer.resolve };
}

it("C4: the first list of auto asks the servers that were never asked, once, and the late ones follow", async () => {
  const { core, soon, late, hidden, answer } = await openUnasked("auto");
  const told = listen(core);
  const lists = await Promise.all([namesOf(core), namesOf(core)]);
  for (const names of lists) {
    expect(names).toContain("soon__one");
    expect(names).not.toContain("late__two");
  }
  const version = versionOf(core);
  answer();
  await vi.waitFor(() => expect(versionOf(core)).not.toBe(version), 30_000);
  await vi.waitFor(() => expect(told).toContain("tools"), 30_000);
  expect(await namesOf(core)).toContain("late__two");
  expect([soon, late, hidden].map(({ listCount }) => listCount)).toEqual([1, 1, 0]);
});

it("C4: auto decides again when the late ones are more than it shows", async () => {
  const { core, late, answer } = await openUnasked("auto");
  late.tools = Array.from({ length: 40 }, (_, at) => toolOf(`t${at}`, "x".repeat(1_000)));
  expect(await namesOf(core)).toContain("soon__one");
  answer();
  await vi.waitFor(async () => expect(await namesOf(core)).not.toContain("soon__one"), 30_000);
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
