import { describe, expect, it } from "vitest";
import { openPlace } from "./fixtures/workflow-place.ts";
import { GREET, workflow } from "./fixtures/workflows.ts";

describe("runs as resources", () => {
  it("are listed, and each is a tree with the runs below it", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    place.draft("greet", GREET);
    place.draft(
      "outer",
      workflow([
        { id: "inner", type: "workflow", params: { name: "greet", inputs: { who: "ann" } } },
        {
          id: "code",
          type: "code",
          params: { code: "return args.said;", inputs: { said: "${inner.said}" } },
        },
      ]),
    );
    const { run_id: id } = await agent.call("execute", { name: "outer", intent: "Greet from outside" });
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("repertoire://runs");
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining(["repertoire://runs/{run_id}", "repertoire://runs/{run_id}/{step}{?path}"]),
    );
    // Runs below another are in its tree, not in the list.
    expect(await agent.read("repertoire://runs")).toMatchObject({
      runs: [{ run_id: id, status: "succeeded", intent: "Greet from outside", kind: "workflow" }],
    });
    expect(await agent.read(`repertoire://runs/${String(id)}`)).toMatchObject({
      run_id: id,
      steps: [
        { name: "inner", tool: "workflow", status: "succeeded", result: { said: "hello ann, and bye" } },
        { name: "code", status: "succeeded", result: "hello ann, and bye" },
      ],
      runs: [
        { step: "inner", kind: "workflow", steps: [{ name: "hello", tool: "notes__add" }, { name: "bye" }] },
        { step: "code", kind: "code", outputs: "hello ann, and bye" },
      ],
    });
    await expect(
      agent.read(`repertoire://runs/${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`),
    ).rejects.toThrow(/There is nothing at/);
  });

  it("a result over 64 KiB is a handle: read whole, in part, and as the input of the next run", async () => {
    const place = openPlace();
    const agent = await place.join();
    const code = "return (await mcp.notes.list_numbers({ count: 5000 })).numbers;";
    const answer = await agent.call("execute", { code });
    const { handle, bytes, preview } = answer["outputs"] as {
      handle: string;
      bytes: number;
      preview: string;
    };
    expect(handle).toBe(`repertoire://runs/${String(answer["run_id"])}/outputs`);
    expect(bytes).toBeGreaterThan(64 * 1024);
    expect(preview).toMatch(/^\[\{"n":0,"name":"number 0"\}/);
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    expect(await agent.read(handle)).toHaveLength(5_000);
    expect(await agent.read(`${handle}?path=/4999/name`)).toBe("number 4999");
    await expect(agent.read(`${handle}?path=/5000`)).rejects.toThrow();
    const inputs = { all: handle, one: `${handle}?path=/7` };
    expect(
      await agent.call("execute", { code: "return [args.all.length, args.one.n];", inputs }),
    ).toMatchObject({
      outputs: [5_000, 7],
    });
    expect(
      await agent.call("execute", { code: "return 1", inputs: { all: `${handle}?path=/x` } }),
    ).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", field: "inputs.all" },
    });
  });
});
