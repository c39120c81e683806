import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/fixtures/tool-source.ts";
import { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { openProfileRig } from "./profile.testkit.ts";
import { listAll, listTools } from "../list-all.ts";
import { toolBytesOf, versionOf } from "../lists.testkit.ts";

const NOTES_ONLY = { servers: ["notes"], capabilities: { allow: ["math:*"] } };

it("AG11: a client that chooses a hidden server's id as a namespace is not told of the server", async () => {
  const rig = await openProfileRig();
  const { call } = rig.profile({ servers: ["notes"] });
  const refusal = (save_as: string) => call("execute", { code: "return 1", save_as });
  expect(JSON.stringify(await refusal("notes:x"))).toContain("is the id of a server");
  const hidden = await refusal("files:x");
  expect(hidden).toMatchObject({ isError: true });
  expect(JSON.stringify(hidden)).not.toContain("server");
});

describe("the lists of a profile", () => {
  it("have only what it shows, under the names and descriptions that it gives", async () => {
    const rig = await openProfileRig();
    const { gateway } = rig.profile({
      servers: ["notes"],
      tools: { deny: ["notes__drop", "save_to_library"] },
      capabilities: { allow: ["math:*"] },
      rename: { notes__list: "all_notes", mcp__math__sum: "add" },
      describe: { notes__list: "All my notes.", execute: "Runs code." },
    });
    const tools = await listTools(gateway);
    expect(tools.map(({ name }) => name)).toEqual([
      "browse_components",
      "list_library",
      "describe_workflow",
      "execute",
      "add",
      "all_notes",
    ]);
    expect(tools.find(({ name }) => name === "all_notes")?.description).toBe("All my notes.");
    expect(tools.find(({ name }) => name === "execute")?.description).toBe("Runs code.");
    expect(tools[0]!.description).toContain("Servers: notes.");
    expect(JSON.stringify(tools)).not.toContain("files");
    expect(JSON.parse((await toolBytesOf(gateway)).toString())).toEqual({ tools });
    const prompts = await listAll(gateway, "prompts/list");
    const resources = await listAll(gateway, "resources/list");
    const templates = await listAll(gateway, "resources/templates/list");
    expect(prompts).toEqual([{ name: "notes__ask" }]);
    expect(resources).toMatchObject([{ name: "one" }]);
    expect(JSON.stringify([prompts, resources, templates])).not.toContain("files");
  });

  it("are what its instructions name, and one without all meta-tools has none", async () => {
    const rig = await openProfileRig();
    const instructions = async (rules: Parameters<typeof rig.profile>[0]) => {
      const described = await rig.profile(rules).gateway.describe();
      return described.success ? described.data.instructions : described.error.message;
    };
    expect(await instructions({})).toMatch(/^Servers: files, notes\.\n/);
    expect(await instructions(NOTES_ONLY)).toMatch(/^Servers: notes\.\n/);
    expect(await instructions({ tools: { deny: ["execute"] } })).toBeUndefined();
  });

  it("are the same bytes and the same version for as long as nothing changes, and those of the gateway stay as they are", async () => {
    const rig = await openProfileRig();
    const before = await toolBytesOf(rig.core);
    const one = rig.profile(NOTES_ONLY).gateway;
    expect(await toolBytesOf(one)).toBe(await toolBytesOf(one));
    const other = rig.profile(NOTES_ONLY).gateway;
    expect(versionOf(other)).toBe(versionOf(one));
    expect(versionOf(one)).not.toBe(versionOf(rig.core));
    expect(await toolBytesOf(rig.core)).toBe(before);
  });

  it("have an exposure of their own", async () => {
    const rig = await openProfileRig();
    const names = async (exposure: "lean" | "full" | "auto") =>
      (await listTools(rig.profile({ exposure, capabilities: { allow: [] } }).gateway)).map(
        ({ name }) => name,
      );
    expect(await names("lean")).toEqual([...META_TOOL_NAMES]);
    expect(await names("full")).toEqual([...META_TOOL_NAMES, "files__read", "notes__drop", "notes__list"]);
    expect(await names("auto")).toEqual(await names("full"));
  });

  it("are told to have changed only when what it shows has", async () => {
    const rig = await openProfileRig();
    const { gateway } = rig.profile(NOTES_ONLY);
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    gateway.watch((what) => {
      heard.push(what);
      first.resolve();
    });
    const changed = Promise.withResolvers<void>();
    rig.registry.changed(() => changed.resolve());
    rig.files.tools = [];
    await rig.registry.refresh("files", contextOf());
    await changed.promise;
    expect(heard).toEqual([]);
    rig.notes.tools = rig.notes.tools.slice(0, 1);
    await rig.registry.refresh("notes", contextOf());
    await first.promise;
    expect(heard).toEqual(["tools"]);
  });
});

describe("a call in a profile", () => {
  it("reaches a renamed tool by its new name, and by that alone", async () => {
    const rig = await openProfileRig();
    const { gateway, call } = rig.profile({ rename: { notes__list: "all_notes", mcp__math__sum: "add" } });
    expect(await call("all_notes")).toEqual({ isError: false, text: "notes did list" });
    expect(await call("add", { a: 2 })).toEqual({ isError: false, text: "3" });
    expect(gateway.find("all_notes")?.definition?.name).toBe("list");
    expect(gateway.find("notes__list")).toBeUndefined();
    expect(await gateway.find("all_notes")!.call({}, contextOf())).toMatchObject({
      content: [{ text: "notes did list" }],
    });
    expect(await call("notes__list")).toMatchObject({
      isError: true,
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["all_notes"],
        message: expect.stringContaining("is called"),
      },
    });
    expect(await rig.call("all_notes")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });

  it.each([
    "files__read",
    "files__raed",
    "files__nothing",
    "mcp__report__digest",
    "notes__drop",
    "save_to_library",
  ])("T020: of %s is refused like an unknown name", async (name) => {
    const rig = await openProfileRig();
    const rules = { ...NOTES_ONLY, tools: { deny: ["notes__drop", "save_to_library"] } };
    const { gateway, call } = rig.profile(rules);
    expect(await call(name)).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", reason: "not_granted" },
    });
    expect(gateway.find(name)).toBeUndefined();
    expect([rig.files.calls, rig.notes.calls]).toEqual([[], []]);
  });

  it("names the nearest of what it shows, as it calls it", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ ...NOTES_ONLY, rename: { notes__list: "note_list" } });
    expect(await call("notes__lst")).toMatchObject({ error: { nearest: ["note_list"] } });
    expect(await call("file__read")).toMatchObject({ error: { nearest: [] } });
    expect(await call("mcp__math__su")).toMatchObject({ error: { nearest: ["mcp__math__sum"] } });
  });

  it("reaches a capability by an alias where the profile shows what it stands for", async () => {
    const rig = await openProfileRig();
    await rig.store.capabilities.rename((await idOf(rig.store, "math", "sum"))!, {
      namespace: "calc",
      action: "sum",
    });
    const { call } = rig.profile({ capabilities: { allow: ["calc:*"] } });
    expect(await call("mcp__math__sum", { a: 1 })).toMatchObject({ isError: false, text: "2" });
    const hidden = rig.profile({ capabilities: { allow: ["math:*"] } });
    expect(await hidden.call("mcp__math__sum", { a: 1 })).toMatchObject({ error: { reason: "not_granted" } });
  });
});

