import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createHeldCalls } from "./held-calls.ts";
import { createSealedStates } from "./sealed-state.ts";
import { createTaskIds } from "./tasks/task-id.ts";
import { silentLog } from "../core/log.ts";
import { createLibrary } from "../library/library.ts";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import { succeed } from "../core/result.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createDraftFolder } from "../library/draft-folder.ts";
import { createDrafts } from "../library/drafts.ts";
import { createRegistry } from "../registry/registry.ts";
import { createTraces } from "../runs/trace.ts";
import { TRACE_ID_KEY } from "./answer.ts";
import { createGateway } from "./whole-gateway.ts";
import { META_TOOLS, openRig, sum } from "./gateway.testkit.ts";
import { listTools } from "./list-all.ts";
import { INSTRUCTIONS_MAX } from "./meta-tools/meta-tools.ts";
import type { Gateway } from "./gateway.ts";

describe("the list", () => {
  it("has exactly the five meta-tools, and what was kept in the very next list", async () => {
    const { gateway, store } = await openRig(createFixtureSource("github", [toolOf("create_issue")]));
    expect((await listTools(gateway)).map((tool) => tool.name)).toEqual(META_TOOLS);
    await store.capabilities.save(sum);
    await store.capabilities.save({ ...sum, namespace: "code", action: "analyze" });
    const tools = await listTools(gateway);
    expect(tools.map((tool) => tool.name)).toEqual([...META_TOOLS, "mcp__code__analyze", "mcp__math__sum"]);
    expect(tools.at(-1)).toMatchObject({ description: sum.description, inputSchema: sum.inputSchema });
  });

  it("pins names, required and optional arguments", async () => {
    const { gateway } = await openRig();
    const shapes = (await listTools(gateway)).map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema["properties"] as object),
      inputSchema["required"] ?? [],
    ]);
    expect(shapes).toEqual([
      ["browse_components", ["query", "include_workflows", "limit", "detail", "names"], []],
      ["list_library", ["pattern"], []],
      ["describe_workflow", ["name"], ["name"]],
      [
        "execute",
        [
          "name",
          "inputs",
          "code",
          "intent",
          "resume",
          "uncertain",
          "timeout_ms",
          "background",
          "save_as",
          "calls",
        ],
        [],
      ],
      [
        "save_to_library",
        ["draft_name", "final_name", "description", "tags", "visibility", "overwrite"],
        ["draft_name", "final_name", "description"],
      ],
    ]);
  });

  it("gives each tool a title, a description, annotations and an output schema", async () => {
    const { gateway } = await openRig();
    for (const tool of await listTools(gateway)) {
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
    const text = JSON.stringify((await listTools(gateway)).map(({ _meta, ...shown }) => shown));
    expect(text).not.toContain('"type":[');
    expect(text).not.toContain('"additionalProperties":{}');
    expect(text).not.toContain("$ref");
    // What every request of every client carries; about 1,500 tokens with the schemas of the answers.
    expect(text.length).toBeLessThan(6_900);
  });

  it("has at most 680 tokens in the five definitions, however many servers there are", async () => {
    const { gateway } = await openRig(
      ...Array.from({ length: 40 }, (_, i) => createFixtureSource(`s${i}`, [])),
    );
    const definitions = (await listTools(gateway)).map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema }),
    );
    expect(definitions).toHaveLength(5);
    expect(definitions.reduce((total, text) => total + countTokens(text), 0)).toBeLessThanOrEqual(680);
  });

  it("names the servers, at most twelve of them", async () => {
    const few = await openRig(createFixtureSource("github", []), createFixtureSource("slack", []));
    expect((await listTools(few.gateway))[0]!.description).toContain("Servers: github, slack.");
    const many = await openRig(...Array.from({ length: 40 }, (_, i) => createFixtureSource(`s${i}`, [])));
    expect((await listTools(many.gateway))[0]!.description).toContain("s11 and 28 more");
    const none = await openRig();
    expect((await listTools(none.gateway))[0]!.description).toContain("No servers are configured yet.");
  });
});

