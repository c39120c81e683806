/** The library on the command line: what was kept is saved, tested, compared, renamed, moved between homes, deleted. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import type { CapabilityDraft } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const SUM: CapabilityDraft = {
  scope: DEFAULT_SCOPE,
  namespace: "math",
  action: "sum",
  kind: "code",
  description: "Adds.",
  author: "ann",
  source: "return args.a + args.b;\n",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  example: { inputs: { a: 1, b: 2 }, calls: [], result: 3 },
};

const SECOND: CapabilityDraft = {
  ...SUM,
  source: "return args.a + args.b + args.c;\n",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" }, c: { type: "number" } },
    required: ["c"],
  },
  example: { inputs: { a: 1, b: 2, c: 3 }, calls: [], result: 6 },
  overwrite: true,
};

async function folderWith(...drafts: CapabilityDraft[]): Promise<string> {
  const folder = temporaryFolder();
  const store = await openSqliteStore({ home: join(folder, "home") });
  for (const draft of drafts) await store.capabilities.save(draft);
  await store.close();
  return folder;
}

const cli = async (folder: string, ...args: string[]) => {
  const { status, stdout, stderr } = await runCliHere(args, { folder });
  return { status, stdout, stderr };
};
/** The answer with `--json`, which must be all of stdout. */
const json = async (folder: string, ...args: string[]): Promise<unknown> =>
  JSON.parse((await cli(folder, ...args, "--json")).stdout);

/** Runs code and returns the draft that it leaves. */
async function leaveDraft(folder: string, code: string, ...args: string[]): Promise<string> {
  const { stdout } = await runCliHere(["run", "-", "--json", "--intent", "Add up", ...args], {
    folder,
    input: code,
  });
  return (JSON.parse(stdout) as { draft: string }).draft;
}

