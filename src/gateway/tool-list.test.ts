import { expect, it } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { AUTO_TOKENS_MAX, type ToolTokens } from "./exposure.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { META_TOOLS } from "./gateway.testkit.ts";
import { createProfileGateway } from "./profile-gateway.ts";
import { createProfileView, type ProfileRules } from "./profile-view.ts";
import { openProfileRig } from "./profile.testkit.ts";

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
  const { tokens, arrive, countOfCount } = createTokens(perTool);
  const parts = { ...rig.parts, servers: () => ["big", "files", "notes"] };
  const auto = { ...parts, exposure: () => "auto" as const, toolTokens: tokens };
  const core = createGateway(auto);
  const profile = (rules: ProfileRules) => {
    const view = createProfileView("p", rules);
    return createProfileGateway({ core, parts: auto, view: () => view });
  };
  return { core, profile, arrive, countOfCount };
}

const namesOf = async (gateway: Gateway) => (await gateway.listTools()).map(({ name }) => name);
const bigCountOf = async (gateway: Gateway) =>
  (await namesOf(gateway)).filter((name) => name.startsWith("big__")).length;

function listen(gateway: Gateway): string[] {
  const told: string[] = [];
  gateway.changed((what) => told.push(what));
  return told;
}

it("shows what an estimate says until the counts arrive, then tells clients that the list is another", async () => {
  const { core, profile, arrive, countOfCount } = await openRig(AUTO_TOKENS_MAX / BIG_COUNT + 1);
  const all = profile({});
  const [one, full] = [profile({ tools: { allow: ["big__t0"] } }), profile({ exposure: "full" })];
  const gateways = [core, all, one, full];
  const told = gateways.map(listen);
  expect(await Promise.all(gateways.map(bigCountOf))).toEqual([BIG_COUNT, BIG_COUNT, 1, BIG_COUNT]);
  const versions = gateways.map((gateway) => gateway.toolsVersion());
  await arrive();
  expect(told).toEqual([["tools"], ["tools"], [], []]);
  expect(gateways.map((gateway, at) => gateway.toolsVersion() === versions[at])).toEqual([
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
  const version = core.toolsVersion();
  await arrive();
  expect([told, core.toolsVersion(), await bigCountOf(core)]).toEqual([[], version, BIG_COUNT]);
});
