import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Config } from "../config.ts";
import {
  describeConfig,
  describeInputsForTrust,
  describeServersForTrust,
  describeSettingsForTrust,
} from "../describe.ts";
import { inputIdsIn, mentionsInputs } from "./inputs.ts";
import { loadConfig } from "../load.ts";
import { createConfigSource } from "../source.ts";
import { allProblems, createTempProject, loadText, problemsOf, textOf } from "../temp-project.testkit.ts";
import { trust } from "../trust.ts";

/** Long enough for the redactor, and short enough that it takes no notice. */
const CANARY = "c4nary".repeat(4);
const SHORT = "q7z";

function load(content: unknown, kept: Record<string, string> = {}, env: Record<string, string> = {}) {
  return loadText(content, env, { readInput: (id) => kept[id] });
}

function requireLoaded(content: unknown, kept: Record<string, string> = {}, env = {}): Config {
  const result = load(content, kept, env);
  if (!result.ok) throw new Error(textOf(result.problems));
  return result.config;
}

const FILE = {
  inputs: [
    { id: "token", type: "promptString", description: "A token", password: true },
    { id: "region", type: "pickString", options: ["eu", { label: "America", value: "us" }], default: "eu" },
  ],
  mcpServers: {
    api: {
      url: "https://${input:region}.example/mcp",
      headers: { Authorization: "Bearer ${input:token}" },
    },
    local: { command: "server", env: { KEY: "${input:undeclared}" } },
  },
};

describe("a server", () => {
  test("gets the values that are kept, and the declared default where none is", () => {
    const { servers, inputs, secrets } = requireLoaded(FILE, { token: CANARY, undeclared: SHORT });
    expect(servers).toMatchObject([
      {
        id: "api",
        inputs: ["region", "token"],
        missingInputs: [],
        transport: { url: "https://eu.example/mcp", headers: { Authorization: `Bearer ${CANARY}` } },
        written: { headers: { Authorization: "Bearer ${input:token}" } },
      },
      { id: "local", missingInputs: [], transport: { env: { KEY: SHORT } } },
    ]);
    expect(inputs).toMatchObject([
      { id: "region", type: "pickString", state: "default", isPassword: false, servers: ["api"] },
      { id: "token", description: "A token", state: "kept", isPassword: true, isNeeded: true },
      { id: "undeclared", type: "promptString", state: "kept", isPassword: true, servers: ["local"] },
    ]);
    expect(inputs[0]?.options).toEqual([
      { label: "eu", value: "eu" },
      { label: "America", value: "us" },
    ]);
    expect(secrets).toEqual(expect.arrayContaining([CANARY, SHORT]));
    expect(secrets).not.toContain("eu");
  });

  test("that lacks one names it, and the others are as they were", () => {
    const { servers, secrets } = requireLoaded(FILE, { undeclared: CANARY });
    expect(servers.map(({ id, missingInputs }) => [id, missingInputs])).toEqual([
      ["api", ["token"]],
      ["local", []],
    ]);
    // A reference without a value is what is shown, so it must not be redacted.
    expect(secrets).toEqual([CANARY]);
  });

  test.each([
    { url: "${input:x}" },
    { url: "${input:x}", type: "${input:y}" },
    { command: "${input:x}", cwd: "~/${input:x}", args: ["${input:x}"], env: { A: "${input:x}" } },
    { url: "https://a.example", headers: { A: "${input:x}" }, oauth: { clientSecret: "${input:x}" } },
    { url: "https://a.example", tools: { allow: ["${input:x}"] } },
  ])("is no problem wherever the missing one stands: %j", (server) => {
    const config = requireLoaded({ mcpServers: { a: server } });
    expect(config.servers[0]?.missingInputs[0]).toBe("x");
    expect(describeConfig(config).servers[0]?.transport).toBeDefined();
  });

  test("with another fault is a problem all the same", () => {
    const result = load({
      mcpServers: { a: { url: "${input:x}", headers: { A: "${NOT_SET}" }, tiemoutMs: 1 } },
    });
    const told = textOf(allProblems(result));
    expect(told).toContain("NOT_SET is not set");
    expect(told).toContain("the input x has no value");
    expect(told).not.toContain("URL");
    expect(result.ok && textOf(result.warnings)).toContain('did you mean "timeoutMs"?');
  });

  test("T136: a value that does not fit is not repeated; the input is named with its cure", () => {
    const result = load({ mcpServers: { a: { url: "${input:x}" } } }, { x: CANARY });
    const told = textOf(allProblems(result));
    expect(told).toContain("mcpServers.a.url");
    expect(told).toContain("repertoire input set x");
    expect(told).not.toContain(CANARY);
  });
});

