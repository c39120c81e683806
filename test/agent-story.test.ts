import { describe, expect, it } from "vitest";
import { checkpointOf, keep, openPlace, startRaw } from "./fixtures/workflow-place.ts";

describe("the agent's story", () => {
  const six = (fourth: string) => `
const seen = [];
for (const n of [1, 2, 3]) seen.push(await mcp.notes.add({ text: args.who, n }));
seen.push(await mcp.notes.add({ text: ${fourth}, n: 4 }));
for (const n of [5, 6]) seen.push(await mcp.notes.add({ text: args.who, n }));
return seen.map(({ n }) => n);`;

  it("a script that fails at its fourth call goes on, and is kept as a tool", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const inputs = { who: "ann" };
    const failed = await agent.call("execute", { code: six("args.whom.name"), inputs, intent: "Six notes" });
    expect(failed).toMatchObject({ isError: true });
    expect(failed).not.toHaveProperty("draft");
    expect(checkpointOf(failed)).toMatchObject({
      completed_nodes: ["notes__add", "notes__add#2", "notes__add#3"],
      resumable: true,
    });
    expect(place.effects()).toHaveLength(3);

    const resumed = await agent.call("execute", {
      resume: failed["run_id"],
      code: six("args.who"),
      calls: true,
    });
    expect(resumed).toMatchObject({ success: true, outputs: [1, 2, 3, 4, 5, 6] });
    const calls = resumed["calls"] as { from_journal?: true }[];
    expect(calls.map((call) => call.from_journal === true)).toEqual([true, true, true, false, false, false]);
    expect(place.effects().map(({ args }) => args["n"])).toEqual([1, 2, 3, 4, 5, 6]);

    // Nothing goes on from one run twice.
    expect(await agent.call("execute", { resume: failed["run_id"] })).toMatchObject({
      isError: true,
      error: { reason: "superseded", nearest: [resumed["run_id"]] },
    });
    const saved = await keep(agent, resumed["draft"] as string, "story:six");
    expect(saved).toMatchObject({ tool: "mcp__story__six", input_schema: { required: ["who"] } });
    expect(await agent.tools()).toContain("mcp__story__six");
    expect(await agent.call("mcp__story__six", { who: "bob" })).toMatchObject({
      isError: false,
      content: [{ text: "[1,2,3,4,5,6]" }],
    });
    expect(place.effects()).toHaveLength(12);
  });

  it("a call that was sent and never answered is asked about, and never made again unasked", async () => {
    const place = openPlace();
    const dying = await startRaw(place, { REPERTOIRE_CRASH_AT: "step.answered:2" });
    dying.call("run", "execute", { code: six("args.who"), inputs: { who: "ann" } });
    expect(await dying.exited()).toMatchObject({ signal: "SIGKILL" });
    expect(place.effects()).toHaveLength(2);
    const agent = await place.join();
    // The run is that of a client that is gone: it is named, and never taken for this one's own.
    const named = await agent.call("execute", { resume: "last" });
    expect(named).toMatchObject({
      isError: true,
      error: { reason: "no_own_run", nearest: [expect.any(String)] },
    });
    const [resume] = (named["error"] as { nearest: string[] }).nearest;
    const asked = await agent.call("execute", { resume });
    expect(asked).toMatchObject({
      isError: true,
      error: { reason: "uncertain_step", hint: expect.stringContaining('"retry"') },
      checkpoint: { uncertain: [{ name: "notes__add#2", tool: "notes__add", args: { n: 2 } }] },
    });
    expect(place.effects()).toHaveLength(2);
    const uncertain = { result: { text: "ann", n: 2 } };
    expect(await agent.call("execute", { resume, uncertain })).toMatchObject({
      outputs: [1, 2, 3, 4, 5, 6],
    });
    expect(place.effects().map(({ args }) => args["n"])).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
