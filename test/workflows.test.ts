/**
 * The five meta-tools with runs that are on record and workflows, as users get them: the bundle as a process, real servers as
 * processes behind it, clients of both eras. The criteria and the edge cases of the seed carry their numbers.
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  BIN,
  connect,
  ERAS,
  INITIALIZE,
  runCli,
  startGateway,
  type ConnectOptions,
  type Era,
} from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const SERVER = join(import.meta.dirname, "fixtures/workflow-server.mjs");
const entryOf = (name: string) =>
  join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`);
const node = (args: string[], env = {}) => ({ command: process.execPath, args, env });

/** What a tool answered, as a test reads it. */
interface Answered {
  readonly isError: boolean;
  readonly [key: string]: unknown;
}

interface Agent {
  readonly client: Client;
  readonly stderr: () => string;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  tools(): Promise<string[]>;
  /** A resource of JSON. */
  read(uri: string): Promise<Record<string, unknown>>;
}

/** What the server behind the gateway did, by its own record. */
interface Effect {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

interface Place {
  readonly folder: string;
  readonly config: string;
  readonly drafts: string;
  readonly effectsFile: string;
  effects(): Effect[];
  /** Writes a draft, as an agent with a file tool does. */
  draft(name: string, workflow: object | string): void;
  join(era?: Era, options?: ConnectOptions): Promise<Agent>;
}

/** A home, a config and a server called notes; more servers and keys on demand. */
function openPlace(mcpServers: object = {}, config: object = {}): Place {
  const folder = temporaryFolder();
  const effectsFile = join(folder, "effects.jsonl");
  const drafts = join(folder, "home/drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  const file = join(folder, "servers.json");
  const servers = { notes: node([SERVER, effectsFile]), ...mcpServers };
  writeFileSync(file, JSON.stringify({ mcpServers: servers, exposure: "lean", ...config }));
  return {
    folder,
    config: file,
    drafts,
    effectsFile,
    effects: () => (existsSync(effectsFile) ? linesOf(effectsFile) : []),
    draft: (name, workflow) =>
      writeFileSync(
        join(drafts, `${name}.json`),
        typeof workflow === "string" ? workflow : JSON.stringify(workflow, null, 2),
      ),
    async join(era = "2025-11-25", options = {}) {
      const { client, stderr } = await connect(era, { folder, args: ["--config", file], ...options });
      return agentOf(client, stderr);
    },
  };
}

function linesOf(file: string): Effect[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Effect);
}

function agentOf(client: Client, stderr: () => string): Agent {
  return {
    client,
    stderr,
    async call(name, args = {}) {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
      return { isError: isError ?? false, content, ...(structuredContent as object) };
    },
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async read(uri) {
      const { contents } = await client.readResource({ uri });
      return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
    },
  };
}

/** A gateway on raw lines, in a place. */
async function startRaw(place: Place, env: Record<string, string> = {}) {
  const gateway = startGateway({ folder: place.folder, args: ["--config", place.config], env });
  gateway.send(INITIALIZE);
  await gateway.answer("init");
  return {
    ...gateway,
    call: (id: string, name: string, args: object, meta: object = {}) =>
      gateway.send({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, arguments: args, _meta: meta },
      }),
    messages: () =>
      gateway
        .stdout()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const workflow = (nodes: object[], more: object = {}) => ({ ir_version: "1.0", nodes, ...more });

/** Greets somebody in two notes. */
const GREET = workflow(
  [
    { id: "hello", type: "notes__add", params: { text: "hello ${who}" } },
    { id: "bye", type: "notes__add", params: { text: "${hello.text}, and bye" } },
  ],
  {
    description: "Greets.",
    inputs: { who: { type: "string", description: "Whom." }, tone: { type: "string", required: false } },
    outputs: { said: { source: "${bye.text}" } },
  },
);

/** Its second node fails for as long as the server is broken. */
const BREAKABLE = workflow(
  [
    { id: "first", type: "notes__add", params: { text: "one" } },
    { id: "second", type: "notes__fragile", params: { text: "${first.text} two" } },
    { id: "third", type: "notes__add", params: { text: "${second.text} three" } },
  ],
  { outputs: { all: { source: "${third.text}" } } },
);

async function keep(
  agent: Agent,
  draftName: string,
  finalName: string,
  more: object = {},
): Promise<Answered> {
  const request = {
    draft_name: draftName,
    final_name: finalName,
    description: `Does ${finalName}.`,
    ...more,
  };
  const saved = await agent.call("save_to_library", request);
  expect({ finalName, error: saved["error"] }).toEqual({ finalName, error: undefined });
  return saved;
}

async function keepGreet(place: Place, agent: Agent, name = "workflow:greet"): Promise<void> {
  place.draft("greet", GREET);
  await keep(agent, "greet", name);
}

const errorOf = (answer: Answered) => answer["error"] as Record<string, unknown>;
const checkpointOf = (answer: Answered) => answer["checkpoint"] as Record<string, unknown>;

const META_TOOLS = ["browse_components", "list_library", "describe_workflow", "execute", "save_to_library"];

describe("the criteria of the five meta-tools", () => {
  it.each(ERAS)("criterion 1: exactly five tools are listed (%s)", async (era) => {
    const agent = await openPlace().join(era);
    expect(await agent.tools()).toEqual(META_TOOLS);
  });

  it("criterion 2: browse_components finds a github node with its interface", async () => {
    const place = openPlace();
    const github = node([SERVER, place.effectsFile]);
    writeFileSync(place.config, JSON.stringify({ mcpServers: { github }, exposure: "lean" }));
    const agent = await place.join("2026-07-28");
    const { nodes } = await agent.call("browse_components", { query: "github issue" });
    expect((nodes as object[])[0]).toMatchObject({
      type: "github__create_issue",
      server: "github",
      description: "Opens an issue in a repository.",
      inputs: [
        { key: "repo", type: "string", required: true, description: "owner/name" },
        { key: "title", type: "string", required: true },
      ],
      signature: expect.stringContaining("mcp.github.create_issue("),
    });
  });

  it("criterion 3: browse_components leaves workflows out when they are not wanted", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    const query = "greet";
    expect(await agent.call("browse_components", { query })).toMatchObject({
      workflows: [{ name: "workflow:greet", tool: "mcp__workflow__greet" }],
    });
    expect(await agent.call("browse_components", { query, include_workflows: false })).toMatchObject({
      workflows: [],
    });
  });

  it("criteria 4 and 5: list_library gives all, or what matches a pattern", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    for (const name of ["workflow:test_greet", "workflow:greet", "latest:greet"]) {
      await keepGreet(place, agent, name);
    }
    const names = async (args: Record<string, unknown>) =>
      ((await agent.call("list_library", args))["items"] as { name: string; kind: string }[])
        .map(({ name, kind }) => `${kind} ${name}`)
        .toSorted();
    const all = ["workflow latest:greet", "workflow workflow:greet", "workflow workflow:test_greet"];
    expect(await names({})).toEqual(all);
    expect(await names({ pattern: "test" })).toEqual([all[0], all[2]]);
    expect(await names({ pattern: "workflow:test*" })).toEqual([all[2]]);
  });

  it("criteria 6 and 7: describe_workflow has declared and template inputs, and counts failures too", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("breakable", {
      ...BREAKABLE,
      inputs: { who: { type: "string" }, unused: { type: "integer", default: 3 } },
      outputs: { all: { source: "${who}", description: "Everything." } },
    });
    await keep(agent, "breakable", "breakable");
    const name = "workflow:breakable";
    expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({ success: true });
    writeFileSync(`${place.effectsFile}.broken`, "");
    expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({ isError: true });
    expect(await agent.call("describe_workflow", { name })).toMatchObject({
      kind: "workflow",
      inputs: {
        who: { type: "string", required: true },
        unused: { type: "number", required: false, default: 3 },
      },
      template_inputs: ["who"],
      outputs: { all: { description: "Everything." } },
      tools_used: [
        { tool: "notes__add", state: "same" },
        { tool: "notes__fragile", state: "same" },
      ],
      statistics: { executions: 2, successes: 1, failures: 1, average_ms: expect.any(Number) },
    });
  });