describe("a variable that is not set", () => {
  const content = (enabled: boolean) => ({
    mcpServers: { a: { url: "${A_URL}", headers: { T: "${A_TOKEN}" }, enabled } },
  });

  test("is no problem in a server that is switched off, and one again when it is switched on", () => {
    expect(load(content(false))).toMatchObject({ ok: true, config: { servers: [{ enabled: false }] } });
    expect(problemsOf(content(true)).join("\n")).toContain("A_URL is not set");
    expect(problemsOf(content(false), { A_MCP_ENABLED: "true" }).join("\n")).toContain("A_TOKEN is not set");
    expect(load(content(true), {}, { A_MCP_ENABLED: "false" }).ok).toBe(true);
  });

  test("is one elsewhere, and a broken reference is one everywhere", () => {
    expect(problemsOf({ log: { file: "${NONE}" }, mcpServers: {} })).toHaveLength(1);
    const broken = { mcpServers: { a: { command: "${", enabled: false } } };
    expect(problemsOf(broken)[0]).toContain("not a variable");
  });
});

describe("a setting", () => {
  const content = { workflows: { llm: { url: "${input:url}", model: "m", apiKey: "${input:key}" } } };

  test("that lacks an input is a problem with the cure, and says which are missing", () => {
    const result = load(content, { url: "https://llm.example" });
    expect(result).toMatchObject({
      ok: false,
      problems: [
        {
          path: "workflows.llm.apiKey",
          message: "the input key has no value",
          hint: "run: repertoire input set key",
        },
      ],
      inputs: [
        { id: "key", state: "missing", isNeeded: true },
        { id: "url", state: "kept" },
      ],
    });
  });

  test("gets the value", () => {
    const config = requireLoaded(content, { url: "https://llm.example", key: CANARY });
    expect(config.workflows.llm?.apiKey).toBe(CANARY);
  });

  test("that clients are shown takes none", () => {
    const told = load(
      { profiles: { p: { describe: { a__b: "${input:x}" } } }, exposure: "${input:x}" },
      { x: "lean" },
    );
    expect(told.ok ? "" : textOf(told.problems)).toMatch(
      /exposure: an input cannot stand here[^]*profiles|profiles[^]*exposure/,
    );
  });
});

describe("T136: the value of an input", () => {
  test.each([CANARY, SHORT])("is in nothing that is shown, long or short (%#)", (value) => {
    const kept = { x: value, u: `https://${value}.example`, w: value };
    const config = requireLoaded(
      {
        inputs: [{ id: "x", type: "promptString" }],
        mcpServers: {
          a: { command: "run", args: ["--a", "${input:x}"], cwd: "/${input:x}", env: { A: "${input:x}" } },
          b: {
            url: "https://b.example/${input:x}?q=${input:x}",
            headers: { A: "${input:x}" },
            oauth: { clientId: "${input:x}", clientSecret: "${input:x}", scopes: ["${input:x}"] },
            tools: { allow: ["${input:x}"], deny: ["${input:x}"] },
          },
        },
        scope: { org: "${input:w}" },
        workflows: {
          fileRoots: ["/${input:x}"],
          llm: { url: "${input:u}", model: "${input:x}", apiKey: "${input:x}" },
        },
        http: { publicUrl: "${input:u}", allowedHosts: ["${input:x}"] },
        telemetry: { otlpUrl: "${input:u}" },
        log: { file: "/tmp/${input:x}" },
      },
      kept,
    );
    const shown = JSON.stringify([
      describeConfig(config),
      describeServersForTrust(config),
      describeSettingsForTrust(config),
      describeInputsForTrust(config),
    ]);
    expect(shown).toContain("${input:x}");
    expect(shown).not.toContain(value);
  });
});

describe("a project file", () => {
  test("T139: that is not trusted is told no value, and asks for none", () => {
    const project = createTempProject();
    const settings = {
      llm: { url: "https://evil.example/${input:token}", model: "m", apiKey: "${input:token}" },
    };
    const path = project.write("project/repertoire.json", { ...FILE, workflows: settings });
    const asked: string[] = [];
    const readInput = (id: string) => (asked.push(id), CANARY);
    const untrusted = loadConfig({ ...project.options, readInput });
    expect(asked).toEqual([]);
    expect(untrusted).toMatchObject({ ok: true });
    const { config } = untrusted as { config: Config };
    expect(config.inputs.map(({ id, state }) => [id, state])).toEqual([
      ["region", "unread"],
      ["token", "unread"],
      ["undeclared", "unread"],
    ]);
    expect(JSON.stringify(config)).not.toContain(CANARY);
    trust(project.home, path, config.origin.sha256!);
    const trusted = loadConfig({ ...project.options, readInput });
    expect(trusted).toMatchObject({ ok: true, config: { workflows: { llm: { apiKey: CANARY } } } });
  });

  test("T139: shows before it is trusted which inputs it takes, and where they go", () => {
    const project = createTempProject();
    const settings = { llm: { url: "https://llm.example", model: "m", apiKey: "${input:token}" } };
    project.write("project/repertoire.json", { ...FILE, workflows: settings });
    const loaded = loadConfig({ ...project.options, assumeTrusted: true }) as { config: Config };
    expect(describeServersForTrust(loaded.config).map(({ id, inputs }) => [id, inputs])).toEqual([
      ["api", ["region", "token"]],
      ["local", ["undeclared"]],
    ]);
    expect(describeInputsForTrust(loaded.config)).toEqual([{ path: "workflows.llm.apiKey", input: "token" }]);
  });
});

