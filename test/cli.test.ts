import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

async function folderWithSum(description = "Adds."): Promise<string> {
  const folder = temporaryFolder();
  const store = await openSqliteStore({ home: join(folder, "home") });
  await store.capabilities.save({
    scope: DEFAULT_SCOPE,
    namespace: "math",
    action: "sum",
    kind: "code",
    description,
    author: "ann",
    source: "return args.a;",
    inputSchema: { type: "object", properties: { a: { type: "number", description: "The first." } } },
  });
  await store.close();
  return folder;
}

describe("the frame", () => {
  it("shows help with examples and exit codes on stdout", async () => {
    const { status, stdout } = await runCliHere(["--help"]);
    expect(status).toBe(0);
    for (const word of [
      "serve",
      "tools",
      "list",
      "describe",
      "doctor",
      "config",
      "Examples:",
      "Exit codes:",
    ]) {
      expect(stdout).toContain(word);
    }
  });

  it("has help with an example for every command", async () => {
    for (const command of [
      "serve",
      "tools",
      "list",
      "describe",
      "doctor",
      "config",
      "trust",
      "completions",
      "run",
      "types",
    ]) {
      const { status, stdout } = await runCliHere([command, "--help"]);
      expect({ command, status, example: stdout.includes("$ ") }).toEqual({
        command,
        status: 0,
        example: true,
      });
    }
  });

  it("prints its version", () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
      version: string;
    };
    expect(runCli(["--version"])).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
  });

  it.each([
    ["an unknown command", ["tols"], "Did you mean tools?"],
    ["an unknown option", ["list", "--jsn"], "Did you mean --json?"],
    ["a missing argument", ["describe"], "missing required argument 'name'"],
    [
      "a wrong choice",
      ["list", "--log-level", "loud"],
      "Allowed choices are silent, error, warn, info, debug",
    ],
    ["an unknown shell", ["completions", "tcsh"], "Allowed choices are bash, zsh, fish, powershell"],
  ])("exits with 2 on %s, and says what to do", async (_, args, words) => {
    const { status, stdout, stderr } = await runCliHere(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(words);
  });

  it("C7: prints a short help when called with nothing, and start says what to run without a terminal", async () => {
    const bare = await runCliHere([]);
    expect(bare).toMatchObject({ status: 0, stderr: "" });
    const lines = bare.stdout.split("\n");
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(bare.stdout).toContain("repertoire --help");
    const start = await runCliHere(["start"]);
    expect(start).toMatchObject({ status: 2, stdout: "" });
    expect(start.stderr).toContain("repertoire init --yes --move-secrets --connect");
  });

  it("refuses an older Node in one clear line", () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"});`;
    const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", pretend, BIN, "tools"], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^repertoire needs Node 24 or newer; this is v.*\n$/);
  });

  it("uses colour only where it is wanted", () => {
    const ansi = "\u001b[";
    const check = (env: Record<string, string>) => runCli(["config", "check"], { env }).stdout;
    expect(check({})).not.toContain(ansi);
    expect(check({ FORCE_COLOR: "1" })).toContain(ansi);
    expect(check({ FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain(ansi);
    const doctor = runCli(["doctor"], { env: { FORCE_COLOR: "1" } });
    expect({ status: doctor.status, isColoured: doctor.stdout.includes(ansi) }).toEqual({
      status: 0,
      isColoured: true,
    });
  });
});

describe("tools, list, describe", () => {
  it("tools lists the five, as text and as JSON", async () => {
    const signatures = (await runCliHere(["tools"])).stdout.match(/^  \w+\(.*$/gm);
    expect(signatures).toHaveLength(5);
    const tools = JSON.parse((await runCliHere(["tools", "--json"])).stdout) as {
      name: string;
      inputSchema: object;
    }[];
    expect(tools.map((tool) => tool.name)).toContain("execute");
    expect(tools[0]).toHaveProperty("inputSchema.type", "object");
  });

  it("list shows what was kept", async () => {
    const folder = await folderWithSum();
    expect((await runCliHere(["list"], { folder })).stdout).toMatch(
      /NAME.*\nmath:sum +code +v1 +0 runs +Adds\.\n/,
    );
    expect(JSON.parse((await runCliHere(["list", "--json", "ma*"], { folder })).stdout)).toMatchObject({
      items: [{ name: "math:sum" }],
    });
    expect(await runCliHere(["list", "zzz"], { folder })).toMatchObject({
      status: 0,
      stdout: "",
      stderr: `Nothing in the library matches "zzz".\n`,
    });
    expect(await runCliHere(["list"])).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "The library is empty.\n",
    });
  });

  it("describe shows one, and a global option may stand anywhere", async () => {
    const folder = await folderWithSum();
    const { stdout } = await runCliHere(["describe", "math:sum"], { folder });
    for (const words of ["math:sum", "mcp__math__sum", "a?: number  The first.", "return args.a;"])
      expect(stdout).toContain(words);
    for (const args of [
      ["--json", "describe", "math:sum"],
      ["describe", "math:sum", "--json"],
    ]) {
      expect(JSON.parse((await runCliHere(args, { folder })).stdout)).toMatchObject({ name: "math:sum" });
    }
  });

  it("answer a miss with 7 and the nearest, an unsafe name with 6, a bad one with 2", async () => {
    const folder = await folderWithSum();
    expect(await runCliHere(["describe", "math:smu"], { folder })).toMatchObject({
      status: 7,
      stdout: "",
      stderr: expect.stringContaining("Did you mean math:sum?"),
    });
    expect(await runCliHere(["describe", "../x"], { folder })).toMatchObject({ status: 6 });
    expect(await runCliHere(["describe", "Not Valid"], { folder })).toMatchObject({ status: 2 });
    const json = await runCliHere(["describe", "math:smu", "--json"], { folder });
    expect(json.status).toBe(7);
    expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { code: "TOOL_NOT_FOUND" } });
  });

  it("T156: print text from outside escaped", async () => {
    const folder = await folderWithSum("evil \u001b[2J\u202e text\nforged line");
    for (const args of [["list"], ["describe", "math:sum"]]) {
      const { stdout } = await runCliHere(args, { folder });
      expect(stdout).not.toMatch(/[\u001b\u202e]|\nforged/);
      expect(stdout).toContain("\\u{1b}[2J");
    }
  });
});