/** Writes a draft that has never run; returns its file. */
function writeDraft(folder: string, name: string, code: string): string {
  const drafts = join(folder, "home/drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  writeFileSync(join(drafts, `${name}.ts`), code);
  return join(drafts, `${name}.ts`);
}

describe("every command", () => {
  it.each([
    ["history", ["math:smu"]],
    ["diff", ["math:sum@1", "math:smu"]],
    ["diff", ["math:smu", "math:sum"]],
    ["rollback", ["math:smu@1"]],
    ["rename", ["math:smu", "math:add"]],
    ["alias", ["math:smu", "math:add"]],
    ["delete", ["math:smu"]],
    ["test", ["math:smu"]],
  ])("%s %j: an unknown name is answered with the nearest and 7", async (command, args) => {
    const folder = await folderWith(SUM);
    expect(await cli(folder, command, ...args)).toEqual({
      status: 7,
      stdout: "",
      stderr: expect.stringMatching(/^error TOOL_NOT_FOUND: .*Did you mean math:sum\?\n/),
    });
    const { status, stdout, stderr } = await cli(folder, command, ...args, "--json");
    expect({ status, stderr }).toEqual({ status: 7, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      error: { code: "TOOL_NOT_FOUND", nearest: ["math:sum"] },
    });
  });

  it.each([
    ["a path", ["history", "../x"], 6, "SECURITY_ERROR"],
    ["no name at all", ["delete", "Not Valid"], 2, "TOOL_INVALID_INPUT"],
    ["a version that does not exist", ["diff", "math:sum@1", "math:sum@7"], 7, "there are 1."],
    ["a new name that is a path", ["rename", "math:sum", "../x"], 6, "SECURITY_ERROR"],
    ["a new name with a version", ["rename", "math:sum", "math:add@2"], 2, "neither a hash nor a version"],
    ["another name with a version", ["alias", "math:sum", "math:add@2"], 2, "neither a hash nor a version"],
    ["a rollback to where it is", ["rollback", "math:sum@1"], 2, "is the current version"],
    [
      "a rollback of what has one version (N8)",
      ["rollback", "math:sum@1"],
      2,
      "There is no other version yet.",
    ],
    ["a missing argument", ["diff", "math:sum@1"], 2, "missing required argument 'after'"],
    ["a folder that does not exist", ["import", "nowhere"], 7, `There is no folder "nowhere"`],
  ])("refuses %s", async (_, args, status, words) => {
    const folder = await folderWith(SUM);
    expect(await cli(folder, ...args)).toEqual({
      status,
      stdout: "",
      stderr: expect.stringContaining(words),
    });
  });

  it("ends by itself, each a process of its own", async () => {
    const folder = await folderWith(SUM, SECOND);
    writeDraft(folder, "one", "return 1;");
    for (const [args, status, stdout] of [
      [["save", "one", "num:one", "--description", "One."], 0, /^mcp__num__one\n$/],
      [["history", "math:sum"], 0, /\n\* v2 .*\n {2}v1 .*\n$/],
      [["diff", "math:sum@1", "math:sum@2"], 1, /^--- math:sum@1\n/],
      [["rollback", "math:sum@1"], 0, /^$/],
      [["rename", "math:sum", "calc:add"], 0, /^$/],
      [["alias", "calc:add", "calc:plus"], 0, /^$/],
      [["test", "calc:add"], 0, /^✓ calc:add@3 passed\n$/],
      [["export", "out"], 0, /^calc\/add\.ts\nnum\/one\.ts\n$/],
      [["delete", "num:one"], 0, /^$/],
      [["import", "out"], 0, /^created num:one\n$/],
    ] as const) {
      const ended = runCli(args, { folder });
      expect({ args, status: ended.status }).toEqual({ args, status });
      expect(ended.stdout).toMatch(stdout);
    }
  });

  it("has help with an example", async () => {
    const commands = "save test history diff rollback rename alias delete export import".split(" ");
    for (const command of commands) {
      const { status, stdout } = await runCliHere([command, "--help"]);
      expect({ command, status, hasExample: stdout.includes(`$ repertoire ${command}`) }).toEqual({
        command,
        status: 0,
        hasExample: true,
      });
    }
  });
});

describe("save", () => {
  const CODE = "return { sum: args.a + args.b };";

  it("keeps a draft as a tool that can be called, with an example that passes", async () => {
    const folder = temporaryFolder();
    const draft = await leaveDraft(folder, CODE, "--input", "a=1", "--input", "b=2");
    const saved = await cli(
      folder,
      "save",
      draft,
      "math:sum",
      "--description",
      "Adds.",
      "--tag",
      "x",
      "--tag",
      "y",
    );
    expect(saved).toMatchObject({ status: 0, stdout: "mcp__math__sum\n" });
    expect(await json(folder, "list")).toMatchObject({
      items: [{ name: "math:sum", description: "Adds.", tags: ["x", "y"], version: 1 }],
    });
    const called = await cli(folder, "call", "mcp__math__sum", "--args", `{"a": 20, "b": 22}`);
    expect(called).toMatchObject({ status: 0, stdout: expect.stringContaining("42") });
    expect(await cli(folder, "test")).toEqual({
      status: 0,
      stdout: "✓ math:sum@1 passed\n",
      stderr: "1 passed, 0 failed, 0 skipped\n",
    });
  });

  it("makes a new version of a name that exists only with --overwrite", async () => {
    const folder = await folderWith(SUM);
    writeDraft(folder, "both", CODE);
    const args = ["save", "both", "math:sum", "--description", "Adds both.", "--visibility", "project"];
    expect(await cli(folder, ...args)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("math:sum exists already (version 1)"),
    });
    expect(await json(folder, ...args, "--overwrite")).toMatchObject({
      success: true,
      tool: "mcp__math__sum",
      version: 2,
    });
    expect(await json(folder, "describe", "math:sum")).toMatchObject({ visibility: "project", version: 2 });
  });

  it("notes values that might be inputs, and that code has never run", async () => {
    const { folder, config } = folderWithServer();
    writeDraft(folder, "fixed", `return await mcp.sums["get-sum"]({ a: args.a, b: 3 });`);
    const { status, stdout, stderr } = await cli(
      folder,
      "save",
      "fixed",
      "math:three",
      "--description",
      "x",
      ...config,
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "mcp__math__three\n" });
    expect(stderr).toContain("could be an input: b = 3 of sums.get-sum (line 1, column 50)");
    expect(stderr).toContain("warning This code has not run here yet");
  });

  it.each([
    ["no description", ["save", "d", "math:sum"], 2, "--description"],
    [
      "an odd visibility",
      ["save", "d", "m:s", "--description", "x", "--visibility", "all"],
      2,
      "private, project",
    ],
    ["an unknown draft", ["save", "add-pu", "m:s", "--description", "x"], 7, "Did you mean add-up?"],
    ["an unsafe name", ["save", "add-up", "../s", "--description", "x"], 6, "SECURITY_ERROR"],
    ["an empty description", ["save", "add-up", "m:s", "--description", " "], 2, "description"],
  ])("refuses %s, and the draft stays", async (_, args, status, words) => {
    const folder = temporaryFolder();
    const draft = writeDraft(folder, "add-up", "return 1;");
    expect(await cli(folder, ...args)).toEqual({
      status,
      stdout: "",
      stderr: expect.stringContaining(words),
    });
    expect(readFileSync(draft, "utf8")).toBe("return 1;");
  });
});

