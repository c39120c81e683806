import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createDrafts, DRAFT_BYTES_MAX } from "./drafts.ts";

function draftsWith(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, drafts: createDrafts(folder) };
}

describe("S14: drafts of a scope", () => {
  const acme = { org: "acme", project: "web" };

  it("S14: are found, listed, saved and removed in that scope alone", async () => {
    const folder = temporaryFolder();
    const own = createDrafts(folder);
    const others = createDrafts(folder, () => acme);
    writeFileSync(join(folder, "mine.ts"), "return 1");
    const saved = await others.save("return 2", "their work");
    expect(await own.names()).toEqual(["mine"]);
    expect(await others.names()).toEqual([saved]);
    expect(await others.find("mine")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    expect(await own.find(saved)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    const found = await others.find(saved);
    if (!found.success) throw new Error(found.error.message);
    expect(found.data.path).toBe(join(folder, "acme/web", `${saved}.ts`));
    await others.remove(found.data);
    expect(await others.names()).toEqual([]);
  });

  it("S14: go by the scope of the moment, and the default scope is the folder itself", async () => {
    const folder = temporaryFolder();
    let scope = acme;
    const drafts = createDrafts(folder, () => scope);
    const name = await drafts.save("return 1");
    scope = { org: "local", project: "default" };
    expect(await drafts.names()).toEqual([]);
    await drafts.save("return 1");
    expect(await createDrafts(folder).names()).toEqual([name]);
  });
});

describe("finding a draft", () => {
  it("takes either spelling and tells workflows from code", async () => {
    const { drafts } = draftsWith({ "pr-analyzer.json": "{}", "sum_up.ts": "return 1" });
    for (const name of ["pr-analyzer", "pr_analyzer"]) {
      expect(await drafts.find(name)).toMatchObject({
        success: true,
        data: { name: "pr-analyzer", kind: "workflow" },
      });
    }
    expect(await drafts.find("sum-up")).toMatchObject({
      success: true,
      data: { kind: "code", text: "return 1" },
    });
  });

  it("reads the file fresh each time", async () => {
    const { folder, drafts } = draftsWith({ "a.ts": "return 1" });
    await drafts.find("a");
    writeFileSync(join(folder, "a.ts"), "return 2");
    expect(await drafts.find("a")).toMatchObject({ data: { text: "return 2" } });
  });

  it("answers a miss with the nearest and the known names", async () => {
    const { drafts } = draftsWith({ "pr-analyzer.json": "{}" });
    expect(await drafts.find("pr-analyser", "draft_name")).toMatchObject({
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["pr-analyzer"],
        field: "draft_name",
        hint: "Drafts: pr-analyzer.",
      },
    });
    expect(await createDrafts("/nowhere/at/all").find("x")).toMatchObject({
      error: { hint: "The drafts folder is empty." },
    });
  });

  it("says where broken JSON breaks", async () => {
    const { drafts } = draftsWith({ "broken.json": '{\n  "nodes": [,]\n}' });
    expect(await drafts.find("broken")).toMatchObject({
      error: {
        code: "TOOL_INVALID_INPUT",
        reason: "validation_error",
        message: expect.stringContaining("line 2, column 13"),
      },
    });
  });
});

describe("what is not a draft", () => {
  it.each(["../secret", "/etc/passwd", "a/b", "..", "a\0"])(
    "T025: %j is refused before any file is touched",
    async (name) => {
      expect(await createDrafts("/proc/self/root").find(name)).toMatchObject({
        error: { code: "SECURITY_ERROR" },
      });
    },
  );

  it("a link is not followed", async () => {
    const { folder, drafts } = draftsWith({});
    writeFileSync(join(folder, "outside"), "secret");
    symlinkSync(join(folder, "outside"), join(folder, "link.ts"));
    expect(await drafts.find("link")).toMatchObject({ error: { code: "SECURITY_ERROR" } });
  });

  it("a folder and a pipe are not read, and nothing hangs", async () => {
    const { folder, drafts } = draftsWith({});
    mkdirSync(join(folder, "folder.ts"));
    execFileSync("/usr/bin/mkfifo", [join(folder, "pipe.ts")]);
    expect(await drafts.find("folder")).toMatchObject({ error: { code: "SECURITY_ERROR" } });
    expect(await drafts.find("pipe")).toMatchObject({ error: { code: "SECURITY_ERROR" } });
  });

  it("a file over the limit is refused, one at the limit is not", async () => {
    const { drafts } = draftsWith({
      "at.ts": "x".repeat(DRAFT_BYTES_MAX),
      "over.ts": "x".repeat(DRAFT_BYTES_MAX + 1),
    });
    expect(await drafts.find("at")).toMatchObject({ success: true });
    expect(await drafts.find("over")).toMatchObject({
      error: { message: expect.stringContaining("262144") },
    });
  });
});
