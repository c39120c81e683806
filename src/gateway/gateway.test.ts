import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import {
  contextOf,
  createFixtureSource,
  toolOf,
  type FixtureSource,
} from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { succeed } from "../core/result.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import type { CapabilityDraft, Store } from "../core/store.ts";
import { createDrafts } from "../library/drafts.ts";
import { createKeeper } from "../library/keep.ts";
import { createLibrary } from "../library/library.ts";
import { createLibrarySource } from "../library/library-source.ts";
import { createCodeDirectory, createToolLookUp } from "../code-directory.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createTraces } from "../runs/trace.ts";
import { createSourceFinder } from "../library/named-source.ts";
import { createRuns } from "../runs/runs.ts";
import { createCodeAnalysis } from "../sandbox/analysis.ts";
import { createArgumentCheck } from "../sandbox/argument-check.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/type-check.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { launch } from "../upstream/process/launch.ts";
import { createGateway, TRACE_ID_KEY, type Gateway } from "./gateway.ts";

const META_TOOLS = ["browse_components", "list_library", "describe_workflow", "execute", "save_to_library"];

interface Rig {
  readonly gateway: Gateway;
  readonly registry: Registry;
  readonly store: Store;
  readonly draftsFolder: string;
  readonly call: (name: string, args?: JsonObject) => Promise<Record<string, unknown>>;
}

/** A workflow that needs no server. */
const WORKFLOW = JSON.stringify({
  ir_version: "1.0",
  outputs: { sum: { source: "${add}" } },
  nodes: [{ id: "add", type: "code", params: { code: "return 1 + 1;" } }],
});

/** What runs code, shared by all rigs: it starts with the first run. */
const bench = {
  sandbox: createSandbox({ launch, memoryMb: () => 64 }),
  analysis: createCodeAnalysis(),
  types: createTypeCheck(),
  args: createArgumentCheck(),
};
afterAll(() => Promise.all(Object.values(bench).map((part) => part.close())));
/** The calls that were refused because the config denies them. */
const denied: string[] = [];

/** The real gateway over a real store, with sources in memory in place of servers. */
async function openRig(...sources: FixtureSource[]): Promise<Rig> {
  const home = temporaryFolder();
  const draftsFolder = join(home, "drafts");
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  mkdirSync(draftsFolder);
  const registry = createRegistry();
  for (const source of sources) registry.add(source);
  const scope = () => DEFAULT_SCOPE;
  const library = createLibrary(store.capabilities, scope);
  const drafts = createDrafts(draftsFolder);
  const named = createSourceFinder({ library, drafts, capabilities: store.capabilities });
  const runs = createRuns({
    ...bench,
    store: store.runs,
    directory: createCodeDirectory({
      registry,
      liveName,
      freshenLibrary,
      servers: () => sources.map(({ id }) => id),
    }),
    callTool: registry.call,
    nodes: [],
    findSource: (name) => named.find(name),
    findVersion: (id, version) => named.version(id, version),
    recordApproval: () => {},
    scope,
    limits: () => ({ timeoutMs: 30_000, memoryMb: 64, callsMax: 200, callsAtOnceMax: 16 }),
  });
  const lookUpTool = createToolLookUp(registry, liveName);
  const kept = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => "warn",
  });
  registry.add(kept, { isOwn: true });
  onTestFinished(() => registry.close());
  function liveName(tool: string): string {
    return kept.liveName(tool);
  }
  async function freshenLibrary(): Promise<void> {
    if (await kept.lookForChanges()) await registry.refresh(kept.id, contextOf());
  }
  const gateway = createGateway({
    registry,
    runs,
    traces: createTraces({ store: store.runs, scope, redact: (value) => value }),
    library: createLibrary(store.capabilities, scope),
    keeper: createKeeper({ store, runs, scope, author: () => "ann", secrets: () => [], record: () => {} }),
    lookUpTool,
    freshenLibrary,
    isListed: (tool) => kept.isListed(tool),
    checkContracts: (current) => kept.checkContracts(current),
    drafts: createDrafts(draftsFolder),
    servers: () => sources.map((source) => source.id),
    configChanged: () => () => {},
    exposure: () => "lean",
    serverNotified: () => () => {},
    tellServers: () => {},
    setLogLevel: () => {},
    denied: (tool) => void denied.push(tool),
    metaToolAnswered: () => {},
    log: silentLog,
  });
  const call = async (name: string, args: JsonObject = {}) => {
    const answer = await gateway.callTool(name, args);
    expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(answer.structuredContent) }]);
    return { isError: answer.isError ?? false, ...answer.structuredContent };
  };
  return { gateway, registry, store, draftsFolder, call };
}