describe("history, diff, rollback", () => {
  it("history shows the newest first and marks the current one", async () => {
    const folder = await folderWith(SUM, SECOND);
    const { status, stdout } = await cli(folder, "history", "math:sum");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^ {2}VERSION +HASH +DATE +AUTHOR +RUN\n\* v2 +[0-9a-f]{4} +\d{4}-\S+Z +ann +no run\n {2}v1 +[0-9a-f]{4} .*\n$/,
    );
    expect(await json(folder, "history", "mcp__math__sum")).toEqual({
      name: "math:sum",
      current_version: 2,
      versions: [2, 1].map((version) => ({
        version,
        hash: expect.stringMatching(/^[0-9a-f]{4}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        author: "ann",
        run_id: null,
      })),
    });
  });

  it("history names the run that a version was kept from", async () => {
    const folder = temporaryFolder();
    const draft = await leaveDraft(folder, "return 1;");
    await cli(folder, "save", draft, "math:one", "--description", "One.");
    expect(await json(folder, "history", "math:one")).toMatchObject({
      versions: [{ version: 1, run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    });
  });

  it("diff shows sources, then schemas, and exits as diff does", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(await cli(folder, "diff", "math:sum@1", "math:sum@2")).toEqual({
      status: 1,
      stdout: `--- math:sum@1
+++ math:sum@2
@@ -1,1 +1,1 @@
-return args.a + args.b;
+return args.a + args.b + args.c;

input: c was added (required)
`,
      stderr: "",
    });
    expect(await cli(folder, "diff", "math:sum@2", "math:sum")).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(await json(folder, "diff", "math:sum@2", "math:sum")).toEqual({
      equal: true,
      source: "",
      schemas: [],
    });
    expect(await json(folder, "diff", "math:sum@1", "math:sum")).toMatchObject({
      equal: false,
      schemas: ["input: c was added (required)"],
    });
  });

  it("diff keeps tabs and shows what a terminal would hide", async () => {
    const hidden = { ...SUM, source: "\treturn 1; // \u001b[2J\u202e\n", overwrite: true };
    const { stdout } = await cli(await folderWith(SUM, hidden), "diff", "math:sum@1", "math:sum@2");
    expect(stdout).toContain("+\treturn 1; // \\u{1b}[2J\\u{202e}\n");
  });

  it("rollback makes a new version that is like the old one", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(await cli(folder, "rollback", "math:sum@1")).toEqual({
      status: 0,
      stdout: "",
      stderr: "rolled back math:sum is at version 3, a copy of math:sum@1\n",
    });
    expect((await cli(folder, "diff", "math:sum@1", "math:sum@3")).status).toBe(0);
    expect(await json(folder, "rollback", "math:sum@2")).toEqual({
      name: "math:sum",
      tool: "mcp__math__sum",
      version: 4,
      like: "math:sum@2",
    });
    expect((await cli(folder, "test")).stdout).toBe("✓ math:sum@4 passed\n");
  });
});

