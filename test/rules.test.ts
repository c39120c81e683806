/** Rules as users get them: the bundle as a process, a real server behind it, and every way to reach what it has. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { ERAS } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { keep, node, openPlace, type Agent, type Place } from "./fixtures/workflow-place.ts";
import { workflow } from "./fixtures/workflows.ts";

const DESK = join(import.meta.dirname, "fixtures/desk-server.mjs");

const RULES = [
  { tool: "desk__send", do: "refuse", why: "no mail today" },
  { tool: "desk__greet", do: "refuse" },
  { tool: "repertoire://server/desk/*", do: "refuse" },
  { tool: "mail:direct", do: "refuse" },
];

interface Desk {
  readonly place: Place;
  /** What has reached the server. */
  readonly reached: () => string[];
  readonly setRules: (rules: readonly object[], more?: object) => void;
}

function openDesk(): Desk {
  const record = join(temporaryFolder(), "reached.jsonl");
  const mcpServers = { desk: node([DESK, record]) };
  const place = openPlace(mcpServers);
  return {
    place,
    reached: () => (existsSync(record) ? readFileSync(record, "utf8").trimEnd().split("\n") : []),
    setRules(rules, more = {}) {
      rmSync(record, { force: true });
      const profiles = { front: { transparent: "desk" } };
      writeFileSync(place.config, JSON.stringify({ mcpServers, exposure: "lean", profiles, rules, ...more }));
    },
  };
}

/** What was saved while nothing was refused: code and a workflow that send, and code that does nothing. */
async function keepSenders(agent: Agent, place: Place): Promise<void> {
  const send = "return await mcp.desk.send({ to: 'ann' });";
  expect((await agent.call("execute", { code: send, save_as: "mail:relay" })).isError).toBe(false);
  const direct = { code: "return 1;", save_as: "mail:direct" };
  expect((await agent.call("execute", direct)).isError).toBe(false);
  place.draft("sender", workflow([{ id: "send", type: "desk__send", params: { to: "ann" } }]));
  await keep(agent, "sender", "mail:flow");
  place.draft("starter", workflow([{ id: "start", type: "workflow", params: { name: "mail:direct" } }]));
  place.draft("sender", workflow([{ id: "send", type: "desk__send", params: { to: "bob" } }]));
}

async function told(ask: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    return String(error);
  }
}

type Way = readonly [name: string, rule: string, ask: (agent: Agent) => Promise<unknown>];

const WAYS: readonly Way[] = [
  ["a call", "rules[0]: no mail today", (agent) => agent.call("desk__send", { to: "ann" })],
  [
    "code",
    "rules[0]: no mail today",
    (agent) => agent.call("execute", { code: "return await mcp.desk.send({ to: 'ann' });" }),
  ],
  ["a capability of code", "rules[0]: no mail today", (agent) => agent.call("mcp__mail__relay")],
  ["a capability of nodes", "rules[0]: no mail today", (agent) => agent.call("mcp__mail__flow")],
  [
    "a capability by name",
    "rules[0]: no mail today",
    (agent) => agent.call("execute", { name: "mail:relay" }),
  ],
  ["a draft", "rules[0]: no mail today", (agent) => agent.call("execute", { name: "sender" })],
  ["a capability itself", "rules[3]", (agent) => agent.call("mcp__mail__direct")],
  ["a capability itself, by name", "rules[3]", (agent) => agent.call("execute", { name: "mail:direct" })],
  ["a capability itself, by a node", "rules[3]", (agent) => agent.call("execute", { name: "starter" })],
  ["a prompt", "rules[1]", ({ client }) => client.getPrompt({ name: "desk__greet" })],
  [
    "a resource",
    "rules[2]",
    ({ client }) => client.readResource({ uri: "repertoire://server/desk/note://one" }),
  ],
  [
    "the completion of a prompt",
    "rules[1]",
    ({ client }) =>
      client.complete({
        ref: { type: "ref/prompt", name: "desk__greet" },
        argument: { name: "who", value: "an" },
      }),
  ],
];

describe.each(ERAS)("a rule that refuses (%s)", (era) => {
  it("refuses by every way, names itself, and nothing reaches the server", async () => {
    const { place, reached, setRules } = openDesk();
    setRules([]);
    const agent = await place.join(era);
    await keepSenders(agent, place);
    for (const [, , ask] of WAYS) expect(await told(() => ask(agent))).not.toContain("is refused by");
    expect(reached().length).toBeGreaterThan(WAYS.length - 4);
    setRules(RULES);
    await eventuallyAsync("the rules hold", async () =>
      (await told(() => agent.call("desk__send"))).includes("refused"),
    );
    const before = reached();
    for (const [name, rule, ask] of WAYS) {
      expect({ name, told: await told(() => ask(agent)) }).toEqual({
        name,
        told: expect.stringContaining(`is refused by ${rule}.`),
      });
    }
    expect(reached()).toEqual(before);
    setRules([]);
    await eventuallyAsync(
      "the rules are gone",
      async () => !(await told(() => agent.call("desk__send"))).includes("refused"),
    );
  });
});

it("a profile that fronts the server is refused the same", async () => {
  const { place, reached, setRules } = openDesk();
  setRules(RULES);
  const options = { args: ["--config", place.config, "--profile", "front"] };
  const { client } = await place.join("2025-11-25", options);
  const asks = [
    () => client.callTool({ name: "send", arguments: {} }),
    () => client.getPrompt({ name: "greet" }),
    () => client.readResource({ uri: "note://one" }),
    () => client.subscribeResource({ uri: "note://one" }),
  ];
  for (const ask of asks) expect(await told(ask)).toMatch(/is refused by rules\[[012]\]/);
  expect(reached()).toEqual([]);
  expect(await told(() => client.callTool({ name: "peek", arguments: {} }))).toContain("peek done");
});

