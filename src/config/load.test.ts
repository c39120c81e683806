import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load.ts";
import { allProblems, createTempProject, loadText, requireConfig, textOf } from "./temp-project.testkit.ts";

describe("without a file", () => {
  test("every setting has its documented default", () => {
    const project = createTempProject();
    const result = loadConfig(project.options);
    expect(result).toEqual({
      ok: true,
      warnings: [],
      config: {
        origin: { kind: "none" },
        files: [],
        home: project.home,
        draftsFolder: join(project.home, "drafts"),
        servers: [],
        inputs: [],
        exposure: "auto",
        profiles: {},
        schedules: {},
        hooks: {},
        scope: { org: "local", project: "default" },
        trust: "allow",
        rules: [],
        ruleFiles: [],
        calls: { days: 30, arguments: false },
        limits: {
          connectTimeoutMs: 5000,
          callTimeoutMs: 60_000,
          serverIdleMs: 600_000,
          approvalMs: 86_400_000,
        },
        sandbox: { timeoutMs: 30_000, memoryMb: 64, callsMax: 200, callsAtOnceMax: 16 },
        tools: { suspicious: "warn" },
        search: {},
        library: { changedTools: "warn" },
        workflows: { allowShell: false, allowPrivateHttp: false, fileRoots: [] },
        http: {
          host: "127.0.0.1",
          port: 7373,
          allowedHosts: [],
          allowedOrigins: [],
          console: { addPrograms: false },
        },
        store: { poolSize: 10, pooler: false, waitMs: 30_000 },
        registry: {},
        telemetry: { sampleRatio: 1 },
        log: { level: "info" },
        secrets: [],
      },
    });
  });

  test("a --config that is missing is a problem", () => {
    const project = createTempProject();
    const result = loadConfig({ ...project.options, configPath: "missing.json" });
    expect(result).toEqual({
      ok: false,
      problems: [{ file: "missing.json", path: "", message: "there is no such file" }],
    });
  });
});

