import { describe, expect, it } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { fail, succeed } from "../core/result.ts";
import type { Offer, ToolView } from "../core/tool.ts";
import { createRegistry } from "./registry.ts";

const paged = (name: string, page: string, visibility?: string[]) => ({
  ...toolOf(name),
  _meta: { ui: { resourceUri: page, ...(visibility && { visibility }) } },
});

async function open(offers: Record<string, Partial<Offer>>, access = {}) {
  const registry = createRegistry();
  for (const [id, offer] of Object.entries(offers)) {
    const source = createFixtureSource(id, []);
    source.onList = async () => succeed({ tools: [], ...offer });
    registry.add(source, access);
  }
  await registry.discover({ waitMs: 1000 }, contextOf());
  return registry;
}

const viewOf = (servers: string[], denied: string[] = []): ToolView => ({
  profile: "p",
  allows: (tool) => !denied.includes(tool),
  allowsServer: (id) => servers.includes(id),
  nameOf: (tool) => tool,
  descriptionOf: () => undefined,
});

describe("a server's own URI", () => {
  it.each([
    ["a resource", "memo://one", { resources: [{ uri: "memo://one", name: "one" }] }],
    ["from a template", "memo://7/x", { resourceTemplates: [{ uriTemplate: "memo://{id}/x", name: "any" }] }],
    [
      "a template itself",
      "memo://{id}",
      { resourceTemplates: [{ uriTemplate: "memo://{id}", name: "any" }] },
    ],
    ["a page", "ui://clock/page", { tools: [paged("clock", "ui://clock/page")] }],
    ["a page of a tool for Apps", "ui://clock/page", { tools: [paged("tick", "ui://clock/page", ["app"])] }],
  ])("leads to the one server that offers it: %s", async (_, uri, offer) => {
    const registry = await open({ a: offer, b: { resources: [{ uri: "other://x", name: "x" }] } });
    expect(registry.findUri(uri)).toEqual(succeed({ source: "a", uri }));
  });

  it("T033: leads nowhere where several offer it, and the candidates are named", async () => {
    const resources = [{ uri: "ui://page", name: "page" }];
    const registry = await open({ b: { resources }, a: { tools: [paged("t", "ui://page")] } });
    expect(registry.findUri("ui://page")).toMatchObject(
      fail("TOOL_INVALID_INPUT", 'Several servers have the resource "ui://page".', {
        nearest: ["ui://a+page", "ui://b+page"],
        hint: "Name one of them: ui://a+page, ui://b+page",
      }),
    );
  });

  it("T033: is looked for only with servers and tools that a profile shows, and no other is named", async () => {
    const resources = [{ uri: "memo://one", name: "one" }];
    const registry = await open({
      a: { resources, tools: [paged("t", "ui://p")] },
      b: { resources },
      c: { resources },
    });
    expect(registry.findUri("memo://one", viewOf(["b"]))).toEqual(
      succeed({ source: "b", uri: "memo://one" }),
    );
    expect(JSON.stringify(registry.findUri("memo://one", viewOf(["b", "c"])))).not.toContain("server/a");
    expect(registry.findUri("memo://one", viewOf([]))).toBeUndefined();
    expect(registry.findUri("ui://p", viewOf(["a"], ["a__t"]))).toBeUndefined();
  });

  it("T033: counts for nothing where its tool is denied", async () => {
    const registry = await open({ a: { tools: [paged("t", "ui://p")] } }, { deny: ["t"] });
    expect(registry.findUri("ui://p")).toBeUndefined();
  });

  it.each([
    ["of a server that is not there", "repertoire://server/gone/x"],
    ["of the library", "repertoire://library/a/b"],
    ["in other letters", "Repertoire://runs"],
    ["nothing", ""],
  ])("T033: is never one of ours, though a server lists it: %s", async (_, uri) => {
    const registry = await open({
      a: { resources: [{ uri, name: "x" }], resourceTemplates: [{ uriTemplate: "{+u}", name: "all" }] },
    });
    expect(registry.findUri(uri)).toBeUndefined();
  });

  it("is not as long as no URI is", async () => {
    const registry = await open({ a: { resourceTemplates: [{ uriTemplate: "memo://{id}", name: "any" }] } });
    expect(registry.findUri(`memo://${"x".repeat(9000)}`)).toBeUndefined();
  });
});
