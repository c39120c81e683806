import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { openRig, sum } from "./gateway.testkit.ts";

/** As a client sends it: a name like any other. */
const withProto = (more: object = {}) =>
  JSON.parse(`{"__proto__": 1, ${JSON.stringify(more).slice(1)}`) as JsonObject;
const KEYS = "return Object.keys(args.a ?? args);";

describe("S18: a name that cannot be carried", () => {
  it("S18: is refused among the inputs of execute and the arguments of a meta-tool", async () => {
    const { call } = await openRig();
    expect(await call("execute", { code: KEYS, inputs: withProto({ b: 2 }) })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field: "inputs.__proto__" },
    });
    expect(await call("execute", withProto({ code: KEYS }))).toMatchObject({ error: { field: "__proto__" } });
  });

  it("S18: is carried where nothing is lost: deeper in inputs, and in the arguments of tools and capabilities", async () => {
    const notes = createFixtureSource("notes", [toolOf("add")]);
    const { call, gateway, store } = await openRig(notes);
    expect(await call("execute", { code: KEYS, inputs: { a: withProto({ b: 2 }) } })).toMatchObject({
      outputs: ["__proto__", "b"],
    });
    await gateway.callTool("notes__add", withProto({ b: 2 }));
    expect(Object.keys(notes.calls[0]!.args as object)).toEqual(["__proto__", "b"]);
    const inputSchema = { type: "object" };
    await store.capabilities.save({ ...sum, source: KEYS, outputSchema: null, inputSchema, toolsUsed: [] });
    const answer = await gateway.callTool("mcp__math__sum", withProto({ b: 2 }));
    expect(answer.content).toEqual([{ type: "text", text: '["__proto__","b"]' }]);
    const names = await call("execute", { code: KEYS, inputs: { constructor: 1, toString: 2 } as never });
    expect(names).toMatchObject({ outputs: ["constructor", "toString"] });
  });
});