const sum: CapabilityDraft = {
  scope: DEFAULT_SCOPE,
  namespace: "math",
  action: "sum",
  kind: "code",
  description: "Adds two numbers.",
  author: "ann",
  source: "return args.a + args.b;",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number", description: "The first." }, b: { type: "number", default: 1 } },
    required: ["a"],
  },
  outputSchema: { type: "number" },
  toolsUsed: [{ tool: "calc__add", hash: "abc" }],
};

describe("the list", () => {
  it("has exactly the five meta-tools, and what was kept in the very next list", async () => {
    const { gateway, store } = await openRig(createFixtureSource("github", [toolOf("create_issue")]));
    expect((await gateway.listTools()).map((tool) => tool.name)).toEqual(META_TOOLS);
    await store.capabilities.save(sum);
    await store.capabilities.save({ ...sum, namespace: "code", action: "analyze" });
    const tools = await gateway.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([...META_TOOLS, "mcp__code__analyze", "mcp__math__sum"]);
    expect(tools.at(-1)).toMatchObject({ description: sum.description, inputSchema: sum.inputSchema });
  });

  it("pins names, required and optional arguments", async () => {
    const { gateway } = await openRig();
    const shapes = (await gateway.listTools()).map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema["properties"] as object),
      inputSchema["required"] ?? [],
      inputSchema["additionalProperties"],
    ]);
    expect(shapes).toEqual([
      ["browse_components", ["query", "include_workflows", "limit", "detail"], [], false],
      ["list_library", ["pattern"], [], false],
      ["describe_workflow", ["name"], ["name"], false],
      [
        "execute",
        ["name", "inputs", "code", "intent", "resume", "uncertain", "timeout_ms", "save_as"],
        [],
        false,
      ],
      [
        "save_to_library",
        ["draft_name", "final_name", "description", "tags", "visibility", "overwrite"],
        ["draft_name", "final_name", "description"],
        false,
      ],
    ]);
  });

  it("gives each tool a title, a description, annotations and an output schema", async () => {
    const { gateway } = await openRig();
    for (const tool of await gateway.listTools()) {
      expect(tool.title).toEqual(expect.any(String));
      expect(tool.description!.length).toBeGreaterThan(60);
      expect(tool.description!.length).toBeLessThan(1200);
      expect(tool.outputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
      expect(tool.annotations).toHaveProperty(
        "readOnlyHint",
        !["execute", "save_to_library"].includes(tool.name),
      );
    }
  });

  it("uses only what every client's dialect of JSON Schema can carry", async () => {
    const { gateway } = await openRig();
    const text = JSON.stringify(await gateway.listTools());
    expect(text).not.toContain('"type":[');
    expect(text).not.toContain('"additionalProperties":{}');
    expect(text).not.toContain("$ref");
    // What every request of every client carries; about 2,500 tokens.
    expect(text.length).toBeLessThan(11_500);
  });

  it("names the servers, at most thirty of them", async () => {
    const few = await openRig(createFixtureSource("github", []), createFixtureSource("slack", []));
    expect((await few.gateway.listTools())[0]!.description).toContain("Servers: github, slack.");
    const many = await openRig(...Array.from({ length: 40 }, (_, i) => createFixtureSource(`s${i}`, [])));
    expect((await many.gateway.listTools())[0]!.description).toContain("and 10 more");
    const none = await openRig();
    expect((await none.gateway.listTools())[0]!.description).toContain("No servers are configured yet.");
  });
});

