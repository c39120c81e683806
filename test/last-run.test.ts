/**
 * A1: `resume: "last"` is the caller's own newest run, never another's. Real gateways, a server that writes each effect to disk,
 * and the sequence that shows the mistake: one client fails, another fails, the first goes on.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { connect, ERAS, runCli, type Era } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";

const SERVER = join(import.meta.dirname, "fixtures/counter-server.mjs");

type Call = (args: Record<string, unknown>) => Promise<Record<string, unknown>>;

function counterAt(folder: string) {
  const log = join(folder, "effects.jsonl");
  const config = { mcpServers: { counter: { command: process.execPath, args: [SERVER, log] } } };
  return {
    config,
    effects: (): number[] =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => (JSON.parse(line) as { args: { n: number } }).args.n)
        : [],
  };
}

const executeOf =
  (client: Client): Call =>
  async (args) => {
    const { structuredContent } = await client.callTool({ name: "execute", arguments: args });
    return structuredContent as Record<string, unknown>;
  };

const failing = (n: number) => `await mcp.counter.add({ n: ${n} }); null.length`;
const corrected = (n: number) =>
  `const { n } = await mcp.counter.add({ n: ${n} }); await mcp.counter.add({ n: ${n + 1} }); return n;`;

/** Each fails, then each goes on with its own, in the order in which the mistake would show. */
async function failAndGoOn(a: Call, b: Call, effects: () => number[]): Promise<void> {
  const failedA = await a({ code: failing(1), intent: "pay" });
  const failedB = await b({ code: failing(11), intent: "other" });
  const resumedA = await a({ resume: "last", code: corrected(1) });
  expect(resumedA).toMatchObject({ success: true, outputs: 1, resumed_from: failedA["run_id"] });
  const resumedB = await b({ resume: "last", code: corrected(11) });
  expect(resumedB).toMatchObject({ success: true, outputs: 11, resumed_from: failedB["run_id"] });
  expect(effects()).toEqual([1, 11, 2, 12]);
  for (const each of [a, b]) {
    expect(await each({ resume: "last" })).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  }
}

describe("A1: two clients, each failing and resuming its last run", () => {
  it.each(ERAS)("in gateways of their own on one home (%s)", async (era) => {
    const folder = temporaryFolder();
    const { config, effects } = counterAt(folder);
    writeFileSync(join(folder, "servers.json"), JSON.stringify(config));
    const options = { folder, args: ["--config", join(folder, "servers.json")] };
    const [a, b] = [await connect(era, options), await connect(era, options)];
    await failAndGoOn(executeOf(a.client), executeOf(b.client), effects);
  });

  it.each(ERAS)("also when the run is that of a capability, called as a tool (%s)", async (era) => {
    const folder = temporaryFolder();
    const { config, effects } = counterAt(folder);
    writeFileSync(join(folder, "servers.json"), JSON.stringify(config));
    const { client } = await connect(era, { folder, args: ["--config", join(folder, "servers.json")] });
    const execute = executeOf(client);
    const code = "await mcp.counter.add({ n: args.n }); if (args.n > 5) null.length; return args.n;";
    const ran = await execute({ code, inputs: { n: 1 }, intent: "pay" });
    expect(ran["error"]).toBeUndefined();
    const saved = { draft_name: ran["draft"], final_name: "pay:once", description: "Pays once." };
    await client.callTool({ name: "save_to_library", arguments: saved });
    const failed = await client.callTool({ name: "mcp__pay__once", arguments: { n: 7 } });
    expect(failed.isError).toBe(true);
    const resumed = await execute({ resume: "last" });
    expect(resumed).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
    expect(effects()).toEqual([1, 7]);
  });

  it("in two sessions of one token over HTTP", async () => {
    const { config, effects } = counterAt(temporaryFolder());
    const gateway = await openHttpGateway({ config });
    const open = () => connectHttp("2025-11-25", gateway.url, gateway.token);
    await failAndGoOn(await open(), await open(), effects);
  });

  it("with two tokens over HTTP, of which the modern era knows nothing else", async () => {
    const { config, effects } = counterAt(temporaryFolder());
    const gateway = await openHttpGateway({ config });
    const tokens = openHomeTokens(gateway.home);
    const values = ["ann", "bob"].map((name) => {
      const made = tokens.create(name, ["read", "call", "write"]);
      if (!made.success) throw new Error(made.error.message);
      return made.data.token;
    });
    const [a, b] = await Promise.all(values.map((value) => connectHttp("2026-07-28", gateway.url, value)));
    await failAndGoOn(a!, b!, effects);
  });
});

