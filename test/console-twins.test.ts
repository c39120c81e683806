/** Every view and action of the API has a command that gives the same JSON: views on one home, actions on two equal ones. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES, type RouteName } from "../src/operator/routes.ts";
import { twinOf, type TwinInput } from "../src/operator/twins.ts";
import { eventuallyAsync } from "./fixtures/temporary.ts";
import { openDemo, type Demo } from "./rig/console-demo.ts";
import { fixture } from "./rig/console-stand.ts";
import { askApi, askCli, plain } from "./rig/console-twins.ts";
import { createPlace, startHttp, type HttpProcess, type Place } from "./rig/http-process.ts";

/** Many commands, one after the other. */
const PATIENCE_MS = 120_000;

type Found = Readonly<Record<string, unknown>>;
const named = (list: unknown, ...keys: string[]) =>
  (list as Found[]).map((each) => Object.fromEntries(keys.map((key) => [key, each[key]])));

describe("views", () => {
  const at = {} as { demo: Demo };
  beforeAll(async () => {
    at.demo = await openDemo();
  }, PATIENCE_MS);
  afterAll(() => at.demo?.close());

  /** The gateway counts tokens in a thread, and answers without them until then. */
  const isCounted = async () =>
    ((await askApi(at.demo.gateway(), at.demo.place, "getStatus", {})) as Found)["cost"] !== null;

  const both = async (name: RouteName, input: TwinInput = {}): Promise<{ api: Found; cli: Found }> => {
    const { place } = at.demo;
    const api = await askApi(at.demo.gateway(), place, name, input);
    const cli = await askCli(place, name, input);
    return { api: plain(api, place.folder) as Found, cli: plain(cli, place.folder) as Found };
  };

  it.each<readonly [RouteName, (demo: Demo) => TwinInput]>([
    ["getStatus", () => ({})],
    ["getStats", () => ({})],
    ["getStats", () => ({ query: { days: 7 } })],
    ["listInbox", () => ({})],
    // The command prints twenty, unless it is told otherwise.
    ["listRuns", () => ({ query: { limit: 20 } })],
    [
      "listRuns",
      () => ({ query: { status: "failed", kind: "code", text: "issues", since: "30h", limit: 20 } }),
    ],
    ["getTrace", ({ runs }) => ({ params: { run: runs.succeeded } })],
    ["getTrace", ({ runs }) => ({ params: { run: runs.workflow } })],
    ["getTrace", ({ runs }) => ({ params: { run: runs.interrupted } })],
    ["listLibrary", () => ({})],
    ["getItem", ({ item }) => ({ params: { name: item } })],
    ["getServer", () => ({ params: { server: "calendar" } })],
    ["listPins", () => ({})],
    ["listPins", () => ({ query: { all: "true", server: "github" } })],
    ["listCalls", () => ({})],
    ["listCalls", () => ({ query: { tool: "mail__*", who: "token:*", since: "2h" } })],
    ["getToken", () => ({ params: { token: "ci" } })],
    ["listRules", () => ({})],
    ["explainCall", () => ({ body: { tool: "mail__send", args: { to: "a" }, who: ["token:ci"] } })],
    ["explainCall", () => ({ body: { tool: "github__merge_pull_request", who: ["token:ci"] } })],
  ])("%s is what its twin prints", async (name, inputOf) => {
    if (name === "getStatus") await eventuallyAsync("the count of tokens", isCounted);
    const { api, cli } = await both(name, inputOf(at.demo));
    expect(api).not.toEqual({ error: expect.anything() });
    expect(api).toEqual(cli);
  });

  it("lists that the command line prints bare have the same entries", async () => {
    const servers = await both("listServers");
    expect(servers.api["servers"]).toEqual(servers.cli);
    const tokens = await both("listTokens");
    expect(tokens.api["tokens"]).toEqual(tokens.cli);
    const tools = await both("listTools", { query: { server: "github" } });
    const fields = ["name", "kind", "server", "description", "signature", "listed"];
    expect(named(tools.api["tools"], ...fields)).toEqual(named(tools.cli, ...fields));
    expect(tools.api["tools"]).toHaveLength(5);
  });

  it("a step, a tool and a search have what the command prints of them", async () => {
    const { demo } = at;
    const params = { run: demo.runs.succeeded, step: "1" };
    const step = await both("getStep", { params });
    expect(step.api["result"]).toEqual(step.cli);
    const tool = await both("getTool", { params: { tool: "github__create_issue" } });
    // Who asks differs: the person at this machine, or a token.
    const without = ({ decision: _decision, ...rest }: Found) => rest;
    expect(without(tool.api)).toEqual(without(tool.cli));
    const search = await both("searchTools", { query: { query: "calendar events of a day" } });
    // The command has tools and what was saved in two lists, each in this order.
    const tools = (search.api["hits"] as Found[]).filter(({ kind }) => kind === "tool");
    expect(tools[0]?.["name"]).toBe("calendar__list_events");
    expect(tools.map(({ name }) => name)).toEqual((search.cli["nodes"] as Found[]).map(({ type }) => type));
    const types = await both("declareTools");
    expect(types.api["declarations"]).toEqual(types.cli["declarations"]);
  });
});

