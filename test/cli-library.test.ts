/** The library on the command line: what was kept is saved, tested, compared, renamed, moved between homes, deleted. */
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import type { CapabilityDraft } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
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

const cli = (folder: string, ...args: string[]) => {
  const { status, stdout, stderr } = runCli(args, { folder });
  return { status, stdout, stderr };
};
/** The answer with `--json`, which must be all of stdout. */
const json = (folder: string, ...args: string[]): unknown =>
  JSON.parse(cli(folder, ...args, "--json").stdout);

/** Runs code and returns the draft that it leaves. */
function leaveDraft(folder: string, code: string, ...args: string[]): string {
  const { stdout } = runCli(["run", "-", "--json", "--intent", "Add up", ...args], { folder, input: code });
  return (JSON.parse(stdout) as { draft: string }).draft;
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
  ])("%s %j: an unknown name is answered with the nearest and 5", async (command, args) => {
    const folder = await folderWith(SUM);
    expect(cli(folder, command, ...args)).toEqual({
      status: 5,
      stdout: "",
      stderr: expect.stringMatching(/^error TOOL_NOT_FOUND: .*Did you mean math:sum\?\n/),
    });
    const { status, stdout, stderr } = cli(folder, command, ...args, "--json");
    expect({ status, stderr }).toEqual({ status: 5, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      error: { code: "TOOL_NOT_FOUND", nearest: ["math:sum"] },
    });
  });

  it.each([
    ["a path", ["history", "../x"], 6, "SECURITY_ERROR"],
    ["no name at all", ["delete", "Not Valid"], 2, "TOOL_INVALID_INPUT"],
    ["a version that does not exist", ["diff", "math:sum@1", "math:sum@7"], 5, "there are 1."],
    ["a new name that is a path", ["rename", "math:sum", "../x"], 6, "SECURITY_ERROR"],
    ["a new name with a version", ["rename", "math:sum", "math:add@2"], 2, "neither a hash nor a version"],
    ["another name with a version", ["alias", "math:sum", "math:add@2"], 2, "neither a hash nor a version"],
    ["a rollback to where it is", ["rollback", "math:sum@1"], 2, "is the current version"],
    ["a missing argument", ["diff", "math:sum@1"], 2, "missing required argument 'after'"],
    ["a folder that does not exist", ["import", "nowhere"], 5, `There is no folder "nowhere"`],
  ])("refuses %s", async (_, args, status, words) => {
    const folder = await folderWith(SUM);
    expect(cli(folder, ...args)).toEqual({ status, stdout: "", stderr: expect.stringContaining(words) });
  });

  it("has help with an example", () => {
    const commands = "save test history diff rollback rename alias delete export import".split(" ");
    for (const command of commands) {
      const { status, stdout } = runCli([command, "--help"]);
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

  it("keeps a draft as a tool that can be called, with an example that passes", () => {
    const folder = temporaryFolder();
    const draft = leaveDraft(folder, CODE, "--input", "a=1", "--input", "b=2");
    const saved = cli(
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
    expect(json(folder, "list")).toMatchObject({
      items: [{ name: "math:sum", description: "Adds.", tags: ["x", "y"], version: 1 }],
    });
    const called = cli(folder, "call", "mcp__math__sum", "--args", `{"a": 20, "b": 22}`);
    expect(called).toMatchObject({ status: 0, stdout: expect.stringContaining("42") });
    expect(cli(folder, "test")).toEqual({
      status: 0,
      stdout: "✓ math:sum@1 passed\n",
      stderr: "1 passed, 0 failed, 0 skipped\n",
    });
  });

  it("makes a new version of a name that exists only with --overwrite", async () => {
    const folder = await folderWith(SUM);
    const draft = leaveDraft(folder, CODE, "--input", "a=1", "--input", "b=2");
    const args = ["save", draft, "math:sum", "--description", "Adds both.", "--visibility", "project"];
    expect(cli(folder, ...args)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("math:sum exists already (version 1)"),
    });
    expect(json(folder, ...args, "--overwrite")).toMatchObject({
      success: true,
      tool: "mcp__math__sum",
      version: 2,
    });
    expect(json(folder, "describe", "math:sum")).toMatchObject({ visibility: "project", version: 2 });
  });

  it("notes values that might be inputs, and that code has never run", () => {
    const { folder, config } = folderWithServer();
    mkdirSync(join(folder, "home/drafts"), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(folder, "home/drafts/fixed.ts"),
      `return await mcp.everything["get-sum"]({ a: args.a, b: 3 });`,
    );
    const { status, stdout, stderr } = cli(
      folder,
      "save",
      "fixed",
      "math:three",
      "--description",
      "x",
      ...config,
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "mcp__math__three\n" });
    expect(stderr).toContain("might be an input: b = 3 of everything.get-sum (line 1, column 56)");
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
    ["an unknown draft", ["save", "add-pu", "m:s", "--description", "x"], 5, "Did you mean add-up?"],
    ["an unsafe name", ["save", "add-up", "../s", "--description", "x"], 6, "SECURITY_ERROR"],
    ["an empty description", ["save", "add-up", "m:s", "--description", " "], 2, "description"],
  ])("refuses %s, and the draft stays", (_, args, status, words) => {
    const folder = temporaryFolder();
    const draft = join(folder, "home/drafts/add-up.ts");
    mkdirSync(join(folder, "home/drafts"), { recursive: true, mode: 0o700 });
    writeFileSync(draft, "return 1;");
    expect(cli(folder, ...args)).toEqual({ status, stdout: "", stderr: expect.stringContaining(words) });
    expect(readFileSync(draft, "utf8")).toBe("return 1;");
  });
});