describe("a file", () => {
  const content = {
    mcpServers: {
      "Web Search": { url: "https://search.example/mcp", headers: { "X-Team": "a" }, timeoutMs: 5 },
      files: { command: "server", args: ["--root", "${ROOT}"], env: { LEVEL: "1" }, cwd: "sub" },
      old: { type: "sse", url: "https://old.example", enabled: false, tools: { allow: ["a"], deny: ["b"] } },
    },
    exposure: "lean",
    profiles: {
      small: { servers: ["Web Search", "files", "web_search"] },
      only: { transparent: "Web Search" },
    },
    scope: { org: "acme" },
    limits: { callTimeoutMs: 7000 },
    workflows: { fileRoots: ["data", "/srv"] },
    log: { level: "debug", file: "logs/r.log" },
  };

  test("becomes one config with servers in the order of their ids", () => {
    const config = requireConfig(content, { ROOT: "/tmp" });
    const folder = dirname(config.origin.path!);
    expect(config.servers).toEqual([
      {
        id: "files",
        key: "files",
        declaredIn: "file",
        file: config.origin.path,
        enabled: true,
        trusted: true,
        timeoutMs: 7000,
        trust: "allow",
        isPrivate: false,
        tools: {},
        fromEnvironment: ["ROOT"],
        inputs: [],
        missingInputs: [],
        problems: [],
        transport: {
          kind: "stdio",
          command: "server",
          args: ["--root", "/tmp"],
          env: { LEVEL: "1" },
          cwd: join(folder, "sub"),
        },
        written: {
          kind: "stdio",
          command: "server",
          args: ["--root", "${ROOT}"],
          env: { LEVEL: "1" },
          cwd: "sub",
        },
      },
      expect.objectContaining({
        id: "old",
        enabled: false,
        tools: { allow: ["a"], deny: ["b"] },
        transport: { kind: "sse", url: "https://old.example", headers: {} },
      }),
      expect.objectContaining({
        id: "web_search",
        key: "Web Search",
        timeoutMs: 5,
        trust: "allow",
        isPrivate: false,
        transport: { kind: "http", url: "https://search.example/mcp", headers: { "X-Team": "a" } },
      }),
    ]);
    expect(config).toMatchObject({
      exposure: "lean",
      profiles: { small: { servers: ["web_search", "files"] }, only: { transparent: "web_search" } },
      scope: { org: "acme", project: "default" },
      workflows: { fileRoots: [join(folder, "data"), "/srv"] },
      log: { level: "debug", file: join(folder, "logs/r.log") },
    });
    expect(config.origin).toMatchObject({ kind: "flag", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test("is frozen to the last leaf", () => {
    const thawed: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Object.isFrozen(value)) thawed.push(path);
      for (const [key, child] of Object.entries(value)) walk(child, `${path}.${key}`);
    };
    walk(requireConfig(content, { ROOT: "/tmp" }), "config");
    expect(thawed).toEqual([]);
  });

  test("has profiles without a prototype", () => {
    expect(requireConfig(content, { ROOT: "/tmp" }).profiles["constructor"]).toBeUndefined();
  });

  test("takes streamable-http as another spelling of http", () => {
    const config = requireConfig({
      mcpServers: { a: { type: "streamable-http", url: "https://a.example" } },
    });
    expect(config.servers[0]?.transport.kind).toBe("http");
  });

  test("T169: runs nothing and reads no .env", () => {
    const project = createTempProject();
    project.write("project/.env", "FROM_DOTENV=1");
    project.write("project/repertoire.config.js", "throw new Error('executed')");
    project.write("project/repertoire.json", { mcpServers: { a: { command: "${FROM_DOTENV}" } } });
    const result = loadConfig(project.options);
    expect(textOf(allProblems(result))).toContain("the environment variable FROM_DOTENV is not set");
  });

  test("T037: that is a pipe, a folder or a device gives a reason at once", () => {
    const project = createTempProject();
    execFileSync("/usr/bin/mkfifo", [join(project.cwd, "pipe")]);
    mkdirSync(join(project.cwd, "folder"));
    symlinkSync("pipe", join(project.cwd, "repertoire.json"));
    for (const configPath of ["pipe", "folder", "/dev/zero"]) {
      expect(loadConfig({ ...project.options, configPath }).ok).toBe(false);
    }
    const found = loadConfig(project.options);
    expect(found.ok && textOf(found.warnings)).toContain("this is a pipe, socket or device");
  });

  test("T037: with a byte order mark is read, with broken UTF-8 is not", () => {
    const project = createTempProject();
    const configPath = project.write("project/a.json", '\ufeff{"exposure": "full"}');
    expect(loadConfig({ ...project.options, configPath })).toMatchObject({ config: { exposure: "full" } });
    writeFileSync(configPath, Buffer.from([0x7b, 0xc3, 0x28, 0x7d]));
    expect(loadConfig({ ...project.options, configPath })).toMatchObject({
      problems: [{ file: "a.json", message: "the file is not valid UTF-8" }],
    });
  });
});

describe("problems", () => {
  test("are all reported at once, in the order of the text, the environment last", () => {
    const text = `{
  "mcpServers": {
    "github": { "comand": "x" },
    "web": { "url": "\${WEB_URL}" },
    "My Files": { "command": "a" },
    "my-files": { "command": "a" }
  },
  "exposure": "som",
  "sandbox": { "timeoutMs": 900000 }
}`;
    const result = loadText(text, { FILES_MCP_URL: "nonsense" });
    expect(result.ok || textOf(result.problems)).toBe(
      [
        'repertoire.json:3:5  mcpServers.github: "command" or "url" is missing; is "comand" meant to be "command"?',
        "repertoire.json:4:21  mcpServers.web.url: the environment variable WEB_URL is not set; set it, or write ${WEB_URL:-default}",
        'repertoire.json:6:5  mcpServers.my-files: "My Files" and "my-files" have the same server id "my_files"; rename one of them',
        'repertoire.json:8:15  exposure: must be "lean", "full" or "auto"',
        "repertoire.json:9:29  sandbox.timeoutMs: must be a whole number from 1 to 600000",
        "environment  FILES_MCP_URL: is not a URL; write it as https://host/path",
      ].join("\n"),
    );
  });

  test("of a value with an unset variable are those of the variable alone", () => {
    const result = loadText({
      mcpServers: { a: { url: "${URL}" } },
      profiles: { p: { servers: ["${NAME}"] } },
      scope: { org: "${ORG}" },
    });
    expect(result.ok ? [] : result.problems.map((problem) => problem.message)).toEqual([
      "the environment variable URL is not set",
      "the environment variable NAME is not set",
      "the environment variable ORG is not set",
    ]);
  });

  test("T137: of a variable in `command` name it and show no neighbour", () => {
    const result = loadText(
      { mcpServers: { a: { command: "${NEIGHBOUR}/${MISSING}" } } },
      { NEIGHBOUR: "canary" },
    );
    expect(textOf(allProblems(result))).toContain("MISSING");
    expect(JSON.stringify(allProblems(result))).not.toContain("canary");
  });

  test.each(["[]", "null", "1", '"text"'])("of a file that is %s are clear", (text) => {
    const result = loadText(text);
    expect(result.ok ? "" : textOf(result.problems)).toBe("repertoire.json:1:1  must be an object");
  });

  test("of a file with very many are cut and counted", () => {
    const keys = Array.from({ length: 50_000 }, (_, i) => `"key${i}":1`);
    const result = loadText(`{${keys.join(",")}}`);
    expect(result.ok ? [] : result.problems).toHaveLength(101);
  });
});

describe("workflows.llm", () => {
  test("has a url and a model, and needs no key", () => {
    const llm = { url: "http://127.0.0.1:8080/v1", model: "small" };
    expect(requireConfig({ workflows: { llm } }).workflows).toEqual({
      allowShell: false,
      allowPrivateHttp: false,
      fileRoots: [],
      llm,
    });
  });

  test.each([
    [{ model: "m" }, "workflows.llm.url"],
    [{ url: "https://h" }, "workflows.llm.model"],
    [{ url: "ftp://h", model: "m" }, "workflows.llm.url: must begin with http:// or https://"],
    [{ url: "https://me:pw@h", model: "m" }, "workflows.llm.url: must not contain a user name or password"],
    [{ url: "https://h", model: "" }, "workflows.llm.model: must not be empty"],
    [{ url: "https://h", model: "m", apiKey: "a\nb" }, "workflows.llm.apiKey: has a line break"],
    [
      { url: "https://h", model: "m", apikey: "k" },
      'workflows.llm.apikey: unknown key; did you mean "apiKey"?',
    ],
  ])("%j is a problem", (llm, problem) => {
    const result = loadText({ workflows: { llm } });
    expect(result.ok ? "" : textOf(result.problems)).toContain(problem);
  });
});