describe("the meta-tools of a profile", () => {
  it("find only what it shows, with the name to call", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ ...NOTES_ONLY, rename: { notes__list: "all_notes" } });
    for (const query of [undefined, "read list drop digest sum"]) {
      const found = await call("browse_components", query === undefined ? {} : { query });
      const nodes = (found["nodes"] as { type: string; tool?: string; server: string }[]).filter(
        ({ server }) => server !== "built_in",
      );
      expect(new Map(nodes.map(({ type, tool }) => [type, tool]))).toEqual(
        new Map([
          ["notes__drop", undefined],
          ["notes__list", "all_notes"],
        ]),
      );
      expect(found["workflows"]).toMatchObject([{ name: "math:sum" }]);
      expect(JSON.stringify(found)).not.toMatch(/files|digest/);
    }
    expect(await call("list_library")).toMatchObject({ items: [{ name: "math:sum" }] });
    expect(await call("describe_workflow", { name: "math:sum" })).toMatchObject({ name: "math:sum" });
    const missed = await call("describe_workflow", { name: "report:digest" });
    expect(missed).toMatchObject({ error: { code: "TOOL_NOT_FOUND", reason: "not_granted", nearest: [] } });
  });

  it("ask no server that it does not show", async () => {
    const rig = await openProfileRig();
    const asked = rig.files.listCount;
    rig.files.announce();
    await rig.profile(NOTES_ONLY).call("browse_components");
    expect(rig.files.listCount).toBe(asked);
  });

  it.each([
    ["return await mcp.files.read()", []],
    ["return await mcp.files.nothing()", []],
    ["return await mcp['notes']['drop']()", ["mcp.notes.list"]],
    ["return await mcp.report.digest()", []],
    ["return Object.keys(mcp.files)", []],
  ])("T020: run no code that names what it does not show: %s", async (code, near) => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ ...NOTES_ONLY, tools: { deny: ["notes__drop"] } });
    const answer = await call("execute", { code });
    expect(answer).toMatchObject({
      isError: true,
      run_id: null,
      error: { code: "TOOL_NOT_FOUND", reason: "not_granted" },
    });
    const { nearest } = answer["error"] as { nearest: string[] };
    expect(nearest.every((name) => !/files|report|drop/.test(name))).toBe(true);
    expect(near.every((name) => nearest.includes(name) || nearest.length === 0)).toBe(true);
    expect([rig.files.calls, rig.notes.calls]).toEqual([[], []]);
  });

  it("run code under the names that tools have in code, renamed or not", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ ...NOTES_ONLY, rename: { notes__list: "all_notes" } });
    const code = "return [await mcp.notes.list(), await mcp.math.sum({a: 1})]";
    expect(await call("execute", { code })).toMatchObject({ outputs: ["notes did list", 2] });
  });

  it("run what was kept and is shown with the tools that it was written against, hidden ones too", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ servers: ["notes"] });
    expect(await call("mcp__report__digest")).toMatchObject({ isError: false, text: '"files did read"' });
    expect(await call("execute", { name: "report:digest" })).toMatchObject({ outputs: "files did read" });
    expect(await call("execute", { code: "return await mcp.report.digest()" })).toMatchObject({
      outputs: "files did read",
    });
    expect(rig.files.calls).toHaveLength(3);
  });

  it("run no draft and no workflow that uses what it does not show", async () => {
    const rig = await openProfileRig();
    writeFileSync(join(rig.draftsFolder, "reader.ts"), "return await mcp.files.read()");
    writeFileSync(join(rig.draftsFolder, "tool-node.json"), workflowOf({ type: "files__read" }));
    writeFileSync(
      join(rig.draftsFolder, "code-node.json"),
      workflowOf({ type: "code", params: { code: "return await mcp.files.read()" } }),
    );
    writeFileSync(
      join(rig.draftsFolder, "kept-node.json"),
      workflowOf({ type: "workflow", params: { name: "report:digest" } }),
    );
    writeFileSync(join(rig.draftsFolder, "named-node.json"), workflowOf({ type: "mcp__report__digest" }));
    const { call } = rig.profile(NOTES_ONLY);
    for (const name of ["reader", "tool-node", "code-node", "kept-node", "named-node"]) {
      expect([name, await call("execute", { name })]).toMatchObject([
        name,
        { isError: true, success: false },
      ]);
    }
    expect(rig.files.calls).toEqual([]);
    for (const name of ["reader", "tool-node", "code-node", "kept-node", "named-node"]) {
      expect([name, await rig.call("execute", { name })]).toMatchObject([name, { isError: false }]);
    }
  });

  it.each([
    ["reader.ts", "return await mcp.files.read()"],
    ["reader.json", workflowOf({ type: "files__read" })],
    ["reader.json", workflowOf({ type: "code", params: { code: "return await mcp.files.read()" } })],
    ["reader.json", workflowOf({ type: "workflow", params: { name: "report:digest" } })],
    [
      "reader.json",
      workflowOf({ type: "workflow", params: { name: "${name}" } }, { name: { type: "string" } }),
    ],
    ["reader.json", workflowOf({ type: "workflow", params: { name: "other-draft" } })],
  ])("keep nothing that uses what it does not show: %s %s", async (file, text) => {
    const rig = await openProfileRig();
    writeFileSync(join(rig.draftsFolder, file), text);
    const { call } = rig.profile(NOTES_ONLY);
    const asked = { draft_name: "reader", final_name: "math:reader", description: "Reads." };
    expect(await call("save_to_library", asked)).toMatchObject({ isError: true });
    expect(await idOf(rig.store, "math", "reader")).toBeUndefined();
  });

  it("keep what uses only what it shows, under a name that it shows", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile(NOTES_ONLY);
    writeFileSync(join(rig.draftsFolder, "lister.ts"), "return await mcp.notes.list()");
    const asked = { draft_name: "lister", description: "Lists.", overwrite: true };
    expect(await call("save_to_library", { ...asked, final_name: "report:digest" })).toMatchObject({
      error: { reason: "not_granted", field: "final_name" },
    });
    expect(await call("save_to_library", { ...asked, final_name: "math:lister" })).toMatchObject({
      success: true,
      tool: "mcp__math__lister",
    });
    const code = "return await mcp.notes.list()";
    expect(await call("execute", { code, save_as: "other:lister" })).toMatchObject({
      error: { reason: "not_granted", field: "save_as" },
    });
    expect(await call("execute", { name: "report:digest" })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: expect.not.arrayContaining(["report:digest"]) },
    });
  });
});

