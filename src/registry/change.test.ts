import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contextOf,
  createFixtureSource,
  toolOf,
  type FixtureSource,
} from "../../test/fixtures/tool-source.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Offer } from "../core/tool.ts";
import type { RegistryEvent } from "../core/registry-event.ts";
import { createRegistry, type RegistryDeps } from "./registry.ts";
import { createTestTime, settle } from "./time.testkit.ts";

function openRig(deps: RegistryDeps = {}) {
  const time = createTestTime();
  const registry = createRegistry({ ...time, random: () => 1, ...deps });
  const notices: string[] = [];
  const stop = registry.changed((kinds) => notices.push([...kinds].join("+")));
  const events: RegistryEvent[] = [];
  registry.subscribe((event) => events.push(event));
  const told = () =>
    events.splice(0).map((event) => ("name" in event ? `${event.kind} ${event.name}` : event.kind));
  const names = () => registry.catalogue().components.map((component) => component.name);
  const discover = (options = {}) => registry.discover({ waitMs: 1000, ...options }, contextOf());
  return { registry, time, notices, stop, told, events, names, discover };
}

async function openRead(source: FixtureSource) {
  const rig = openRig();
  rig.registry.add(source);
  await rig.discover();
  await rig.time.advance(2000);
  rig.notices.length = 0;
  rig.told();
  return rig;
}

describe("notices", () => {
  it("go out once for all that comes together, and say which lists differ", async () => {
    const { registry, time, notices, stop, discover } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    registry.add(createFixtureSource("u", [toolOf("t")]));
    await discover();
    expect(notices).toEqual([]);
    await time.advance(50);
    expect(notices).toEqual(["tools"]);
    source.onList = async () => succeed({ tools: source.tools, prompts: [{ name: "p" }], resources: [] });
    await discover({ force: true });
    await time.advance(1000);
    expect(notices).toEqual(["tools", "prompts"]);
    stop();
    await registry.remove("s");
    await time.advance(1000);
    expect(notices).toHaveLength(2);
  });

  it("follow a server's own word only if something changed (T064)", async () => {
    const source = createFixtureSource("s", [toolOf("t")]);
    const { time, notices, told, names } = await openRead(source);
    source.tools = [structuredClone(toolOf("t"))];
    source.announce();
    await time.advance(5000);
    expect({ listCount: source.listCount, notices }).toEqual({ listCount: 2, notices: [] });
    expect(told()).toEqual(["capability.cache.updated"]);
    source.tools = [toolOf("t"), toolOf("u")];
    source.announce();
    await time.advance(5000);
    expect({ names: names(), notices }).toEqual({ names: ["s__t", "s__u"], notices: ["tools"] });
  });

  it("T064: are one in a second in a storm, and so are the readings", async () => {
    const source = createFixtureSource("s", [toolOf("t")]);
    const { time, notices, names } = await openRead(source);
    const before = source.listCount;
    for (let ms = 0; ms < 10_000; ms += 10) {
      source.tools = [toolOf(`t${ms}`)];
      source.announce();
      await time.advance(10);
    }
    expect(source.listCount - before).toBeLessThanOrEqual(11);
    expect(notices.length).toBeLessThanOrEqual(11);
    expect(notices.length).toBeGreaterThan(5);
    await time.advance(2000);
    expect(names()).toEqual(["s__t9990"]);
  });

  it("are not sent for a change that was taken back in the meantime", async () => {
    const source = createFixtureSource("s", [toolOf("t")]);
    const { registry, time, notices } = await openRead(source);
    await registry.remove("s");
    registry.add(createFixtureSource("s", []));
    await time.advance(2000);
    expect(notices).toEqual([]);
  });

  it("do not come from what was announced before anybody asked", async () => {
    const { registry, time, notices } = openRig();
    const source = createFixtureSource("s", [toolOf("t")]);
    registry.add(source);
    source.announce();
    await time.advance(5000);
    expect({ listCount: source.listCount, notices }).toEqual({ listCount: 0, notices: [] });
  });
});

describe("a change that is announced", () => {
  it("while the list is being read is read again", async () => {
    const source = createFixtureSource("s", [toolOf("old")]);
    const { time, names, discover } = await openRead(source);
    const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
    source.onList = () => promise;
    void discover({ force: true });
    await settle();
    source.announce();
    source.onList = undefined;
    source.tools = [toolOf("new")];
    resolve(succeed({ tools: [toolOf("old")] }));
    await time.advance(2000);
    expect(names()).toEqual(["s__new"]);
  });

  it("by a server that fails waits for its time, and is not lost", async () => {
    const source = createFixtureSource("s", [toolOf("old")]);
    const { time, names, registry } = await openRead(source);
    source.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    await registry.refresh("s", contextOf());
    source.announce();
    await time.advance(100);
    expect(source.listCount).toBe(2);
    source.onList = undefined;
    source.tools = [toolOf("new")];
    await time.advance(2000);
    expect(names()).toEqual(["s__new"]);
  });

  it("by a server that is removed meanwhile asks it nothing more", async () => {
    const source = createFixtureSource("s", [toolOf("t")]);
    const { registry, time, discover } = await openRead(source);
    source.onList = () => new Promise(() => {});
    void discover({ force: true });
    source.announce();
    await time.advance(10);
    await registry.remove("s");
    await time.advance(5000);
    expect(source.listCount).toBe(2);
  });

  it("and could not be read is due for the next who asks", async () => {
    const source = createFixtureSource("s", [toolOf("old")]);
    const { time, names, discover } = await openRead(source);
    source.onList = async () => fail("TOOL_UNAVAILABLE", "is down");
    source.announce();
    await time.advance(1000);
    source.onList = undefined;
    source.tools = [toolOf("new")];
    await discover();
    expect(names()).toEqual(["s__new"]);
  });
});