describe("arguments", () => {
  it.each([
    ["an unknown one, with the nearest", "list_library", { patern: "x" }, "patern", "Did you mean pattern?"],
    ["several unknown ones", "list_library", { zzz: 1, qqq: 2 }, "zzz", `Unknown argument "qqq".`],
    ["a missing one", "describe_workflow", {}, "name", `The argument "name" is missing.`],
    ["a wrong type", "describe_workflow", { name: 7 }, "name", "expected string"],
    ["a null", "describe_workflow", { name: null }, "name", "expected string"],
    ["a value outside its range", "browse_components", { limit: 0 }, "limit", ">=1"],
    ["a fraction", "browse_components", { limit: 1.5 }, "limit", "int"],
    [
      "a word that is none of the choices",
      "browse_components",
      { detail: "all" },
      "detail",
      `"summary"|"full"`,
    ],
    [
      "a nested one",
      "save_to_library",
      { draft_name: "a", final_name: "b", description: "c", tags: ["x", 5] },
      "tags.1",
      "string",
    ],
    [
      "a blank description",
      "save_to_library",
      { draft_name: "a", final_name: "b", description: "  " },
      "description",
      ">=1",
    ],
  ])("name the field: %s", async (_, tool, args, field, words) => {
    const { call } = await openRig();
    expect(await call(tool, args as JsonObject)).toMatchObject({
      isError: true,
      success: false,
      error: { code: "TOOL_INVALID_INPUT", retryable: false, field, message: expect.stringContaining(words) },
    });
  });

  it("T046: own properties only, so a field named toString or __proto__ is unknown", async () => {
    const { call } = await openRig();
    for (const key of ["toString", "constructor", "__proto__"]) {
      const args = JSON.parse(`{${JSON.stringify(key)}: 1}`) as JsonObject;
      expect(await call("list_library", args)).toMatchObject({ isError: true, error: { field: key } });
    }
  });

  it("T052: deeper than 64 levels are refused", async () => {
    const { call } = await openRig();
    const deep = (levels: number) =>
      JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as JsonObject;
    expect(await call("execute", { code: "return 1", inputs: deep(62) })).toMatchObject({ success: true });
    expect(await call("execute", { code: "1", inputs: deep(64) })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("64 levels") },
    });
  });

  it("are not changed by the call", async () => {
    const { gateway } = await openRig();
    const args = Object.freeze({ limit: 5 });
    await gateway.callTool("browse_components", args);
    expect(args).toEqual({ limit: 5 });
  });
});

describe("tool names", () => {
  it("that do not exist get the nearest that do", async () => {
    const { call } = await openRig();
    expect(await call("browse_component")).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", nearest: ["browse_components"] },
    });
  });

  it("of capabilities and malformed ones answer as the contract says", async () => {
    const { call } = await openRig();
    expect(await call("mcp__math__sum")).toMatchObject({
      error: { message: "Capability not found: mcp__math__sum" },
    });
    expect(await call("__x")).toMatchObject({ error: { message: "Invalid tool name format" } });
    expect(await call("mcp__Math__sum")).toMatchObject({ error: { message: "Invalid tool name format" } });
  });

  it("of a server reach that server", async () => {
    const github = createFixtureSource("github", [toolOf("create.issue")]);
    const { gateway } = await openRig(github);
    const answer = await gateway.callTool("github__create_issue", { title: "x" });
    expect(answer).toMatchObject({ content: [{ text: "github did create.issue" }] });
    expect(github.calls).toEqual([{ name: "create.issue", args: { title: "x" } }]);
  });
});

