import { describe, expect, it } from "vitest";
import { LISTED_COUNT_MAX } from "../core/store.ts";
import { openRig, sum } from "./gateway.testkit.ts";
import { listTools } from "./list-all.ts";

describe("D8: more capabilities than are listed", () => {
  it("a new one is a tool at once, and list_library says which are not", async () => {
    const { call, gateway, store } = await openRig();
    const keep = (action: string) =>
      store.capabilities.save({ ...sum, namespace: "many", action, description: "", inputSchema: {} });
    for (let i = 0; i < LISTED_COUNT_MAX; i++) await keep(`a${i}`);
    expect(await call("list_library")).not.toHaveProperty("note");
    await keep("zz_new");
    const names = (await listTools(gateway))
      .map(({ name }) => name)
      .filter((name) => name.startsWith("mcp__"));
    expect(names).toContain("mcp__many__zz_new");
    expect(names).toHaveLength(LISTED_COUNT_MAX);
    const { items, note } = (await call("list_library")) as {
      items: { tool: string; listed?: false }[];
      note: string;
    };
    expect(items.filter(({ listed }) => listed === false).map(({ tool }) => names.includes(tool))).toEqual([
      false,
    ]);
    expect(note).toMatch(/^1 of these .* room for 2000 tokens and 100 tools\./);
    const hidden = items.find(({ listed }) => listed === false)!;
    expect(await gateway.callTool(hidden.tool, { a: 1, b: 1 })).toMatchObject({ content: [{ text: "2" }] });
  });

  it("describe_workflow names the run that a version came from", async () => {
    const { call } = await openRig();
    const request = { code: "return args.a + 1", inputs: { a: 1 }, intent: "Add", save_as: "math:next" };
    const { run_id } = await call("execute", request);
    expect(await call("describe_workflow", { name: "math:next" })).toMatchObject({
      run_id,
      versions: [{ version: 1, run_id }],
    });
  });
});