  it("criterion 8: execute takes what is in the library before a draft of the same name", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("greet", { ...GREET, outputs: { draft: { source: "${bye.text}" } } });
    const inputs = { who: "ann" };
    expect(await agent.call("execute", { name: "greet", inputs })).toMatchObject({
      outputs: { said: "hello ann, and bye" },
    });
  });

  it("criterion 9: execute falls back to a draft", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    place.draft("greet", GREET);
    expect(await agent.call("execute", { name: "greet", inputs: { who: "ann" } })).toMatchObject({
      success: true,
      outputs: { said: "hello ann, and bye" },
      draft: "greet",
    });
  });

  it.each(ERAS)(
    "criteria 10 and 24: a failure has a checkpoint with the completed nodes (%s)",
    async (era) => {
      const place = openPlace();
      const agent = await place.join(era);
      place.draft("breakable", BREAKABLE);
      writeFileSync(`${place.effectsFile}.broken`, "");
      const failed = await agent.call("execute", { name: "breakable" });
      expect(failed).toMatchObject({
        isError: true,
        success: false,
        outputs: null,
        error: {
          code: "TOOL_EXECUTION_FAILED",
          message: expect.stringContaining("it is broken"),
          node: "second",
        },
        checkpoint: {
          run_id: failed["run_id"],
          completed_nodes: ["first"],
          failed_node: "second",
          resumable: true,
          steps: [
            { name: "first", tool: "notes__add", status: "succeeded" },
            { name: "second", tool: "notes__fragile", status: "failed" },
          ],
        },
      });
      rmSync(`${place.effectsFile}.broken`);
      expect(await agent.call("execute", { resume: failed["run_id"] })).toMatchObject({
        success: true,
        outputs: { all: "one two three" },
        checkpoint: null,
        calls: [{ tool: "first", from_journal: true }, { tool: "second" }, { tool: "third" }],
      });
      expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "fragile", "fragile", "add"]);
    },
  );

  it("criterion 11: nothing but the protocol reaches stdout, whatever a node prints", async () => {
    const place = openPlace();
    place.draft(
      "loud",
      workflow([{ id: "loud", type: "code", params: { code: "console.log('LOUD'); return 1;" } }]),
    );
    const gateway = await startRaw(place);
    gateway.call("a", "execute", { name: "loud" });
    gateway.call("b", "execute", { code: "console.error('LOUD'); return 1;" });
    expect(await gateway.answer("a")).toMatchObject({ result: { structuredContent: { success: true } } });
    expect(await gateway.answer("b")).toMatchObject({ result: { structuredContent: { success: true } } });
    expect(gateway.messages().every((message) => message["jsonrpc"] === "2.0")).toBe(true);
    const asData = gateway.messages().filter((message) => JSON.stringify(message).includes("LOUD"));
    const logged = { result: { structuredContent: { logs: [{ message: "LOUD" }] } } };
    expect(asData).toMatchObject([logged, logged]);
  });

  it("criterion 12: a failure is told and nothing is repaired: one attempt, the draft as it was", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("breakable", BREAKABLE);
    const before = readFileSync(join(place.drafts, "breakable.json"), "utf8");
    writeFileSync(`${place.effectsFile}.broken`, "");
    expect(await agent.call("execute", { name: "breakable" })).toMatchObject({ isError: true });
    expect(place.effects().filter(({ tool }) => tool === "fragile")).toHaveLength(1);
    expect(readFileSync(join(place.drafts, "breakable.json"), "utf8")).toBe(before);
  });

  it("criterion 13: killed between saving and removing the draft, the save is whole after the next call", async () => {
    const place = openPlace();
    place.draft("greet", GREET);
    const request = { draft_name: "greet", final_name: "workflow:greet", description: "Greets." };
    const dying = await startRaw(place, { REPERTOIRE_CRASH_AT: "save.committed" });
    dying.call("save", "save_to_library", request);
    expect(await dying.exited()).toEqual({ code: null, signal: "SIGKILL" });
    expect(readdirSync(place.drafts)).toEqual(["greet.json"]);
    const agent = await place.join();
    expect(await agent.tools()).toContain("mcp__workflow__greet");
    expect(await agent.call("save_to_library", request)).toMatchObject({ success: true, version: 1 });
    expect(readdirSync(place.drafts)).toEqual([]);
  });

  it("criterion 14: save_to_library wants a draft that exists and is valid", async () => {
    const place = openPlace();
    const agent = await place.join();
    const request = { draft_name: "greeet", final_name: "workflow:greet", description: "Greets." };
    place.draft("greet", workflow([{ id: "a", type: "notes__ad", params: {} }]));
    expect(await agent.call("save_to_library", request)).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", field: "draft_name", nearest: ["greet"] },
    });
    expect(await agent.call("save_to_library", { ...request, draft_name: "greet" })).toMatchObject({
      isError: true,
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error", field: "draft_name" },
    });
    expect(await agent.call("list_library")).toMatchObject({ items: [] });
  });

  it("criterion 15: save_to_library removes the draft, and gives an address where it can be read", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("greet", GREET);
    const saved = await keep(agent, "greet", "greet");
    expect(saved["warnings"]).toEqual(["This workflow has not run here yet."]);
    expect(readdirSync(place.drafts)).toEqual([]);
    expect(saved).toMatchObject({
      path: "repertoire://library/workflow/greet",
      tool: "mcp__workflow__greet",
    });
    const { contents } = await agent.client.readResource({ uri: saved["path"] as string });
    expect(contents).toMatchObject([{ text: expect.stringContaining("hello ${who}") }]);
  });

  it.each([
    ["criterion 16 and edge 1", "../etc"],
    ["criterion 17 and edge 2", "/etc/passwd"],
  ])("%s: %s is refused as a name by every tool", async (_, name) => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const save = { draft_name: "a", final_name: "a:b", description: "x" };
    const calls: [string, Record<string, unknown>][] = [
      ["execute", { name }],
      ["execute", { code: "return 1", save_as: name }],
      ["describe_workflow", { name }],
      ["save_to_library", { ...save, draft_name: name }],
      ["save_to_library", { ...save, draft_name: "greet", final_name: name }],
    ];
    place.draft("greet", GREET);
    for (const [tool, args] of calls) {
      const { isError, error } = await agent.call(tool, args);
      expect({ tool, args, isError, code: (error as { code: string }).code }).toEqual({
        tool,
        args,
        isError: true,
        code: "SECURITY_ERROR",
      });
      expect(JSON.stringify(error)).not.toContain(place.folder);
    }
    place.draft("outer", workflow([{ id: "inner", type: "workflow", params: { name } }]));
    expect(await agent.call("execute", { name: "outer" })).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
  });

  it("criterion 18: every request begins afresh: drafts are read anew, and code leaves nothing behind", async () => {
    const place = openPlace();
    const agent = await place.join();
    const giving = (value: number) =>
      workflow([{ id: "a", type: "code", params: { code: `return ${value}` } }], {
        outputs: { value: { source: "${a}" } },
      });
    for (const value of [1, 2]) {
      place.draft("value", giving(value));
      expect(await agent.call("execute", { name: "value" })).toMatchObject({ outputs: { value } });
    }
    const code = "const before = globalThis.left ?? null; globalThis.left = 1; return before;";
    for (const _ of [1, 2]) expect(await agent.call("execute", { code })).toMatchObject({ outputs: null });
  });

  it.each(ERAS)(
    "criterion 20: tools have schemas, and answers and mistakes keep to them (%s)",
    async (era) => {
      const place = openPlace();
      const agent = await place.join(era);
      const { tools } = await agent.client.listTools();
      for (const tool of tools) {
        expect(tool).toMatchObject({
          title: expect.any(String),
          description: expect.any(String),
          inputSchema: { type: "object", additionalProperties: false },
          outputSchema: { type: "object" },
        });
        // The client checks each structure against the schema that was listed.
        expect(await agent.call(tool.name, { nonsense: 1 })).toMatchObject({
          isError: true,
          error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("nonsense") },
        });
      }
      place.draft("greet", GREET);
      const { structuredContent, content } = await agent.client.callTool({
        name: "execute",
        arguments: { name: "greet", inputs: { who: "ann" } },
      });
      expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(structuredContent);
    },
  );

  it("criterion 21: SIGINT lets the step under way end, records it, and exits with 130", async () => {
    const place = openPlace();
    place.draft("held", HELD);
    const gateway = await startRaw(place);
    gateway.call("run", "execute", { name: "held" });
    await eventually("the call", () => place.effects().length === 2);
    gateway.child.kill("SIGINT");
    // A signal and a line may change places once; after the second answer the signal has been taken.
    for (const id of ["ping 1", "ping 2"]) {
      gateway.send({ jsonrpc: "2.0", id, method: "ping" });
      await gateway.answer(id);
    }
    writeFileSync(`${place.effectsFile}.go`, "");
    expect(await gateway.exited()).toEqual({ code: 130, signal: null });
    expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold"]);
    await expectHeldGoesOn(place);
  });

  it("criterion 22 and edge 7: runs of one workflow at the same time do not mix", async () => {
    const place = openPlace();
    const agents = [await place.join(), await place.join("2026-07-28")];
    place.draft("greet", GREET);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        agents[n % 2]!.call("execute", { name: "greet", inputs: { who: `no ${n}` } }),
      ),
    );
    expect(answers.map(({ outputs }) => outputs)).toEqual(
      Array.from({ length: 20 }, (_, n) => ({ said: `hello no ${n}, and bye` })),
    );
    expect(new Set(answers.map((answer) => answer["run_id"])).size).toBe(20);
    expect(place.effects()).toHaveLength(40);
  });

  it("criterion 23 and edge 5: missing inputs are all named before anything runs", async () => {
    const place = openPlace();
    const agent = await place.join();
    const inputs = { api_key: { type: "string" }, city: { type: "string" }, given: { type: "string" } };
    const params = { text: "${api_key} ${city} ${given}" };
    place.draft("two", workflow([{ id: "a", type: "notes__add", params }], { inputs }));
    const answer = await agent.call("execute", { name: "two", inputs: { given: "x" } });
    expect(answer).toMatchObject({
      isError: true,
      run_id: null,
      error: { code: "TOOL_INVALID_INPUT", reason: "template_error", missing: ["api_key", "city"] },
    });
    expect(errorOf(answer)["message"]).toContain("${api_key}, ${city}");
    expect(errorOf(answer)["message"]).toContain("given");
    expect(place.effects()).toEqual([]);
  });

  it("criterion 25: a sensitive input is in no line of the log", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    const agent = await place.join();
    const inputs = { token: { type: "string", sensitive: true } };
    place.draft(
      "secret",
      workflow([{ id: "a", type: "notes__complain", params: { text: "${token}" } }], { inputs }),
    );
    const token = "log-canary-".repeat(3);
    const answer = await agent.call("execute", { name: "secret", inputs: { token } });
    expect(errorOf(answer)["message"]).toContain("[sensitive:token]");
    await agent.client.close();
    expect(agent.stderr()).toContain("run.finished");
    expect(agent.stderr()).not.toContain("log-canary");
  });
});

