import { describe, expect, it, test } from "vitest";
import type { GuardedCall } from "../core/guard.ts";
import type { JsonObject } from "../core/json.ts";
import type { CapabilityUses, Effect } from "../core/rule.ts";
import type { ToolAnnotations, ToolDefinition } from "../core/tool.ts";
import { createEffects } from "./effects.ts";

function definitionOf(name: string, annotations?: ToolAnnotations): ToolDefinition {
  return { name, inputSchema: { type: "object" }, ...(annotations !== undefined && { annotations }) };
}

interface World {
  readonly approved?: readonly string[];
  readonly configured?: Readonly<Record<string, Readonly<Record<string, Effect>>>>;
  readonly tools?: Readonly<Record<string, ToolAnnotations>>;
  readonly capabilities?: Readonly<Record<string, CapabilityUses>>;
}

function effectsIn(world: World) {
  const state = { epoch: 0, approved: [...(world.approved ?? [])] };
  const effects = createEffects({
    configured: (server) => world.configured?.[server],
    isApproved: (server) => state.approved.includes(server),
    find(tool) {
      if (world.capabilities?.[tool] !== undefined) {
        return { source: { id: "mcp" }, definition: definitionOf(tool) };
      }
      const annotations = world.tools?.[tool];
      const [id = "", own = ""] = tool.split("__");
      return annotations && { source: { id }, definition: definitionOf(own, annotations) };
    },
    usesOf: (tool) => world.capabilities?.[tool],
    epoch: () => state.epoch,
  });
  return { ...effects, state };
}

function toolCall(annotations?: ToolAnnotations, name = "get_issue"): GuardedCall {
  const definition = definitionOf(name, annotations);
  return { kind: "tool", name: `github__${name}`, source: "github", definition, args: {} };
}

describe("a tool of a server", () => {
  test.each([
    [undefined, false, "destroy", "the server does not say otherwise"],
    [
      { readOnlyHint: true },
      false,
      "destroy",
      "the server says readOnlyHint, and nobody has approved the server",
    ],
    [{ readOnlyHint: true }, true, "read", "readOnlyHint of the server, which is approved"],
    [
      { readOnlyHint: true, destructiveHint: true },
      true,
      "read",
      "readOnlyHint of the server, which is approved",
    ],
    [{ destructiveHint: false }, true, "write", "destructiveHint: false of the server, which is approved"],
    [
      { destructiveHint: false },
      false,
      "destroy",
      "the server says destructiveHint: false, and nobody has approved the server",
    ],
    [{ destructiveHint: true }, false, "destroy", "destructiveHint of the server"],
    [{ readOnlyHint: false }, true, "destroy", "the server does not say otherwise"],
  ])("that says %j, approved: %s, does %s", (annotations, isApproved, effect, from) => {
    const effects = effectsIn({ approved: isApproved ? ["github"] : [] });
    expect(effects.explain(toolCall(annotations))).toEqual({ effect, from });
  });

  it("does what the first pattern of the config says, whatever the server says", () => {
    const configured = { github: { get_issue: "write", "get_*": "read" } } as const;
    const { of } = effectsIn({ configured, approved: ["github"] });
    expect(of(toolCall({ destructiveHint: true }, "get_repo"))).toBe("read");
    expect(of(toolCall({ readOnlyHint: true }, "get_issue"))).toBe("write");
    expect(of(toolCall({ readOnlyHint: true }, "list"))).toBe("read");
  });

  it("without a definition goes by its name", () => {
    const { of } = effectsIn({ configured: { github: { "get_*": "read" } } });
    const call = { kind: "tool", source: "github", args: {} } as const;
    expect(of({ ...call, name: "github__get_x" })).toBe("read");
    expect(of({ ...call, name: "github__x" })).toBe("destroy");
  });

  it("is found out again when an approval or the config changed", () => {
    const { of, state } = effectsIn({});
    const call = toolCall({ readOnlyHint: true });
    expect(of(call)).toBe("destroy");
    state.approved.push("github");
    expect(of(call)).toBe("destroy");
    state.epoch++;
    expect(of(call)).toBe("read");
  });
});