describe("rename, alias, delete", () => {
  it("rename keeps the old name as an alias", async () => {
    const folder = await folderWith(SUM);
    expect(await cli(folder, "rename", "math:sum", "calc:add")).toEqual({
      status: 0,
      stdout: "",
      stderr: "renamed to calc:add, the tool mcp__calc__add; aliases: math:sum\n",
    });
    expect(await json(folder, "describe", "math:sum")).toMatchObject({
      name: "calc:add",
      aliases: ["math:sum"],
    });
    expect(await json(folder, "rename", "math:sum", "calc:plus")).toEqual({
      name: "calc:plus",
      tool: "mcp__calc__plus",
      aliases: ["calc:add", "math:sum"],
    });
  });

  it("alias adds a name beside the others", async () => {
    const folder = await folderWith(SUM);
    expect(await cli(folder, "alias", "math:sum", "math:plus")).toEqual({
      status: 0,
      stdout: "",
      stderr: "added math:sum has the aliases math:plus\n",
    });
    expect(await json(folder, "alias", "math:plus", "adder")).toEqual({
      name: "math:sum",
      tool: "mcp__math__sum",
      aliases: ["code:adder", "math:plus"],
    });
    expect(await json(folder, "describe", "adder")).toMatchObject({ name: "math:sum" });
  });

  it.each(["rename", "alias"])(
    "%s takes no name from another, and none of a server's namespace",
    async (command) => {
      const folder = await folderWith(SUM, { ...SUM, action: "other" });
      const config = join(folder, "servers.json");
      writeFileSync(config, JSON.stringify({ mcpServers: { sums: SUMS } }));
      expect(await cli(folder, command, "math:sum", "math:other")).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("math:other is the name of something else already"),
      });
      expect(await cli(folder, command, "math:sum", "sums:x", "--config", config)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("is the id of a server"),
      });
      expect(await json(folder, "describe", "math:sum")).toMatchObject({ aliases: [] });
    },
  );

  it("delete takes it out and says what stays", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(await cli(folder, "delete", "math:sum")).toEqual({
      status: 0,
      stdout: "",
      stderr:
        "deleted math:sum. Its 2 versions stay in the store for runs that use them; its names can be used again.\n",
    });
    expect(await json(folder, "list")).toEqual({ items: [] });
    expect((await cli(folder, "delete", "math:sum")).status).toBe(7);
    const other = await folderWith(SUM);
    expect(await json(other, "delete", "math:sum")).toEqual({ deleted: "math:sum", version_count: 1 });
  });
});

const SUMS = {
  command: process.execPath,
  args: [join(import.meta.dirname, "fixtures/sum-server.mjs")],
};

function folderWithServer(): { folder: string; config: string[] } {
  const folder = temporaryFolder();
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { sums: SUMS } }));
  return { folder, config: ["--config", file] };
}

/** All files of a folder by their paths. */
function filesOf(folder: string): Record<string, string> {
  const paths = globSync("**/*.*", { cwd: folder }).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}

