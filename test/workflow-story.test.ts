import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { errorOf, keep, node, openPlace } from "./fixtures/workflow-place.ts";
import { BREAKABLE, workflow } from "./fixtures/workflows.ts";

const entryOf = (name: string) =>
  join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/** The servers that everybody has. */
function realServers(folder: string): object {
  mkdirSync(join(folder, "files"));
  return {
    files: node([entryOf("server-filesystem"), join(folder, "files")]),
    memory: node([entryOf("server-memory")], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
    demo: node([BIN, "demo-server"]),
  };
}

describe("the workflow's story, on real servers", () => {
  const report = (folder: string) =>
    workflow(
      [
        {
          id: "write",
          type: "files__write_file",
          params: { path: join(folder, "files/${topic}.txt"), content: "about ${topic}" },
        },
        { id: "read", type: "files__read_text_file", params: { path: join(folder, "files/${topic}.txt") } },
        { id: "note", type: "demo__add", params: { text: "${read.content}" } },
        {
          id: "remember",
          type: "memory__create_entities",
          params: {
            entities: [{ name: "${topic}", entityType: "topic", observations: ["${read.content}"] }],
          },
        },
        {
          id: "sum",
          type: "code",
          params: { code: "return args.text.length;", inputs: { text: "${read.content}" } },
        },
      ],
      {
        inputs: { topic: { type: "string" }, language: { type: "string", default: "en" } },
        outputs: { text: { source: "${read.content}" }, length: { source: "${sum}" } },
        edges: [{ from: "write", to: "read" }],
      },
    );

  it("is written, corrected, run, kept, seen by another client, and overwritten", async () => {
    const folder = temporaryFolder();
    const place = openPlace(realServers(folder));
    const agent = await place.join();
    const right = report(folder);
    const [write, read, ...rest] = right.nodes;
    place.draft("report", {
      ...right,
      outputs: { text: { source: "${raed.content}" } },
      nodes: [{ ...write, type: "files__write_fil" }, { ...read, params: {} }, ...rest],
    });
    const refused = await agent.call("execute", { name: "report", inputs: { topic: "tea" } });
    const problems = errorOf(refused)["problems"] as { place: string; fix: string; line: number }[];
    expect(refused).toMatchObject({ isError: true, run_id: null, error: { reason: "validation_error" } });
    expect(problems.map((problem) => problem.place)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("nodes[0].type"),
        expect.stringContaining("nodes[1].params"),
        expect.stringContaining("outputs.text"),
      ]),
    );
    expect(problems.every(({ fix, line }) => fix !== "" && line > 0)).toBe(true);
    expect(readdirSync(join(folder, "files"))).toEqual([]);

    place.draft("report", right);
    const outputs = { text: "about tea", length: 9 };
    expect(await agent.call("execute", { name: "report", inputs: { topic: "tea" } })).toMatchObject({
      outputs,
    });
    expect(readFileSync(join(folder, "files/tea.txt"), "utf8")).toBe("about tea");
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain("about tea");
    const saved = await keep(agent, "report", "workflow:report");
    expect(saved).toMatchObject({ version: 1, tool: "mcp__workflow__report" });
    expect(saved).not.toHaveProperty("warnings");

    const other = await place.join("2026-07-28");
    expect(await other.tools()).toContain("mcp__workflow__report");
    expect(await other.call("mcp__workflow__report", { topic: "milk" })).toMatchObject({
      isError: false,
      text: "about milk",
      length: 10,
    });
    expect(await other.call("mcp__workflow__report", {})).toMatchObject({
      isError: true,
      error: { field: "topic" },
    });
    expect(await agent.call("describe_workflow", { name: "report" })).toMatchObject({
      inputs: { topic: { required: true }, language: { required: false, default: "en" } },
      template_inputs: ["topic"],
      statistics: { executions: 1, successes: 1 },
    });
    place.draft("report", { ...right, description: "Version 2." });
    expect(await keep(agent, "report", "workflow:report", { overwrite: true })).toMatchObject({ version: 2 });
    expect(await other.call("describe_workflow", { name: "workflow:report@1" })).toMatchObject({
      version: 1,
      versions: [{ version: 2 }, { version: 1 }],
    });
  });

  it("goes on with its corrected draft, and what is as it was is not done again", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const [first, , third] = BREAKABLE.nodes;
    const with2 = (text: string) => ({
      ...BREAKABLE,
      nodes: [first, { id: "second", type: "notes__add", params: { text } }, third],
    });
    place.draft("notes", with2("${first.txt} two"));
    const failed = await agent.call("execute", { name: "notes" });
    expect(failed).toMatchObject({
      error: { reason: "template_error", node: "second", missing: ["${first.txt}"] },
      checkpoint: { completed_nodes: ["first"], failed_node: "second" },
    });
    place.draft("notes", with2("${first.text} two"));
    const unchanged = await agent.call("execute", { resume: failed["run_id"] });
    expect(unchanged).toMatchObject({ isError: true, checkpoint: { failed_node: "second" } });
    const done = await agent.call("execute", { resume: unchanged["run_id"], name: "notes" });
    expect(done).toMatchObject({ outputs: { all: "one two three" }, draft: "notes" });
    expect(place.effects()).toHaveLength(3);
    expect(await agent.call("execute", { resume: "last" })).toMatchObject({ isError: true });
  });

  it("T118: a run goes on with the version that it began with, and new runs have the new one", async () => {
    const place = openPlace();
    const agent = await place.join();
    const version = (name: string) => {
      const [first, second, third] = BREAKABLE.nodes;
      return {
        ...BREAKABLE,
        nodes: [first, second, { ...third, params: { text: `\${second.text} ${name}` } }],
      };
    };
    place.draft("breakable", version("old"));
    await keep(agent, "breakable", "breakable");
    writeFileSync(`${place.effectsFile}.broken`, "");
    const name = "workflow:breakable";
    const failed = await agent.call("execute", { name });
    const throughTool = await agent.call("execute", { code: "return await mcp.workflow.breakable({});" });
    place.draft("breakable", version("new"));
    await keep(agent, "breakable", "breakable", { overwrite: true });
    rmSync(`${place.effectsFile}.broken`);
    expect(await agent.call("execute", { resume: failed["run_id"] })).toMatchObject({
      outputs: { all: "one two old" },
    });
    expect(await agent.call("execute", { resume: throughTool["run_id"] })).toMatchObject({
      outputs: { all: "one two old" },
    });
    expect(await agent.call("execute", { name })).toMatchObject({ outputs: { all: "one two new" } });
    expect(place.effects().filter(({ args }) => args["text"] === "one")).toHaveLength(3);
  });
});