describe("history, diff, rollback", () => {
  it("history shows the newest first and marks the current one", async () => {
    const folder = await folderWith(SUM, SECOND);
    const { status, stdout } = cli(folder, "history", "math:sum");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^ {2}VERSION +HASH +DATE +AUTHOR +RUN\n\* v2 +[0-9a-f]{4} +\d{4}-\S+Z +ann +no run\n {2}v1 +[0-9a-f]{4} .*\n$/,
    );
    expect(json(folder, "history", "mcp__math__sum")).toEqual({
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

  it("history names the run that a version was kept from", () => {
    const folder = temporaryFolder();
    const draft = leaveDraft(folder, "return 1;");
    cli(folder, "save", draft, "math:one", "--description", "One.");
    expect(json(folder, "history", "math:one")).toMatchObject({
      versions: [{ version: 1, run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    });
  });

  it("diff shows sources, then schemas, and exits as diff does", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(cli(folder, "diff", "math:sum@1", "math:sum@2")).toEqual({
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
    expect(cli(folder, "diff", "math:sum@2", "math:sum")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(json(folder, "diff", "math:sum@2", "math:sum")).toEqual({ equal: true, source: "", schemas: [] });
    expect(json(folder, "diff", "math:sum@1", "math:sum")).toMatchObject({
      equal: false,
      schemas: ["input: c was added (required)"],
    });
  });

  it("diff keeps tabs and shows what a terminal would hide", async () => {
    const hidden = { ...SUM, source: "\treturn 1; // \u001b[2J\u202e\n", overwrite: true };
    const { stdout } = cli(await folderWith(SUM, hidden), "diff", "math:sum@1", "math:sum@2");
    expect(stdout).toContain("+\treturn 1; // \\u{1b}[2J\\u{202e}\n");
  });

  it("rollback makes a new version that is like the old one", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(cli(folder, "rollback", "math:sum@1")).toEqual({
      status: 0,
      stdout: "",
      stderr: "rolled back math:sum is at version 3, which is like math:sum@1\n",
    });
    expect(cli(folder, "diff", "math:sum@1", "math:sum@3").status).toBe(0);
    expect(json(folder, "rollback", "math:sum@2")).toEqual({
      name: "math:sum",
      tool: "mcp__math__sum",
      version: 4,
      like: "math:sum@2",
    });
    expect(cli(folder, "test").stdout).toBe("✓ math:sum@4 passed\n");
  });
});

describe("rename, alias, delete", () => {
  it("rename keeps the old name as an alias", async () => {
    const folder = await folderWith(SUM);
    expect(cli(folder, "rename", "math:sum", "calc:add")).toEqual({
      status: 0,
      stdout: "",
      stderr: "renamed to calc:add, the tool mcp__calc__add; it is also called math:sum\n",
    });
    expect(json(folder, "describe", "math:sum")).toMatchObject({ name: "calc:add", aliases: ["math:sum"] });
    expect(json(folder, "rename", "math:sum", "calc:plus")).toEqual({
      name: "calc:plus",
      tool: "mcp__calc__plus",
      aliases: ["calc:add", "math:sum"],
    });
  });

  it("alias adds a name beside the others", async () => {
    const folder = await folderWith(SUM);
    expect(cli(folder, "alias", "math:sum", "math:plus")).toEqual({
      status: 0,
      stdout: "",
      stderr: "added math:sum is also called math:plus\n",
    });
    expect(json(folder, "alias", "math:plus", "adder")).toEqual({
      name: "math:sum",
      tool: "mcp__math__sum",
      aliases: ["code:adder", "math:plus"],
    });
    expect(json(folder, "describe", "adder")).toMatchObject({ name: "math:sum" });
  });

  it.each(["rename", "alias"])(
    "%s takes no name from another, and none of a server's namespace",
    async (command) => {
      const folder = await folderWith(SUM, { ...SUM, action: "other" });
      const config = join(folder, "servers.json");
      writeFileSync(config, JSON.stringify({ mcpServers: { everything: EVERYTHING } }));
      expect(cli(folder, command, "math:sum", "math:other")).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("math:other is the name of something else already"),
      });
      expect(cli(folder, command, "math:sum", "everything:x", "--config", config)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("is the id of a server"),
      });
      expect(json(folder, "describe", "math:sum")).toMatchObject({ aliases: [] });
    },
  );

  it("delete takes it out and says what stays", async () => {
    const folder = await folderWith(SUM, SECOND);
    expect(cli(folder, "delete", "math:sum")).toEqual({
      status: 0,
      stdout: "",
      stderr:
        "deleted math:sum. Its 2 versions stay in the store for the runs that use them; its names are free.\n",
    });
    expect(json(folder, "list")).toEqual({ items: [] });
    expect(cli(folder, "delete", "math:sum").status).toBe(5);
    const other = await folderWith(SUM);
    expect(json(other, "delete", "math:sum")).toEqual({ deleted: "math:sum", version_count: 1 });
  });
});

const EVERYTHING = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js")],
};

function folderWithServer(): { folder: string; config: string[] } {
  const folder = temporaryFolder();
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { everything: EVERYTHING } }));
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
    const code = `// */ "über" 日本\r\nreturn await mcp.everything["get-sum"]({ a: args.a, b: 3 });`;
    const draft = leaveDraft(folder, code, "--input", "a=2", ...config);
    cli(folder, "save", draft, "math:sum", "--description", 'Adds "three". */', "--tag", "x", ...config);
    cli(folder, "alias", "math:sum", "math:plus", ...config);
    const draft2 = leaveDraft(folder, "return 1;", ...config);
    cli(folder, "save", draft2, "one", "--description", "One.", "--visibility", "org", ...config);

    expect(cli(folder, "export", "out", ...config)).toEqual({
      status: 0,
      stdout: "code/one.ts\nmath/sum.ts\n",
      stderr: "2 written, 0 unchanged\n",
    });
    expect(json(folder, "export", "out", ...config)).toEqual({
      written: [],
      unchanged: ["code/one.ts", "math/sum.ts"],
    });

    const fresh = temporaryFolder();
    cpSync(join(folder, "out"), join(fresh, "in"), { recursive: true });
    expect(cli(fresh, "import", "in")).toEqual({
      status: 0,
      stdout: "created code:one\ncreated math:sum\n",
      stderr: "2 created, 0 updated, 0 unchanged\n",
    });
    expect(json(fresh, "import", "in")).toEqual({
      created: [],
      updated: [],
      unchanged: ["code:one", "math:sum"],
      taken: [],
    });
    expect(cli(fresh, "export", "out").status).toBe(0);
    const files = filesOf(join(folder, "out"));
    expect(Object.keys(files)).toHaveLength(2);
    expect(filesOf(join(fresh, "out"))).toEqual(files);
    // No server is configured here: the recorded answers are enough.
    expect(cli(fresh, "test")).toMatchObject({
      status: 0,
      stdout: "✓ code:one@1 passed\n✓ math:sum@1 passed\n",
    });
  });

  it("export takes a pattern and leaves other files alone", async () => {
    const folder = await folderWith(SUM, { ...SUM, namespace: "text", action: "join" });
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/README.md"), "mine");
    expect(json(folder, "export", "out", "text:*")).toEqual({ written: ["text/join.ts"], unchanged: [] });
    expect(Object.keys(filesOf(join(folder, "out")))).toEqual(["README.md", "text/join.ts"]);
    expect(cli(folder, "export", "out", "zzz")).toEqual({
      status: 0,
      stdout: "",
      stderr: `Nothing in the library matches "zzz".\n`,
    });
  });

  it("export says why it cannot write", async () => {
    const folder = await folderWith(SUM);
    writeFileSync(join(folder, "file"), "");
    const { status, stdout, stderr } = cli(folder, "export", "file");
    expect({ status, stdout }).toEqual({ status: 5, stdout: "" });
    expect(stderr).toMatch(/EEXIST|ENOTDIR/);
    symlinkSync(folder, join(folder, "math"));
    expect(cli(folder, "export", ".")).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("math: this is a link"),
    });
  });

  it("import makes a new version of what was changed", async () => {
    const folder = await folderWith(SUM);
    cli(folder, "export", "out");
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace("Adds.", "Adds two."));
    expect(json(folder, "import", "out")).toEqual({
      created: [],
      updated: ["math:sum"],
      unchanged: [],
      taken: [],
    });
    expect(json(folder, "describe", "math:sum")).toMatchObject({ version: 2, description: "Adds two." });
  });

  it("import tells every problem of every file in a line of its own, and keeps nothing", async () => {
    const folder = await folderWith(SUM, { ...SUM, action: "other" });
    cli(folder, "export", "out");
    const fresh = temporaryFolder();
    cpSync(join(folder, "out"), join(fresh, "in"), { recursive: true });
    edit(join(fresh, "in/math/sum.ts"), (text) => text.replace(`"author"`, `"autor"`));
    writeFileSync(join(fresh, "in/math/bad.ts"), "return 1;");
    const { status, stdout, stderr } = cli(fresh, "import", "in");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^error TOOL_INVALID_INPUT: math\/bad\.ts:1: the header is missing/);
    expect(stderr).toMatch(/\n {2}math\/sum\.ts:\d+: .*"autor".*Did you mean author\?\n/);
    expect(stderr).toContain("nothing was taken over");
    expect(json(fresh, "list")).toEqual({ items: [] });
    expect(json(fresh, "import", "in")).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT" },
    });
  });
});