describe("browse_components", () => {
  const github = () =>
    createFixtureSource("github", [
      toolOf("create_issue", "Opens an issue in a repository.", {
        title: { type: "string", description: "Its title." },
      }),
      toolOf("list_repos", "Lists repositories."),
    ]);

  it("gives nodes with inputs and the signature that code calls", async () => {
    const { call } = await openRig(github());
    expect(await call("browse_components", { query: "open an issue" })).toMatchObject({
      nodes: [
        {
          type: "github__create_issue",
          server: "github",
          description: "Opens an issue in a repository.",
          inputs: [{ key: "title", type: "string", required: true, description: "Its title." }],
          outputs: [],
          signature: "mcp.github.create_issue(args: { title: string }): Promise<unknown>",
        },
      ],
      total: 1,
      pending: [],
    });
  });

  it("gives schemas only in full detail", async () => {
    const { call } = await openRig(github());
    const summary = (await call("browse_components", { query: "repos" })) as { nodes: object[] };
    expect(summary.nodes[0]).not.toHaveProperty("input_schema");
    const full = (await call("browse_components", { query: "repos", detail: "full" })) as { nodes: object[] };
    expect(full.nodes[0]).toHaveProperty("input_schema", { type: "object", properties: {}, required: [] });
  });

  it("counts all that match and gives as many as asked for", async () => {
    const { call } = await openRig(github());
    expect(await call("browse_components", { query: "github", limit: 1 })).toMatchObject({
      nodes: [{}],
      total: 2,
    });
  });

  it("includes what was kept unless told otherwise", async () => {
    const { call, store } = await openRig(github());
    await store.capabilities.save(sum);
    const kept = { name: "math:sum", tool: "mcp__math__sum", description: "Adds two numbers." };
    expect(await call("browse_components", { query: "numbers" })).toMatchObject({
      nodes: [],
      workflows: [kept],
      total: 1,
    });
    expect(await call("browse_components", { query: "numbers", include_workflows: false })).toMatchObject({
      workflows: [],
    });
  });

  it("answers no match and an empty world with empty lists", async () => {
    const { call } = await openRig();
    const empty = { isError: false, nodes: [], workflows: [], total: 0, pending: [], unavailable: [] };
    const { nodes, total } = await call("browse_components");
    // What is built in is there without any server.
    expect((nodes as { type: string }[]).map(({ type }) => type)).toEqual([
      "code",
      "workflow",
      "wait",
      "approve",
    ]);
    expect(total).toBe(4);
    expect(await call("browse_components", { query: "zebra" })).toEqual(empty);
    expect(await call("browse_components", { query: "!!!" })).toEqual(empty);
  });

  it("answers within a second when a server hangs, and names it as pending", async () => {
    const hanging = createFixtureSource("slow", []);
    hanging.onList = () => new Promise(() => {});
    const { call } = await openRig(hanging, github());
    const startedAt = performance.now();
    expect(await call("browse_components", { query: "issue" })).toMatchObject({
      pending: ["slow"],
      total: 1,
    });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe("list_library and describe_workflow", () => {
  it("answer from the store", async () => {
    const { call, store } = await openRig();
    const saved = await store.capabilities.save(sum);
    await store.capabilities.recordUse(saved.capability.id, { success: true, elapsedMs: 10 });
    await store.capabilities.recordUse(saved.capability.id, { success: false, elapsedMs: 30 });
    expect(await call("list_library", { pattern: null })).toMatchObject({
      items: [
        {
          name: "math:sum",
          tool: "mcp__math__sum",
          kind: "code",
          version: 1,
          usage_count: 2,
          success_count: 1,
        },
      ],
    });
    expect(await call("describe_workflow", { name: "math:sum" })).toMatchObject({
      fqdn: expect.stringMatching(/^local\.default\.math\.sum\.[0-9a-f]{4}$/),
      uri: "repertoire://library/math/sum",
      inputs: {
        a: { type: "number", required: true, description: "The first." },
        b: { type: "number", required: false, default: 1 },
      },
      source: sum.source,
      tools_used: [{ tool: "calc__add", hash: "abc" }],
      versions: [{ version: 1 }],
      statistics: {
        executions: 2,
        successes: 1,
        failures: 1,
        average_ms: 20,
        last_run: expect.stringContaining("T"),
      },
    });
  });

  it("find the inputs that a workflow's templates use", async () => {
    const { call, store } = await openRig();
    const text = { type: "string" };
    const source = JSON.stringify({
      ir_version: "1.0",
      inputs: { city: text, day: text, unused: text },
      nodes: [{ id: "a", type: "approve", params: { message: "${city} $${literal} ${day}" } }],
    });
    await store.capabilities.save({ ...sum, namespace: "workflow", action: "w", kind: "workflow", source });
    expect(await call("describe_workflow", { name: "w" })).toMatchObject({
      template_inputs: ["city", "day"],
    });
  });
});

describe("execute", () => {
  it.each([
    ["nothing to run", {}, "name"],
    ["name and code", { name: "a", code: "b" }, "code"],
    ["uncertain without resume", { code: "1", uncertain: "retry" }, "uncertain"],
    ["an unknown answer to uncertain", { resume: "last", uncertain: "maybe" }, "uncertain"],
    ["a resume that is no run id", { resume: "../x" }, "resume"],
    ["a timeout over ten minutes", { code: "1", timeout_ms: 600_001 }, "timeout_ms"],
    ["a bad save_as", { code: "1", save_as: "Not A Name" }, "save_as"],
  ])("refuses %s", async (_, args, field) => {
    const { call } = await openRig();
    expect(await call("execute", args as JsonObject)).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field },
    });
  });

  it("limits code to 256 KiB, just under, at and just over", async () => {
    const { call } = await openRig();
    for (const length of [262_143, 262_144]) {
      expect(await call("execute", { code: "return 1 //".padEnd(length, "x") })).toMatchObject({
        outputs: 1,
      });
    }
    expect(await call("execute", { code: "x".repeat(262_145) })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field: "code", message: expect.stringContaining("262144") },
    });
  });

  it("takes a timeout of exactly ten minutes", async () => {
    const { call } = await openRig();
    expect(await call("execute", { code: "return 1", timeout_ms: 600_000 })).toMatchObject({ outputs: 1 });
  });

  it("T025: refuses an unsafe name with SECURITY_ERROR", async () => {
    const { call } = await openRig();
    for (const name of ["../etc", "/etc/passwd", "a\\b"]) {
      expect(await call("execute", { name })).toMatchObject({
        error: { code: "SECURITY_ERROR", field: "name" },
      });
    }
  });

  it("looks in the library, then in the drafts, and names what is near", async () => {
    const { call, store, draftsFolder } = await openRig();
    await store.capabilities.save(sum);
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("execute", { name: "math:sum", inputs: { a: 2 } })).toMatchObject({ outputs: 3 });
    expect(await call("execute", { name: "math:sum" })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field: "a" },
    });
    expect(await call("execute", { name: "report" })).toMatchObject({
      run_id: null,
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error" },
    });
    expect(await call("execute", { name: "math:summ" })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: ["math:sum"] },
    });
    expect(await call("execute", { name: "raport" })).toMatchObject({ error: { nearest: ["report"] } });
  });

  it("says that there is nothing to resume, with code or without", async () => {
    const { call } = await openRig();
    const none = `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`;
    const requests: JsonObject[] = [
      { resume: "last" },
      { resume: "last", code: "return 1" },
      { resume: none },
    ];
    for (const args of requests) {
      expect(await call("execute", args)).toMatchObject({
        isError: true,
        error: { code: "TOOL_NOT_FOUND", field: "resume" },
      });
    }
  });

  it("goes on with a run that failed, and runs the workflow that a draft is", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const failed = await call("execute", { code: "await mcp.notes.list(); return args.a.b;" });
    expect(failed).toMatchObject({ isError: true, checkpoint: { completed_nodes: ["notes__list"] } });
    expect(
      await call("execute", { resume: "last", code: "return [await mcp.notes.list(), 2];" }),
    ).toMatchObject({ outputs: ["notes did list", 2], calls: [{ from_journal: true }] });
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    expect(await call("execute", { name: "report" })).toMatchObject({ outputs: { sum: 2 }, draft: "report" });
  });
});