/** Its second step answers when it may. */
const HELD = workflow(
  [
    { id: "first", type: "notes__add", params: { text: "one" } },
    { id: "second", type: "notes__hold", params: { text: "${first.text} two" } },
    { id: "third", type: "notes__add", params: { text: "${second.text} three" } },
  ],
  { outputs: { all: { source: "${third.text}" } } },
);

/** What was under way has ended and is on record; the rest is made, and nothing twice. */
async function expectHeldGoesOn(place: Place): Promise<void> {
  const later = await place.join();
  const { runs } = await later.read("repertoire://runs");
  const [stopped] = runs as { run_id: string; status: string }[];
  expect(stopped).toMatchObject({ status: "cancelled", error: { reason: "stopped" } });
  const trace = await later.read(`repertoire://runs/${stopped!.run_id}`);
  expect(trace["checkpoint"]).toMatchObject({ completed_nodes: ["first", "second"], resumable: true });
  expect(await later.call("execute", { resume: "last" })).toMatchObject({
    outputs: { all: "one two three" },
  });
  expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold", "add"]);
}

describe("the edge cases", () => {
  it("edge 3: what is not there is told with what is near and what there is", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("report", GREET);
    expect(await agent.call("execute", { name: "raport" })).toMatchObject({
      isError: true,
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["report"],
        hint: expect.stringMatching(/workflow:greet.*report/),
      },
    });
  });

  it("edge 4: a bare name that the library does not have is looked for in the drafts, in both spellings", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent, "other:greet");
    place.draft("pr-greet", GREET);
    for (const name of ["pr-greet", "pr_greet"]) {
      expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({
        draft: "pr-greet",
      });
    }
  });

  it("edge 6: a name that is taken is refused, and nothing is lost", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("greet", { ...GREET, description: "Another." });
    const request = { draft_name: "greet", final_name: "workflow:greet", description: "Greets." };
    expect(await agent.call("save_to_library", request)).toMatchObject({
      isError: true,
      error: { code: "TOOL_INVALID_INPUT", reason: "taken", field: "final_name" },
    });
    expect(readdirSync(place.drafts)).toEqual(["greet.json"]);
    expect(await agent.call("describe_workflow", { name: "greet" })).toMatchObject({ version: 1 });
  });

  it("edge 8: a client that goes in the middle leaves a checkpoint: the step under way is recorded", async () => {
    const place = openPlace();
    // Longer than the moment that a client's last requests get.
    const pause = { id: "pause", type: "wait", params: { ms: 2_500 } };
    const edges = [
      { from: "second", to: "pause" },
      { from: "pause", to: "third" },
    ];
    place.draft("held", { ...HELD, nodes: [...HELD.nodes, pause], edges });
    const gateway = await startRaw(place);
    gateway.call("run", "execute", { name: "held" });
    await eventually("the call", () => place.effects().length === 2);
    gateway.child.stdin.end();
    writeFileSync(`${place.effectsFile}.go`, "");
    expect(await gateway.exited()).toEqual({ code: 0, signal: null });
    expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold"]);
    await expectHeldGoesOn(place);
  });

  it("edge 9: JSON that is broken is told with its place", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("broken", '{\n  "ir_version": "1.0",\n  oops\n}');
    expect(await agent.call("execute", { name: "broken" })).toMatchObject({
      isError: true,
      error: { reason: "validation_error", message: expect.stringContaining("line 3, column 3") },
    });
  });

  it("edge 10: without any component, browse_components gives empty lists", async () => {
    const place = openPlace();
    writeFileSync(place.config, JSON.stringify({ exposure: "lean" }));
    const agent = await place.join();
    expect(await agent.call("browse_components", { query: "zzzq" })).toMatchObject({
      isError: false,
      nodes: [],
      workflows: [],
      total: 0,
    });
  });
});

