import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import type { Scope } from "../core/names.ts";
import { createDraftFolder } from "./draft-folder.ts";
import { createDrafts, DRAFT_BYTES_MAX } from "./drafts.ts";

function draftsIn(folder: string, scope?: () => Scope) {
  return createDrafts({ place: createDraftFolder(folder), ...(scope && { scope }) });
}

function draftsWith(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, drafts: draftsIn(folder) };
}

describe("S14: drafts of a scope", () => {
  const acme = { org: "acme", project: "web" };

  it("S14: are found, listed, saved and removed in the folder of that scope alone", async () => {
    const folder = temporaryFolder();
    const own = draftsIn(folder);
    const others = draftsIn(folder, () => acme);
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
    const drafts = draftsIn(folder, () => scope);
    const name = await drafts.save("return 1");
    scope = { org: "local", project: "default" };
    expect(await drafts.names()).toEqual([]);
    await drafts.save("return 1");
    expect(await draftsIn(folder).names()).toEqual([name]);
  });
});

describe("finding a file", () => {
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

  it("answers a miss in a folder that is not there", async () => {
    expect(await draftsIn("/nowhere/at/all").find("x")).toMatchObject({
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
        hint: expect.stringContaining("drafts folder"),
      },
    });
  });
});

describe("the oldest of more than 200 saved", () => {
  it("goes, and one that somebody edited stays", async () => {
    const { folder, drafts } = draftsWith({});
    const names: string[] = [];
    for (let i = 0; i < 200; i++) {
      names.push(await drafts.save(`return ${i}`));
      utimesSync(join(folder, `${names[i]}.ts`), i, i);
    }
    writeFileSync(join(folder, `${names[0]}.ts`), "mine now");
    utimesSync(join(folder, `${names[0]}.ts`), 0, 0);
    await drafts.save("return 200");
    await drafts.save("return 201");
    expect(readFileSync(join(folder, `${names[0]}.ts`), "utf8")).toBe("mine now");
    const left = readdirSync(folder);
    expect(names.filter((name) => !left.includes(`${name}.ts`))).toEqual([names[1]]);
  });
});

describe("what is not a draft", () => {
  it.each(["../secret", "/etc/passwd", "a/b", "..", "a\0"])(
    "T025: %j is refused before any file is touched",
    async (name) => {
      expect(await draftsIn("/proc/self/root").find(name)).toMatchObject({
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
