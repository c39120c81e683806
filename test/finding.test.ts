/** The search learns: what a run was for is known to every gateway on the same store. */
import { expect, it } from "vitest";
import { openPlace, type Agent } from "./fixtures/workflow-place.ts";
import { workflow } from "./fixtures/workflows.ts";

const find = async (agent: Agent, query: string, part: "nodes" | "workflows" = "nodes") =>
  ((await agent.call("browse_components", { query }))[part] as { type?: string; tool?: string }[]).map(
    ({ type, tool }) => type ?? tool,
  );

it("a tool is found by what runs were for, also by another gateway, and so is what was kept", async () => {
  const place = openPlace();
  const agent = await place.join();
  const query = "remind the plumber";
  expect(await find(agent, query)).not.toContain("notes__add");
  const code = "await mcp.notes.add({ text: 'call at nine' }); return 1";
  const run = await agent.call("execute", { code, intent: "Remind me of the plumber" });
  expect(run).toMatchObject({ success: true });
  expect((await find(agent, query))[0]).toBe("notes__add");

  const kept = await agent.call("save_to_library", {
    draft_name: run["draft"] as string,
    final_name: "day:start",
    description: "Begins.",
  });
  expect(kept).toMatchObject({ success: true });
  expect(await find(agent, query, "workflows")).toEqual(["mcp__day__start"]);

  // A workflow's tools learn as well, and a run that failed teaches nothing.
  place.draft("garden", workflow([{ id: "a", type: "notes__add", params: { text: "water" } }]));
  await agent.call("execute", { name: "garden", intent: "Water the tulips" });
  await agent.call("execute", {
    code: "await mcp.notes.add({ text: 'x' }); throw new Error('no')",
    intent: "Feed a walrus",
  });
  await agent.client.close();

  const other = await place.join("2026-07-28");
  expect((await find(other, query))[0]).toBe("notes__add");
  expect((await find(other, "tulips"))[0]).toBe("notes__add");
  expect(await find(other, "walrus")).toEqual([]);
});
