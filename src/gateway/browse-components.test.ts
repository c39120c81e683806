import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { openRig, sum } from "./gateway.testkit.ts";

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
