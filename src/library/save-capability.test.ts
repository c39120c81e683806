import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createTestLibrary, SECRET, type TestLibrary } from "./library.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestLibrary;

const ADD: Partial<ToolDefinition> = {
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", description: "What it is called." },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["title"],
  },
  annotations: { destructiveHint: false },
};
const READ: Partial<ToolDefinition> = { annotations: { readOnlyHint: true, openWorldHint: false } };

const ANSWERS = {
  add: ({ title }: Record<string, unknown>) => ({ id: 7, title }),
  read: () => ({ text: "hello", token: SECRET }),
  fail: () => ({ isError: true, content: [{ type: "text", text: "the disk is full" }] }),
};

beforeAll(async () => {
  kit = await createTestLibrary(folder);
});
beforeEach(() => {
  kit.addSource("notes", ANSWERS, { add: ADD, read: READ });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

const detailsOf = async (name: string) => {
  const found = await kit.library.describe(name);
  if (!found.success) throw new Error(found.error.message);
  return found.data;
};
const call = (tool: string, args: JsonObject = {}) => kit.registry.call(tool, args, kit.context);

describe("keeping", () => {
  it("infers what it takes and gives, and what it was written against", async () => {
    const code =
      "const note = await mcp.notes.add({ title: args.title, tags: ['a'] });\nreturn { id: note.id };";
    await kit.keepRun("note:make", code, { title: "Tea" });
    const { version, capability } = await detailsOf("note:make");
    expect(version).toMatchObject({
      source: code,
      inputSchema: {
        type: "object",
        properties: { title: { type: "string", description: "What it is called." } },
        required: ["title"],
      },
      outputSchema: { type: "object", properties: { id: {} } },
      // Without words: a new description is no other contract.
      toolsUsed: [
        { tool: "notes__add", definition: { inputSchema: { properties: { title: { type: "string" } } } } },
      ],
      fromRunId: expect.any(String),
    });
    expect(capability).toMatchObject({ author: "ann", description: "Does note:make." });
  });

  it("offers written-out values as inputs and changes nothing", async () => {
    const code = "return await mcp.notes.add({ title: 'Fixed', tags: args.tags });";
    await kit.execute(code, { inputs: { tags: [] } });
    const kept = await kit.capabilitySaver.save(
      { kind: "code", source: code, name: { namespace: "note", action: "fixed" }, description: "x" },
      kit.context,
    );
    expect(kept).toMatchObject({
      data: { offers: [{ parameter: "title", tool: "notes.add", value: "Fixed", line: 1 }], warnings: [] },
    });
  });

  it("says that code was never run, and keeps it without an example", async () => {
    const kept = await kit.capabilitySaver.save(
      {
        kind: "code",
        source: "return 'never';",
        name: { namespace: "never", action: "ran" },
        description: "x",
      },
      kit.context,
    );
    expect(kept).toMatchObject({ data: { warnings: [expect.stringContaining("has not run")] } });
    const { capability } = await detailsOf("never:ran");
    expect(await kit.store.capabilities.example(capability.id, 1)).toBeUndefined();
  });

  it.each([
    [
      "a name that is not there",
      "return await mcp.notes.ad({});",
      { reason: "unknown_tool", nearest: ["mcp.notes.add"] },
    ],
    ["itself", "return await mcp.self.call();", { reason: "unknown_tool" }],
    ["a mistake", "return (", { reason: "syntax_error" }],
  ])("refuses code that calls %s", async (_, code, error) => {
    const request = {
      kind: "code" as const,
      source: code,
      name: { namespace: "self", action: "call" },
      description: "x",
      field: "draft_name",
    };
    expect(await kit.capabilitySaver.save(request, kit.context)).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT", field: "draft_name", ...error },
    });
  });

  it("refuses a new version that calls itself", async () => {
    await kit.keepRun("loop:me", "return 1;");
    const code = "return await mcp.loop.me();";
    const request = {
      kind: "code" as const,
      source: code,
      name: { namespace: "loop", action: "me" },
      description: "x",
      overwrite: true,
    };
    expect(await kit.capabilitySaver.save(request, kit.context)).toMatchObject({
      error: { reason: "cycle", message: expect.stringContaining("loop:me → loop:me") },
    });
  });

  it("T022 a version calls only what it was kept with: its tools are found in its code, and nothing else is granted", async () => {
    await kit.keepRun("note:peek", "const all = mcp; return Object.keys(all);");
    expect(await call("mcp__note__peek")).toMatchObject({ data: { content: [{ text: "[]" }] } });
  });

  it("keeps no secret that the config knows in an example", async () => {
    await kit.keepRun("note:secret", "return (await mcp.notes.read()).token;", { key: SECRET });
    const { capability } = await detailsOf("note:secret");
    const example = await kit.store.capabilities.example(capability.id, 1);
    expect(example).toMatchObject({ calls: [{ tool: "notes__read" }] });
    expect(JSON.stringify(example)).not.toContain(SECRET);
    expect(await kit.libraryEditor.test("note:secret", kit.context)).toMatchObject({
      data: [{ outcome: "passed" }],
    });
  });

  it("takes out every value under the name of a secret, wherever the run carried it", async () => {
    const password = "open sesame, please";
    const code = "return [args.password, (await mcp.notes.add({ title: args.password })).title];";
    await kit.keepRun("note:password", code, { password });
    const { capability } = await detailsOf("note:password");
    const example = await kit.store.capabilities.example(capability.id, 1);
    expect(example).toBeDefined();
    expect(JSON.stringify(example)).not.toContain(password);
    expect(await kit.libraryEditor.test("note:password", kit.context)).toMatchObject({
      data: [{ outcome: "passed" }],
    });
    await kit.keepRun("note:short", "return args.password;", { password: "abc" });
    expect(await kit.libraryEditor.test("note:short", kit.context)).toMatchObject({
      data: [{ outcome: "skipped", differences: [expect.stringContaining("too short")] }],
    });
  });

  it("replays with the clock and the randomness of the run, after a rollback too", async () => {
    await kit.keepRun("time:now", "return [Date.now(), Math.random()];");
    await kit.keepRun("time:now", "return [Date.now()];");
    await kit.libraryEditor.rollback("time:now@1");
    expect(await kit.libraryEditor.test("time:now", kit.context)).toMatchObject({
      data: [{ outcome: "passed", version: 3 }],
    });
  });

  it("is the same version when it is kept again, and a new one when it is overwritten", async () => {
    await kit.keepRun("math:one", "return 1;");
    await kit.keepRun("math:one", "return 1;");
    expect((await detailsOf("math:one")).versions).toHaveLength(1);
    await kit.keepRun("math:one", "return 1.0;");
    expect((await detailsOf("math:one")).versions.map(({ version }) => version)).toEqual([2, 1]);
    const described = {
      kind: "code" as const,
      source: "return 1.0;",
      name: { namespace: "math", action: "one" },
      description: "New words.",
    };
    expect(await kit.capabilitySaver.save({ ...described, overwrite: true }, kit.context)).toMatchObject({
      data: { version: { version: 3 }, capability: { description: "New words." } },
    });
    const again = {
      kind: "code" as const,
      source: "return 2;",
      name: { namespace: "math", action: "one" },
      description: "x",
    };
    expect(await kit.capabilitySaver.save(again, kit.context)).toMatchObject({ error: { reason: "taken" } });
  });
});