it("a condition sees the arguments of the call, also of one that code makes", async () => {
  const { place, reached, setRules } = openDesk();
  setRules([{ tool: "desk__send", when: 'args.to !== "ann"', do: "refuse" }]);
  const agent = await place.join();
  const send = (to: string) =>
    agent.call("execute", { code: `return await mcp.desk.send({ to: ${JSON.stringify(to)} });` });
  expect((await send("ann")).isError).toBe(false);
  expect(await told(() => send("eve"))).toContain("is refused by rules[0]");
  expect(await told(() => agent.call("desk__send", { to: "eve" }))).toContain("is refused by rules[0]");
  expect(await told(() => agent.call("desk__send", { to: "ann" }))).toContain("send done");
  expect(reached()).toHaveLength(2);
});

it("a rule about a profile holds for its clients alone", async () => {
  const { place, setRules } = openDesk();
  setRules([{ who: "profile:front", do: "refuse" }]);
  const front = await place.join("2025-11-25", { args: ["--config", place.config, "--profile", "front"] });
  expect(await told(() => front.client.callTool({ name: "peek", arguments: {} }))).toContain(
    "is refused by rules[0]",
  );
  const whole = await place.join();
  expect(await told(() => whole.call("desk__peek"))).toContain("peek done");
});

describe("repertoire rules", () => {
  let folder: string;
  let config: string;
  const record = () => join(folder, "reached.jsonl");
  const cli = (...args: string[]) => runCliHere([...args, "--config", config], { folder });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    config = join(folder, "servers.json");
    const rules = [
      { who: "token:ci", effect: ["write", "destroy"], do: "refuse", why: "ci only reads" },
      { tool: "desk__send", when: "args.to === 'eve'", do: "refuse" },
      { tool: "desk__*", do: "allow", limit: "60/min 4 at once", same: "5 in 1 min" },
    ];
    const mcpServers = { desk: node([DESK, record()]) };
    writeFileSync(config, JSON.stringify({ mcpServers, trust: "ask", rules }));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("lists them in their order, with what comes behind them", async () => {
    const { status, stdout } = await cli("rules");
    expect(status).toBe(0);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd().replaceAll(/ {2,}/g, " | ").replace(config, "FILE"));
    expect(rows).toEqual([
      "RULE | DO | CALLS | LIMIT | WHY | FILE",
      "rules[0] | refuse | effect write, destroy; who token:ci | ci only reads | FILE",
      "rules[1] | refuse | tool desk__send; when args.to === 'eve' | FILE",
      "rules[2] | allow | tool desk__* | 60/min 4 at once, same 5 in 1 min | FILE",
      'trust: "ask" | allow | effect read',
      'trust: "ask" | ask | effect write, destroy',
      "default | allow | all",
    ]);
    const { rules } = JSON.parse((await cli("rules", "--json")).stdout) as { rules: object[] };
    expect(rules[0]).toEqual({
      rule: "rules[0]",
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      who: "token:ci",
      effect: ["write", "destroy"],
      do: "refuse",
      why: "ci only reads",
      file: config,
    });
  });

  it.each([
    [["desk.send"], "allow", "rules[2]", "destroy"],
    [["desk__send", "--args", '{"to": "eve"}'], "refuse", "rules[1]", "destroy"],
    [["send", "--who", "ci"], "refuse", "rules[0]", "destroy"],
    [["send", "--who", "token:ci", "--who", "profile:front"], "refuse", "rules[0]", "destroy"],
    [["http", "--args", '{"method": "POST"}'], "ask", 'trust: "ask"', "write"],
    [["http"], "allow", 'trust: "ask"', "read"],
    [["desk__greet"], "allow", "rules[2]", "read"],
    [["note://one"], "allow", 'trust: "ask"', "read"],
    [["repertoire://server/desk/note://one", "--profile", "front"], "allow", 'trust: "ask"', "read"],
  ])("explains %j: %s by %s, because it does %s", async (args, action, rule, effect) => {
    const { status, stdout } = await cli("rules", "explain", ...args, "--json");
    expect({ status, told: JSON.parse(stdout) as unknown }).toMatchObject({
      status: 0,
      told: { do: action, effect, rule: { name: rule } },
    });
  });

  it("says what did not match before, and where the effect is known from", async () => {
    const { stdout } = await cli("rules", "explain", "desk.peek");
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " ").trim())).toEqual([
      "desk__peek tool of desk",
      "caller local",
      "effect destroy (the server says readOnlyHint, and nobody has approved the server)",
      "decision allowed",
      `rule rules[2] in ${config}`,
      "limit 60/min 4 at once, same 5 in 1 min",
      "",
      "before it",
      "rules[0] who: it is not about local",
      "1 rule is about other tools",
      "",
    ]);
    expect(existsSync(record())).toBe(false);
  });

  it.each([
    [["nothing.there"], 7, /There is no tool "nothing.there"/],
    [["execute"], 2, /is a meta-tool, and rules are not about meta-tools/],
    [["desk.send", "--args", "{"], 2, /--args cannot be read/],
    [["desk.send", "--args", "[1]"], 2, /--args cannot be read: It must be an object/],
  ])("refuses %j with exit code %d", async (args, code, message) => {
    const { status, stderr } = await cli("rules", "explain", ...args);
    expect(status).toBe(code);
    expect(stderr).toMatch(message);
  });
});