describe("execute {code}", () => {
  it("returns the result, the logs and the calls with their times, and leaves a draft that runs by name", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const code = "console.warn('careful'); return [await mcp.notes.list(), args.n];";
    const done = await call("execute", { code, inputs: { n: 2 }, intent: "List the notes!" });
    expect(done).toMatchObject({
      isError: false,
      success: true,
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      outputs: ["notes did list", 2],
      checkpoint: null,
      error: null,
      logs: [{ level: "warn", message: "careful" }],
      calls: [{ tool: "notes__list", success: true, elapsed_ms: expect.any(Number) }],
      warnings: [],
      draft: expect.stringMatching(/^list-the-notes-[0-9a-f]{8}$/),
    });
    expect(readFileSync(join(draftsFolder, `${String(done["draft"])}.ts`), "utf8")).toBe(code);
    const again = await call("execute", { name: done["draft"] as string, inputs: { n: 3 } });
    expect(again).toMatchObject({ outputs: ["notes did list", 3], draft: done["draft"] });
  });

  it("tells a failed run whole: an error, with what was logged and called until then, and no draft", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const code = "console.log('here'); await mcp.notes.list();\nthrow new Error('no');";
    expect(await call("execute", { code })).toMatchObject({
      isError: true,
      success: false,
      outputs: null,
      error: { code: "TOOL_EXECUTION_FAILED", message: "Line 2, column 11: Error: no", retryable: false },
      logs: [{ message: "here" }],
      calls: [{ tool: "notes__list" }],
      draft: null,
    });
    expect(readdirSync(draftsFolder)).toEqual([]);
  });

  it("answers as its output schema says, in every case", async () => {
    const { gateway, call } = await openRig();
    const tool = (await gateway.listTools()).find(({ name }) => name === "execute")!;
    for (const code of ["return 1", "return", "throw 1", "let x = ;", "mcp.x.y()", "console.log(1)"]) {
      const { isError: _, ...answer } = await call("execute", { code });
      const verdict = await bench.args.check(tool.outputSchema!, answer as JsonObject);
      expect({ code, ...verdict }).toMatchObject({ code, kind: "valid" });
    }
  });

  it("reports progress for each call to a client that asked", async () => {
    const { gateway } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const heard: JsonObject[] = [];
    const code = "await mcp.notes.list(); await mcp.notes.list(); return 1";
    await gateway.callTool("execute", { code }, { onProgress: (progress) => void heard.push(progress) });
    expect(heard).toEqual([
      { progress: 1, message: "notes__list returned" },
      { progress: 2, message: "notes__list returned" },
    ]);
  });

  it("does not call a tool that the config denies, and has it audited", async () => {
    const { call, registry } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    registry.restrict("notes", { deny: ["list"] });
    denied.length = 0;
    expect(await call("execute", { code: "return await mcp.notes.list()" })).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
    expect(denied).toEqual(["execute"]);
  });
});