describe("as tools", () => {
  it("validates arguments, fills in defaults, and counts uses with the end of the run", async () => {
    await kit.keepRun("math:grow", "return args.n + (args.by ?? 10);", { n: 1 });
    expect(await call("mcp__math__grow", { n: 1 })).toMatchObject({ data: { content: [{ text: "11" }] } });
    expect(await call("mcp__math__grow", { n: "x", m: 1 })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT" },
    });
    const { capability } = await detailsOf("math:grow");
    expect(capability).toMatchObject({ usageCount: 1, successCount: 1 });
  });

  it("says honestly what it does: by the tools that it uses", async () => {
    await kit.keepRun("note:read", "return await mcp.notes.read();");
    await kit.keepRun("note:both", "await mcp.notes.read(); return await mcp.notes.add({ title: 'x' });");
    await kit.keepRun("note:wild", "try { await mcp.notes.fail() } catch {} return 1;");
    await kit.keepRun("note:none", "return 1;");
    const hints = (tool: string) => kit.registry.route(tool)?.definition.annotations;
    expect(hints("mcp__note__read")).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(hints("mcp__note__both")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints("mcp__note__wild")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints("mcp__note__none")).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it("answers what it promised, whatever a later run returns, and code reads the value itself", async () => {
    await kit.keepRun("shape:shift", "return args.list ? [1] : { n: 1 };");
    const definition = kit.registry.route("mcp__shape__shift")!.definition;
    expect(definition.outputSchema).toEqual({ type: "object", properties: { n: {} } });
    expect(await call("mcp__shape__shift", { list: true })).toMatchObject({
      data: { content: [{ text: "[1]" }], structuredContent: { result: [1] } },
    });
    const report = await kit.execute(
      "return [await mcp.shape.shift({ list: true }), await mcp.shape.shift()]",
    );
    expect(report.result).toEqual({ success: true, data: [[1], { n: 1 }] });
  });

  it("hears of what another process keeps", async () => {
    await kit.freshen();
    const other = await openSqliteStore({ home: folder });
    await other.capabilities.save({
      scope: { org: "local", project: "default" },
      namespace: "other",
      action: "made",
      kind: "code",
      description: "x",
      author: "bob",
      source: "return 'other';",
      inputSchema: { type: "object" },
    });
    await other.close();
    expect(await kit.source.lookForChanges()).toBe(true);
    await kit.freshen();
    expect(await call("mcp__other__made")).toMatchObject({ data: { content: [{ text: '"other"' }] } });
    expect(await kit.source.lookForChanges()).toBe(false);
  });

  it("says what is not there", async () => {
    expect(await kit.source.call("no__thing", {}, kit.context)).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", message: "Capability not found: mcp__no__thing" },
    });
    await kit.store.capabilities.save({
      scope: { org: "local", project: "default" },
      namespace: "empty",
      action: "code",
      kind: "code",
      description: "x",
      author: "bob",
      source: " ",
      inputSchema: { type: "object" },
    });
    expect(await kit.source.call("empty__code", {}, kit.context)).toMatchObject({
      error: { message: "Capability has no code: mcp__empty__code" },
    });
  });
});