describe("the agent's story", () => {
  const six = (fourth: string) => `
const seen = [];
for (const n of [1, 2, 3]) seen.push(await mcp.notes.add({ text: args.who, n }));
seen.push(await mcp.notes.add({ text: ${fourth}, n: 4 }));
for (const n of [5, 6]) seen.push(await mcp.notes.add({ text: args.who, n }));
return seen.map(({ n }) => n);`;

  it("a script that fails at its fourth call goes on, and is kept as a tool", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const inputs = { who: "ann" };
    const failed = await agent.call("execute", { code: six("args.whom.name"), inputs, intent: "Six notes" });
    expect(failed).toMatchObject({ isError: true, draft: null });
    expect(checkpointOf(failed)).toMatchObject({
      completed_nodes: ["notes__add", "notes__add#2", "notes__add#3"],
      resumable: true,
    });
    expect(place.effects()).toHaveLength(3);

    const resumed = await agent.call("execute", { resume: failed["run_id"], code: six("args.who") });
    expect(resumed).toMatchObject({ success: true, outputs: [1, 2, 3, 4, 5, 6] });
    const calls = resumed["calls"] as { from_journal?: true }[];
    expect(calls.map((call) => call.from_journal === true)).toEqual([true, true, true, false, false, false]);
    expect(place.effects().map(({ args }) => args["n"])).toEqual([1, 2, 3, 4, 5, 6]);

    // Nothing goes on from one run twice.
    expect(await agent.call("execute", { resume: failed["run_id"] })).toMatchObject({
      isError: true,
      error: { reason: "superseded", nearest: [resumed["run_id"]] },
    });
    const saved = await keep(agent, resumed["draft"] as string, "story:six");
    expect(saved).toMatchObject({ tool: "mcp__story__six", input_schema: { required: ["who"] } });
    expect(await agent.tools()).toContain("mcp__story__six");
    expect(await agent.call("mcp__story__six", { who: "bob" })).toMatchObject({
      isError: false,
      content: [{ text: "[1,2,3,4,5,6]" }],
    });
    expect(place.effects()).toHaveLength(12);
  });

  it("a call that was sent and never answered is asked about, and never made again unasked", async () => {
    const place = openPlace();
    const dying = await startRaw(place, { REPERTOIRE_CRASH_AT: "step.answered:2" });
    dying.call("run", "execute", { code: six("args.who"), inputs: { who: "ann" } });
    expect(await dying.exited()).toMatchObject({ signal: "SIGKILL" });
    expect(place.effects()).toHaveLength(2);
    const agent = await place.join();
    const asked = await agent.call("execute", { resume: "last" });
    expect(asked).toMatchObject({
      isError: true,
      error: { reason: "uncertain_step", hint: expect.stringContaining('"retry"') },
      checkpoint: { uncertain: [{ name: "notes__add#2", tool: "notes__add", args: { n: 2 } }] },
    });
    expect(place.effects()).toHaveLength(2);
    const uncertain = { result: { text: "ann", n: 2 } };
    expect(await agent.call("execute", { resume: "last", uncertain })).toMatchObject({
      outputs: [1, 2, 3, 4, 5, 6],
    });
    expect(place.effects().map(({ args }) => args["n"])).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

/** The servers that everybody has. */
function realServers(folder: string): object {
  mkdirSync(join(folder, "files"));
  return {
    files: node([entryOf("server-filesystem"), join(folder, "files")]),
    memory: node([entryOf("server-memory")], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
    demo: node([BIN, "demo-server"]),
  };
}

describe("the workflow's story, on real servers", () => {
  const report = (folder: string) =>
    workflow(
      [
        {
          id: "write",
          type: "files__write_file",
          params: { path: join(folder, "files/${topic}.txt"), content: "about ${topic}" },
        },
        { id: "read", type: "files__read_text_file", params: { path: join(folder, "files/${topic}.txt") } },
        { id: "note", type: "demo__add", params: { text: "${read.content}" } },
        {
          id: "remember",
          type: "memory__create_entities",
          params: {
            entities: [{ name: "${topic}", entityType: "topic", observations: ["${read.content}"] }],
          },
        },
        {
          id: "sum",
          type: "code",
          params: { code: "return args.text.length;", inputs: { text: "${read.content}" } },
        },
      ],
      {
        inputs: { topic: { type: "string" }, language: { type: "string", default: "en" } },
        outputs: { text: { source: "${read.content}" }, length: { source: "${sum}" } },
        edges: [{ from: "write", to: "read" }],
      },
    );

  it("is written, corrected, run, kept, seen by another client, and overwritten", async () => {
    const folder = temporaryFolder();
    const place = openPlace(realServers(folder));
    const agent = await place.join();
    const right = report(folder);
    const [write, read, ...rest] = right.nodes;
    place.draft("report", {
      ...right,
      outputs: { text: { source: "${raed.content}" } },
      nodes: [{ ...write, type: "files__write_fil" }, { ...read, params: {} }, ...rest],
    });
    const refused = await agent.call("execute", { name: "report", inputs: { topic: "tea" } });
    const problems = errorOf(refused)["problems"] as { place: string; fix: string; line: number }[];
    expect(refused).toMatchObject({ isError: true, run_id: null, error: { reason: "validation_error" } });
    expect(problems.map((problem) => problem.place)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("nodes[0].type"),
        expect.stringContaining("nodes[1].params"),
        expect.stringContaining("outputs.text"),
      ]),
    );
    expect(problems.every(({ fix, line }) => fix !== "" && line > 0)).toBe(true);
    expect(readdirSync(join(folder, "files"))).toEqual([]);

    place.draft("report", right);
    const outputs = { text: "about tea", length: 9 };
    expect(await agent.call("execute", { name: "report", inputs: { topic: "tea" } })).toMatchObject({
      outputs,
    });
    expect(readFileSync(join(folder, "files/tea.txt"), "utf8")).toBe("about tea");
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain("about tea");
    const saved = await keep(agent, "report", "workflow:report");
    expect(saved).toMatchObject({ version: 1, tool: "mcp__workflow__report" });
    expect(saved).not.toHaveProperty("warnings");

    const other = await place.join("2026-07-28");
    expect(await other.tools()).toContain("mcp__workflow__report");
    expect(await other.call("mcp__workflow__report", { topic: "milk" })).toMatchObject({
      isError: false,
      text: "about milk",
      length: 10,
    });
    expect(await other.call("mcp__workflow__report", {})).toMatchObject({
      isError: true,
      error: { field: "topic" },
    });
    expect(await agent.call("describe_workflow", { name: "report" })).toMatchObject({
      inputs: { topic: { required: true }, language: { required: false, default: "en" } },
      template_inputs: ["topic"],
      statistics: { executions: 1, successes: 1 },
    });
    place.draft("report", { ...right, description: "Version 2." });
    expect(await keep(agent, "report", "workflow:report", { overwrite: true })).toMatchObject({ version: 2 });
    expect(await other.call("describe_workflow", { name: "workflow:report@1" })).toMatchObject({
      version: 1,
      versions: [{ version: 2 }, { version: 1 }],
    });
  });

  it("goes on with its corrected draft, and what is as it was is not done again", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    const [first, , third] = BREAKABLE.nodes;
    const with2 = (text: string) => ({
      ...BREAKABLE,
      nodes: [first, { id: "second", type: "notes__add", params: { text } }, third],
    });
    place.draft("notes", with2("${first.txt} two"));
    const failed = await agent.call("execute", { name: "notes" });
    expect(failed).toMatchObject({
      error: { reason: "template_error", node: "second", missing: ["${first.txt}"] },
      checkpoint: { completed_nodes: ["first"], failed_node: "second" },
    });
    place.draft("notes", with2("${first.text} two"));
    const unchanged = await agent.call("execute", { resume: failed["run_id"] });
    expect(unchanged).toMatchObject({ isError: true, checkpoint: { failed_node: "second" } });
    const done = await agent.call("execute", { resume: unchanged["run_id"], name: "notes" });
    expect(done).toMatchObject({ outputs: { all: "one two three" }, draft: "notes" });
    expect(place.effects()).toHaveLength(3);
    expect(await agent.call("execute", { resume: "last" })).toMatchObject({ isError: true });
  });

  it("T118: a run goes on with the version that it began with, and new runs have the new one", async () => {
    const place = openPlace();
    const agent = await place.join();
    const version = (name: string) => {
      const [first, second, third] = BREAKABLE.nodes;
      return {
        ...BREAKABLE,
        nodes: [first, second, { ...third, params: { text: `\${second.text} ${name}` } }],
      };
    };
    place.draft("breakable", version("old"));
    await keep(agent, "breakable", "breakable");
    writeFileSync(`${place.effectsFile}.broken`, "");
    const name = "workflow:breakable";
    const failed = await agent.call("execute", { name });
    const throughTool = await agent.call("execute", { code: "return await mcp.workflow.breakable({});" });
    place.draft("breakable", version("new"));
    await keep(agent, "breakable", "breakable", { overwrite: true });
    rmSync(`${place.effectsFile}.broken`);
    expect(await agent.call("execute", { resume: failed["run_id"] })).toMatchObject({
      outputs: { all: "one two old" },
    });
    expect(await agent.call("execute", { resume: throughTool["run_id"] })).toMatchObject({
      outputs: { all: "one two old" },
    });
    expect(await agent.call("execute", { name })).toMatchObject({ outputs: { all: "one two new" } });
    expect(place.effects().filter(({ args }) => args["text"] === "one")).toHaveLength(3);
  });
});

describe("runs as resources", () => {
  it("are listed, and each is a tree with the runs below it", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    place.draft("greet", GREET);
    place.draft(
      "outer",
      workflow([
        { id: "inner", type: "workflow", params: { name: "greet", inputs: { who: "ann" } } },
        {
          id: "code",
          type: "code",
          params: { code: "return args.said;", inputs: { said: "${inner.said}" } },
        },
      ]),
    );
    const { run_id: id } = await agent.call("execute", { name: "outer", intent: "Greet from outside" });
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("repertoire://runs");
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining(["repertoire://runs/{run_id}", "repertoire://runs/{run_id}/{step}{?path}"]),
    );
    // Runs below another are in its tree, not in the list.
    expect(await agent.read("repertoire://runs")).toMatchObject({
      runs: [{ run_id: id, status: "succeeded", intent: "Greet from outside", kind: "workflow" }],
    });
    expect(await agent.read(`repertoire://runs/${String(id)}`)).toMatchObject({
      run_id: id,
      steps: [
        { name: "inner", tool: "workflow", status: "succeeded", result: { said: "hello ann, and bye" } },
        { name: "code", status: "succeeded", result: "hello ann, and bye" },
      ],
      runs: [
        { step: "inner", kind: "workflow", steps: [{ name: "hello", tool: "notes__add" }, { name: "bye" }] },
        { step: "code", kind: "code", outputs: "hello ann, and bye" },
      ],
    });
    await expect(
      agent.read(`repertoire://runs/${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`),
    ).rejects.toThrow(/There is nothing at/);
  });

  it("a result over 64 KiB is a handle: read whole, in part, and as the input of the next run", async () => {
    const place = openPlace();
    const agent = await place.join();
    const code = "return (await mcp.notes.list_numbers({ count: 5000 })).numbers;";
    const answer = await agent.call("execute", { code });
    const { handle, bytes, preview } = answer["outputs"] as {
      handle: string;
      bytes: number;
      preview: string;
    };
    expect(handle).toBe(`repertoire://runs/${String(answer["run_id"])}/outputs`);
    expect(bytes).toBeGreaterThan(64 * 1024);
    expect(preview).toMatch(/^\[\{"n":0,"name":"number 0"\}/);
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    expect(await agent.read(handle)).toHaveLength(5_000);
    expect(await agent.read(`${handle}?path=/4999/name`)).toBe("number 4999");
    await expect(agent.read(`${handle}?path=/5000`)).rejects.toThrow();
    const inputs = { all: handle, one: `${handle}?path=/7` };
    expect(
      await agent.call("execute", { code: "return [args.all.length, args.one.n];", inputs }),
    ).toMatchObject({
      outputs: [5_000, 7],
    });
    expect(
      await agent.call("execute", { code: "return 1", inputs: { all: `${handle}?path=/x` } }),
    ).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", field: "inputs.all" },
    });
  });
});

