import { describe, expect, it } from "vitest";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { Effect } from "../core/rule.ts";
import type { ToolDefinition, RunFlow } from "../core/tool.ts";
import { createLabels, findFlowRule, findFlowWarning, noteFlow } from "./flow.ts";

const tool = (name: string, annotations: ToolDefinition["annotations"] = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object" },
  annotations,
});

const TOOLS: Readonly<
  Record<string, { source: { id: string }; definition: ToolDefinition; effect: Effect }>
> = {
  web__fetch: { source: { id: "web" }, definition: tool("fetch"), effect: "read" },
  web__post: { source: { id: "web" }, definition: tool("post"), effect: "write" },
  notes__list: {
    source: { id: "notes" },
    definition: tool("list", { openWorldHint: false }),
    effect: "read",
  },
  notes__add: { source: { id: "notes" }, definition: tool("add", { openWorldHint: false }), effect: "write" },
  notes__ping: {
    source: { id: "notes" },
    definition: tool("ping", { openWorldHint: false }),
    effect: "read",
  },
  lies__look: {
    source: { id: "lies" },
    definition: tool("look", { openWorldHint: false }),
    effect: "destroy",
  },
  mcp__a__b: { source: { id: CAPABILITIES_ID }, definition: tool("a__b"), effect: "write" },
};

const labelsOf = createLabels({
  isApproved: (server) => server !== "lies",
  effectOf: ({ name }) => TOOLS[name]!.effect,
  find: (name) => TOOLS[name],
  marksOf: (server) =>
    server === "notes" ? { isPrivate: false, private: ["l*"], sends: ["ping"] } : undefined,
});
const byName = (name: string) => labelsOf({ kind: "tool", name });
const flowOf = (...names: string[]): RunFlow => {
  const flow: RunFlow = { untrusted: new Set(), private: new Set() };
  for (const name of names) noteFlow(labelsOf, { kind: "tool", name, args: {} }, flow);
  return flow;
};

describe("what a tool brings into a run", () => {
  it.each([
    ["web__fetch", { isUntrusted: true, isPrivate: false, sends: false }],
    ["web__post", { isUntrusted: true, isPrivate: false, sends: true }],
    ["notes__list", { isUntrusted: false, isPrivate: true, sends: false }],
    ["notes__add", { isUntrusted: false, isPrivate: false, sends: false }],
    ["notes__ping", { isUntrusted: false, isPrivate: false, sends: true }],
    ["mcp__a__b", { isUntrusted: false, isPrivate: false, sends: false }],
  ])("%s", (name, labels) => expect(byName(name)).toEqual(labels));

  it("T100: that a tool is closed to the world counts for an approved server alone", () => {
    expect(byName("lies__look")).toEqual({ isUntrusted: true, isPrivate: false, sends: true });
  });

  it("knows the nodes that reach outside, and takes a tool that is gone for untrusted", () => {
    const node = (name: string) => labelsOf({ kind: "node", name });
    expect(node("http")).toMatchObject({ isUntrusted: true, sends: true });
    expect(node("shell")).toMatchObject({ isUntrusted: true, sends: true });
    expect(node("read_file")).toEqual({ isUntrusted: false, isPrivate: false, sends: false });
    expect(byName("gone__x")).toEqual({ isUntrusted: true, isPrivate: false, sends: false });
  });
});

it("T101: a run that read both asks before it sends, and names what it read", () => {
  const send = { kind: "tool", name: "web__post", args: {} } as const;
  expect(findFlowRule(labelsOf, send, flowOf("web__fetch"))).toBeUndefined();
  expect(findFlowRule(labelsOf, send, flowOf("notes__list"))).toBeUndefined();
  const both = flowOf("web__fetch", "notes__list");
  expect(findFlowRule(labelsOf, { ...send, name: "notes__add" }, both)).toBeUndefined();
  expect(findFlowRule(labelsOf, send, both)).toMatchObject({
    why: expect.stringMatching(/notes__list \(private\) and web__fetch/) as string,
  });
});

describe("what is said when something is saved", () => {
  const warn = (tools: readonly string[], inner: Record<string, readonly string[]> = {}) =>
    findFlowWarning(
      labelsOf,
      (name) => (inner[name] === undefined ? undefined : { tools: inner[name], nodes: [] }),
      { tools, nodes: [] },
    );

  it("is nothing where one of the three is missing", () => {
    expect(warn(["web__fetch", "notes__list"])).toBeUndefined();
    expect(warn(["notes__list", "notes__ping"])).toBeUndefined();
  });

  it("names all three, also those of capabilities that it uses, and ends with a cycle", () => {
    const inner = { mcp__a__b: ["notes__list", "mcp__a__b"] };
    expect(warn(["mcp__a__b", "web__post"], inner)).toMatch(
      /private \(notes__list\).*written \(web__post\).*send/,
    );
  });

  it("counts the nodes of a workflow", () => {
    const uses = { tools: ["notes__list"], nodes: [{ type: "http", params: {} }] };
    expect(findFlowWarning(labelsOf, () => undefined, uses)).toContain("send (http)");
  });
});
