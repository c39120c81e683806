import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { connect, ERAS } from "./fixtures/gateway-process.ts";
import { agentOf, openPlace, type Agent, type Place } from "./fixtures/workflow-place.ts";
import { workflow } from "./fixtures/workflows.ts";

describe("a person is asked", () => {
  const CAREFUL = workflow(
    [
      { id: "ask", type: "approve", params: { message: "Tell ${who}?", details: { to: "${who}" } } },
      { id: "tell", type: "notes__add", params: { text: "told ${who}" } },
    ],
    {
      inputs: { who: { type: "string" } },
      outputs: { told: { source: "${tell.text}" }, by: { source: "${ask.by}" } },
      edges: [{ from: "ask", to: "tell" }],
    },
  );
  const asking = { capabilities: { elicitation: {} } };

  async function joinAsked(place: Place, approve: boolean, heard: string[]): Promise<Agent> {
    const { client, stderr } = await connect("2025-11-25", {
      folder: place.folder,
      args: ["--config", place.config],
      ...asking,
    });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      heard.push(params.message);
      return { action: "accept" as const, content: { approve } };
    });
    return agentOf(client, stderr);
  }

  it("through a client that can, with what exactly would be done", async () => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const heard: string[] = [];
    const agent = await joinAsked(place, true, heard);
    expect(await agent.call("execute", { name: "careful", inputs: { who: "ann" } })).toMatchObject({
      outputs: { told: "told ann", by: userInfo().username },
    });
    expect(heard).toEqual(['Tell ann?\n\n{"to":"ann"}']);
  });

  it("and a refusal does nothing, and is final for these values", async () => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const agent = await joinAsked(place, false, []);
    expect(await agent.call("execute", { name: "careful", inputs: { who: "ann" } })).toMatchObject({
      isError: true,
      error: { reason: "denied", node: "ask" },
    });
    expect(place.effects()).toEqual([]);
  });

  it.each(ERAS)("and a run pauses where the client cannot, until one comes that can (%s)", async (era) => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const agent = await place.join(era);
    const paused = await agent.call("execute", { name: "careful", inputs: { who: "ann" } });
    // Nothing has failed: it waits.
    expect(paused["isError"]).not.toBe(true);
    expect(paused).toMatchObject({
      status: "paused",
      error: { code: "APPROVAL_REQUIRED", reason: "approval_required" },
      checkpoint: {
        resumable: true,
        waiting_for: { name: "ask", message: "Tell ann?", details: { to: "ann" } },
      },
    });
    expect(await agent.read("repertoire://runs")).toMatchObject({ runs: [{ status: "paused" }] });
    // Whoever cannot ask either changes nothing.
    expect(await agent.call("execute", { resume: paused["run_id"] })).toMatchObject({
      run_id: paused["run_id"],
      error: { reason: "approval_required" },
    });
    expect(place.effects()).toEqual([]);
    const other = await joinAsked(place, true, []);
    expect(await other.call("execute", { resume: paused["run_id"] })).toMatchObject({
      outputs: { told: "told ann" },
    });
    expect(place.effects()).toHaveLength(1);
  });
});