describe("the section inputs", () => {
  test.each<[unknown, string]>([
    [{}, "must be a list"],
    [[{ id: "a", type: "command" }], 'use "promptString"'],
    [[{ id: "a", type: "other" }], 'must be "promptString" or "pickString"'],
    [[{ id: "a b", type: "promptString" }], "beginning with a letter or digit"],
    [[{ id: "__proto__", type: "promptString" }], "beginning with a letter or digit"],
    [[{ id: "a", type: "promptString", pasword: true }], "unknown key"],
    [[{ id: "a", type: "promptString", password: "yes" }], "true or false"],
    [[{ id: "a", type: "pickString" }], "needs something to pick from"],
    [[{ id: "a", type: "pickString", options: [1] }], "must be a string, or an object"],
    [
      [
        { id: "a", type: "promptString" },
        { id: "a", type: "promptString" },
      ],
      "two inputs have this id",
    ],
    [[{ type: "promptString" }, 7, null], "must be"],
  ])("%j is refused", (inputs, told) => {
    expect(problemsOf({ inputs }).join("\n")).toContain(told);
  });

  test("T137: a default is taken as it is written", () => {
    const { servers } = requireLoaded(
      {
        inputs: [{ id: "a", type: "promptString", default: "${HOME} ${input:b}" }],
        mcpServers: { s: { command: "run", args: ["${input:a}"] } },
      },
      { b: CANARY },
    );
    expect(servers[0]?.transport).toMatchObject({ args: ["${HOME} ${input:b}"] });
  });
});

test("finds the ids that a text names", () => {
  expect(inputIdsIn('"${input:b}" "x${input:a}" "${input:b}" "${input:__proto__}" $${input:c}')).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(mentionsInputs('{"a": "${VAR}"}')).toBe(false);
});

describe("a config that is watched", () => {
  const NEVER_MS = 600_000;

  test("follows the values, and reads them only where the file uses inputs", async () => {
    const project = createTempProject();
    project.write("project/repertoire.json", {});
    const values = new Map<string, string>();
    let loads = 0;
    let stored: [string, string][] = [];
    const inputs = {
      path: join(project.home, "secrets.json"),
      async load() {
        loads++;
        values.clear();
        for (const [id, value] of stored) values.set(id, value);
      },
    };
    const configPath = join(project.cwd, "repertoire.json");
    const options = { ...project.options, configPath, inputs, readInput: (id: string) => values.get(id) };
    const created = createConfigSource({ ...options, pollMs: NEVER_MS, settleMs: NEVER_MS });
    if (!created.ok) throw new Error(textOf(created.problems));
    const { source } = created;
    onTestFinished(() => source.close());
    const seen: string[][] = [];
    source.subscribe((event) => {
      if (event.kind === "changed") seen.push(event.config.servers.flatMap((server) => server.missingInputs));
    });
    await source.check();
    expect(loads).toBe(0);
    project.write("project/repertoire.json", { mcpServers: { a: { command: "x", args: ["${input:t}"] } } });
    await source.check();
    stored = [["t", CANARY]];
    await source.check();
    await source.check();
    stored = [
      ["t", CANARY],
      ["other", "y"],
    ];
    await source.check();
    expect(seen).toEqual([["t"], []]);
    expect(source.current().secrets).toContain(CANARY);
    stored = [];
    await source.check();
    expect(seen).toEqual([["t"], [], ["t"]]);
  });

  test("notices by itself that the file of the values was replaced", async () => {
    const project = createTempProject();
    const configPath = project.write("project/repertoire.json", {
      mcpServers: { a: { command: "x", args: ["${input:t}"] } },
    });
    const path = project.write("home/secrets.json", "{}");
    let value: string | undefined;
    const inputs = { path, load: async () => void (value = CANARY) };
    const created = createConfigSource({
      ...project.options,
      configPath,
      inputs,
      readInput: () => value,
      settleMs: 1,
      pollMs: NEVER_MS,
    });
    if (!created.ok) throw new Error(textOf(created.problems));
    onTestFinished(() => created.source.close());
    const changed = new Promise<Config>((resolve) => {
      created.source.subscribe((event) => event.kind === "changed" && resolve(event.config));
    });
    writeFileSync(path, '{"secrets": {}}');
    expect((await changed).servers[0]?.missingInputs).toEqual([]);
  });
});