it("list, describe, config and trust end by themselves, each a process of its own", async () => {
  const folder = await folderWithSum();
  writeFileSync(join(folder, "repertoire.json"), `{"mcpServers": {"a": {"command": "x"}}}`);
  for (const [args, status, words] of [
    [["list"], 0, "math:sum"],
    [["describe", "math:smu", "--json"], 7, "TOOL_NOT_FOUND"],
    [["trust", "--yes"], 0, "command   x"],
    [["config", "check", "--json"], 0, `"trusted": true`],
  ] as const) {
    const ended = runCli(args, { folder });
    expect({ args, status: ended.status }).toEqual({ args, status });
    expect(ended.stdout).toContain(words);
  }
});

/** The user's own file, which needs no trust. */
function writeOwnConfig(folder: string, text: string): void {
  const place = join(folder, "config/repertoire");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "repertoire.json"), text);
}

describe("config", () => {
  it("path says what is read, and what would be", async () => {
    const folder = temporaryFolder();
    expect((await runCliHere(["config", "path"], { folder })).stdout).toContain(
      `would be used: ${join(folder, "repertoire.json")}`,
    );
    const file = join(folder, "mine.json");
    expect(
      JSON.parse(
        (await runCliHere(["config", "path", "--json", "--config", file, "--home", "h"], { folder })).stdout,
      ),
    ).toEqual({
      config: file,
      origin: "flag",
      files: [{ kind: "flag", path: file, trusted: true }],
      candidates: [file],
      home: join(folder, "h"),
    });
  });

  it("check reports every problem with its place, and exits with 1", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "repertoire.json"),
      `{\n  "mcpServers": {\n    "github": { "comand": "npx" }\n  },\n  "exposure": "some"\n}\n`,
    );
    const { status, stdout, stderr } = await runCliHere(["config", "check"], { folder });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/repertoire\.json:3:\d+ {2}mcpServers\.github: .*"comand".*"command"/);
    expect(stderr).toMatch(/repertoire\.json:5:\d+ {2}exposure: /);
    const json = JSON.parse((await runCliHere(["config", "check", "--json"], { folder })).stdout) as {
      problems: object[];
    };
    expect(json).toMatchObject({ ok: false });
    expect(json.problems.length).toBeGreaterThanOrEqual(2);
    expect(json.problems[0]).toMatchObject({ line: 3 });
  });

  it("check shows no secret", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "c.json");
    writeFileSync(
      file,
      JSON.stringify({
        mcpServers: {
          a: { command: "x", env: { API_TOKEN: "CANARY-literal-1", OTHER: "${MY_SECRET}" } },
          b: { url: "https://b.example/mcp", headers: { Authorization: "Bearer CANARY-literal-2" } },
        },
      }),
    );
    const result = await runCliHere(["config", "check", "--json", "--config", file], {
      folder,
      env: { MY_SECRET: "CANARY-variable" },
    });
    expect(result.status).toBe(0);
    expect(result.stdout + result.stderr).not.toContain("CANARY");
    expect(result.stdout).toContain("${MY_SECRET}");
  });

  it("schema prints the schema that ships", async () => {
    const shipped = readFileSync(join(import.meta.dirname, "../schema/repertoire.schema.json"), "utf8");
    expect((await runCliHere(["config", "schema"])).stdout).toBe(shipped);
  });

  it("that is broken stops every command with the problems and the cure", async () => {
    const folder = temporaryFolder();
    writeOwnConfig(folder, "{ nope");
    for (const command of ["tools", "list", "serve"]) {
      const run = command === "serve" ? runCli : runCliHere;
      const { status, stdout, stderr } = await run([command], { folder });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("repertoire.json:1:");
      expect(stderr).toContain("repertoire config check");
    }
  });
});