describe("export, import", () => {
  it("carry the library to another home, byte for byte", async () => {
    const { folder, config } = folderWithServer();
    const code = `// */ "über" 日本\r\nreturn await mcp.sums["get-sum"]({ a: args.a, b: 3 });`;
    const draft = await leaveDraft(folder, code, "--input", "a=2", ...config);
    await cli(
      folder,
      "save",
      draft,
      "math:sum",
      "--description",
      'Adds "three". */',
      "--tag",
      "x",
      ...config,
    );
    await cli(folder, "alias", "math:sum", "math:plus", ...config);
    const draft2 = await leaveDraft(folder, "return 1;", ...config);
    await cli(folder, "save", draft2, "one", "--description", "One.", "--visibility", "org", ...config);

    expect(await cli(folder, "export", "out", ...config)).toEqual({
      status: 0,
      stdout: "code/one.ts\nmath/sum.ts\n",
      stderr: "2 written, 0 unchanged\n",
    });
    expect(await json(folder, "export", "out", ...config)).toEqual({
      written: [],
      unchanged: ["code/one.ts", "math/sum.ts"],
    });

    const fresh = temporaryFolder();
    cpSync(join(folder, "out"), join(fresh, "in"), { recursive: true });
    expect(await cli(fresh, "import", "in")).toEqual({
      status: 0,
      stdout: "created code:one\ncreated math:sum\n",
      stderr: "2 created, 0 updated, 0 unchanged\n",
    });
    expect(await json(fresh, "import", "in")).toEqual({
      created: [],
      updated: [],
      unchanged: ["code:one", "math:sum"],
      taken: [],
    });
    expect((await cli(fresh, "export", "out")).status).toBe(0);
    const files = filesOf(join(folder, "out"));
    expect(Object.keys(files)).toHaveLength(2);
    expect(filesOf(join(fresh, "out"))).toEqual(files);
    // No server is configured here: the recorded answers are enough.
    expect(await cli(fresh, "test")).toMatchObject({
      status: 0,
      stdout: "✓ code:one@1 passed\n✓ math:sum@1 passed\n",
    });
  });

  it("export --skills writes a folder for each item, and replaces no file that somebody else wrote", async () => {
    const { folder, config } = folderWithServer();
    const draft = await leaveDraft(folder, "return args.a + 1;", "--input", "a=2", ...config);
    await cli(folder, "save", draft, "math:add_one", "--description", "Adds one.", ...config);
    const path = "math-add-one/SKILL.md";
    const dry = await json(folder, "export", "--skills", "skills", "--dry-run", ...config);
    expect(dry).toMatchObject({ written: [path], unchanged: [], stale: [] });
    expect(existsSync(join(folder, "skills"))).toBe(false);
    expect(await cli(folder, "export", "--skills", "skills", ...config)).toMatchObject({
      status: 0,
      stdout: `${path}\n`,
    });
    const text = readFileSync(join(folder, "skills", path), "utf8");
    expect(text).toMatch(/^---\nname: math-add-one\ndescription: "Adds one."\n/);
    expect(text).toContain("Call the tool `mcp__math__add_one`");
    writeFileSync(join(folder, "skills", path), "mine");
    const refused = await cli(folder, "export", "--skills", "skills", ...config);
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining("--force") });
    expect(readFileSync(join(folder, "skills", path), "utf8")).toBe("mine");
    await cli(folder, "delete", "math:add_one", ...config);
    const { stderr } = await cli(folder, "export", "--skills", "skills", "--force", ...config);
    expect(stderr).toContain(`stale ${path}`);
    expect((await cli(folder, "export", "out", "--force", ...config)).status).toBe(2);
  });

  it("export takes a pattern and leaves other files alone", async () => {
    const folder = await folderWith(SUM, { ...SUM, namespace: "text", action: "join" });
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/README.md"), "mine");
    expect(await json(folder, "export", "out", "text:*")).toEqual({
      written: ["text/join.ts"],
      unchanged: [],
    });
    expect(Object.keys(filesOf(join(folder, "out")))).toEqual(["README.md", "text/join.ts"]);
    expect(await cli(folder, "export", "out", "zzz")).toEqual({
      status: 0,
      stdout: "",
      stderr: `Nothing in the library matches "zzz".\n`,
    });
  });

  it("export says why it cannot write", async () => {
    const folder = await folderWith(SUM);
    writeFileSync(join(folder, "file"), "");
    const { status, stdout, stderr } = await cli(folder, "export", "file");
    expect({ status, stdout }).toEqual({ status: 5, stdout: "" });
    expect(stderr).toMatch(/EEXIST|ENOTDIR/);
    symlinkSync(folder, join(folder, "math"));
    expect(await cli(folder, "export", ".")).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("math: this is a link"),
    });
  });

  it("import makes a new version of what was changed", async () => {
    const folder = await folderWith(SUM);
    await cli(folder, "export", "out");
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace("Adds.", "Adds two."));
    expect(await json(folder, "import", "out")).toEqual({
      created: [],
      updated: ["math:sum"],
      unchanged: [],
      taken: [],
    });
    expect(await json(folder, "describe", "math:sum")).toMatchObject({
      version: 2,
      description: "Adds two.",
    });
  });

  it("import tells every problem of every file in a line of its own, and keeps nothing", async () => {
    const folder = await folderWith(SUM, { ...SUM, action: "other" });
    await cli(folder, "export", "out");
    const fresh = temporaryFolder();
    cpSync(join(folder, "out"), join(fresh, "in"), { recursive: true });
    edit(join(fresh, "in/math/sum.ts"), (text) => text.replace(`"author"`, `"autor"`));
    writeFileSync(join(fresh, "in/math/bad.ts"), "return 1;");
    const { status, stdout, stderr } = await cli(fresh, "import", "in");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^error TOOL_INVALID_INPUT: math\/bad\.ts:1: the header is missing/);
    expect(stderr).toMatch(/\n {2}math\/sum\.ts:\d+: .*"autor".*Did you mean author\?\n/);
    expect(stderr).toContain("nothing was taken over");
    expect(await json(fresh, "list")).toEqual({ items: [] });
    expect(await json(fresh, "import", "in")).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT" },
    });
  });
});