it("a client that asks for progress hears of each step of a workflow, and how many there are", async () => {
  const place = openPlace();
  place.draft("greet", GREET);
  // Raw lines: the SDK's client loses progress that arrives in one piece with the answer.
  const gateway = await startRaw(place);
  gateway.call("quiet", "execute", { name: "greet", inputs: { who: "ann" } });
  await gateway.answer("quiet");
  gateway.call("run", "execute", { name: "greet", inputs: { who: "ann" } }, { progressToken: "p" });
  await gateway.answer("run");
  const seen = gateway
    .messages()
    .filter(({ id, method }) => id === "run" || method === "notifications/progress");
  expect(seen).toMatchObject([
    { params: { progressToken: "p", progress: 1, total: 2, message: "hello returned" } },
    { params: { progressToken: "p", progress: 2, total: 2, message: "bye returned" } },
    { id: "run" },
  ]);
});

it("progress comes to a modern client while the run goes on", async () => {
  const place = openPlace();
  place.draft("held", HELD);
  const { client } = await place.join("2026-07-28");
  const heard: unknown[] = [];
  const onprogress = (progress: object) => {
    heard.push(progress);
    writeFileSync(`${place.effectsFile}.go`, "");
  };
  const answer = await client.callTool({ name: "execute", arguments: { name: "held" } }, { onprogress });
  expect(answer.structuredContent).toMatchObject({ success: true });
  expect(heard[0]).toMatchObject({ progress: 1, total: 3, message: "first returned" });
});