describe("trust", () => {
  const file = {
    mcpServers: {
      tool: { command: "sh", args: ["-c", "echo $(whoami) \u001b[8m hidden"], env: { TOKEN: "${T}" } },
    },
  };

  function untrustedFolder(): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "repertoire.json"), JSON.stringify(file));
    return folder;
  }
  const env = { T: "CANARY-token" };

  it("T139: shows exactly what would be run, and needs a yes where nobody can be asked", async () => {
    const folder = untrustedFolder();
    const { status, stdout, stderr } = await runCliHere(["trust"], { folder, env });
    expect(status).toBe(2);
    expect(stderr).toContain("repertoire trust --yes");
    for (const words of [
      "command   sh",
      `"-c"`,
      "echo $(whoami) ",
      "hidden",
      "env       TOKEN",
      "the values of T",
    ]) {
      expect(stdout).toContain(words);
    }
    expect(stdout).not.toMatch(/CANARY|\u001b\[8m/);
  });

  it("T139: shows the settings that trust would put into force", async () => {
    const folder = temporaryFolder();
    const text = JSON.stringify({ workflows: { allowShell: true }, sandbox: { callsMax: 9000 } });
    writeFileSync(join(folder, "repertoire.json"), text);
    const { stdout } = await runCliHere(["trust"], { folder });
    expect(stdout).toMatch(/workflows\.allowShell true\n/);
    expect(stdout).toMatch(/sandbox\.callsMax 9000\n/);
  });

  it("T139: lasts until the file changes, or it is taken back", async () => {
    const folder = untrustedFolder();
    const servers = async () => {
      const { stdout } = await runCliHere(["config", "check", "--json"], { folder, env });
      return (JSON.parse(stdout) as { config: { servers: { trusted: boolean }[] } }).config.servers.map(
        (server) => server.trusted,
      );
    };
    expect(await servers()).toEqual([false]);
    expect((await runCliHere(["doctor"], { folder, env })).stdout).toContain("→ repertoire trust");
    expect((await runCliHere(["trust", "--yes"], { folder, env })).status).toBe(0);
    expect(await servers()).toEqual([true]);
    writeFileSync(join(folder, "repertoire.json"), `${JSON.stringify(file)}\n`);
    expect(await servers()).toEqual([false]);
    await runCliHere(["trust", "--yes"], { folder, env });
    await runCliHere(["trust", "--revoke"], { folder, env });
    expect(await servers()).toEqual([false]);
  });

  it("is not needed for a file that was given by name", async () => {
    const folder = untrustedFolder();
    expect(await runCliHere(["trust", "--config", "repertoire.json"], { folder, env })).toMatchObject({
      status: 0,
    });
  });
});

