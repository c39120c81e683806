import { describe, expect, it } from "vitest";
import { fixture, openOperator } from "./access.testkit.ts";

const SHELF = fixture("shelf-server.mjs");

/** A library with two versions of `words:count` and one of `other:thing`. */
async function openLibrary() {
  const opened = await openOperator({
    mcpServers: { shelf: SHELF },
    profiles: { triage: { capabilities: { allow: ["words:*"] } }, front: { transparent: "shelf" } },
  });
  const { app, ask } = opened;
  const save = async (code: string, final_name: string, overwrite = false) => {
    const run = await app.gateway.callTool("execute", { code });
    const { draft } = run.structuredContent as unknown as { draft: string };
    const body = { draft_name: draft, final_name, description: "Counts letters.", overwrite };
    return ask("saveDraft", { body });
  };
  await save("return { n: (await mcp.shelf.echo({ text: 'four' })).length }", "words:count");
  await save("return { n: (await mcp.shelf.echo({ text: 'fourteen' })).length }", "words:count", true);
  await save("return { n: 1 }", "other:thing");
  return opened;
}

describe("the library", () => {
  it("is listed, described, compared and tested", async () => {
    const { ask } = await openLibrary();
    const { items } = await ask("listLibrary");
    expect(items.map(({ name, version }) => `${name}@${version}`)).toEqual([
      "other:thing@1",
      "words:count@2",
    ]);
    expect((await ask("listLibrary", { query: { pattern: "words:*" } })).items).toHaveLength(1);
    const item = await ask("getItem", { params: { name: "words:count@1" } });
    expect(item).toMatchObject({ version: 1, tools_used: [{ tool: "shelf__echo", state: "same" }] });
    const before = "words:count@1";
    expect(await ask("compareVersions", { query: { before, after: "words:count" } })).toMatchObject({
      equal: false,
      source: expect.stringContaining("fourteen"),
    });
    expect(await ask("compareVersions", { query: { before, after: before } })).toMatchObject({ equal: true });
    expect(await ask("testItem", { params: { name: "words:count" } })).toMatchObject({
      passed: 1,
      reports: [{ name: "words:count", version: 2, outcome: "passed" }],
    });
  });

  it("is changed, under the name of the token that changed it", async () => {
    const { ask, app, viewerOf } = await openLibrary();
    const viewer = viewerOf();
    const params = { name: "words:count" };
    expect(await ask("rollBackItem", { viewer, params, body: { version: 1 } })).toEqual({
      name: "words:count",
      tool: "mcp__words__count",
      version: 3,
      like: "words:count@1",
    });
    expect(await ask("aliasItem", { viewer, params, body: { alias: "words:length" } })).toMatchObject({
      aliases: ["words:length"],
    });
    expect(await ask("renameItem", { viewer, params, body: { to: "words:size" } })).toMatchObject({
      name: "words:size",
    });
    expect(await ask("deleteItem", { viewer, params: { name: "words:size" } })).toEqual({
      deleted: "words:size",
      version_count: 3,
    });
    const entries = await app.store.audit.newest({ limit: 4 });
    expect(entries.map(({ actor }) => actor)).toEqual(Array(4).fill("token:bot"));
  });

  it("an item is exported as the file that export writes", async () => {
    const { ask, app, folder } = await openLibrary();
    const { file, text } = await ask("exportItem", { params: { name: "words:count" } });
    const exported = await app.exportLibrary(`${folder}/exported`, "words:count");
    expect(exported).toMatchObject({ data: { written: [file] } });
    const { readFileSync } = await import("node:fs");
    expect(text).toBe(readFileSync(`${folder}/exported/${file}`, "utf8"));
  });

  it("shows what a profile shows; the rest answers like what is not there", async () => {
    const { ask, refused, viewerOf } = await openLibrary();
    const viewer = viewerOf({ profiles: new Set(["triage"]) });
    expect((await ask("listLibrary", { viewer })).items.map(({ name }) => name)).toEqual(["words:count"]);
    const shown = (error: object, name: string) => JSON.stringify(error).replaceAll(name, "NAME");
    for (const route of ["getItem", "testItem"] as const) {
      const hidden = await refused(route, { viewer, params: { name: "other:thing" } });
      const missing = await refused(route, { viewer, params: { name: "other:think" } });
      expect(shown(hidden, "other:thing")).toBe(shown(missing, "other:think"));
    }
    const query = { before: "words:count", after: "other:thing" };
    expect(await refused("compareVersions", { viewer, query })).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it("of a profile that fronts one server is empty, and nothing is saved through it", async () => {
    const { ask, refused, viewerOf } = await openLibrary();
    const viewer = viewerOf({ profiles: new Set(["front"]) });
    expect((await ask("listLibrary", { viewer })).items).toEqual([]);
    const body = { draft_name: "x", final_name: "a:b", description: "" };
    expect(await refused("saveDraft", { viewer, body })).toMatchObject({ code: "SECURITY_ERROR" });
  });
});