it("a workflow that is called as a tool tells its progress as well", async () => {
  const place = openPlace();
  const agent = await place.join();
  await keepGreet(place, agent);
  const gateway = await startRaw(place);
  gateway.call("run", "mcp__workflow__greet", { who: "ann" }, { progressToken: "p" });
  await gateway.answer("run");
  expect(gateway.messages().filter(({ method }) => method === "notifications/progress")).toHaveLength(2);
});

describe("a person is asked", () => {
  const CAREFUL = workflow(
    [
      { id: "ask", type: "approve", params: { message: "Tell ${who}?", details: { to: "${who}" } } },
      { id: "tell", type: "notes__add", params: { text: "told ${who}" } },
    ],
    {
      inputs: { who: { type: "string" } },
      outputs: { told: { source: "${tell.text}" }, by: { source: "${ask.by}" } },
      edges: [{ from: "ask", to: "tell" }],
    },
  );
  const asking = { capabilities: { elicitation: {} } };

  async function joinAsked(place: Place, approve: boolean, heard: string[]): Promise<Agent> {
    const { client, stderr } = await connect("2025-11-25", {
      folder: place.folder,
      args: ["--config", place.config],
      ...asking,
    });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      heard.push(params.message);
      return { action: "accept" as const, content: { approve } };
    });
    return agentOf(client, stderr);
  }

  it("through a client that can, with what exactly would be done", async () => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const heard: string[] = [];
    const agent = await joinAsked(place, true, heard);
    expect(await agent.call("execute", { name: "careful", inputs: { who: "ann" } })).toMatchObject({
      outputs: { told: "told ann", by: "client" },
    });
    expect(heard).toEqual(['Tell ann?\n\n{"to":"ann"}']);
  });

  it("and a refusal does nothing, and is final for these values", async () => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const agent = await joinAsked(place, false, []);
    expect(await agent.call("execute", { name: "careful", inputs: { who: "ann" } })).toMatchObject({
      isError: true,
      error: { reason: "denied", node: "ask" },
    });
    expect(place.effects()).toEqual([]);
  });

  it.each(ERAS)("and a run pauses where the client cannot, until one comes that can (%s)", async (era) => {
    const place = openPlace();
    place.draft("careful", CAREFUL);
    const agent = await place.join(era);
    const paused = await agent.call("execute", { name: "careful", inputs: { who: "ann" } });
    expect(paused).toMatchObject({
      isError: true,
      error: { reason: "approval_required" },
      checkpoint: {
        resumable: true,
        waiting_for: { name: "ask", message: "Tell ann?", details: { to: "ann" } },
      },
    });
    expect(await agent.read("repertoire://runs")).toMatchObject({ runs: [{ status: "paused" }] });
    // Whoever cannot ask either changes nothing.
    expect(await agent.call("execute", { resume: paused["run_id"] })).toMatchObject({
      run_id: paused["run_id"],
      error: { reason: "approval_required" },
    });
    expect(place.effects()).toEqual([]);
    const other = await joinAsked(place, true, []);
    expect(await other.call("execute", { resume: paused["run_id"] })).toMatchObject({
      outputs: { told: "told ann" },
    });
    expect(place.effects()).toHaveLength(1);
  });
});