describe("doctor", () => {
  const failures = async (folder: string) => {
    const { stdout, status } = await runCliHere(["doctor", "--json"], { folder });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; cure?: string }[] };
    return { status, failed: checks.filter((check) => check.state === "failed") };
  };

  it("is content with a fresh machine, and makes nothing", async () => {
    const folder = temporaryFolder();
    const { status, stdout } = await runCliHere(["doctor"], { folder });
    expect(status).toBe(0);
    expect(stdout).not.toContain("\u001b[");
    for (const name of ["node", "home", "store", "config", "servers"]) expect(stdout).toContain(`✓ ${name}`);
    expect(() => statSync(join(folder, "home"))).toThrow("ENOENT");
  });

  it("ends each red line with a command that cures it", async () => {
    const folder = await folderWithSum();
    chmodSync(join(folder, "home"), 0o755);
    const open = await failures(folder);
    expect(open).toMatchObject({
      status: 1,
      failed: [{ name: "home", cure: expect.stringContaining("chmod 700") }],
    });
    execFileSync("sh", ["-c", open.failed[0]!.cure!]);
    expect(await failures(folder)).toEqual({ status: 0, failed: [] });

    const database = join(folder, "home", "repertoire.db");
    writeFileSync(database, "not a database");
    const damaged = await failures(folder);
    expect(damaged).toMatchObject({
      status: 1,
      failed: [{ name: "store", cure: expect.stringMatching(/^mv /) }],
    });
    expect(readFileSync(database, "utf8")).toBe("not a database");
    execFileSync("sh", ["-c", damaged.failed[0]!.cure!]);
    expect(await failures(folder)).toEqual({ status: 0, failed: [] });
  });

  it("finds damage inside a database that opens", async () => {
    const folder = await folderWithSum();
    const database = join(folder, "home", "repertoire.db");
    const bytes = readFileSync(database);
    bytes.fill(0xff, 4096 * 3, 4096 * 3 + 64);
    writeFileSync(database, bytes);
    expect(await failures(folder)).toMatchObject({ status: 1, failed: [{ name: "store" }] });
  });

  it("quotes a home with odd characters, so that the cure runs", async () => {
    const folder = temporaryFolder();
    const home = join(folder, "it's a home; echo no");
    mkdirSync(home, { mode: 0o755 });
    const { stdout } = await runCliHere(["doctor", "--json", "--home", home], { folder });
    const { checks } = JSON.parse(stdout) as { checks: { cure?: string }[] };
    execFileSync("sh", ["-c", checks.find((check) => check.cure !== undefined)!.cure!]);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it("shows all problems of a broken config", async () => {
    const folder = temporaryFolder();
    writeOwnConfig(folder, `{"mcpServers": {"mcp": {"command": "x"}}, "nope": 1}`);
    expect((await failures(folder)).failed.length).toBeGreaterThanOrEqual(2);
  });
});

it("demo talks to the real gateway and leaves nothing behind", () => {
  const folder = temporaryFolder();
  const scratch = join(folder, "tmp");
  mkdirSync(scratch);
  const { status, stdout, stderr } = runCli(["demo", "--no-serve"], {
    folder,
    env: { TMPDIR: scratch },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const words of [
    "browse_components",
    "mcp.notes.add(args: { text: string })",
    "no-such-program is not in PATH",
    `["Try Repertoire","Tell a friend"]`,
    `{"notes":5,"last":"Wednesday: write tests"}`,
    "left as the draft write-the-week-down-",
    "Did you mean mcp.notes.add?",
    "text is missing",
    "lists mcp__week__plan and calls it",
    "Did you mean week:plan?",
  ]) {
    expect(stdout).toContain(words);
  }
  expect(execFileSync("ls", ["-A", scratch], { encoding: "utf8" })).toBe("");
});

it("ends quietly when the reader of a pipe has left", () => {
  const command = `"$0" "$1" completions bash | true; "$0" "$1" tools --json | head -c 1`;
  const { stderr, stdout } = spawnSync("sh", ["-c", command, process.execPath, BIN], {
    encoding: "utf8",
    env: environmentOf(temporaryFolder()),
  });
  expect({ stderr, stdout }).toEqual({ stderr: "", stdout: "[" });
});

it("keeps stray output of modules away from the data of a command", () => {
  const greet = `data:text/javascript,setTimeout(() => console.log("STRAY"), 0);setImmediate(() => console.log("STRAY"));`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", greet, BIN, "tools", "--json"],
    {
      encoding: "utf8",
      env: environmentOf(temporaryFolder()),
    },
  );
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(5);
  expect(stderr).toContain("STRAY");
});