async function connectHttp(era: Era, url: URL, token: string): Promise<Call> {
  const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const client = new Client({ name: "test", version: "1.0.0" }, era === "2026-07-28" ? modern : {});
  onTestFinished(() => client.close());
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return executeOf(client);
}

describe("A1: corrected code that makes none of the calls on record", () => {
  it("stops before its first effect, says so, and leaves the run to be resumed", async () => {
    const folder = temporaryFolder();
    const { config, effects } = counterAt(folder);
    writeFileSync(join(folder, "servers.json"), JSON.stringify(config));
    const { client } = await connect("2025-11-25", {
      folder,
      args: ["--config", join(folder, "servers.json")],
    });
    const execute = executeOf(client);
    await execute({ code: failing(1) });
    const stopped = await execute({
      resume: "last",
      code: "await mcp.counter.get({ n: 5 }); try { await mcp.counter.add({ n: 9 }) } catch {} return 'caught';",
    });
    expect(stopped).toMatchObject({
      success: false,
      error: { reason: "nothing_matched", message: expect.stringContaining("counter__add") },
      checkpoint: { resumable: true },
    });
    expect(effects()).toEqual([1, 5]);
    expect(await execute({ resume: "last", code: corrected(1) })).toMatchObject({
      success: true,
      resumed_from: stopped["run_id"],
    });
    expect(effects()).toEqual([1, 5, 2]);
  });
});

describe("A1: resume last on the command line", () => {
  function openFolders() {
    const folder = temporaryFolder();
    const { config, effects } = counterAt(folder);
    writeFileSync(join(folder, "servers.json"), JSON.stringify(config));
    for (const name of ["one", "two"]) mkdirSync(join(folder, name));
    const env = { REPERTOIRE_HOME: join(folder, "home") };
    const cli = (place: string, ...args: string[]) =>
      runCli([...args, "--config", join(folder, "servers.json")], { folder: join(folder, place), env });
    const write = (place: string, code: string) => writeFileSync(join(folder, place, "job.ts"), code);
    return { cli, effects, write };
  }

  it("is the newest run of this folder", () => {
    const { cli, effects, write } = openFolders();
    write("one", failing(1));
    write("two", failing(11));
    expect(cli("one", "run", "job.ts").status).not.toBe(0);
    expect(cli("two", "run", "job.ts").status).not.toBe(0);
    write("one", corrected(1));
    const resumed = cli("one", "resume", "last", "--code", "job.ts");
    expect(resumed).toMatchObject({ status: 0, stdout: "1\n" });
    expect(resumed.stderr).toMatch(/^resuming [0-9a-f-]{36}$/m);
    expect(effects()).toEqual([1, 11, 2]);
    expect(cli("one", "resume", "last", "--json").stdout).toMatch(/"nearest": \[\s+"[0-9a-f-]{36}"/);
  });

  it("runs nothing older after a success, and names what could be resumed", () => {
    const { cli, effects, write } = openFolders();
    write("one", failing(1));
    expect(cli("one", "run", "job.ts").status).not.toBe(0);
    write("one", "return 'well'");
    expect(cli("one", "run", "job.ts").status).toBe(0);
    const refused = cli("one", "resume", "last");
    expect(refused.status).toBe(7);
    expect(refused.stderr).toContain("succeeded");
    expect(refused.stderr).toMatch(/repertoire show [0-9a-f-]{36}/);
    expect(effects()).toEqual([1]);
  });
});
