import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { readPortable } from "./reading.ts";
import { writePortable } from "./writing.ts";
import { formatPortable, type PortableCapability } from "./portable.ts";

function capability(action: string, change: Partial<PortableCapability> = {}): PortableCapability {
  return {
    namespace: "math",
    action,
    kind: "code",
    description: "",
    tags: [],
    visibility: "private",
    author: "ann",
    source: "\uFEFFreturn 1;\r\n",
    inputSchema: {},
    outputSchema: null,
    toolsUsed: [],
    aliases: [],
    example: null,
    ...change,
  };
}

const SUM = capability("sum");
const FLOW = capability("flow", { namespace: "work", kind: "workflow", source: "{}" });

/** A folder with one capability in it. */
function folderWithSum(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "math"));
  writeFileSync(join(folder, "math/sum.ts"), formatPortable(SUM).text);
  return folder;
}

describe("writing a folder", () => {
  it("makes what is read back", async () => {
    const folder = join(temporaryFolder(), "new", "library");
    expect(await writePortable(folder, [FLOW, SUM])).toEqual({
      success: true,
      data: { written: ["math/sum.ts", "work/flow.jsonc"], unchanged: [] },
    });
    expect(await readPortable(folder)).toEqual({ success: true, data: [SUM, FLOW] });
  });

  it("writes only what differs and leaves other files alone", async () => {
    const folder = folderWithSum();
    writeFileSync(join(folder, "README.md"), "mine");
    writeFileSync(join(folder, "math/other.ts"), "mine");
    const before = statSync(join(folder, "math/sum.ts"), { bigint: true });
    expect(await writePortable(folder, [SUM, capability("product")])).toEqual({
      success: true,
      data: { written: ["math/product.ts"], unchanged: ["math/sum.ts"] },
    });
    const after = statSync(join(folder, "math/sum.ts"), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(readFileSync(join(folder, "math/other.ts"), "utf8")).toBe("mine");
    expect(readdirSync(join(folder, "math"))).toEqual(["other.ts", "product.ts", "sum.ts"]);
  });

  it("replaces a file whose text differs, even one that is no capability", async () => {
    const folder = folderWithSum();
    writeFileSync(join(folder, "math/sum.ts"), Buffer.from([0xff, 0xfe]));
    expect(await writePortable(folder, [SUM])).toMatchObject({ data: { written: ["math/sum.ts"] } });
    expect(await readPortable(folder)).toEqual({ success: true, data: [SUM] });
  });

  it("T032: writes nothing when one of the names leads elsewhere", async () => {
    const folder = join(temporaryFolder(), "library");
    for (const namespace of ["..", "/etc", "a/b", "con", ""]) {
      const refused = await writePortable(folder, [SUM, capability("x", { namespace })]);
      expect(refused).toMatchObject({ success: false, error: { hint: "Nothing was written." } });
    }
    expect(readdirSync(join(folder, ".."))).toEqual([]);
  });

  it("T032: follows no link, neither of a file nor of a folder", async () => {
    const folder = folderWithSum();
    const outside = temporaryFolder();
    writeFileSync(join(outside, "target"), "mine");
    symlinkSync(join(outside, "target"), join(folder, "math/product.ts"));
    symlinkSync(outside, join(folder, "work"));
    expect(await writePortable(folder, [capability("product"), FLOW, capability("new")])).toMatchObject({
      error: {
        code: "SECURITY_ERROR",
        message: "math/product.ts: this is a link, not a file\nwork: this is a link, not a folder",
      },
    });
    expect(readdirSync(outside)).toEqual(["target"]);
    expect(readFileSync(join(outside, "target"), "utf8")).toBe("mine");
    expect(readdirSync(join(folder, "math"))).not.toContain("new.ts");
  });

  it("refuses two capabilities of one name, and half a character", async () => {
    const folder = temporaryFolder();
    const twins = [SUM, capability("sum", { kind: "workflow" }), capability("half", { source: "\ud800" })];
    expect(await writePortable(folder, twins)).toMatchObject({
      error: {
        message: expect.stringMatching(
          /half\.ts:\d+: half of a character.*\nmath\/sum\.ts: math\/sum\.jsonc has the same name/,
        ),
      },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a folder that cannot be made is told and leaves nothing behind", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await writePortable(join(file, "library"), [SUM])).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: expect.stringContaining("0 of 1 files were written") },
    });
  });
});

describe("reading a folder", () => {
  it("takes code and workflows one level down, and nothing else", async () => {
    const folder = folderWithSum();
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "math/deeper"));
    for (const other of ["top.ts", ".git/x.ts", "math/deeper/x.ts", "math/notes.md"]) {
      writeFileSync(join(folder, other), "no capability");
    }
    symlinkSync("top.ts", join(folder, "link.md"));
    expect(await readPortable(folder)).toEqual({ success: true, data: [SUM] });
  });

  it("an empty folder has none, a missing one is told", async () => {
    const folder = temporaryFolder();
    expect(await readPortable(folder)).toEqual({ success: true, data: [] });
    expect(await readPortable(join(folder, "none"))).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });

  it("tells every problem of every file", async () => {
    const folder = folderWithSum();
    writeFileSync(join(folder, "math/a.ts"), "return 1;");
    writeFileSync(join(folder, "math/b.ts"), Buffer.from([0xff]));
    writeFileSync(join(folder, "math/c.ts"), formatPortable(SUM).text);
    writeFileSync(
      join(folder, "math/sum.jsonc"),
      formatPortable(capability("sum", { kind: "workflow" })).text,
    );
    const read = await readPortable(folder);
    expect(read.success ? [] : read.error.message.split("\n")).toEqual([
      "math/sum.ts: math/sum.jsonc has the same name; keep one of them",
      expect.stringContaining("math/a.ts:1: the header is missing"),
      "math/b.ts: the file is not valid UTF-8; save it as UTF-8",
      expect.stringContaining('math/c.ts:3: name: "math:sum" does not match the path'),
    ]);
  });

  it("T032: refuses links, pipes and folders in the place of files, and nothing hangs", async () => {
    const folder = folderWithSum();
    const outside = temporaryFolder();
    symlinkSync("sum.ts", join(folder, "math/link.ts"));
    symlinkSync(outside, join(folder, "work"));
    mkdirSync(join(folder, "math/folder.ts"));
    execFileSync("/usr/bin/mkfifo", [join(folder, "math/pipe.jsonc")]);
    writeFileSync(join(folder, "math/a.ts"), "return 1;");
    const read = await readPortable(folder);
    expect(read).toMatchObject({ error: { code: "SECURITY_ERROR" } });
    expect(read.success ? [] : read.error.message.split("\n")).toEqual([
      "math/folder.ts: this is a folder, not a file",
      "math/link.ts: this is a link, not a file",
      "math/pipe.jsonc: this is a pipe, socket or device, not a file",
      "work: this is a link; make it a folder",
      expect.stringContaining("math/a.ts:1: the header is missing"),
    ]);
  });

  it("T032: refuses a file over the limit unread", async () => {
    const folder = folderWithSum();
    writeFileSync(join(folder, "math/huge.ts"), "");
    truncateSync(join(folder, "math/huge.ts"), 100 * 1024 ** 3);
    expect(await readPortable(folder)).toMatchObject({
      error: { message: "math/huge.ts: the file has 107374182400 bytes; the limit is 2097152" },
    });
  });

  it("T032: refuses more files than it may read", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "math"));
    for (let i = 0; i <= 20; i++) writeFileSync(join(folder, "math", `x${i}.ts`), "");
    expect(await readPortable(folder, 20)).toMatchObject({
      error: { message: "there are more than 20 files; split the folder into several" },
    });
  });

  it.skipIf(process.getuid?.() === 0)("tells a file that may not be read", async () => {
    const folder = folderWithSum();
    chmodSync(join(folder, "math/sum.ts"), 0);
    expect(await readPortable(folder)).toMatchObject({
      error: { message: "math/sum.ts: the file cannot be read (EACCES)" },
    });
  });
});