describe("a capability", () => {
  const call: GuardedCall = { kind: "tool", name: "mcp__a__b", source: "mcp", args: {} };
  const tools = { s__read: { readOnlyHint: true }, s__write: { destructiveHint: false }, s__any: {} };
  const explain = (capabilities: Readonly<Record<string, CapabilityUses>>) =>
    effectsIn({ approved: ["s"], tools, capabilities }).explain(call);

  test.each([
    [[], "read", "nothing that it uses does more"],
    [["s__read"], "read", "nothing that it uses does more"],
    [["s__read", "s__write"], "write", "it uses s__write"],
    [["s__write", "s__any", "s__read"], "destroy", "it uses s__any"],
    [["s__read", "s__gone"], "destroy", "it uses s__gone, of which nothing is known now"],
  ])("that uses %j does the greatest of it: %s", (used, effect, from) => {
    expect(explain({ mcp__a__b: { tools: used, nodes: [] } })).toEqual({ effect, from });
  });

  it("does what the capabilities below it do, and a cycle ends", () => {
    const below = { mcp__c__d: { tools: ["s__write", "mcp__a__b"], nodes: [] } };
    expect(explain({ mcp__a__b: { tools: ["mcp__c__d"], nodes: [] }, ...below })).toEqual({
      effect: "write",
      from: "it uses s__write",
    });
  });

  it("does what its nodes do", () => {
    const nodes = [
      { type: "http", params: {} },
      { type: "write_file", params: {} },
    ];
    expect(explain({ mcp__a__b: { tools: [], nodes } })).toEqual({
      effect: "write",
      from: "it uses the node write_file",
    });
  });

  it("may do anything where nothing is known of it, or where it uses too much to look at", () => {
    expect(effectsIn({}).of(call)).toBe("destroy");
    const chain = Object.fromEntries(
      Array.from({ length: 1_100 }, (_, at) => [
        `mcp__n__c${at}`,
        { tools: [`mcp__n__c${at + 1}`], nodes: [] },
      ]),
    );
    expect(explain({ mcp__a__b: { tools: ["mcp__n__c0"], nodes: [] }, ...chain }).effect).toBe("destroy");
  });
});

test.each([
  ["http", {}, "read"],
  ["http", { method: "GET" }, "read"],
  ["http", { method: "HEAD" }, "read"],
  ["http", { method: "POST" }, "write"],
  ["http", { method: "${how}" }, "write"],
  ["read_file", {}, "read"],
  ["write_file", {}, "write"],
  ["shell", {}, "destroy"],
  ["llm", {}, "read"],
  ["code", {}, "read"],
  ["workflow", {}, "read"],
  ["wait", {}, "read"],
  ["approve", {}, "read"],
  ["new_one", {}, "destroy"],
  ["constructor", {}, "destroy"],
] as [string, JsonObject, Effect][])("the node %s with %j does %s", (name, args, effect) => {
  expect(effectsIn({}).of({ kind: "node", name, args })).toBe(effect);
});

test("prompts and resources only read", () => {
  expect(effectsIn({}).of({ kind: "prompt", name: "s__p", source: "s", args: {} })).toBe("read");
  expect(effectsIn({}).of({ kind: "resource", name: "repertoire://server/s/u", source: "s", args: {} })).toBe(
    "read",
  );
});

describe("what is said of a tool, for those who choose one", () => {
  test.each([
    [undefined, undefined],
    [{ readOnlyHint: true }, "read"],
    [{ readOnlyHint: true, destructiveHint: true }, "read"],
    [{ readOnlyHint: false }, undefined],
    [{ destructiveHint: true }, "destroy"],
    [{ destructiveHint: false }, "write"],
  ])("%j of a server that is not approved: %s", (annotations, said) => {
    expect(effectsIn({}).said("github", definitionOf("get_issue", annotations))).toBe(said);
  });

  it("is what the config says, where it says anything", () => {
    const { said } = effectsIn({ configured: { github: { "get_*": "destroy" } } });
    expect(said("github", definitionOf("get_issue", { readOnlyHint: true }))).toBe("destroy");
    expect(said("gitlab", definitionOf("get_issue", { readOnlyHint: true }))).toBe("read");
  });
});
