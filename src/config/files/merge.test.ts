import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../config.ts";
import { hashText } from "../../core/json.ts";
import { loadConfig, type LoadResult } from "../load.ts";
import { createTempProject, textOf } from "../temp-project.testkit.ts";
import { trust } from "../trust.ts";

const USER_FILE = "user/.config/repertoire/repertoire.json";
const PROJECT_FILE = "project/repertoire.json";

function load(user: unknown, project: unknown, more: { trusted: boolean }) {
  const place = createTempProject();
  const own = place.write(USER_FILE, user);
  const path = place.write(PROJECT_FILE, project);
  if (more.trusted) trust(place.home, path, hashText(readFileSync(path, "utf8")));
  return { result: loadConfig(place.options), own, path, place };
}

function configOf(result: LoadResult): Config {
  if (!result.ok) throw new Error(textOf(result.problems));
  return result.config;
}

function warningsOf(result: LoadResult): string {
  return result.ok ? textOf(result.warnings) : "";
}

const USER = {
  mcpServers: { GitHub: { command: "mine" }, notes: { command: "notes" } },
  exposure: "full",
  limits: { callTimeoutMs: 1000, serverIdleMs: 5 },
};

describe("B5: a project file that is not trusted", () => {
  const PROJECT = {
    mcpServers: { github: { command: "evil" }, tools: { command: "tools" } },
    exposure: "lean",
    profiles: { p: { servers: ["tools"] } },
    limits: { callTimeoutMs: 1 },
  };

  test("takes nothing away and only lists what waits for trust", () => {
    const { result, own, path } = load(USER, PROJECT, { trusted: false });
    const config = configOf(result);
    expect(config.servers).toMatchObject([
      { id: "github", key: "GitHub", trusted: true, file: own, transport: { command: "mine" } },
      { id: "notes", trusted: true, file: own },
      { id: "tools", trusted: false, file: path },
    ]);
    expect(config).toMatchObject({ exposure: "full", profiles: {}, limits: { callTimeoutMs: 1000 } });
    expect(config.files).toMatchObject([
      { kind: "project", path, trusted: false },
      { kind: "user", path: own, trusted: true },
    ]);
    expect(warningsOf(result)).toContain("its servers are not started: github, tools");
  });

  test.each(["{", "", "[]", '{"unknown": 1}', '{"exposure": "${NOT_SET}", "mcpServers": 1}'])(
    "may be as broken as %j",
    (text) => {
      const { result } = load(USER, text, { trusted: false });
      expect(configOf(result).servers.map(({ id }) => id)).toEqual(["github", "notes"]);
    },
  );

  test("that cannot be parsed says where, and what it waits for", () => {
    const { result } = load(USER, '{\n  "a" 1}', { trusted: false });
    expect(warningsOf(result)).toMatch(/^repertoire\.json:2:7 {2}.*has no effect until it is correct/);
  });
});

