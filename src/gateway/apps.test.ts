/** Apps of servers behind the gateway: which tools models see, and where the calls of Apps lead. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf, type FixtureSource } from "../../test/fixtures/tool-source.ts";
import { UI_EXTENSION, UI_SETTINGS } from "../core/declared.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Gateway } from "./gateway.ts";
import { listTools } from "./list-all.ts";
import { openRig, sum, WORKFLOW } from "./gateway.testkit.ts";
import { openProfileRig } from "./profiles/profile.testkit.ts";

const PAGE = "ui://clock/page.html";

function withUi(tool: ToolDefinition, ui: object): ToolDefinition {
  return { ...tool, _meta: { ui } } as ToolDefinition;
}

/** `show` has a page; `tick` is for the page alone, `plain` is for both, `think` for models alone. */
function appServer(id: string): FixtureSource {
  return createFixtureSource(id, [
    withUi(toolOf("show"), { resourceUri: PAGE }),
    withUi(toolOf("tick"), { visibility: ["app"] }),
    withUi(toolOf("think"), { visibility: ["model"] }),
    toolOf("plain"),
  ]);
}

const textOf = (answer: object) => JSON.stringify(answer);

async function open(...sources: FixtureSource[]) {
  const rig = await openRig(...sources);
  await rig.call("browse_components", {});
  const plainly = async (name: string, args = {}) => textOf(await rig.gateway.callTool(name, args));
  return { ...rig, plainly };
}

/** The extensions that clients are told of. */
async function extensionsOf(gateway: Gateway): Promise<object> {
  const described = await gateway.describe();
  return (described.success && (described.data.capabilities["extensions"] as object | undefined)) || {};
}

describe("a tool that only Apps call", () => {
  it("is in no search, in no signature that code has, and in no hint", async () => {
    const { call, registry } = await open(appServer("clock"));
    const all = textOf(await call("browse_components", { limit: 100 }));
    expect(all).toContain("clock__show");
    expect(all).not.toContain("tick");
    expect(textOf(await call("browse_components", { names: ["clock__tick"] }))).not.toContain(
      '"type":"clock__tick"',
    );
    expect(registry.getToolDefinitions().map(({ name }) => name)).not.toContain("clock__tick");
    expect(textOf(await call("clock__tik"))).not.toContain("tick");
  });

  const draft = { ...JSON.parse(WORKFLOW), nodes: [{ id: "add", type: "clock__tick", params: {} }] };

  it.each([
    ["code", { code: "return await mcp.clock.tick({});" }],
    ["code that was written in another spelling", { code: "return await mcp.clock['tick']({});" }],
    ["a workflow", { name: "draft" }],
  ])("T148: is refused to %s, with a clear word, and not called", async (_, args) => {
    const clock = appServer("clock");
    const { plainly, draftsFolder } = await open(clock);
    writeFileSync(join(draftsFolder, "draft.json"), JSON.stringify(draft));
    expect(await plainly("execute", args)).toMatch(/clock__tick\W+ is only for the App of its server/);
    expect(clock.calls).toEqual([]);
  });

  it("is called under its exposed name, as the App's client calls it", async () => {
    const clock = appServer("clock");
    const { plainly, gateway } = await open(clock);
    expect(await plainly("clock__tick")).toContain("clock did tick");
    expect(gateway.find("clock__tick")).toBeDefined();
  });
});

describe("a call by the server's own name", () => {
  it.each(["show", "tick", "plain"])("reaches the one server with Apps that has it: %s", async (name) => {
    const clock = appServer("clock");
    const other = createFixtureSource("other", [toolOf(name)]);
    const { plainly } = await open(clock, other);
    expect(await plainly(name)).toContain(`clock did ${name}`);
    expect(other.calls).toEqual([]);
  });

  it("T148: is refused where two servers with Apps have it, and names both", async () => {
    const servers = [appServer("clock"), appServer("watch")];
    const { plainly } = await open(...servers);
    expect(await plainly("tick")).toContain("Name one of them: clock__tick, watch__tick");
    expect(servers.map(({ calls }) => calls)).toEqual([[], []]);
  });

  it("T148: reaches no tool that its server keeps from Apps, and none of a server without Apps", async () => {
    const clock = appServer("clock");
    const { plainly } = await open(clock, createFixtureSource("other", [toolOf("lonely")]));
    expect(await plainly("think")).toContain("There is no tool");
    expect(await plainly("lonely")).toContain("There is no tool");
    expect(clock.calls).toEqual([]);
  });

  it("never takes the place of a meta-tool, and is refused where something saved has the name, too", async () => {
    const clock = createFixtureSource("clock", [
      withUi(toolOf("show"), { resourceUri: PAGE }),
      toolOf("list_library"),
      toolOf("pr-analyzer"),
    ]);
    const { plainly, store } = await open(clock);
    const saved = {
      ...sum,
      namespace: "workflow",
      action: "pr_analyzer",
      kind: "workflow" as const,
      source: WORKFLOW,
    };
    await store.capabilities.save({ ...saved, inputSchema: { type: "object" }, outputSchema: null });
    expect(await plainly("list_library")).not.toContain("clock did");
    expect(await plainly("pr-analyzer")).toContain(
      "Name one of them: clock__pr-analyzer, mcp__workflow__pr_analyzer",
    );
    expect(clock.calls).toEqual([]);
  });
});