describe("save_to_library", () => {
  const request = { draft_name: "report", final_name: "text:report", description: "Reports." };

  it("wants a draft that exists and is valid", async () => {
    const { call, draftsFolder } = await openRig();
    expect(await call("save_to_library", request)).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", field: "draft_name" },
    });
    writeFileSync(join(draftsFolder, "report.json"), "{oops");
    expect(await call("save_to_library", request)).toMatchObject({ error: { reason: "validation_error" } });
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("save_to_library", request)).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error", field: "draft_name" },
    });
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    expect(await call("save_to_library", request)).toMatchObject({
      success: true,
      tool: "mcp__text__report",
    });
    expect(readdirSync(draftsFolder)).toEqual([]);
  });

  it("limits the description to 8 KiB and the tags to twenty", async () => {
    const { call, draftsFolder } = await openRig();
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    const tags = Array.from({ length: 21 }, (_, i) => `t${i}`);
    const largest = { ...request, description: "x".repeat(8192), tags: tags.slice(1) };
    expect(await call("save_to_library", { ...largest, description: "x".repeat(8193) })).toMatchObject({
      error: { field: "description" },
    });
    expect(await call("save_to_library", { ...largest, tags })).toMatchObject({ error: { field: "tags" } });
    expect(await call("save_to_library", largest)).toMatchObject({ success: true });
  });

  it("wants a final name that is free, or overwrite", async () => {
    const { call, store, draftsFolder } = await openRig();
    await store.capabilities.save(sum);
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    const taken = { ...request, final_name: "math:sum" };
    expect(await call("save_to_library", taken)).toMatchObject({
      error: { reason: "taken", field: "final_name", hint: expect.stringContaining("overwrite: true") },
    });
    expect(await call("save_to_library", { ...taken, overwrite: true })).toMatchObject({
      success: true,
      version: 2,
    });
    expect(await call("execute", { name: "math:sum" })).toMatchObject({ outputs: { sum: 2 } });
  });

  it.each([
    ["the id of a server", "github:report", "TOOL_INVALID_INPUT"],
    ["a path", "../report", "SECURITY_ERROR"],
    ["a version", "text:report@2", "TOOL_INVALID_INPUT"],
    ["a FQDN", "local.default.text.report.abcd", "TOOL_INVALID_INPUT"],
    ["upper case", "Text:Report", "TOOL_INVALID_INPUT"],
  ])("refuses as final name %s", async (_, finalName, code) => {
    const { call, draftsFolder } = await openRig(createFixtureSource("github", []));
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("save_to_library", { ...request, final_name: finalName })).toMatchObject({
      error: { code, field: "final_name" },
    });
  });
});