describe("B5: a trusted project file", () => {
  test("wins by server and by setting, and the rest of the user's file stays", () => {
    const project = {
      mcpServers: { github: { command: "theirs", cwd: "sub" }, tools: { command: "tools" } },
      limits: { callTimeoutMs: 2000 },
      log: { file: "r.log" },
    };
    const { result, place, own } = load({ ...USER, workflows: { fileRoots: ["data"] } }, project, {
      trusted: true,
    });
    const config = configOf(result);
    expect(config.servers.map(({ id, key, trusted }) => [id, key, trusted])).toEqual([
      ["github", "github", true],
      ["notes", "notes", true],
      ["tools", "tools", true],
    ]);
    expect(config).toMatchObject({
      exposure: "full",
      limits: { callTimeoutMs: 2000, serverIdleMs: 5 },
      log: { file: join(place.cwd, "r.log") },
      workflows: { fileRoots: [join(own, "..", "data")] },
      servers: [{ transport: { cwd: join(place.cwd, "sub") } }, {}, {}],
    });
    expect(result).toMatchObject({ warnings: [] });
  });

  test.each([
    ["workflows", { allowShell: false }, { allowShell: true }],
    ["workflows", { allowPrivateHttp: false }, { allowPrivateHttp: true }],
    ["workflows", { fileRoots: ["/srv"] }, { fileRoots: ["/"] }],
    ["tools", { suspicious: "block" }, { suspicious: "warn" }],
    ["library", { changedTools: "refuse" }, { changedTools: "warn" }],
    ["http", { host: "127.0.0.1" }, { host: "0.0.0.0" }],
    ["http", { allowedOrigins: ["https://a.example"] }, { allowedOrigins: ["https://evil.example"] }],
    ["http", { console: { addPrograms: false } }, { console: { addPrograms: true } }],
    ["profiles", { safe: { tools: { deny: ["notes__*"] } } }, { safe: {} }],
  ])("does not widen what the user's own file forbids under %s", (section, own, wider) => {
    const { result } = load({ ...USER, [section]: own }, { [section]: wider }, { trusted: true });
    expect(configOf(result)).toMatchObject({ [section]: own });
    const name = `${section}.${Object.keys(own)[0]}`;
    expect(warningsOf(result)).toContain(`has no effect: your own file sets "${name}"`);
  });

  test.each([
    ["workflows", { allowShell: true }, { allowShell: false }],
    ["tools", { suspicious: "warn" }, { suspicious: "block" }],
  ])("may narrow what the user's own file allows under %s", (section, own, narrower) => {
    const { result } = load({ ...USER, [section]: own }, { [section]: narrower }, { trusted: true });
    expect(configOf(result)).toMatchObject({ [section]: narrower });
    expect(warningsOf(result)).toBe("");
  });

  test("allows what the user's own file says nothing about, since the user has agreed to it", () => {
    const { result } = load(USER, { workflows: { allowShell: true } }, { trusted: true });
    expect(configOf(result).workflows.allowShell).toBe(true);
  });

  test("never has the key of one file sent to the address of the other", () => {
    const own = { workflows: { llm: { url: "https://mine.example", model: "m", apiKey: "my-own-key" } } };
    const theirs = { workflows: { llm: { url: "https://theirs.example", model: "m" } } };
    const { llm } = configOf(load(own, theirs, { trusted: true }).result).workflows;
    expect([llm?.url, llm?.apiKey]).toEqual(["https://theirs.example", undefined]);
  });

  test("may use the user's servers in its profiles", () => {
    const { result } = load(USER, { profiles: { p: { servers: ["notes"] } } }, { trusted: true });
    expect(configOf(result).profiles["p"]).toEqual({ servers: ["notes"] });
  });

  test("has its inputs beside the user's, the nearer declaration first", () => {
    const input = (id: string, description: string) => ({ id, type: "promptString", description });
    const { result } = load(
      { ...USER, inputs: [input("a", "mine"), input("b", "mine")] },
      { inputs: [input("b", "theirs")] },
      { trusted: true },
    );
    expect(configOf(result).inputs.map(({ id, description }) => [id, description])).toEqual([
      ["a", "mine"],
      ["b", "theirs"],
    ]);
  });

  test("and the user's have their problems told at their own places", () => {
    const { result, own } = load(
      { inputs: [{ id: "x", type: "promptString" }], exposure: "nonsense", mcpServers: { a: { args: [1] } } },
      { inputs: [{ id: "y", type: "nonsense" }], mcpServers: { b: { args: [2] } }, unknown: 1 },
      { trusted: true },
    );
    const told = result.ok ? "" : textOf(result.problems);
    expect(told).toMatch(/^repertoire\.json:\d+:\d+ {2}inputs\[0\]\.type/m);
    expect(told).toMatch(/^repertoire\.json:\d+:\d+ {2}mcpServers\.b\.args\[0\]/m);
    expect(told).toMatch(/^repertoire\.json:\d+:\d+ {2}unknown: unknown key/m);
    expect(told).toContain(`${own}:`);
    expect(told).toMatch(/\.config\/repertoire\/repertoire\.json:\d+:\d+ {2}mcpServers\.a\.args\[0\]/);
    expect(told).toMatch(/\.config\/repertoire\/repertoire\.json:\d+:\d+ {2}exposure/);
  });
});

test("B5: --config is the only file", () => {
  const place = createTempProject();
  place.write(USER_FILE, USER);
  const configPath = place.write("project/mine.json", { mcpServers: { a: { command: "x" } } });
  const result = loadConfig({ ...place.options, configPath });
  expect(configOf(result).servers.map(({ id }) => id)).toEqual(["a"]);
});

describe("trust in a server of a trusted project", () => {
  const server = (level?: unknown) => ({ command: "node", ...(level !== undefined && { trust: level }) });
  const trustOf = (user: object, project: object) => {
    const { result } = load({ ...USER, ...user }, project, { trusted: true });
    const { servers } = configOf(result);
    return { level: servers.find(({ id }) => id === "p")?.trust, warnings: warningsOf(result) };
  };

  test("cannot be more than the user's own file says of all servers", () => {
    const { level, warnings } = trustOf({ trust: "scan" }, { mcpServers: { p: server("allow") } });
    expect(level).toBe("scan");
    expect(warnings).toContain('your own file sets "trust" to something more careful');
  });

  test.each([
    [{ trust: "scan" }, { mcpServers: { p: server("ask") } }, "ask"],
    [{ trust: "scan" }, { mcpServers: { p: server() } }, "scan"],
    [{ trust: "scan" }, { trust: "ask", mcpServers: { p: server() } }, "ask"],
    [{}, { trust: "ask", mcpServers: { p: server("allow") } }, "allow"],
    [{ mcpServers: { p: server("ask") } }, { mcpServers: { p: server() } }, "ask"],
    [{ mcpServers: { p: server("ask") } }, { mcpServers: { p: server(true) } }, "ask"],
  ])("%j and %j make %s", (user, project, level) => {
    expect(trustOf(user, project).level).toBe(level);
  });

  test("cannot be more than the user's own file says of the server that it replaces", () => {
    const { level, warnings } = trustOf(
      { mcpServers: { p: server("ask") } },
      { mcpServers: { p: server("allow") } },
    );
    expect(level).toBe("ask");
    expect(warnings).toContain("more careful");
  });
});