describe("contracts", () => {
  it("warns of a tool that has changed and goes on, or refuses where the config says so", async () => {
    await kit.keepRun("drift:note", "return await mcp.notes.add({ title: args.t });", { t: "x" });
    const wider = {
      ...ADD,
      inputSchema: {
        ...ADD.inputSchema,
        properties: { title: { type: "string" }, colour: { type: "string" } },
      },
    };
    kit.addSource("notes", ANSWERS, { add: wider, read: READ });
    await kit.registry.refresh("notes", kit.context);
    expect(await call("mcp__drift__note", { t: "x" })).toMatchObject({
      success: true,
      data: { _meta: { "repertoire/warnings": [expect.stringMatching(/notes__add.*colour/)] } },
    });
    kit.changedTools = "refuse";
    const refused = await call("mcp__drift__note", { t: "x" });
    kit.changedTools = "warn";
    expect(refused).toMatchObject({ error: { reason: "contract_changed", code: "TOOL_UNAVAILABLE" } });
  });
});

describe("editing", () => {
  it("renames with the old name as an alias, and by an alias it is called and described", async () => {
    await kit.keepRun("old:name", "return 'it';");
    expect(await kit.libraryEditor.rename("old:name", "new:name")).toMatchObject({ success: true });
    expect(await kit.libraryEditor.alias("new:name", "short:name")).toMatchObject({ success: true });
    for (const name of ["old:name", "short:name", "new:name", "mcp__old__name"]) {
      expect((await detailsOf(name)).capability).toMatchObject({ namespace: "new", action: "name" });
    }
    expect(await kit.libraryEditor.rename("new:name", "notes:name")).toMatchObject({
      error: { message: expect.stringContaining("id of a server") },
    });
    expect(await kit.libraryEditor.rename("nw:name", "x:y")).toMatchObject({
      error: { nearest: ["new:name"] },
    });
  });

  it("keeps calling what was renamed, by the name that the code has", async () => {
    await kit.keepRun("inner:one", "return 'inner';");
    await kit.keepRun("outer:one", "return await mcp.inner.one();");
    await kit.libraryEditor.rename("inner:one", "core:one");
    await kit.freshen();
    expect(await call("mcp__outer__one")).toMatchObject({
      success: true,
      data: { content: [{ text: '"inner"' }] },
    });
    const meta = (await call("mcp__outer__one")) as { data: { _meta: object } };
    expect(meta.data._meta).not.toHaveProperty("repertoire/warnings");
  });

  it("goes back to an older version by making a new one", async () => {
    await kit.keepRun("back:to", "return 1;");
    await kit.keepRun("back:to", "return 2;");
    expect(await kit.libraryEditor.rollback("back:to@1")).toMatchObject({
      data: { version: { version: 3, source: "return 1;" } },
    });
    await kit.freshen();
    expect(await call("mcp__back__to")).toMatchObject({ data: { content: [{ text: "1" }] } });
    expect(await kit.libraryEditor.rollback("back:to@3")).toMatchObject({ success: false });
    expect(await kit.libraryEditor.test("back:to", kit.context)).toMatchObject({
      data: [{ outcome: "passed", version: 3 }],
    });
  });

  it("has every change audited", async () => {
    await kit.keepRun("seen:one", "return 1;");
    await kit.keepRun("seen:one", "return 2;");
    await kit.libraryEditor.rollback("seen:one@1");
    await kit.libraryEditor.rename("seen:one", "seen:two");
    await kit.libraryEditor.alias("seen:two", "seen:three");
    await kit.libraryEditor.remove("seen:two");
    expect(kit.recorded.slice(-6)).toEqual([
      "capability.saved seen:one",
      "capability.saved seen:one",
      "capability.saved seen:one",
      "capability.renamed seen:two",
      "capability.aliased seen:two",
      "capability.removed seen:two",
    ]);
  });

  it("removes: the name is free, the tool is gone, the versions stay", async () => {
    await kit.keepRun("gone:soon", "return 1;");
    const { capability } = await detailsOf("gone:soon");
    expect(await kit.libraryEditor.remove("gone:soon")).toMatchObject({ success: true });
    await kit.freshen();
    expect(kit.registry.route("mcp__gone__soon")).toBeUndefined();
    expect(await kit.store.capabilities.versions(capability.id)).toHaveLength(1);
  });

  it("exports and imports: the second time nothing changes", async () => {
    await kit.keepRun("port:able", "return await mcp.notes.add({ title: args.t });", { t: "x" });
    const items = await kit.libraryEditor.exportItems("port:*");
    const folder2 = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    const other = await createTestLibrary(folder2);
    try {
      expect(await other.libraryEditor.importItems(items, other.context)).toMatchObject({
        data: { created: ["port:able"] },
      });
      expect(await other.libraryEditor.importItems(items, other.context)).toMatchObject({
        data: { unchanged: ["port:able"] },
      });
      expect(await other.libraryEditor.exportItems(null)).toEqual(items);
      // Offline: this library has no server at all.
      expect(await other.libraryEditor.test(null, other.context)).toMatchObject({
        data: [{ outcome: "passed" }],
      });
    } finally {
      await other.close();
      rmSync(folder2, { recursive: true, force: true });
    }
  });

  it("S7: a file has no ids of a library, and what is imported is bound to the sources of this one", async () => {
    await kit.keepRun("bound:inner", "return 1;");
    await kit.keepRun("bound:outer", "await mcp.notes.add({ title: 'x' }); return await mcp.bound.inner();");
    const sources = async () =>
      (await detailsOf("bound:outer")).version.toolsUsed.map(({ source }) => source);
    const { id } = (await detailsOf("bound:inner")).capability;
    const bound = [
      { kind: "capability", id },
      { kind: "server", id: "notes" },
    ];
    expect(await sources()).toEqual(bound);
    const items = await kit.libraryEditor.exportItems("bound:outer");
    expect(items[0]!.toolsUsed.map((use) => Object.keys(use))).toEqual([
      ["definition", "hash", "tool"],
      ["definition", "hash", "tool"],
    ]);
    await kit.libraryEditor.remove("bound:outer");
    await kit.libraryEditor.importItems(items, kit.context);
    expect(await sources()).toEqual(bound);
    await kit.libraryEditor.remove("bound:outer");
    await kit.libraryEditor.remove("bound:inner");
    await kit.libraryEditor.importItems(items, kit.context);
    expect(await sources()).toEqual([{ kind: "capability", id: null }, bound[1]]);
  });

  it("S8: imports nothing that uses a hidden tool, and what is the same already is no import", async () => {
    kit.addSource("shop", { pay: () => "paid" });
    await kit.keepRun("shopping:pay", "return await mcp.shop.pay({});");
    const [item] = await kit.libraryEditor.exportItems("shopping:*");
    kit.registry.restrict("shop", { deny: ["pay"], exceptCapabilities: true });
    expect(await kit.libraryEditor.importItems([item!], kit.context)).toMatchObject({
      data: { unchanged: ["shopping:pay"] },
    });
    const other = { ...item!, action: "spend" };
    const missing = { ...item!, action: "later", source: "return await mcp.not_here_yet.pay();" };
    expect(await kit.libraryEditor.importItems([missing, other], kit.context)).toMatchObject({
      error: { code: "SECURITY_ERROR", message: expect.stringContaining("shopping:spend uses") },
    });
    expect((await kit.library.list("shopping:*")).map(({ action }) => action)).toEqual(["pay"]);
    expect(await kit.libraryEditor.importItems([missing], kit.context)).toMatchObject({
      data: { created: ["shopping:later"] },
    });
  });

  it("says what differs when an example is replayed", async () => {
    await kit.keepRun("test:me", "const n = await mcp.notes.add({ title: 'x' }); return n.id;");
    const [item] = await kit.libraryEditor.exportItems("test:me");
    await kit.libraryEditor.importItems(
      [{ ...item!, source: "const n = await mcp.notes.add({ title: 'y' }); return n.id;" }],
      kit.context,
    );
    const report = await kit.libraryEditor.test("test:me", kit.context);
    expect(report).toMatchObject({ data: [{ outcome: "failed" }] });
    const text = JSON.stringify(report);
    expect(text).toContain("not in the example");
    expect(text).toContain("does not make the call");
    await kit.libraryEditor.importItems(
      [{ ...item!, example: { ...item!.example!, result: 8 } }],
      kit.context,
    );
    expect(await kit.libraryEditor.test("test:me", kit.context)).toMatchObject({
      data: [{ outcome: "failed", differences: ["it returns 7 and returned 8"] }],
    });
  });
});
