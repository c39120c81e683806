/** Servers that need long to come up, such as one that `npx` downloads first: one start for all, and nobody kills it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, runCli, startGateway, INITIALIZE, environmentOf, BIN } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { linesOf } from "./rig/evil-process.ts";

const SLOW = join(import.meta.dirname, "fixtures/slow-server.mjs");
const CANARY = "sk-canary-0123456789abcdef";
/** Far more than any machine needs. */
const LONG_MS = 60_000;

/** A config with one slow server; it comes up when `ready` is called. */
function slowPlace(env: Record<string, string> = {}, folder = temporaryFolder()) {
  const [starts, ready, file] = ["starts", "ready", "config.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const until = env["READY_MS"] === undefined ? { READY: ready } : {};
  const own = { STARTS: starts, TOKEN: CANARY, ...until, ...env };
  const slow = { command: process.execPath, args: [SLOW], env: own };
  writeFileSync(file, JSON.stringify({ mcpServers: { slow } }));
  return {
    folder,
    file,
    args: ["--config", file, "--log-level", "error"],
    starts: () => linesOf(starts),
    ready: () => writeFileSync(ready, ""),
  };
}

const errorOf = (answer: object) =>
  (answer as { structuredContent?: { error?: Record<string, unknown> } }).structuredContent?.error;

/** A command whose server needs 20 s: it runs beside the other cases. */
let atTerminal: ReturnType<typeof callAtTerminal> | undefined;
beforeAll(() => void (atTerminal = callAtTerminal()));
afterAll(() => {
  atTerminal?.child.kill("SIGKILL");
  rmSync(atTerminal!.place.folder, { recursive: true, force: true });
});

function callAtTerminal() {
  const place = slowPlace({ READY_MS: "20000" }, mkdtempSync(join(tmpdir(), "repertoire-test-")));
  const child: ChildProcess = spawn(process.execPath, [BIN, "call", "slow.ping", "--config", place.file], {
    cwd: place.folder,
    env: environmentOf(place.folder),
    stdio: ["ignore", "pipe", "ignore"],
  });
  let stdout = "";
  child.stdout!.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout })));
  return { place, child, ended };
}

describe("C1: a server that is slow to start", () => {
  it(
    "C1: is started once, whoever gives up meanwhile, and serves those who wait",
    { timeout: LONG_MS },
    async () => {
      const { folder, args, starts, ready } = slowPlace();
      const { client } = await connect("2025-11-25", { folder, args });
      const call = (name: string, given: object) =>
        client.callTool({ name, arguments: given as Record<string, unknown> }, { timeout: LONG_MS });

      // Nothing is known of it yet: it is named as pending, within the second that a search takes.
      const found = await call("browse_components", { query: "ping" });
      expect(found.structuredContent).toMatchObject({ pending: ["slow"] });

      const hasty = await call("execute", { code: "return await mcp.slow.ping({})", timeout_ms: 1_500 });
      expect(errorOf(hasty)).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "starting", retryable: true });
      expect(JSON.stringify(hasty)).toMatch(/fetched \d+ packages/);
      expect(JSON.stringify(hasty)).not.toContain(CANARY);

      const abort = new AbortController();
      const left = client.callTool({ name: "slow__ping", arguments: {} }, { signal: abort.signal });
      const messages: string[] = [];
      const patient = client.callTool(
        { name: "slow__ping", arguments: {} },
        { timeout: LONG_MS, onprogress: ({ message }) => void messages.push(message ?? "") },
      );
      abort.abort();
      await expect(left).rejects.toThrow();
      await eventually("a word on the start", () => messages.length > 0, 20_000);
      expect(messages[0]).toMatch(/^starting: fetched \d+ packages/);
      ready();
      const answer = await patient;
      expect(starts()).toHaveLength(1);
      expect(answer).toMatchObject({ content: [{ text: `pid ${starts()[0]}` }] });
    },
  );

  it("C1: has one question answered and exits on the other: it is started again and asked in its own era", async () => {
    const { folder, args, starts, ready } = slowPlace({ STRICT: "1" });
    const { client } = await connect("2025-11-25", { folder, args });
    ready();
    const answer = client.callTool({ name: "slow__ping", arguments: {} }, { timeout: LONG_MS });
    expect(await answer).toMatchObject({ content: [{ text: `pid ${starts()[1]}` }] });
    expect(starts()).toHaveLength(2);
  });

  it("C1: ends with the gateway, and has time to clean up", { timeout: LONG_MS }, async () => {
    const folder = temporaryFolder();
    const cleaned = join(folder, "cleaned");
    const place = slowPlace({ CLEANED: cleaned });
    const gateway = startGateway({ folder: place.folder, args: place.args });
    gateway.send(INITIALIZE);
    await gateway.answer("init");
    const call = { name: "slow__ping", arguments: {} };
    gateway.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    await eventually("the start", () => place.starts().length === 1);
    gateway.child.stdin.end();
    expect(await eventually("the end", () => gateway.child.exitCode ?? undefined, 30_000)).toBe(0);
    expect(linesOf(cleaned)).toEqual(place.starts());
  });

  it("C1: has its own limit, and is told with its last words", { timeout: LONG_MS }, async () => {
    const { folder, file } = slowPlace();
    const config = JSON.parse(readFileSync(file, "utf8")) as { mcpServers: { slow: object } };
    const slow = { ...config.mcpServers.slow, startTimeoutMs: 700 };
    writeFileSync(file, JSON.stringify({ mcpServers: { slow } }));
    const { status, stdout } = runCli(["call", "slow.ping", "--config", file, "--json"], { folder });
    expect(status).toBe(4);
    expect(stdout).toContain("within");
    expect(stdout).toContain("fetched");
    expect(stdout).not.toContain(CANARY);
  });

  it("C1: may take 20 s, in a command that a person waits for", { timeout: 120_000 }, async () => {
    const { place, ended } = atTerminal!;
    expect(await ended).toEqual({ code: 0, stdout: `pid ${place.starts()[0]}\n` });
    expect(place.starts()).toHaveLength(1);
  });
});