describe("test", () => {
  it("fails with what differs when an example comes out differently", async () => {
    const folder = await folderWith(SUM, { ...SUM, action: "bare", example: null });
    cli(folder, "export", "out");
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace(`"result": 3`, `"result": "\u202e4"`));
    expect(json(folder, "import", "out")).toMatchObject({ updated: ["math:sum"] });
    expect(cli(folder, "test")).toEqual({
      status: 1,
      stdout: `- math:bare@1 skipped: it has no example: it was kept without a run
✗ math:sum@2 failed
    it returns 3 and returned "\\u{202e}4"
`,
      stderr: "0 passed, 1 failed, 1 skipped\n",
    });
    const { status, stdout } = cli(folder, "test", "--json");
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
    expect(cli(folder, "test", "math:sum@1")).toMatchObject({ status: 0, stdout: "✓ math:sum@1 passed\n" });
  });

  it("fails when the code makes other calls, or fails", () => {
    const { folder, config } = folderWithServer();
    const code = `return await mcp.everything["get-sum"]({ a: args.a, b: 3 });`;
    const draft = leaveDraft(folder, code, "--input", "a=2", ...config);
    cli(folder, "save", draft, "math:sum", "--description", "Adds.", ...config);
    cli(folder, "export", "out", ...config);
    edit(join(folder, "out/math/sum.ts"), (text) => text.replace("b: 3 }", "b: 4 }"));
    cli(folder, "import", "out", ...config);
    const { status, stdout } = cli(folder, "test", "math:sum", ...config);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ math:sum@2 failed\n {4}it fails now: /);
    expect(stdout).toMatch(
      / {4}it makes a call that is not in the example: everything__get-sum \{"a":2,"b":4\}\n/,
    );
    expect(stdout).toMatch(/ {4}it does not make the call everything__get-sum \{"a":2,"b":3\}\n/);
  });

  it("has nothing to do in an empty library", () => {
    const folder = temporaryFolder();
    expect(cli(folder, "test")).toEqual({
      status: 0,
      stdout: "",
      stderr: "The library is empty: there is nothing to test.\n",
    });
    expect(json(folder, "test")).toEqual({ passed: 0, failed: 0, skipped: 0, reports: [] });
  });
});

