/** One server of ten that cannot be started as it is configured, as its users meet it: the other nine do not notice. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, ERAS, runCli } from "./fixtures/gateway-process.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { connectHttp, createPlace, startHttp } from "./rig/http-process.ts";

const SUM = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/sum-server.mjs")] };
const NINE = Array.from({ length: 9 }, (_, index) => `s${index + 1}`);
const NEEDY = { ...SUM, env: { KEY: "${NOT_SET}" } };

function tenServers(tenth: unknown = NEEDY): Record<string, unknown> {
  return { ...Object.fromEntries(NINE.map((id) => [id, SUM])), need: tenth };
}

function folderWith(mcpServers: object) {
  const folder = temporaryFolder();
  const file = join(folder, "mine.json");
  const write = (servers: object) => writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  write(mcpServers);
  const read = () => JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, object> };
  return { folder, config: ["--config", file], write, read };
}

interface Browsed {
  readonly nodes: readonly { readonly type: string }[];
  readonly pending?: readonly string[];
  readonly unavailable?: readonly { readonly server: string; readonly reason: string }[];
}

type Client = Awaited<ReturnType<typeof connect>>["client"];

/** What an agent finds, once every server has answered. */
async function browse(client: Client): Promise<Browsed> {
  for (;;) {
    const { structuredContent } = await client.callTool({
      name: "browse_components",
      arguments: { query: "sum of two numbers", limit: 100 },
    });
    const found = structuredContent as Browsed;
    if (found.pending === undefined) return found;
  }
}

/** Nine servers list and answer, the tenth says why it does not. */
async function expectNineOfTen(client: Client): Promise<void> {
  const { nodes, unavailable } = await browse(client);
  const tools = nodes.map(({ type }) => type).filter((type) => type.endsWith("__get-sum"));
  expect(tools.sort()).toEqual(NINE.map((id) => `${id}__get-sum`));
  expect(unavailable).toEqual([{ server: "need", reason: expect.stringContaining("NOT_SET is not set") }]);
  for (const id of NINE) {
    const answer = await client.callTool({ name: `${id}__get-sum`, arguments: { a: 1, b: 2 } });
    expect(answer.content).toMatchObject([{ text: "The sum of 1 and 2 is 3." }]);
  }
  const refused = await client.callTool({ name: "need__get-sum", arguments: { a: 1, b: 2 } });
  const told = {
    code: "TOOL_UNAVAILABLE",
    reason: "unusable",
    retryable: false,
    missing: ["NOT_SET"],
    message: expect.stringContaining("set it, or write ${NOT_SET:-default}"),
    hint: expect.stringContaining("does not have the variables of a terminal"),
  };
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: told } });
  const inCode = await client.callTool({
    name: "execute",
    arguments: { code: "return await mcp.need.get_sum({ a: 1, b: 2 })" },
  });
  expect(inCode.isError).toBe(true);
  expect(JSON.stringify(inCode.structuredContent)).toContain("NOT_SET is not set");
  expect(inCode.structuredContent).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
}

describe("B1: one unset variable among ten servers", () => {
  it.each(ERAS)("leaves nine to a client of %s over stdio", async (era) => {
    const { folder, config } = folderWith(tenServers());
    const { client, stderr } = await connect(era, { folder, args: config });
    await expectNineOfTen(client);
    expect(stderr()).toContain("server.unusable");
  });

  it("leaves nine to a client over HTTP", async () => {
    const place = createPlace({ mcpServers: tenServers() });
    const gateway = await startHttp(place);
    onTestFinished(async () => {
      await gateway.stop();
      place.remove();
    });
    const { client } = await connectHttp("2025-11-25", gateway.url, place.owner());
    await expectNineOfTen(client);
    await client.close();
  });

  it("leaves every command that does not need the tenth", async () => {
    const { folder, config, read } = folderWith(tenServers());
    const here = (...args: string[]) => runCliHere([...args, ...config], { folder });
    expect(await here("list")).toMatchObject({ status: 0 });
    expect(await here("runs")).toMatchObject({ status: 0 });
    expect(await here("call", "s1.get-sum", "a=1", "b=2")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("is 3"),
    });
    const called = await here("call", "need.get-sum", "a=1", "b=2");
    expect(called.status).toBe(4);
    expect(called.stdout + called.stderr).toContain("NOT_SET is not set");
    const servers = await here("servers");
    expect(servers.stdout).toMatch(/need\s+unusable/);
    expect(servers.stdout).toContain("set it, or write ${NOT_SET:-default}");
    const doctor = await here("doctor");
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/✗ server +need .*NOT_SET is not set.*→ .*export NOT_SET=VALUE/);
    expect(doctor.stdout).toContain("does not have the variables of a terminal");
    expect((await here("config", "check")).stderr).toContain("mcpServers.need.env.KEY");
    expect(await here("disable", "need")).toMatchObject({ status: 0 });
    expect(read().mcpServers["need"]).toEqual({ ...NEEDY, enabled: false });
    expect(await here("enable", "need")).toMatchObject({ status: 0 });
    expect(await here("remove", "need")).toMatchObject({ status: 0 });
    expect(Object.keys(read().mcpServers)).toEqual(NINE);
  });

  it("is explained where the variable is set in the terminal and not where the gateway was started", async () => {
    const { folder, config } = folderWith(tenServers());
    const env = { NOT_SET: "value of this test" };
    const doctor = runCli(["doctor", ...config], { folder, env });
    expect(doctor.status).toBe(0);
    expect(doctor.stdout).toMatch(/need .*NOT_SET/);
    expect(doctor.stdout).toContain("does not have the variables of a terminal");
    const { client } = await connect("2025-11-25", { folder, args: config });
    const refused = await client.callTool({ name: "need__get-sum", arguments: { a: 1, b: 2 } });
    expect(JSON.stringify(refused)).toContain("does not have the variables of a terminal");
    const withIt = await connect("2025-11-25", { folder, args: config, env });
    expect(
      await withIt.client.callTool({ name: "need__get-sum", arguments: { a: 1, b: 2 } }),
    ).not.toMatchObject({ isError: true });
  });
});