describe("test", () => {
  it("fails with what differs when an example comes out differently", async () => {
    const folder = await folderWith(SUM, { ...SUM, action: "bare", example: null });
    await cli(folder, "export", "out");
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace(`"result": 3`, `"result": "\u202e4"`));
    expect(await json(folder, "import", "out")).toMatchObject({ updated: ["math:sum"] });
    expect(await cli(folder, "test")).toEqual({
      status: 1,
      stdout: `- math:bare@1 skipped: it has no example: it was kept without a run
✗ math:sum@2 failed
    it returns 3 and returned "\\u{202e}4"
`,
      stderr: "0 passed, 1 failed, 1 skipped\n",
    });
    const { status, stdout } = await cli(folder, "test", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: 0,
      failed: 1,
      skipped: 1,
      reports: [
        { name: "math:bare", version: 1, outcome: "skipped" },
        { name: "math:sum", version: 2, outcome: "failed", differences: [expect.any(String)] },
      ],
    });
    expect(await cli(folder, "test", "math:sum@1")).toMatchObject({
      status: 0,
      stdout: "✓ math:sum@1 passed\n",
    });
  });

  it("fails when the code makes other calls, or fails", async () => {
    const { folder, config } = folderWithServer();
    const code = `return await mcp.sums["get-sum"]({ a: args.a, b: 3 });`;
    const draft = await leaveDraft(folder, code, "--input", "a=2", ...config);
    await cli(folder, "save", draft, "math:sum", "--description", "Adds.", ...config);
    await cli(folder, "export", "out", ...config);
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace("b: 3 }", "b: 4 }"));
    await cli(folder, "import", "out", ...config);
    const { status, stdout } = await cli(folder, "test", "math:sum", ...config);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ math:sum@2 failed\n {4}it fails now: /);
    expect(stdout).toMatch(/ {4}it makes a call that is not in the example: sums__get-sum \{"a":2,"b":4\}\n/);
    expect(stdout).toMatch(/ {4}it does not make the call sums__get-sum \{"a":2,"b":3\}\n/);
  });

  it("has nothing to do in an empty library", async () => {
    const folder = temporaryFolder();
    expect(await cli(folder, "test")).toEqual({
      status: 0,
      stdout: "",
      stderr: "The library is empty; nothing to test.\n",
    });
    expect(await json(folder, "test")).toEqual({ passed: 0, failed: 0, skipped: 0, reports: [] });
  });
});

