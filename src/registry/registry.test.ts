import { describe, expect, it } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { fail } from "../core/result.ts";
import { createRegistry } from "./registry.ts";

describe("the catalogue", () => {
  it("merges all sources in the order of exposed names", async () => {
    const registry = createRegistry();
    registry.add(createFixtureSource("slack", [toolOf("post"), toolOf("a.b")]));
    registry.add(createFixtureSource("github", [toolOf("create_issue")]));
    const { components, pending, failed } = await registry.catalogue(contextOf(), 1000);
    expect(components.map((item) => item.name)).toEqual([
      "github__create_issue",
      "slack__a_b",
      "slack__post",
    ]);
    expect(components[1]).toMatchObject({ source: "slack", definition: { name: "a.b" } });
    expect({ pending, failed }).toEqual({ pending: [], failed: [] });
  });

  it("T073: names a source that hangs, fails or throws, and has all the others", async () => {
    const registry = createRegistry();
    const [hangs, fails, throws] = ["hangs", "fails", "throws"].map((id) => createFixtureSource(id, []));
    hangs!.onList = () => new Promise(() => {});
    fails!.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    throws!.onList = () => {
      throw new Error("broke the contract");
    };
    for (const source of [hangs!, fails!, throws!, createFixtureSource("well", [toolOf("x")])])
      registry.add(source);
    expect(await registry.catalogue(contextOf(), 20)).toMatchObject({
      components: [{ name: "well__x" }],
      pending: ["hangs"],
      failed: [
        { source: "fails", reason: "is down" },
        { source: "throws", reason: "broke the contract" },
      ],
    });
  });
});

describe("calls", () => {
  it("go to the source under the name that it knows", async () => {
    const registry = createRegistry();
    const source = createFixtureSource("s", [toolOf("a.b"), toolOf("a b")]);
    registry.add(source);
    const { components } = await registry.catalogue(contextOf(), 1000);
    for (const { name } of components) await registry.call(name, { x: 1 }, contextOf());
    expect(source.calls.map((call) => call.name).sort()).toEqual(["a b", "a.b"]);
  });

  it("list the source first when nobody has yet", async () => {
    const registry = createRegistry();
    registry.add(createFixtureSource("s", [toolOf("t")]));
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ success: true });
  });

  it("to an unknown tool answer with the nearest names", async () => {
    const registry = createRegistry();
    registry.add(createFixtureSource("github", [toolOf("create_issue")]));
    expect(await registry.call("github__crate_issue", {}, contextOf())).toMatchObject({
      success: false,
      error: { code: "TOOL_NOT_FOUND", nearest: ["github__create_issue"] },
    });
    expect(await registry.call("nowhere__x", {}, contextOf())).toMatchObject({ success: false });
  });

  it("never throw, even where the source does", async () => {
    const registry = createRegistry();
    const source = createFixtureSource("s", [toolOf("t")]);
    const broken = { ...source, call: () => Promise.reject(new Error("boom")) };
    registry.add(broken);
    expect(await registry.call("s__t", {}, contextOf())).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: "boom" },
    });
  });
});

it("passes changes on until the listener leaves, and closes every source", async () => {
  const registry = createRegistry();
  const source = createFixtureSource("s", []);
  registry.add(source);
  let count = 0;
  const leave = registry.changed(() => count++);
  source.announce();
  leave();
  source.announce();
  expect(count).toBe(1);
  await registry.close();
  expect(source.closed).toBe(true);
  expect(await registry.call("s__t", {}, contextOf())).toMatchObject({ success: false });
});
