/**
 * The five meta-tools as users get them: the bundle as a process, real servers as processes behind it, clients of both eras.
 * The criteria and the edge cases carry the numbers of the specification that they come from; those of running a workflow are
 * in `workflow-execution.test.ts`.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERAS } from "./fixtures/gateway-process.ts";
import { keep, keepGreet, node, openPlace, SERVER, startRaw } from "./fixtures/workflow-place.ts";
import { BREAKABLE, GREET, workflow } from "./fixtures/workflows.ts";

const META_TOOLS = ["browse_components", "list_library", "describe_workflow", "execute", "save_to_library"];

describe("the criteria of the five meta-tools", () => {
  it.each(ERAS)("criterion 1: exactly five tools are listed (%s)", async (era) => {
    const agent = await openPlace().join(era);
    expect(await agent.tools()).toEqual(META_TOOLS);
  });

  it("criterion 2: browse_components finds a github node with its interface", async () => {
    const place = openPlace();
    const github = node([SERVER, place.effectsFile]);
    writeFileSync(place.config, JSON.stringify({ mcpServers: { github }, exposure: "lean" }));
    const agent = await place.join("2026-07-28");
    const { nodes } = await agent.call("browse_components", { query: "github issue", detail: "full" });
    expect((nodes as object[])[0]).toMatchObject({
      type: "github__create_issue",
      server: "github",
      description: "Opens an issue in a repository.",
      inputs: [
        { key: "repo", type: "string", required: true, description: "owner/name" },
        { key: "title", type: "string", required: true },
      ],
      signature: expect.stringContaining("mcp.github.create_issue("),
    });
  });

  it("criterion 3: browse_components leaves workflows out when they are not wanted", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    const query = "greet";
    expect(await agent.call("browse_components", { query })).toMatchObject({
      workflows: [{ name: "workflow:greet", tool: "mcp__workflow__greet" }],
    });
    expect(await agent.call("browse_components", { query, include_workflows: false })).toMatchObject({
      workflows: [],
    });
  });

  it("criteria 4 and 5: list_library gives all, or what matches a pattern", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    for (const name of ["workflow:test_greet", "workflow:greet", "latest:greet"]) {
      await keepGreet(place, agent, name);
    }
    const names = async (args: Record<string, unknown>) =>
      ((await agent.call("list_library", args))["items"] as { name: string; kind: string }[])
        .map(({ name, kind }) => `${kind} ${name}`)
        .toSorted();
    const all = ["workflow latest:greet", "workflow workflow:greet", "workflow workflow:test_greet"];
    expect(await names({})).toEqual(all);
    expect(await names({ pattern: "test" })).toEqual([all[0], all[2]]);
    expect(await names({ pattern: "workflow:test*" })).toEqual([all[2]]);
  });

  it("criteria 6 and 7: describe_workflow has declared and template inputs, and counts failures too", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("breakable", {
      ...BREAKABLE,
      inputs: { who: { type: "string" }, unused: { type: "integer", default: 3 } },
      outputs: { all: { source: "${who}", description: "Everything." } },
    });
    await keep(agent, "breakable", "breakable");
    const name = "workflow:breakable";
    expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({ success: true });
    writeFileSync(`${place.effectsFile}.broken`, "");
    expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({ isError: true });
    expect(await agent.call("describe_workflow", { name })).toMatchObject({
      kind: "workflow",
      inputs: {
        who: { type: "string", required: true },
        unused: { type: "number", required: false, default: 3 },
      },
      template_inputs: ["who"],
      outputs: { all: { description: "Everything." } },
      tools_used: [
        { tool: "notes__add", state: "same" },
        { tool: "notes__fragile", state: "same" },
      ],
      statistics: { executions: 2, successes: 1, failures: 1, average_ms: expect.any(Number) },
    });
  });

  it("criterion 13: killed between saving and removing the draft, the save is whole after the next call", async () => {
    const place = openPlace();
    place.draft("greet", GREET);
    const request = { draft_name: "greet", final_name: "workflow:greet", description: "Greets." };
    const dying = await startRaw(place, { REPERTOIRE_CRASH_AT: "save.committed" });
    dying.call("save", "save_to_library", request);
    expect(await dying.exited()).toEqual({ code: null, signal: "SIGKILL" });
    expect(readdirSync(place.drafts)).toEqual(["greet.json"]);
    const agent = await place.join();
    expect(await agent.tools()).toContain("mcp__workflow__greet");
    expect(await agent.call("save_to_library", request)).toMatchObject({ success: true, version: 1 });
    expect(readdirSync(place.drafts)).toEqual([]);
  });

  it("criterion 14: save_to_library wants a draft that exists and is valid", async () => {
    const place = openPlace();
    const agent = await place.join();
    const request = { draft_name: "greeet", final_name: "workflow:greet", description: "Greets." };
    place.draft("greet", workflow([{ id: "a", type: "notes__ad", params: {} }]));
    expect(await agent.call("save_to_library", request)).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", field: "draft_name", nearest: ["greet"] },
    });
    expect(await agent.call("save_to_library", { ...request, draft_name: "greet" })).toMatchObject({
      isError: true,
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error", field: "draft_name" },
    });
    expect(await agent.call("list_library")).toMatchObject({ items: [] });
  });

  it("criterion 15: save_to_library removes the draft, and gives an address where it can be read", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("greet", GREET);
    const saved = await keep(agent, "greet", "greet");
    expect(saved["warnings"]).toEqual(["This workflow has not run here yet."]);
    expect(readdirSync(place.drafts)).toEqual([]);
    expect(saved).toMatchObject({
      path: "repertoire://library/workflow/greet",
      tool: "mcp__workflow__greet",
    });
    const { contents } = await agent.client.readResource({ uri: saved["path"] as string });
    expect(contents).toMatchObject([{ text: expect.stringContaining("hello ${who}") }]);
  });

  it.each([
    ["criterion 16 and edge 1", "../etc"],
    ["criterion 17 and edge 2", "/etc/passwd"],
  ])("%s: %s is refused as a name by every tool", async (_, name) => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const save = { draft_name: "a", final_name: "a:b", description: "x" };
    const calls: [string, Record<string, unknown>][] = [
      ["execute", { name }],
      ["execute", { code: "return 1", save_as: name }],
      ["describe_workflow", { name }],
      ["save_to_library", { ...save, draft_name: name }],
      ["save_to_library", { ...save, draft_name: "greet", final_name: name }],
    ];
    place.draft("greet", GREET);
    for (const [tool, args] of calls) {
      const { isError, error } = await agent.call(tool, args);
      expect({ tool, args, isError, code: (error as { code: string }).code }).toEqual({
        tool,
        args,
        isError: true,
        code: "SECURITY_ERROR",
      });
      expect(JSON.stringify(error)).not.toContain(place.folder);
    }
    place.draft("outer", workflow([{ id: "inner", type: "workflow", params: { name } }]));
    expect(await agent.call("execute", { name: "outer" })).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
  });

  it.each(ERAS)(
    "criterion 20: tools have schemas, and answers and mistakes keep to them (%s)",
    async (era) => {
      const place = openPlace();
      const agent = await place.join(era);
      const { tools } = await agent.client.listTools();
      for (const tool of tools) {
        expect(tool).toMatchObject({
          title: expect.any(String),
          description: expect.any(String),
          inputSchema: { type: "object" },
          outputSchema: { type: "object" },
        });
        // The client checks each structure against the schema that was listed.
        expect(await agent.call(tool.name, { nonsense: 1 })).toMatchObject({
          isError: true,
          error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("nonsense") },
        });
      }
      place.draft("greet", GREET);
      const { structuredContent, content } = await agent.client.callTool({
        name: "execute",
        arguments: { name: "greet", inputs: { who: "ann" } },
      });
      expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(structuredContent);
    },
  );
});

describe("the edge cases", () => {
  it("edge 6: a name that is taken is refused, and nothing is lost", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("greet", { ...GREET, description: "Another." });
    const request = { draft_name: "greet", final_name: "workflow:greet", description: "Greets." };
    expect(await agent.call("save_to_library", request)).toMatchObject({
      isError: true,
      error: { code: "TOOL_INVALID_INPUT", reason: "taken", field: "final_name" },
    });
    expect(readdirSync(place.drafts)).toEqual(["greet.json"]);
    expect(await agent.call("describe_workflow", { name: "greet" })).toMatchObject({ version: 1 });
  });

  it("edge 10: without any component, browse_components gives empty lists", async () => {
    const place = openPlace();
    writeFileSync(place.config, JSON.stringify({ exposure: "lean" }));
    const agent = await place.join();
    expect(await agent.call("browse_components", { query: "zzzq" })).toMatchObject({
      isError: false,
      nodes: [],
      workflows: [],
      total: 0,
    });
  });
});
