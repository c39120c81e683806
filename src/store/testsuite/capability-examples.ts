import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json, type JsonObject } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { CapabilityExample, ExampleCall } from "../../core/store.ts";
import { draftOf, save, type StoreFixture } from "./fixture.ts";

const EXAMPLE: CapabilityExample = {
  inputs: { repo: "a/b", ü: [1, null] },
  calls: [
    { tool: "github__search", args: { q: "x" }, result: { items: [{ id: 1 }] } },
    { tool: "github__read", args: {}, result: null },
    { tool: "github__read", args: { id: 1 }, error: { code: "TOOL_FAILED", message: "no" } },
  ],
  result: { count: 1 },
  seed: "a seed",
  clockAt: 1_700_000_000_000,
};

const anyObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;
const anyCall: fc.Arbitrary<ExampleCall> = fc.record(
  { tool: fc.string(), args: anyObject, result: fc.jsonValue() as fc.Arbitrary<Json>, error: anyObject },
  { requiredKeys: ["tool", "args"] },
);

export function describeCapabilityExamples(fixture: () => StoreFixture): void {
  it("keeps an example with its version, also after a restart", async () => {
    const { store, reopen } = fixture();
    const { id } = (await save(store.capabilities, { example: EXAMPLE })).capability;
    expect(await store.capabilities.example(id, 1)).toEqual(EXAMPLE);
    expect(await (await reopen()).capabilities.example(id, 1)).toEqual(EXAMPLE);
  });

  it("gives each version its own example or none", async () => {
    const { capabilities } = fixture().store;
    const { id } = (await save(capabilities, { example: EXAMPLE })).capability;
    await save(capabilities, { overwrite: true });
    await save(capabilities, { overwrite: true, example: null });
    await save(capabilities, { overwrite: true, example: { ...EXAMPLE, result: 4 } });
    const results = [1, 2, 3, 4, 5].map(async (version) => (await capabilities.example(id, version))?.result);
    expect(await Promise.all(results)).toEqual([{ count: 1 }, undefined, undefined, 4, undefined]);
    expect(await capabilities.example("unknown", 1)).toBeUndefined();
  });

  it("keeps the example of a capability that was renamed or removed", async () => {
    const { capabilities } = fixture().store;
    const { id } = (await save(capabilities, { example: EXAMPLE })).capability;
    await capabilities.rename(id, { namespace: "math", action: "total" });
    expect(await capabilities.example(id, 1)).toEqual(EXAMPLE);
    await capabilities.remove(id);
    expect(await capabilities.example(id, 1)).toEqual(EXAMPLE);
  });

  it("takes a field that is there but undefined for none", async () => {
    const { capabilities } = fixture().store;
    const calls = [{ tool: "t", args: {}, result: 1, error: undefined }];
    const toolsUsed = [{ tool: "t", hash: "h", definition: undefined }];
    const { capability, version } = await save(capabilities, { example: { ...EXAMPLE, calls }, toolsUsed });
    expect(version.toolsUsed).toStrictEqual([{ tool: "t", hash: "h" }]);
    const example = await capabilities.example(capability.id, 1);
    expect(example?.calls).toStrictEqual([{ tool: "t", args: {}, result: 1 }]);
  });

  it("keeps any example exactly", async () => {
    const { capabilities } = fixture().store;
    const anyExample = fc.record({
      inputs: anyObject,
      calls: fc.array(anyCall, { maxLength: 4 }),
      result: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(anyExample, async (any) => {
        const example = any as CapabilityExample;
        const { capability, version } = await save(capabilities, { overwrite: true, example });
        const kept = await capabilities.example(capability.id, version.version);
        expect(canonicalJson(kept)).toBe(canonicalJson(example));
      }),
      { numRuns: 50 },
    );
  });

  it("keeps the definitions of many tools, and an answer as wide as a tool may give", async () => {
    const { capabilities } = fixture().store;
    const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`k${i}`, { type: "string" }]));
    const toolsUsed = Array.from({ length: 10 }, (_, i) => ({ tool: `t${i}`, hash: "h", definition: wide }));
    const example = { ...EXAMPLE, calls: toolsUsed.map(({ tool }) => ({ tool, args: {}, result: wide })) };
    const { capability, version } = await save(capabilities, { toolsUsed, example });
    expect(version.toolsUsed).toEqual(toolsUsed);
    expect(await capabilities.example(capability.id, 1)).toEqual(example);
  });

  it("saves nothing when the example is no bounded JSON", async () => {
    const { capabilities } = fixture().store;
    const example = { ...EXAMPLE, result: "x".repeat(5 * 1024 * 1024) };
    await expect(capabilities.save(draftOf({ example }))).rejects.toMatchObject({ code: "JSON_LIMIT" });
    expect(await capabilities.list(DEFAULT_SCOPE)).toEqual([]);
    expect(await capabilities.revision()).toBe(0);
  });
}