describe("S14: two scopes on one home", () => {
  it("S14: neither runs, keeps or names the drafts of the other", async () => {
    const place = openPlace();
    const other = join(place.folder, "other.json");
    const scope = { org: "acme", project: "web" };
    writeFileSync(other, JSON.stringify({ mcpServers: {}, exposure: "lean", scope }));
    const ann = await place.join();
    const bob = await place.join("2025-11-25", { args: ["--config", other] });
    const secret = (await ann.call("execute", { code: "return 'of ann'", intent: "ann's plan" }))[
      "draft"
    ] as string;
    const own = (await bob.call("execute", { code: "return 'of bob'" }))["draft"] as string;
    const draftOfBob = join(place.drafts, "acme/web", `${own}.ts`);
    await eventually("both drafts", () => existsSync(draftOfBob) && readdirSync(place.drafts).length === 2);
    expect(readdirSync(place.drafts).sort()).toEqual([`${secret}.ts`, "acme"].sort());
    expect(readdirSync(join(place.drafts, "acme/web"))).toEqual([`${own}.ts`]);
    const ran = await bob.call("execute", { name: secret });
    expect(errorOf(ran)).toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(JSON.stringify(errorOf(ran)["nearest"])).not.toContain("plan");
    const request = { draft_name: secret, final_name: "code:stolen", description: "Not theirs." };
    expect(errorOf(await bob.call("save_to_library", request))).toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(await ann.call("execute", { name: secret })).toMatchObject({ outputs: "of ann" });
    expect(await bob.call("execute", { name: own })).toMatchObject({ outputs: "of bob" });
  });
});