/** One side of a pair: a gateway that is asked, or the command line. */
interface Side {
  readonly place: Place;
  ask(name: RouteName, input: TwinInput): Promise<Found>;
}

const NUMBERS = "const { n } = await mcp.counter.get({ n: args.n });\nreturn { n };";
const LATER = `const { n } = await mcp.counter.get({ n: 3 });
if (args.ready !== true) throw new Error("not yet");
return { n };`;
const ASKS = "return await mcp.counter.put({ n: 8 });";

/** A token asks over HTTP, and the person at this machine on the command line. */
const withoutAsker = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"client":"[^"]*",/g, "")
      .replaceAll("token:default", "local"),
  );

describe("actions", () => {
  const at = {} as { api: Side; cli: Side; gateway: HttpProcess; done: Set<RouteName> };
  const config = (place: Place) => ({
    mcpServers: { counter: fixture("counter-server.mjs", join(place.folder, "effects.jsonl")) },
    rules: [{ tool: "counter__put", do: "ask", why: "Money moves." }],
  });

  beforeAll(async () => {
    const [one, other] = [createPlace(), createPlace()];
    one.configure(config(one));
    other.configure(config(one));
    one.owner();
    other.owner();
    at.gateway = await startHttp(one);
    const side = (place: Place, ask: (name: RouteName, input: TwinInput) => Promise<unknown>): Side => ({
      place,
      ask: async (name, input) => (await ask(name, input)) as Found,
    });
    at.api = side(one, (name, input) => askApi(at.gateway, one, name, input));
    at.cli = side(other, (name, input) => askCli(other, name, input));
    at.done = new Set();
  }, PATIENCE_MS);
  afterAll(async () => {
    await at.gateway?.stop();
    at.api?.place.remove();
    at.cli?.place.remove();
  });

  /** Does the same on both sides, and expects the same answer; `inputOf` is given what the side answered before. */
  async function act(
    name: RouteName,
    inputOf: (before: Found) => TwinInput,
    before: readonly [Found, Found] = [{}, {}],
  ): Promise<[Found, Found]> {
    const api = await at.api.ask(name, inputOf(before[0]));
    const cli = await at.cli.ask(name, inputOf(before[1]));
    const [one, other] = [plain(api, at.api.place.folder), plain(cli, at.cli.place.folder)];
    expect([name, withoutAsker(one)]).toEqual([name, withoutAsker(other)]);
    at.done.add(name);
    return [api, cli];
  }

  it("runs: start, resume, decide, cancel", { timeout: PATIENCE_MS }, async () => {
    const started = await act("startRun", () => ({
      body: { code: NUMBERS, inputs: { n: 4 }, intent: "Count" },
    }));
    expect(started[0]).toMatchObject({ success: true, outputs: { n: 4 } });
    const failed = await act("startRun", () => ({ body: { code: LATER } }));
    expect(failed[0]).toMatchObject({ success: false });
    const resumed = await act(
      "resumeRun",
      ({ run_id: run }) => ({ params: { run: String(run) }, body: { inputs: { ready: true } } }),
      failed,
    );
    expect(resumed[0]).toMatchObject({ success: true });
    const asked = await act("startRun", () => ({ body: { code: ASKS } }));
    const questionOf = (answer: Found) => {
      const { waiting_for: waiting } = (answer["checkpoint"] ?? {}) as {
        waiting_for?: { question?: string };
      };
      return waiting?.question ?? "";
    };
    await act(
      "decideRun",
      (answer) => ({
        params: { run: String(answer["run_id"]) },
        body: { question: questionOf(answer), approve: true },
      }),
      asked,
    );
    await act("resumeRun", ({ run_id: run }) => ({ params: { run: String(run) } }), asked);
    const waits = await act("startRun", () => ({ body: { code: ASKS, intent: "Never" } }));
    await act("cancelRun", ({ run_id: run }) => ({ params: { run: String(run) } }), waits);
  });

  it("a call", async () => {
    const input = { params: { tool: "counter__get" }, body: { args: { n: 5 } } };
    const [answer] = await act("callTool", () => input);
    expect(answer["structuredContent"]).toEqual({ n: 5, double: 10 });
  });

  it(
    "the library: save, test, alias, rename, compare, roll back, delete",
    { timeout: PATIENCE_MS },
    async () => {
      const ran = await act("startRun", () => ({ body: { code: NUMBERS, inputs: { n: 6 } } }));
      const draft = ({ draft: name }: Found) => String(name);
      await act(
        "saveDraft",
        (answer) => ({
          body: {
            draft_name: draft(answer),
            final_name: "math:count",
            description: "Counts.",
            tags: ["numbers"],
          },
        }),
        ran,
      );
      await act("testItem", () => ({ params: { name: "math:count" } }));
      await act("startRun", () => ({ body: { name: "math:count", inputs: { n: 7 } } }));
      await act("aliasItem", () => ({ params: { name: "math:count" }, body: { alias: "math:number" } }));
      await act("renameItem", () => ({ params: { name: "math:count" }, body: { to: "math:tally" } }));
      const again = await act("startRun", () => ({
        body: { code: `${NUMBERS}\n// again`, inputs: { n: 6 } },
      }));
      await act(
        "saveDraft",
        (answer) => ({
          body: {
            draft_name: draft(answer),
            final_name: "math:tally",
            description: "Counts.",
            overwrite: true,
          },
        }),
        again,
      );
      await act("compareVersions", () => ({ query: { before: "math:tally@1", after: "math:tally@2" } }));
      await act("rollBackItem", () => ({ params: { name: "math:tally" }, body: { version: 1 } }));
      await act("deleteItem", () => ({ params: { name: "math:tally" } }));
    },
  );

  it("access: create, rotate and revoke a token", async () => {
    await act("createToken", () => ({ body: { name: "bot", scopes: ["read", "call"], effects: ["read"] } }));
    await act("rotateToken", () => ({ params: { token: "bot" } }));
    await act("revokeToken", () => ({ params: { token: "bot" } }));
  });

  it("servers: disable, enable, add, remove, and an input", { timeout: PATIENCE_MS }, async () => {
    await act("disableServer", () => ({ params: { server: "counter" } }));
    await act("enableServer", () => ({ params: { server: "counter" } }));
    const body = { name: "remote", given: "https://mcp.example.com/mcp" };
    // The command names the one server that it adds; JSON can add several.
    const [added, twin] = [
      await at.api.ask("addServers", { body }),
      await at.cli.ask("addServers", { body }),
    ];
    expect(added).toMatchObject({
      added: [twin["added"]],
      entries: { remote: twin["server"] },
      moved: twin["moved"],
    });
    at.done.add("addServers");
    await act("removeServer", () => ({ params: { server: "remote" } }));
    const key = { params: { input: "api_key" }, body: { value: "sk-12345678" } };
    const [set, told] = [await at.api.ask("setInput", key), await at.cli.ask("setInput", key)];
    expect(set).toEqual({ input: "api_key", ...told });
    expect(JSON.stringify([set, told])).not.toContain("sk-12345678");
    at.done.add("setInput");
  });

  it("every action with a twin was done here or is named with its reason", () => {
    const elsewhere: ReadonlySet<RouteName> = new Set<RouteName>([
      // It asks a remote server.
      "loginServer",
      // What is measured is all of its answer.
      "restartServer",
      // In the inbox of test/console.test.ts, and by `approve` in test/pins.test.ts.
      "decidePins",
    ]);
    const actions = (Object.keys(ROUTES) as RouteName[]).filter(
      (name) =>
        ROUTES[name][0] !== "GET" &&
        name !== "explainCall" &&
        twinOf(name, { params: PARAMS, body: BODY }) !== undefined,
    );
    expect(actions.length).toBeGreaterThan(15);
    expect(actions.filter((name) => !at.done.has(name) && !elsewhere.has(name))).toEqual([]);
  });
});

const PARAMS = { run: "r", name: "n", server: "s", tool: "t", token: "k", input: "i", step: "1" };
const BODY = { name: "n", given: "g" };