describe("runs in a profile", () => {
  it("go on under the view of the client that resumes them", async () => {
    const rig = await openProfileRig();
    const failed = await rig.call("execute", { code: "await mcp.files.read(); throw new Error('no')" });
    const resume = failed["run_id"] as string;
    const { call } = rig.profile(NOTES_ONLY);
    expect(await call("execute", { resume })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", reason: "not_granted", field: "resume" },
    });
    expect(await call("execute", { resume: "last" })).toMatchObject({ error: { field: "resume" } });
    expect(await call("execute", { resume, code: "return 1" })).toMatchObject({ error: { field: "resume" } });
    expect(await rig.call("execute", { resume, code: "return await mcp.files.read()" })).toMatchObject({
      outputs: "files did read",
    });
  });

  it("of their own go on", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile(NOTES_ONLY);
    const failed = await call("execute", { code: "await mcp.notes.list(); throw new Error('no')" });
    const resume = failed["run_id"] as string;
    expect(
      await call("execute", { resume, code: "return [await mcp.notes.list()]", calls: true }),
    ).toMatchObject({
      outputs: ["notes did list"],
      calls: [{ from_journal: true }],
    });
  });

  it("are read where they used only what it shows, and of what was kept only what came of it", async () => {
    const rig = await openProfileRig();
    const { gateway, call } = rig.profile({ servers: ["notes"] });
    const read = (uri: string) => gateway.forward("resources/read", { uri }, contextOf());
    const own = (await call("execute", { code: "return await mcp.notes.list()" }))["run_id"] as string;
    const kept = (await call("execute", { name: "report:digest" }))["run_id"] as string;
    const foreign = (await rig.call("execute", { code: "return await mcp.files.read()" }))[
      "run_id"
    ] as string;
    expect(await read(`repertoire://runs/${own}`)).toMatchObject({ success: true });
    expect(await read(`repertoire://runs/${own}/1`)).toMatchObject({ success: true });
    expect(await read(`repertoire://runs/${kept}/outputs`)).toMatchObject({ success: true });
    for (const uri of [kept, `${kept}/1`, foreign, `${foreign}/outputs`, `${foreign}/1`]) {
      expect([uri, await read(`repertoire://runs/${uri}`)]).toMatchObject([uri, { success: false }]);
    }
    expect(await read("repertoire://runs")).toMatchObject({ success: false });
    expect(
      await call("execute", { code: "return args.x", inputs: { x: `repertoire://runs/${foreign}/outputs` } }),
    ).toMatchObject({ error: { field: "inputs.x" } });
  });
});

