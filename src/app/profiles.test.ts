import { expect, it } from "vitest";
import { contextOf } from "../../test/fixtures/tool-source.ts";
import type { Config, ProfileConfig } from "../config/config.ts";
import { openProfileRig } from "../gateway/profiles/profile.testkit.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import { createProfiles } from "./profiles.ts";
import { listTools } from "../gateway/list-all.ts";
import { versionOf } from "../gateway/lists.testkit.ts";

async function openProfiles(first: Record<string, ProfileConfig>) {
  const rig = await openProfileRig();
  let profiles: Record<string, ProfileConfig> = Object.assign(Object.create(null), first);
  const told: unknown[] = [];
  const find = createProfiles({
    config: { current: () => ({ profiles }) as unknown as Config },
    core: rig.core,
    deps: rig.deps,
    redactors: NO_SECRETS,
    servers: {
      notified: rig.deps.serverNotified,
      tell: (method, _params, _client, only) => told.push([only, method]),
      setLogLevel() {},
    },
  });
  return { ...rig, find, told, change: (next: Record<string, ProfileConfig>) => void (profiles = next) };
}

it("the gateway of a profile is made once; without a name it is the whole gateway, and of none there is none", async () => {
  const { find, core } = await openProfiles({ p: {}, t: { transparent: "notes" } });
  expect(find(undefined)).toBe(find(undefined));
  expect(versionOf(find(undefined)!.gateway)).toBe(versionOf(core));
  expect(find("p")).toBe(find("p"));
  expect([find("p")?.isTransparent, find("t")?.isTransparent]).toEqual([false, true]);
  for (const name of ["q", "constructor", "__proto__", ""]) expect(find(name)).toBeUndefined();
});

it("a client of a profile sees it as the config has it now, and nothing when it is gone", async () => {
  const { find, change } = await openProfiles({ p: { servers: ["notes"], capabilities: { allow: [] } } });
  const { gateway } = find("p")!;
  const names = async () => (await listTools(gateway)).map(({ name }) => name).slice(5);
  expect(await names()).toEqual(["notes__drop", "notes__list"]);
  change({ p: { servers: ["files"], capabilities: { allow: [] } } });
  expect(await names()).toEqual(["files__read"]);
  change({ p: { transparent: "files" } });
  expect(await listTools(gateway)).toEqual([]);
  expect(await gateway.callTool("execute", { code: "return 1" })).toMatchObject({ isError: true });
  change({});
  expect(await listTools(gateway)).toEqual([]);
});

it("a client of a transparent profile reaches its server for as long as the profile fronts it", async () => {
  const { find, change, say, told } = await openProfiles({ t: { transparent: "notes" } });
  const { gateway, events } = find("t")!;
  const heard: unknown[] = [];
  events.notified((_, params) => heard.push(params));
  const read = () => gateway.forward("resources/read", { uri: "data://one" }, contextOf());
  expect(await read()).toMatchObject({ data: { from: "notes", params: { uri: "data://one" } } });
  say("notes", "notifications/message", { data: 1 });
  events.tell("notifications/roots/list_changed", {});
  change({ t: { transparent: "files" } });
  expect(await read()).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
  expect(await gateway.describe()).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
  say("notes", "notifications/message", { data: 2 });
  events.tell("notifications/roots/list_changed", {});
  expect(heard).toEqual([{ data: 1 }]);
  expect(told).toEqual([["notes", "notifications/roots/list_changed"]]);
  expect(
    await find("t")!.gateway.forward("resources/read", { uri: "data://one" }, contextOf()),
  ).toMatchObject({
    data: { from: "files" },
  });
});
