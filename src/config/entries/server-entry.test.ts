import { describe, expect, test } from "vitest";
import type { ServerConfig } from "../config.ts";
import { loadConfig } from "../load.ts";
import { createTempProject, loadText, requireConfig, textOf } from "../temp-project.testkit.ts";

function load(entry: unknown, env: Record<string, string> = {}): { server: ServerConfig; warnings: string } {
  const result = loadText({ mcpServers: { a: entry } }, env);
  if (!result.ok) throw new Error(textOf(result.problems));
  return { server: result.config.servers[0]!, warnings: textOf(result.warnings) };
}

describe("B4: an entry pasted from another client", () => {
  test.each([
    [{ disabled: true }, { enabled: false }],
    [{ disabled: false }, { enabled: true }],
    [{ disabled: false, enabled: false }, { enabled: false }],
    [{ type: "stdio" }, { transport: { kind: "stdio" } }],
    [{ transport: "stdio" }, { transport: { kind: "stdio" } }],
    [{ timeout: 60 }, { timeoutMs: 60_000 }],
    [{ timeout: 3600 }, { timeoutMs: 3_600_000 }],
    [{ timeout: 120_000 }, { timeoutMs: 120_000 }],
    [{ timeout: 60, timeoutMs: 5 }, { timeoutMs: 5 }],
    [{ startup_timeout_sec: 90 }, { startTimeoutMs: 90_000 }],
    [{ startup_timeout_ms: 1500 }, { startTimeoutMs: 1500 }],
    [{ startup_timeout_sec: 9999, startTimeoutMs: 5 }, { startTimeoutMs: 5 }],
    [{ startup_timeout_sec: 9999 }, { startTimeoutMs: 600_000 }],
    [{ excludeTools: ["rm"] }, { tools: { deny: ["rm"] } }],
    [{ disabledTools: ["rm"], tools: { allow: ["ls"] } }, { tools: { allow: ["ls"], deny: ["rm"] } }],
    [{ tools: ["*"] }, { tools: {} }],
    [{ tools: ["ls"] }, { tools: { allow: ["ls"] } }],
  ])("%j means %j", (keys, expected) => {
    const { server } = load({ command: "x", ...keys });
    expect(server).toMatchObject({ problems: [], ...expected });
  });

  test.each([
    [{ transport: "sse" }, "sse"],
    [{ type: "streamableHttp" }, "http"],
    [{ type: "sse" }, "sse"],
  ])("%j reaches a remote server over %s", (keys, kind) => {
    const { server, warnings } = load({ url: "https://h.example/mcp", ...keys });
    expect([server.transport.kind, server.problems, warnings]).toEqual([kind, [], ""]);
  });

  test.each([["autoApprove"], ["alwaysAllow"]])(
    "with %s is used, and a warning says that it grants nothing",
    (key) => {
      const { server, warnings } = load({ command: "x", [key]: ["delete"] });
      expect(server.problems).toEqual([]);
      expect(warnings).toMatch(new RegExp(`mcpServers\\.a\\.${key}: has no effect: it grants nothing`));
    },
  );

  test("with a timeout says how it is read", () => {
    expect(load({ command: "x", timeout: 60 }).warnings).toContain("is read as seconds");
    expect(load({ command: "x", timeout: 90_000 }).warnings).toContain("is read as milliseconds");
  });

  test("with a key that nobody knows is used, and a warning names the nearest", () => {
    const { server, warnings } = load({ command: "x", timeuotMs: 1, zzz: 1, description: "for people" });
    expect(server.problems).toEqual([]);
    expect(warnings).toContain(
      'mcpServers.a.timeuotMs: unknown key, which has no effect; did you mean "timeoutMs"?',
    );
    expect(warnings).toContain(
      "mcpServers.a.zzz: unknown key, which has no effect; the keys of a server are",
    );
    expect(warnings).not.toContain("description");
  });

  test("with very many unknown keys gives a bounded number of warnings", () => {
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`zz${index}`, 1]));
    const { warnings } = load({ command: "x", ...keys });
    expect(warnings.split("\n")).toHaveLength(21);
    expect(warnings).toContain("has 4980 more unknown keys");
  });

  test.each([
    [{ disabled: "yes" }, "disabled"],
    [{ timeout: "60" }, "timeout"],
    [{ transport: "pigeon" }, "transport"],
    [{ tools: { alow: [] } }, "tools.alow"],
  ])("with %j is that server's problem", (keys, place) => {
    const { server } = load({ command: "x", ...keys });
    expect(server.problems.map(({ path }) => path)).toEqual([`mcpServers.a.${place}`]);
  });

  test("has the variables of editors filled in", () => {
    const project = createTempProject();
    const entry = {
      command: "${userHome}/bin/x",
      args: ["${workspaceFolder}", "${workspaceFolderBasename}", "${env:A}", "${env:workspaceFolder:-none}"],
    };
    project.write("user/.config/repertoire/repertoire.json", { mcpServers: { a: entry } });
    const result = loadConfig({ ...project.options, env: { A: "1" } });
    expect(result).toMatchObject({
      config: {
        servers: [
          {
            problems: [],
            fromEnvironment: ["A", "workspaceFolder"],
            transport: {
              command: `${project.options.homedir}/bin/x`,
              args: [project.cwd, "project", "1", "none"],
            },
          },
        ],
      },
    });
  });
});