describe("resources, prompts and messages in a profile", () => {
  it.each([
    ["resources/read", { uri: "repertoire://server/files/data%3A%2F%2Fone" }],
    ["resources/subscribe", { uri: "repertoire://server/files/data%3A%2F%2Fone" }],
    ["prompts/get", { name: "files__ask" }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "files__ask" } }],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "repertoire://server/files/data%3A%2F%2F{id}" } },
    ],
    ["resources/read", { uri: "repertoire://library/report/digest" }],
  ] as const)("%s of what it does not show finds nothing", async (method, params) => {
    const rig = await openProfileRig();
    const { gateway } = rig.profile(NOTES_ONLY);
    const result = await gateway.forward(method, params, contextOf());
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_NOT_FOUND" } });
    expect(result.success || (result.error.nearest ?? [])).not.toContain("files__ask");
    expect(await rig.core.forward(method, params, contextOf())).toMatchObject({ success: true });
  });

  it("of what it shows pass as they do without one", async () => {
    const rig = await openProfileRig();
    const { gateway } = rig.profile(NOTES_ONLY);
    const [resource] = await listAll(gateway, "resources/list");
    expect(await gateway.forward("resources/read", { uri: resource!["uri"]! }, contextOf())).toMatchObject({
      data: { from: "notes", params: { uri: "data://one" } },
    });
    expect(await gateway.forward("prompts/get", { name: "notes__ask" }, contextOf())).toMatchObject({
      data: { from: "notes", params: { name: "ask" } },
    });
    const ref = { type: "ref/resource", uri: "repertoire://library/{namespace}/{action}" };
    const params = { ref, argument: { name: "namespace", value: "" } };
    expect(await gateway.forward("completion/complete", params, contextOf())).toMatchObject({
      data: { completion: { values: ["math"] } },
    });
  });
});

function workflowOf(node: object, inputs: object = {}): string {
  return JSON.stringify({
    ir_version: "1.0",
    inputs,
    outputs: { out: { source: "${a}" } },
    nodes: [{ id: "a", params: {}, ...node }],
  });
}

async function idOf(
  store: Awaited<ReturnType<typeof openProfileRig>>["store"],
  namespace: string,
  action: string,
) {
  return (await store.capabilities.find({ org: "local", project: "default" }, { namespace, action }))?.id;
}