describe("the extension for Apps", () => {
  it("is told to clients while a tool with a page is there", async () => {
    const { gateway, addServer, removeServer, call } = await open(
      createFixtureSource("other", [toolOf("x")]),
    );
    const told = () => extensionsOf(gateway);
    expect(await told()).not.toHaveProperty([UI_EXTENSION]);
    addServer(appServer("clock"));
    await call("browse_components", {});
    expect(await told()).toHaveProperty([UI_EXTENSION], UI_SETTINGS);
    await removeServer("clock");
    expect(await told()).not.toHaveProperty([UI_EXTENSION]);
  });
});

/** Notes has Apps, files has not. */
async function openProfiles() {
  const rig = await openProfileRig();
  rig.notes.onList = undefined;
  rig.notes.tools = appServer("notes").tools;
  await rig.registry.refresh("notes", { traceId: "t", signal: new AbortController().signal });
  return rig;
}

describe("Apps in a profile", () => {
  it("lists the page under a URI that its clients can read, and no tool that is for Apps alone", async () => {
    const { profile } = await openProfiles();
    const tools = await listTools(
      profile({ servers: ["notes"], rename: { notes__show: "show_me" } }).gateway,
    );
    expect(tools.find(({ name }) => name === "show_me")?._meta).toEqual({
      ui: { resourceUri: "ui://notes+clock/page.html" },
    });
    expect(tools.map(({ name }) => name)).not.toContain("notes__tick");
  });

  it("are told of only where it shows a tool with a page", async () => {
    const { profile } = await openProfiles();
    expect(await extensionsOf(profile({ servers: ["notes"] }).gateway)).toHaveProperty([UI_EXTENSION]);
    expect(await extensionsOf(profile({ servers: ["files"] }).gateway)).not.toHaveProperty([UI_EXTENSION]);
    const denied = profile({ tools: { deny: ["notes__show", "execute"] } }).gateway;
    expect(await extensionsOf(denied)).not.toHaveProperty([UI_EXTENSION]);
  });

  it("T148: call the tools that it shows by their servers' names, and no others", async () => {
    const { profile, notes } = await openProfiles();
    expect(await profile({ rename: { notes__tick: "t" } }).call("tick")).toMatchObject({
      text: "notes did tick",
    });
    const hidden = profile({ tools: { deny: ["notes__tick"] } });
    expect(await hidden.call("tick")).toMatchObject({ isError: true, error: { reason: "not_granted" } });
    expect(await profile({ servers: ["files"] }).call("tick")).toMatchObject({ isError: true });
    expect(notes.calls).toHaveLength(1);
  });
});

describe("a profile with bare names", () => {
  const bare = { names: "bare" } as const;

  it("lists tools by their servers' own names, and calls them by those alone", async () => {
    const { profile, notes } = await openProfiles();
    const { gateway, call } = profile(bare);
    const names = (await listTools(gateway)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["show", "plain", "read", "mcp__math__sum", "execute"]));
    expect(names.filter((name) => name.startsWith("notes__"))).toEqual([]);
    expect(await call("plain")).toMatchObject({ text: "notes did plain" });
    expect(gateway.find("plain")).toBeDefined();
    const refused = await call("notes__plain");
    expect(refused).toMatchObject({ isError: true, error: { nearest: ["plain"] } });
    expect(notes.calls).toHaveLength(1);
  });

  it("keeps exposed names for two tools of one name, also while one of them is for Apps alone", async () => {
    const { profile, files, notes, registry } = await openProfiles();
    files.onList = undefined;
    files.tools = [toolOf("read"), toolOf("plain"), toolOf("tick")];
    const { gateway, call } = profile(bare);
    await registry.refresh("files", { traceId: "t", signal: new AbortController().signal });
    const names = (await listTools(gateway)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["show", "read", "notes__plain", "files__plain", "files__tick"]),
    );
    expect(names).not.toContain("plain");
    expect(await call("files__plain")).toMatchObject({ text: "files did plain" });
    expect(notes.calls).toEqual([]);
  });

  it("T098: lets no tool take a name of another kind", async () => {
    const { profile, files, registry } = await openProfiles();
    files.onList = undefined;
    const odd = ["execute", "notes__show", "mcp__math__sum", "a.b", "x".repeat(65), "file_bug", "fine"];
    files.tools = odd.map((name) => toolOf(name));
    await registry.refresh("files", { traceId: "t", signal: new AbortController().signal });
    const { gateway, call } = profile({ ...bare, rename: { notes__plain: "file_bug" } });
    const tools = await listTools(gateway);
    const own = tools.map(({ name }) => name).filter((name) => name.startsWith("files__") || name === "fine");
    expect(own).toHaveLength(odd.length);
    expect(own.filter((name) => name === "fine")).toHaveLength(1);
    expect(await call("file_bug")).toMatchObject({ text: "notes did plain" });
    expect(files.calls).toEqual([]);
  });

  it("shows nothing of a tool that it hides: the name of the other is clear", async () => {
    const { profile, files, registry } = await openProfiles();
    files.onList = undefined;
    files.tools = [toolOf("plain")];
    await registry.refresh("files", { traceId: "t", signal: new AbortController().signal });
    const { gateway } = profile({ ...bare, tools: { deny: ["files__*"] } });
    expect((await listTools(gateway)).map(({ name }) => name)).toContain("plain");
  });
});