describe("a sensitive input", () => {
  const SECRET = `CANARY~${"ÿ>?/+%".repeat(3)}~${"x".repeat(8)}`;
  const FORMS = [
    SECRET,
    Buffer.from(SECRET).toString("base64").replace(/=+$/, ""),
    Buffer.from(SECRET).toString("base64url"),
    encodeURIComponent(SECRET),
  ];
  const SENSITIVE = { token: { type: "string", sensitive: true } };
  const INNER = workflow([{ id: "said", type: "notes__echo", params: { text: "${word}" } }], {
    inputs: { word: { type: "string" } },
    outputs: { said: { source: "${said}" } },
  });
  /** Through an argument that looks like a header, an echo, a console, a nested workflow, and at last an error. */
  const nodes = [
    { id: "header", type: "notes__add", params: { text: "x", headers: { "X-Trace": "Bearer ${token}" } } },
    { id: "echoed", type: "notes__echo", params: { text: "${token}" } },
    {
      id: "printed",
      type: "code",
      params: {
        code: "console.log(args.word); await mcp.notes.echo({ text: args.word + '!' }); return [args.word, encodeURIComponent(args.word)];",
        inputs: { word: "${token}" },
      },
    },
    { id: "nested", type: "workflow", params: { name: "inner", inputs: { word: "${token}" } } },
    {
      id: "thrown",
      type: "code",
      params: { code: "throw new Error('bad word ' + args.word);", inputs: { word: "${token}" } },
      on_error: "continue",
    },
    { id: "asked", type: "notes__complain", params: { text: "${token}" }, on_error: "continue" },
  ];
  const edges = nodes.slice(1).map((_, at) => ({ from: nodes[at]!.id, to: nodes[at + 1]!.id }));
  const last = { id: "last", type: "notes__fragile", params: { text: "${token}" } };
  const LEAKY = workflow([...nodes, last], {
    inputs: SENSITIVE,
    outputs: { echoed: { source: "${echoed}" }, nested: { source: "${nested}" } },
    edges: [...edges, { from: "asked", to: "last" }],
  });

  function expectClean(what: string, bytes: Buffer): void {
    const found = FORMS.filter((form) => bytes.includes(form));
    expect({ what, found, context: found.map((form) => around(bytes, form)) }).toEqual({
      what,
      found: [],
      context: [],
    });
  }

  function around(bytes: Buffer, form: string): string {
    const at = bytes.indexOf(form);
    return bytes.subarray(Math.max(0, at - 200), at).toString("latin1");
  }

  function expectCleanHome(place: Place): void {
    const entries = globSync("home/**", { cwd: place.folder, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain("repertoire.db");
    for (const { parentPath, name } of files) expectClean(name, readFileSync(join(parentPath, name)));
  }

  it("reaches the servers, and no file of the home, no log, trace, checkpoint, error or export", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    place.draft("inner", INNER);
    place.draft("leaky", LEAKY);
    writeFileSync(`${place.effectsFile}.broken`, "");
    const agent = await place.join();
    await keep(agent, "inner", "inner");
    await keep(agent, "leaky", "leaky");
    const inputs = { token: SECRET };
    const failed = await agent.call("execute", { name: "leaky", inputs, intent: "Leak what can leak" });
    expect(checkpointOf(failed)).toMatchObject({
      completed_nodes: expect.arrayContaining(["nested"]),
      failed_node: "last",
    });
    const throughTool = await agent.call("mcp__workflow__leaky", inputs);
    expect(throughTool).toMatchObject({ isError: true });
    expectClean("failures", Buffer.from(JSON.stringify([failed, throughTool])));
    // It did arrive, or the rest would prove nothing.
    expect(place.effects().filter(({ args }) => args["text"] === SECRET).length).toBeGreaterThan(3);
    expectCleanHome(place);

    const again = await agent.call("execute", { resume: failed["run_id"] });
    expect(again).toMatchObject({
      isError: true,
      error: { reason: "sensitive_input", field: "inputs.token" },
    });
    rmSync(`${place.effectsFile}.broken`);
    const done = await agent.call("execute", { resume: failed["run_id"], inputs });
    // Whoever gave the secret gets the answers with it, the recorded ones too.
    expect(done).toMatchObject({ success: true, outputs: { echoed: { said: SECRET } } });

    const { runs } = (await agent.read("repertoire://runs")) as { runs: { run_id: string }[] };
    expect(runs).toHaveLength(3);
    for (const { run_id: id } of runs) {
      const trace = await agent.client.readResource({ uri: `repertoire://runs/${id}` });
      expect(JSON.stringify(trace)).toContain("[sensitive:token]");
      expectClean("trace", Buffer.from(JSON.stringify(trace)));
      const step = await agent.client.readResource({ uri: `repertoire://runs/${id}/echoed` });
      expectClean("step", Buffer.from(JSON.stringify(step)));
    }
    const described = await agent.call("describe_workflow", { name: "leaky" });
    expectClean("description", Buffer.from(JSON.stringify(described)));
    await agent.client.close();
    expect(agent.stderr()).toContain("run.finished");
    expectClean("log", Buffer.from(agent.stderr()));
    expectCleanHome(place);
    const exported = runCli(["export", "out"], { folder: place.folder });
    expect(exported.status).toBe(0);
    const files = globSync("out/**", { cwd: place.folder, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) expectClean(name, readFileSync(join(parentPath, name)));
  });

  it("comes back from the journal in the form that a server gave it", async () => {
    const place = openPlace();
    writeFileSync(`${place.effectsFile}.broken`, "");
    const [, echoed] = nodes;
    place.draft(
      "forms",
      workflow([echoed!, last], {
        inputs: SENSITIVE,
        outputs: { forms: { source: "${echoed.forms}" } },
        edges: [{ from: "echoed", to: "last" }],
      }),
    );
    const agent = await place.join();
    const inputs = { token: SECRET };
    expect(await agent.call("execute", { name: "forms", inputs })).toMatchObject({ isError: true });
    rmSync(`${place.effectsFile}.broken`);
    const { outputs } = await agent.call("execute", { resume: "last", inputs });
    expect(outputs).toEqual({
      forms: [
        SECRET,
        Buffer.from(SECRET).toString("base64"),
        Buffer.from(SECRET).toString("base64url"),
        encodeURIComponent(SECRET),
      ],
    });
  });

  it("stays out of the intent that a run is listed with", async () => {
    const place = openPlace();
    place.draft(
      "secret",
      workflow([{ id: "a", type: "notes__add", params: { text: "${token}" } }], { inputs: SENSITIVE }),
    );
    const agent = await place.join();
    await agent.call("execute", {
      name: "secret",
      inputs: { token: SECRET },
      intent: `Log in with ${SECRET}`,
    });
    await agent.client.close();
    expectCleanHome(place);
  });

  it("stays out where it is a part of what was encoded, as in the header of Basic", async () => {
    const place = openPlace();
    const code = "return await mcp.notes.echo({ text: `ann:${args.word}` });";
    const basic = workflow([{ id: "a", type: "code", params: { code, inputs: { word: "${token}" } } }], {
      inputs: SENSITIVE,
    });
    place.draft("basic", basic);
    const agent = await place.join();
    await agent.call("execute", { name: "basic", inputs: { token: SECRET } });
    await agent.client.close();
    const encoded = Buffer.from(`ann:${SECRET}`).toString("base64").slice(8, -4);
    const database = readFileSync(join(place.folder, "home/repertoire.db"));
    expect(database.includes(encoded)).toBe(false);
  });
});

describe("what is told", () => {
  it("T156 and T161: is one line in the log, and has no stack and no path of the gateway's in an error", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    const agent = await place.join();
    const evil = 'x\r\n{"level":"error","msg":"forged"}\u001B[31m\u2028';
    place.draft("evil", workflow([{ id: "a", type: "notes__complain", params: { text: evil } }]));
    place.draft("broken", "{");
    place.draft("wrong", workflow([{ id: evil, type: evil, params: { [evil]: 1 } }]));
    const requests: Record<string, unknown>[] = [
      { name: "evil", intent: evil },
      { name: "broken" },
      { name: "wrong" },
      { name: evil },
      { resume: evil },
      { resume: `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}` },
      { code: `throw new Error(${JSON.stringify(evil)})` },
      { code: "return 1", inputs: { a: "repertoire://runs/../../etc/passwd" } },
    ];
    for (const args of requests) {
      const answer = await agent.call("execute", args);
      const told = JSON.stringify(answer["error"]);
      expect({ args, isError: answer.isError, code: errorOf(answer)["code"] }).toMatchObject({
        args,
        isError: true,
        code: expect.stringMatching(/^[A-Z_]+$/),
      });
      expect(told).not.toContain(place.folder);
      expect(told).not.toMatch(/\bat .+:\d+:\d+|node_modules|SQLITE|select /i);
    }
    await agent.client.close();
    const lines = agent.stderr().trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(requests.length);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(agent.stderr()).not.toMatch(/\u001B|\u2028|\r/);
  });

  it("T161: has no path either when a draft cannot be opened", async () => {
    const place = openPlace();
    const socket = createServer().listen(join(place.drafts, "socket.json"));
    onTestFinished(() => void socket.close());
    const agent = await place.join();
    const answer = await agent.call("execute", { name: "socket" });
    expect(answer).toMatchObject({ isError: true, error: { code: "TOOL_EXECUTION_FAILED" } });
    expect(JSON.stringify(answer)).not.toContain(place.folder);
  });
});
