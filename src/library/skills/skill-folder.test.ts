import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { parseSkillName } from "../../core/names.ts";
import type { ToolResult } from "../../core/result.ts";
import { digestOf, skillUriOf, type LibrarySkill } from "./library-skill.ts";
import { writeSkills, type SkillFolderOptions, type SkillsWritten } from "./skill-folder.ts";

function skill(name: string, text = `# ${name}\n`): LibrarySkill {
  return {
    uri: skillUriOf(parseSkillName(name)!),
    frontmatter: { name, description: name, metadata: { version: "1" } },
    text,
    size: text.length,
    digest: digestOf(Buffer.from(text)),
  };
}

const SUM = skill("math-sum");
const KNOWN = new Set(["math-sum", "trip-pack"]);
const RECORD = ".repertoire-skills.json";

function write(folder: string, skills: readonly LibrarySkill[], options: Partial<SkillFolderOptions> = {}) {
  return writeSkills(folder, skills, { known: KNOWN, ...options });
}

function dataOf(result: ToolResult<SkillsWritten>): SkillsWritten {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("a folder of skills", () => {
  it("has a folder for each, and is not written again where nothing differs", async () => {
    const folder = join(temporaryFolder(), "new", "skills");
    expect(dataOf(await write(folder, [skill("trip-pack"), SUM]))).toEqual({
      written: ["math-sum/SKILL.md", "trip-pack/SKILL.md"],
      unchanged: [],
      stale: [],
    });
    expect(readFileSync(join(folder, "math-sum/SKILL.md"), "utf8")).toBe("# math-sum\n");
    expect(readdirSync(folder).sort()).toEqual([RECORD, "math-sum", "trip-pack"]);
    expect(dataOf(await write(folder, [SUM]))).toMatchObject({
      written: [],
      unchanged: ["math-sum/SKILL.md"],
    });
  });

  it("follows the library, and names what is not in it any more", async () => {
    const folder = temporaryFolder();
    dataOf(await write(folder, [SUM, skill("trip-pack")]));
    const next = dataOf(await write(folder, [skill("math-sum", "two\n")], { known: new Set(["math-sum"]) }));
    expect(next).toEqual({ written: ["math-sum/SKILL.md"], unchanged: [], stale: ["trip-pack/SKILL.md"] });
    expect(existsSync(join(folder, "trip-pack/SKILL.md"))).toBe(true);
    rmSync(join(folder, "trip-pack"), { recursive: true });
    expect(dataOf(await write(folder, [SUM], { known: new Set(["math-sum"]) })).stale).toEqual([]);
  });

  it("keeps a file that somebody else wrote, or changed since, unless it is forced", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "math-sum"));
    const file = join(folder, "math-sum/SKILL.md");
    for (const begin of [() => writeFileSync(file, "mine\n"), () => writeFileSync(file, "changed\n")]) {
      begin();
      const before = readFileSync(file, "utf8");
      const refused = await write(folder, [SUM, skill("trip-pack")]);
      expect(refused).toMatchObject({
        error: { code: "SECURITY_ERROR", hint: expect.stringContaining("--force") },
      });
      expect(readFileSync(file, "utf8")).toBe(before);
      expect(existsSync(join(folder, "trip-pack"))).toBe(false);
      dataOf(await write(folder, [SUM], { isForced: true }));
      expect(readFileSync(file, "utf8")).toBe(SUM.text);
    }
  });

  it("says what it would write, and writes nothing", async () => {
    const folder = join(temporaryFolder(), "skills");
    expect(dataOf(await write(folder, [SUM], { isDry: true })).written).toEqual(["math-sum/SKILL.md"]);
    expect(existsSync(folder)).toBe(false);
  });

  it("T032: is not left by a link, and no pipe or folder is taken for a file, forced or not", async () => {
    for (const isForced of [false, true]) {
      const [folder, outside] = [temporaryFolder(), temporaryFolder()];
      symlinkSync(outside, join(folder, "math-sum"));
      expect((await write(folder, [SUM], { isForced })).success).toBe(false);
      rmSync(join(folder, "math-sum"));
      mkdirSync(join(folder, "math-sum"));
      const file = join(folder, "math-sum/SKILL.md");
      for (const begin of [
        () => symlinkSync(join(outside, "x"), file),
        () => execFileSync("/usr/bin/mkfifo", [file]),
        () => mkdirSync(file),
      ]) {
        begin();
        expect((await write(folder, [SUM], { isForced })).success).toBe(false);
        rmSync(file, { recursive: true });
      }
      symlinkSync(join(outside, "record"), join(folder, RECORD));
      expect((await write(folder, [SUM], { isForced })).success).toBe(false);
      expect(readdirSync(outside)).toEqual([]);
    }
  });

  it.each([
    "",
    "null",
    "[]",
    '{"skills": 5}',
    '{"skills": {"../../etc": ["sha256:0"], "__proto__": [], "math-sum": "sha256:0"}}',
    `{"skills": ${"[".repeat(100_000)}`,
    "x".repeat(3 * 1024 * 1024),
  ])("reads a record that is none as one without entries (%#)", async (text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, RECORD), text);
    mkdirSync(join(folder, "math-sum"));
    writeFileSync(join(folder, "math-sum/SKILL.md"), "mine");
    expect((await write(folder, [SUM])).success).toBe(false);
    expect(
      dataOf(await write(folder, [SUM], { isForced: true, known: new Set(["math-sum"]) })).stale,
    ).toEqual([]);
  });

  it("goes on after it was ended between two files", async () => {
    const folder = temporaryFolder();
    dataOf(await write(folder, [SUM]));
    // As it is after the record of the next time was written, and the file was not.
    const record = JSON.parse(readFileSync(join(folder, RECORD), "utf8")) as {
      skills: Record<string, string[]>;
    };
    record.skills["math-sum"]!.push(skill("math-sum", "two\n").digest);
    writeFileSync(join(folder, RECORD), JSON.stringify(record));
    expect(dataOf(await write(folder, [skill("math-sum", "three\n")])).written).toEqual([
      "math-sum/SKILL.md",
    ]);
  });
});