describe("what goes wrong inside", () => {
  it("T161: is logged under the trace id, and the client sees no stack, path or SQL", async () => {
    const events: unknown[] = [];
    const { store, gateway: _ } = await openRig();
    const gateway = createGateway({
      registry: createRegistry(),
      library: {
        ...createLibrary(store.capabilities, () => DEFAULT_SCOPE),
        listCurrent: () => Promise.reject(new Error("select * from /home/ann/secret")),
      },
      runs: {
        nodeTypes: [],
        execute: () => Promise.reject(new Error("unused")),
        prepare: () => Promise.reject(new Error("unused")),
        replay: () => Promise.reject(new Error("unused")),
        checkArguments: () => Promise.reject(new Error("unused")),
        resume: () => Promise.reject(new Error("unused")),
        question: () => Promise.reject(new Error("unused")),
        decide: () => Promise.reject(new Error("unused")),
        prepareWorkflow: () => Promise.reject(new Error("unused")),
        leave: async () => {},
        warm: () => {},
        close: async () => {},
      },
      keeper: { keep: () => Promise.reject(new Error("unused")) },
      traces: createTraces({ store: store.runs, scope: () => DEFAULT_SCOPE, redact: (value) => value }),
      lookUpTool: () => "unknown",
      freshenLibrary: async () => {},
      isListed: () => true,
      checkContracts: () => succeed([]),
      metaToolAnswered: () => {},
      drafts: createDrafts("/nowhere"),
      servers: () => [],
      configChanged: () => () => {},
      exposure: () => "lean",
      serverNotified: () => () => {},
      tellServers: () => {},
      setLogLevel: () => {},
      denied: () => {},
      log: { ...silentLog, error: (event, fields) => events.push([event, fields]) },
    });
    const answer = await gateway.callTool("list_library", {});
    const traceId = answer._meta?.[TRACE_ID_KEY];
    expect(traceId).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(answer)).not.toMatch(/select|secret|at /);
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_EXECUTION_FAILED" } },
    });
    expect(events).toEqual([
      ["gateway.call.failed", { tool: "list_library", traceId, error: expect.any(Error) }],
    ]);
  });
});