describe("clients that search the tools by themselves", () => {
  it("have what finds and runs tools at hand from the start, and a hint at each of the others", async () => {
    const { gateway } = await openRig();
    const metas = (await listTools(gateway)).map(({ name, _meta }) => [
      name,
      _meta?.["anthropic/alwaysLoad"],
    ]);
    expect(metas.filter(([, isLoaded]) => isLoaded === true).map(([name]) => name)).toEqual([
      "browse_components",
      "execute",
    ]);
    for (const { _meta } of await listTools(gateway)) {
      const hint = _meta?.["anthropic/searchHint"] as string;
      expect(hint).toMatch(/^[A-Za-z ,:]+$/);
      expect(hint.split(" ").length).toBeLessThanOrEqual(12);
    }
  });

  it("are told the servers and the loop in five lines", async () => {
    const { gateway } = await openRig(createFixtureSource("github", []), createFixtureSource("slack", []));
    const lines = (await instructionsOf(gateway)).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe("Servers: github, slack.");
    expect(lines.slice(1).map((line) => META_TOOLS.filter((tool) => line.includes(tool)))).toEqual([
      ["browse_components"],
      ["execute"],
      ["execute"],
      ["list_library", "save_to_library"],
    ]);
  });

  it("are told no more than they keep, however long the names of the servers are", async () => {
    const servers = Array.from({ length: 40 }, (_, i) =>
      createFixtureSource(`${"long_".repeat(50)}${i}`, []),
    );
    const told = await instructionsOf((await openRig(...servers)).gateway);
    expect(told.length).toBeLessThanOrEqual(INSTRUCTIONS_MAX);
    expect(told.split("\n")).toHaveLength(5);
    expect(told).toContain("4. save_to_library");
  });
});

async function instructionsOf(gateway: Gateway): Promise<string> {
  const described = await gateway.describe();
  if (!described.success) throw new Error(described.error.message);
  return described.data.instructions!;
}

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

describe("what goes wrong inside", () => {
  it("T161: is logged under the trace id, and the client sees no stack, path or SQL", async () => {
    const events: unknown[] = [];
    const { store, gateway: _ } = await openRig();
    const states = createSealedStates({ store: store.seals });
    const gateway = createGateway({
      registry: createRegistry(),
      library: {
        ...createLibrary(store.capabilities, () => DEFAULT_SCOPE),
        listCurrent: () => Promise.reject(new Error("select * from /home/ann/secret")),
      },
      runs: {
        nodeTypes: [],
        activeCount: () => 0,
        execute: () => Promise.reject(new Error("unused")),
        enqueue: () => Promise.reject(new Error("unused")),
        deliver: () => Promise.reject(new Error("unused")),
        listDead: () => Promise.reject(new Error("unused")),
        settleDead: () => Promise.reject(new Error("unused")),
        executeNamed: () => Promise.reject(new Error("unused")),
        prepare: () => Promise.reject(new Error("unused")),
        replay: () => Promise.reject(new Error("unused")),
        checkArguments: () => Promise.reject(new Error("unused")),
        resume: () => Promise.reject(new Error("unused")),
        checkResumable: () => Promise.reject(new Error("unused")),
        look: () => Promise.reject(new Error("unused")),
        findLast: () => Promise.reject(new Error("unused")),
        listWaiting: () => Promise.reject(new Error("unused")),
        findCall: () => Promise.reject(new Error("unused")),
        findRun: () => Promise.reject(new Error("unused")),
        question: () => Promise.reject(new Error("unused")),
        decide: () => Promise.reject(new Error("unused")),
        cancel: () => Promise.reject(new Error("unused")),
        callPlaces: () => Promise.reject(new Error("unused")),
        checkCode: () => Promise.reject(new Error("unused")),
        prepareWorkflow: () => Promise.reject(new Error("unused")),
        sweep: async () => {},
        drain: async () => {},
        warm: () => {},
        warmFor: () => Promise.resolve(false),
        close: async () => {},
      },
      capabilitySaver: { save: () => Promise.reject(new Error("unused")) },
      traces: createTraces({ store: store.runs, scope: () => DEFAULT_SCOPE, redactors: NO_SECRETS }),
      lookUpTool: () => ({ definition: "unknown" }),
      freshenLibrary: async () => {},
      isListed: () => true,
      checkContracts: () => succeed([]),
      metaToolAnswered: () => {},
      drafts: createDrafts({ place: createDraftFolder("/nowhere") }),
      servers: () => [],
      configChanged: () => () => {},
      exposure: () => "lean",
      serverNotified: () => () => {},
      version: "0",
      heldCalls: createHeldCalls({ states }),
      states,
      taskIds: createTaskIds(store.seals),
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