describe("changed tools", () => {
  it("list marks what uses them, and describe shows what changed and whether the code still fits", () => {
    const { folder, config } = folderWithServer();
    const code = `return await mcp.everything["get-sum"]({ a: args.a, b: 3 });`;
    const draft = leaveDraft(folder, code, "--input", "a=2", ...config);
    cli(folder, "save", draft, "math:sum", "--description", "Adds.", ...config);
    expect(cli(folder, "list", ...config)).toMatchObject({
      stdout: expect.not.stringContaining("changed"),
      stderr: "",
    });
    expect(cli(folder, "describe", "math:sum", ...config).stdout).toMatch(
      /\nuses +everything__get-sum {2}same\n/,
    );

    cli(folder, "export", "out", ...config);
    const file = join(folder, "out/math/sum.ts");
    // As if the tool had taken another argument when the code was kept.
    edit(file, (text) =>
      text
        .replace(/"hash": "\w+"/, `"hash": "0"`)
        .replace(/("definition".*"properties": \{)/s, `$1"c": {"type": "string"},`),
    );
    cli(folder, "import", "out", ...config);
    const listed = cli(folder, "list", ...config);
    expect(listed.stdout).toMatch(/\nmath:sum +code +v2 changed +0 runs +Adds\.\n/);
    expect(listed.stderr).toBe(
      "changed math:sum uses everything__get-sum. See: repertoire describe math:sum\n",
    );
    const described = cli(folder, "describe", "math:sum", ...config).stdout;
    expect(described).toMatch(/\nuses +everything__get-sum {2}changed\n {13}c was removed\n/);
    expect(described).toMatch(/\nfits +yes, /);

    edit(file, (text) => text.replaceAll("get-sum", "get-summ"));
    cli(folder, "import", "out", ...config);
    const missing = cli(folder, "describe", "math:sum", ...config).stdout;
    expect(missing).toMatch(/\nuses +everything__get-summ {2}missing\n/);
    expect(missing).toMatch(/\nfits +no: .*Did you mean .*get-sum/);
  });
});