describe("B1: an entry of one server", () => {
  it.each([
    ["that is no object", "text"],
    ["with a field of the wrong type", { ...SUM, args: "x" }],
    ["without a command", { args: [] }],
    ["with a broken reference", { ...SUM, env: { A: "${" } }],
  ])("%s is that server's problem", async (_, entry) => {
    const { folder, config } = folderWith({ good: SUM, bad: entry });
    const here = (...args: string[]) => runCliHere([...args, ...config], { folder });
    expect((await here("call", "good.get-sum", "a=1", "b=2")).status).toBe(0);
    const called = await here("call", "bad.get-sum", "a=1", "b=2");
    expect(called.status).toBe(4);
    expect(called.stdout + called.stderr).toContain("The server bad is not usable: mcpServers.bad");
    expect((await here("servers")).stdout).toMatch(/bad\s+unusable/);
    expect((await here("doctor")).stdout).toMatch(/✗ server +bad/);
    expect((await here("remove", "bad")).status).toBe(0);
  });

  it("that turns bad while the gateway runs takes no other server and no client with it", async () => {
    const { folder, config, write } = folderWith({ good: SUM, turns: SUM });
    const { client, stderr } = await connect("2025-11-25", { folder, args: config });
    const call = (name: string) => client.callTool({ name, arguments: { a: 1, b: 2 } });
    expect(await call("turns__get-sum")).not.toMatchObject({ isError: true });
    write({ good: SUM, turns: NEEDY });
    await eventually("the reload", () => stderr().includes("server.unusable"));
    expect(await call("turns__get-sum")).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_UNAVAILABLE", missing: ["NOT_SET"] } },
    });
    expect(await call("good__get-sum")).not.toMatchObject({ isError: true });
    write({ good: SUM, turns: SUM });
    await vi.waitFor(async () => expect(await call("turns__get-sum")).not.toMatchObject({ isError: true }), {
      timeout: 25_000,
    });
  });
});

describe("a config that changes twice while a call runs", () => {
  it("counts as it was written last: a server that was removed does not come back", async () => {
    const log = join(temporaryFolder(), "effects.jsonl");
    const counter = {
      command: process.execPath,
      args: [join(import.meta.dirname, "fixtures/counter-server.mjs"), log],
    };
    const { folder, config, write } = folderWith({ counter, good: SUM });
    const { client, stderr } = await connect("2025-11-25", {
      folder,
      args: [...config, "--log-level", "info"],
    });
    const reloads = () => stderr().split("config.reloaded").length - 1;
    const call = client.callTool({ name: "counter__add", arguments: { n: 1, delay_ms: 4_000 } });
    await eventually("the call", () => stderr().includes('"server":"counter"'));
    write({ counter: { ...counter, timeoutMs: 30_000 }, good: SUM });
    await eventually("the first reload", () => reloads() === 1);
    write({ good: SUM });
    await eventually("the second reload", () => reloads() === 2);
    await call;
    const answer = await client.callTool({ name: "good__get-sum", arguments: { a: 1, b: 2 } });
    expect(answer.content).toMatchObject([{ text: "The sum of 1 and 2 is 3." }]);
    const gone = await client.callTool({ name: "counter__add", arguments: { n: 2 } });
    expect(gone).toMatchObject({ isError: true, structuredContent: { error: { code: "TOOL_NOT_FOUND" } } });
  });
});