describe("changed tools", () => {
  it("list marks what uses them, and describe shows what changed and whether the code still fits", async () => {
    const { folder, config } = folderWithServer();
    writeDraft(folder, "three", `return await mcp.sums["get-sum"]({ a: args.a, b: 3 });`);
    await cli(folder, "save", "three", "math:sum", "--description", "Adds.", ...config);
    expect(await cli(folder, "list", ...config)).toMatchObject({
      stdout: expect.not.stringContaining("changed"),
      stderr: "",
    });
    expect((await cli(folder, "describe", "math:sum", ...config)).stdout).toMatch(
      /\nuses +sums__get-sum {2}same\n/,
    );

    await cli(folder, "export", "out", ...config);
    const file = join(folder, "out/math/sum.ts");
    // As if the tool had taken another argument when the code was kept.
    edit(file, (text) =>
      text
        .replace(/"hash": "\w+"/, `"hash": "0"`)
        .replace(/("definition".*"properties": \{)/s, `$1"c": {"type": "string"},`),
    );
    await cli(folder, "import", "out", ...config);
    const listed = await cli(folder, "list", ...config);
    expect(listed.stdout).toMatch(/\nmath:sum +code +v2 changed +0 runs +Adds\.\n/);
    expect(listed.stderr).toBe("changed math:sum uses sums__get-sum. See: repertoire describe math:sum\n");
    const described = (await cli(folder, "describe", "math:sum", ...config)).stdout;
    expect(described).toMatch(/\nuses +sums__get-sum {2}changed\n {13}c was removed\n/);
    expect(described).toMatch(/\nfits +yes, /);

    edit(file, (text) => text.replaceAll("get-sum", "get-summ"));
    await cli(folder, "import", "out", ...config);
    const missing = (await cli(folder, "describe", "math:sum", ...config)).stdout;
    expect(missing).toMatch(/\nuses +sums__get-summ {2}missing\n/);
    expect(missing).toMatch(/\nfits +no: .*Did you mean .*get-sum/);
  });
});

describe("audit", () => {
  it("D11: shows what was changed, newest first, by time, by server and as JSON", async () => {
    const folder = temporaryFolder();
    const store = await openSqliteStore({ home: join(folder, "home") });
    const entry = {
      actor: "gateway",
      action: "tool.denied",
      subject: "one__fail",
      details: { by: "execute" },
    };
    await store.audit.append(entry);
    await store.audit.append({
      ...entry,
      action: "capability.tool.updated",
      subject: "two__x",
      details: { server: "two" },
    });
    await store.audit.append({
      ...entry,
      action: "library.delete",
      subject: "math:sum\u001b[2J",
      details: {},
    });
    await store.close();
    const subjects = async (...args: string[]) =>
      ((await json(folder, "audit", ...args)) as { entries: { subject: string }[] }).entries.map(
        ({ subject }) => subject,
      );
    expect(await subjects()).toEqual(["math:sum\u001b[2J", "two__x", "one__fail"]);
    expect(await subjects("--limit", "1")).toEqual(["math:sum\u001b[2J"]);
    expect(await subjects("--server", "one")).toEqual(["one__fail"]);
    expect(await subjects("--server", "two")).toEqual(["two__x"]);
    expect(await subjects("--since", "1h")).toHaveLength(3);
    expect(await subjects("--since", "2999-01-01")).toEqual([]);
    const { stdout } = await cli(folder, "audit");
    expect(stdout).toMatch(/^WHEN +WHO +WHAT +SUBJECT +DETAILS\n/);
    expect(stdout).toMatch(/\n(just now|\d+ s ago) +gateway +tool\.denied +one__fail +by=execute\n$/);
    expect(stdout).not.toContain("\u001b");
    expect(await cli(folder, "audit", "--since", "soon")).toMatchObject({ status: 2 });
    expect((await cli(folder, "audit", "--server", "none")).stderr).toContain("no such entries");
  });
});