describe("events", () => {
  it("tell first sight, change and removal of tools and resources", async () => {
    const { registry, told, events, discover } = openRig();
    const source = createFixtureSource("s", []);
    const offer = (description: string, uri: string) => async () =>
      succeed({ tools: [toolOf("t", description)], resources: [{ uri, name: "r" }] });
    source.onList = offer("one", "x:1");
    registry.add(source);
    await discover();
    expect(told()).toEqual([
      "capability.tool.registered s__t",
      "capability.resource.registered repertoire://server/s/x:1",
      "capability.cache.updated",
    ]);
    source.onList = offer("two", "x:2");
    await discover({ force: true });
    expect(events[0]).toMatchObject({ hash: expect.any(String), previousHash: expect.any(String) });
    expect(told()).toEqual([
      "capability.tool.updated s__t",
      "capability.resource.removed repertoire://server/s/x:1",
      "capability.resource.registered repertoire://server/s/x:2",
      "capability.cache.updated",
    ]);
    await registry.remove("s", { forget: true });
    expect(told()).toEqual([
      "capability.cache.invalidated",
      "capability.tool.removed s__t",
      "capability.resource.removed repertoire://server/s/x:2",
    ]);
  });

  it("and notices reach every listener, even where one throws", async () => {
    const { registry, told, time, notices, discover } = openRig();
    const broken = () => {
      throw new Error("no");
    };
    registry.subscribe(broken);
    registry.changed(broken);
    registry.subscribe(({ kind }) => notices.push(kind));
    registry.changed(() => notices.push("again"));
    registry.add(createFixtureSource("s", [toolOf("t")]));
    await discover();
    await time.advance(50);
    expect(told()).toContain("capability.tool.registered s__t");
    expect(notices).toEqual(["capability.tool.registered", "capability.cache.updated", "tools", "again"]);
  });

  it("tell that what was kept of another config is not used", async () => {
    const { registry, told, discover } = openRig();
    registry.add(createFixtureSource("s", [toolOf("t")]), { configHash: "one" });
    await discover();
    told();
    registry.add(createFixtureSource("s", [toolOf("t")]), { configHash: "two" });
    expect(told()).toEqual(["capability.cache.invalidated", "capability.tool.removed s__t"]);
  });
});

it("never loses or doubles a tool, whatever the order of changes, readings, removals and returns", async () => {
  const ids = ["a", "b"] as const;
  const act = fc.record({
    what: fc.constantFrom(
      "discover",
      "force",
      "announce",
      "grow",
      "fail",
      "heal",
      "remove",
      "add",
      "wait",
      "call",
    ),
    id: fc.constantFrom(...ids),
    ms: fc.nat(1500),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const { registry, time, events, names, discover } = openRig();
      const tools = new Map(ids.map((id) => [id, [toolOf("t0")]]));
      const down = new Set<string>();
      const sources = new Map<string, FixtureSource>();
      const add = (id: (typeof ids)[number]) => {
        const source = createFixtureSource(id, []);
        source.onList = async () => {
          const listed = tools.get(id)!;
          await settle();
          return down.has(id) ? fail("TOOL_UNAVAILABLE", "down") : succeed({ tools: listed });
        };
        sources.set(id, source);
        registry.add(source);
      };
      for (const id of ids) add(id);
      for (const { what, id, ms } of acts) {
        if (what === "discover") void discover({ waitMs: ms });
        if (what === "force") void discover({ waitMs: ms, force: true });
        if (what === "announce") sources.get(id)?.announce();
        if (what === "grow") {
          tools.set(id, [...tools.get(id)!, toolOf(`t${tools.get(id)!.length}`)]);
          sources.get(id)?.announce();
        }
        if (what === "fail") down.add(id);
        if (what === "heal") down.delete(id);
        if (what === "remove") void registry.remove(id);
        if (what === "remove") sources.delete(id);
        if (what === "add") add(id);
        if (what === "wait") await time.advance(ms);
        if (what === "call") void registry.call(`${id}__t0`, {}, contextOf());
        expect(new Set(names()).size).toBe(names().length);
      }
      down.clear();
      await time.advance(120_000);
      const last = discover({ force: true });
      await time.advance(10_000);
      await last;
      const expected = [...sources.keys()].flatMap((id) =>
        tools.get(id as (typeof ids)[number])!.map((tool) => `${id}__${tool.name}`),
      );
      expect(names()).toEqual(expected.sort());
      expect(registry.search("t0").total).toBeLessThanOrEqual(names().length);
      // What the events say adds up to what is there.
      const counted = new Set<string>();
      for (const event of events) {
        if (event.kind === "capability.tool.registered") {
          expect(counted.has(event.name)).toBe(false);
          counted.add(event.name);
        }
        if (event.kind === "capability.tool.removed") expect(counted.delete(event.name)).toBe(true);
      }
      expect([...counted].sort()).toEqual(names());
      await registry.close();
    }),
    { numRuns: 150 },
  );
});
