import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import { openRig, sum } from "../gateway.testkit.ts";

describe("browse_components", () => {
  const github = () =>
    createFixtureSource("github", [
      toolOf("create_issue", "Opens an issue in a repository.", {
        title: { type: "string", description: "Its title." },
      }),
      toolOf("list_repos", "Lists repositories."),
    ]);

  it("gives nodes with the signature that code calls, and inputs in full detail", async () => {
    const { call } = await openRig(github());
    const node = {
      type: "github__create_issue",
      server: "github",
      description: "Opens an issue in a repository.",
      signature: "mcp.github.create_issue(args: { title: string }): Promise<unknown>",
    };
    const query = "open an issue";
    expect(await call("browse_components", { query })).toEqual({
      isError: false,
      nodes: [node],
      workflows: [],
      total: 1,
    });
    const inputs = [{ key: "title", type: "string", required: true, description: "Its title." }];
    expect(await call("browse_components", { query, detail: "full" })).toMatchObject({
      nodes: [{ ...node, inputs, outputs: [] }],
    });
  });

  it("gives the signature of the best five, and of the others a line of at most 90 characters", async () => {
    const tools = Array.from({ length: 9 }, (_, i) =>
      toolOf(`plan_${i}`, `Plans a trip. ${"Or more ".repeat(30)}`),
    );
    const { call } = await openRig(createFixtureSource("rail", tools));
    const { nodes } = (await call("browse_components", { query: "plan" })) as {
      nodes: Record<string, string>[];
    };
    expect(nodes).toHaveLength(9);
    for (const [rank, node] of nodes.entries()) {
      const fields = rank < 5 ? ["description", "server", "signature", "type"] : ["description", "type"];
      expect(Object.keys(node).toSorted()).toEqual(fields);
      expect(node["description"]!.length).toBeLessThanOrEqual(rank < 5 ? 160 : 90);
    }
  });

  it("gives a line and no signature of what is much worse than the best, among the first five too", async () => {
    const { call } = await openRig(
      createFixtureSource("mail", [
        toolOf("send_mail", "Sends a mail to a person."),
        toolOf("draft_mail", "Writes a mail and sends nothing to a person."),
        toolOf("wash_car", "Washes a car. Takes a person."),
      ]),
    );
    const { nodes } = (await call("browse_components", { query: "send a mail to a person" })) as {
      nodes: Record<string, string>[];
    };
    const shown = nodes.map(({ type, signature }) => [type, signature !== undefined]);
    expect(shown).toEqual([
      ["mail__send_mail", true],
      ["mail__draft_mail", true],
      ["mail__wash_car", false],
    ]);
  });

  it("marks what only reads and what destroys, where the server says so", async () => {
    const said = (name: string, annotations: object) => ({ ...toolOf(name, "Handles a file."), annotations });
    const source = createFixtureSource("files", [
      said("look", { readOnlyHint: true }),
      said("wipe", { destructiveHint: true }),
      said("touch", { destructiveHint: false }),
      toolOf("mute", "Handles a file."),
    ]);
    const { call } = await openRig(source);
    const { nodes } = (await call("browse_components", { query: "file" })) as {
      nodes: Record<string, string>[];
    };
    const marks = Object.fromEntries(nodes.map(({ type, effect }) => [type, effect]));
    expect(marks).toEqual({
      files__look: "read",
      files__wipe: "destroy",
      files__touch: undefined,
      files__mute: undefined,
    });
  });

  it("gives exactly the tools that are named, in full, in any spelling that means one alone", async () => {
    const { call, store } = await openRig(
      github(),
      createFixtureSource("notes", [toolOf("list"), toolOf("add")]),
    );
    await store.capabilities.save(sum);
    const names = ["mcp.github.create_issue", "notes__add", "math:sum", "wait"];
    expect(await call("browse_components", { names })).toMatchObject({
      nodes: [{ type: "wait" }, { type: "github__create_issue", input_schema: {} }, { type: "notes__add" }],
      workflows: [{ name: "math:sum", signature: expect.stringContaining("mcp.math.sum(") }],
      total: 4,
    });
    const missed = await call("browse_components", { names: ["notes__ad", "notes__list"] });
    expect(missed).toMatchObject({
      nodes: [{ type: "notes__list" }],
      total: 1,
      hint: 'There is no tool "notes__ad". Did you mean notes__add?',
    });
  });

  it("has the nodes that code cannot call only where a workflow is asked for, or one by its name", async () => {
    const { call } = await openRig(github());
    const typesFor = async (query: string) => {
      const { nodes } = (await call("browse_components", { query })) as { nodes: { type: string }[] };
      return nodes.map(({ type }) => type);
    };
    expect(await typesFor("")).toEqual(["github__create_issue", "github__list_repos"]);
    expect(await typesFor("wait for an approval")).toEqual([]);
    expect(await typesFor("workflow nodes")).toEqual(["code", "workflow", "wait", "approve"]);
    expect(await typesFor("a node that asks a person")).toContain("approve");
    expect((await typesFor("wait"))[0]).toBe("wait");
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
    const hint = expect.stringContaining("Nothing fits these words.");
    const empty = { isError: false, nodes: [], workflows: [], total: 0, hint };
    expect(await call("browse_components")).toEqual({ isError: false, nodes: [], workflows: [], total: 0 });
    expect(await call("browse_components", { query: "zebra" })).toEqual(empty);
    expect(await call("browse_components", { query: "!!!" })).toEqual(empty);
  });

  it("has tools for each part of a request, and no hint then", async () => {
    const mail = createFixtureSource("mail", [toolOf("send", "Sends an email.")]);
    const web = createFixtureSource("web", [toolOf("fetch", "Fetches a web page.")]);
    const { call } = await openRig(github(), mail, web);
    const found = await call("browse_components", { query: "fetch the page and mail a summary of it" });
    const types = (found["nodes"] as { type: string }[]).map(({ type }) => type);
    expect(types.slice(0, 2).sort()).toEqual(["mail__send", "web__fetch"]);
    expect(found).not.toHaveProperty("hint");
  });

  it("says so when the best is hardly what was asked for", async () => {
    const { call } = await openRig(github());
    const found = await call("browse_components", { query: "book a flight and open the window" });
    expect(found).toMatchObject({ hint: expect.stringContaining("Nothing fits these words well.") });
  });

  it("tells a tool in one line, unless asked for more, and never more than fits", async () => {
    const long = `First sentence. ${"And so on for ever ".repeat(60)}.`;
    const parameters = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: "string", description: "x ".repeat(100) }]),
    );
    const tools = Array.from({ length: 90 }, (_, i) => toolOf(`verbose_${i}`, long, parameters));
    const { call } = await openRig(createFixtureSource("wordy", tools));
    const summary = await call("browse_components", { query: "verbose", limit: 90 });
    const [node] = summary["nodes"] as { description: string; signature: string }[];
    expect(node!.description).toBe("First sentence.");
    expect(node!.signature.length).toBeLessThanOrEqual(600);
    const full = await call("browse_components", { query: "verbose", limit: 90, detail: "full" });
    const [first] = full["nodes"] as { inputs: object[]; signature: string }[];
    expect(first!.inputs).toHaveLength(60);
    expect(first!.signature.length).toBeLessThanOrEqual(2_000);
    expect(JSON.stringify(summary).length).toBeLessThan(20 * 1024);
    expect(JSON.stringify(full).length).toBeLessThan(80 * 1024);
    expect(full).toMatchObject({ total: 90, hint: expect.stringMatching(/\d+ more hits do not fit/) });
  });

  it("leaves out what is much worse than the best, after the first five", async () => {
    const good = Array.from({ length: 3 }, (_, i) => toolOf(`plan_trip_${i}`, "Plans a trip by train."));
    const poor = Array.from({ length: 9 }, (_, i) =>
      toolOf(`thing_${i}`, `${"Does quite another thing with many more words in it. ".repeat(8)}train`),
    );
    const { call } = await openRig(createFixtureSource("rail", [...good, ...poor]));
    const found = await call("browse_components", { query: "plan a trip by train" });
    expect((found["nodes"] as object[]).length).toBe(5);
    expect(found).toMatchObject({ total: 12 });
  });

  it("gives the signature alone of a tool whose schema is too large, and says so", async () => {
    const text = "x".repeat(400);
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: "string", description: text }]),
    );
    const { call } = await openRig(createFixtureSource("big", [toolOf("heap", "Heaps.", fields)]));
    const full = await call("browse_components", { query: "heap", detail: "full" });
    expect((full["nodes"] as object[])[0]).not.toHaveProperty("input_schema");
    expect(full).toMatchObject({ hint: expect.stringContaining("The schemas of big__heap are too large") });
    expect(await call("browse_components", { query: "heap" })).not.toHaveProperty("hint");
  });

  it("T095: gives hidden characters as what they are", async () => {
    const hidden = "Adds.\u200B\u{E0041}\u001B[2J\u202Egnp";
    const tool = toolOf("add", hidden, { "a\u200Bb": { type: "string", description: hidden } });
    const { call } = await openRig(createFixtureSource("evil", [tool]));
    for (const detail of ["summary", "full"]) {
      const { nodes } = await call("browse_components", { query: "add", detail });
      const [{ input_schema: _, ...node }] = nodes as { input_schema?: object }[] as [
        { input_schema?: object },
      ];
      expect(JSON.stringify(node)).toContain("\\\\u{200b}");
      expect(JSON.stringify(node)).not.toMatch(/[\u200B\u202E\u{E0041}]|\\u001b/u);
    }
  });

  it("does not wait for a server that hangs, and names it as pending", async () => {
    const hanging = createFixtureSource("slow", []);
    hanging.onList = () => new Promise(() => {});
    const { call } = await openRig(hanging, github());
    expect(await call("browse_components", { query: "issue" })).toMatchObject({
      pending: ["slow"],
      total: 1,
    });
  });
});
