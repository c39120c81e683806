import { describe, expect, it } from "vitest";
import { openRig, sum } from "../gateway.testkit.ts";

describe("list_library and describe_workflow", () => {
  it("answer from the store", async () => {
    const { call, store } = await openRig();
    const saved = await store.capabilities.save(sum);
    await store.capabilities.recordUse(saved.capability.id, { success: true, elapsedMs: 10 });
    await store.capabilities.recordUse(saved.capability.id, { success: false, elapsedMs: 30 });
    expect(await call("list_library", { pattern: null })).toMatchObject({
      items: [
        {
          name: "math:sum",
          tool: "mcp__math__sum",
          kind: "code",
          version: 1,
          usage_count: 2,
          success_count: 1,
        },
      ],
    });
    expect(await call("describe_workflow", { name: "math:sum" })).toMatchObject({
      fqdn: expect.stringMatching(/^local\.default\.math\.sum\.[0-9a-f]{4}$/),
      uri: "repertoire://library/math/sum",
      inputs: {
        a: { type: "number", required: true, description: "The first." },
        b: { type: "number", required: false, default: 1 },
      },
      source: sum.source,
      tools_used: [{ tool: "calc__add", hash: "abc" }],
      versions: [{ version: 1 }],
      statistics: {
        executions: 2,
        successes: 1,
        failures: 1,
        average_ms: 20,
        last_run: expect.stringContaining("T"),
      },
    });
  });

  it("find the inputs that a workflow's templates use", async () => {
    const { call, store } = await openRig();
    const text = { type: "string" };
    const source = JSON.stringify({
      ir_version: "1.0",
      inputs: { city: text, day: text, unused: text },
      nodes: [{ id: "a", type: "approve", params: { message: "${city} $${literal} ${day}" } }],
    });
    await store.capabilities.save({ ...sum, namespace: "workflow", action: "w", kind: "workflow", source });
    expect(await call("describe_workflow", { name: "w" })).toMatchObject({
      template_inputs: ["city", "day"],
    });
  });
});