describe("B4: envFile", () => {
  const entry = { command: "x", envFile: "sub/.env", env: { B: "own" } };
  const LINES = '# a comment\nexport A=1\nB=file\nC="two words"\nAPI_TOKEN=secret-of-the-file\n\nnonsense\n';

  test("gives its variables to that server alone, and env wins", () => {
    const project = createTempProject();
    project.write("user/.config/repertoire/sub/.env", LINES);
    project.write("user/.config/repertoire/repertoire.json", {
      mcpServers: { a: entry, other: { command: "y" } },
    });
    const result = loadConfig(project.options);
    expect(result).toMatchObject({
      config: {
        servers: [
          {
            envFile: "sub/.env",
            transport: { env: { A: "1", B: "own", C: "two words", API_TOKEN: "secret-of-the-file" } },
            written: { env: { B: "own" } },
          },
          { transport: { env: {} } },
        ],
      },
    });
    expect(result.ok && result.config.secrets).toContain("secret-of-the-file");
  });

  test("that is missing is that server's problem, and no problem of one that is switched off", () => {
    expect(load(entry).server.problems).toMatchObject([
      { path: "mcpServers.a.envFile", message: expect.stringContaining("there is no such file") },
    ]);
    expect(load({ ...entry, disabled: true }).server.problems).toEqual([]);
  });

  test("T139: is not opened for a file that is not trusted", () => {
    const project = createTempProject();
    project.write("project/sub/.env", LINES);
    project.write("project/repertoire.json", { mcpServers: { a: entry } });
    const result = loadConfig(project.options);
    expect(result).toMatchObject({
      config: { servers: [{ trusted: false, transport: { env: { B: "own" } } }], secrets: [] },
    });
  });
});

describe("B4: VS Code's file", () => {
  const file = {
    servers: {
      github: { type: "stdio", command: "npx", env: { TOKEN: "${input:gh}" } },
      both: { command: "v" },
    },
    inputs: [{ type: "promptString", id: "gh", description: "A token", password: true }],
  };

  test("has its servers and inputs understood", () => {
    expect(requireConfig(file)).toMatchObject({
      servers: [
        { id: "both", problems: [] },
        { id: "github", missingInputs: ["gh"], transport: { command: "npx" } },
      ],
      inputs: [{ id: "gh", isPassword: true, servers: ["github"] }],
    });
  });

  test("beside mcpServers does not win, and says so; problems are told at their own place", () => {
    const result = loadText({ ...file, mcpServers: { both: { command: "m" }, bad: { command: 1 } } });
    expect(result).toMatchObject({
      config: { servers: [{ id: "bad" }, { id: "both", transport: { command: "m" } }, { id: "github" }] },
    });
    expect(result.ok && textOf(result.warnings)).toContain("servers.both: has no effect");
    const [problem] = requireConfig({ servers: { a: { command: 1 } } }).servers[0]!.problems;
    expect(problem).toMatchObject({ path: "servers.a.command", line: 4 });
  });
});
