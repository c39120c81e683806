/** No request is left without an answer, whatever a server sends and whatever breaks inside: the bundle, as a process. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, INITIALIZE, startGateway } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";
import { connectHttp, SCRIPTED } from "./rig/http-process.ts";

const DEEP = join(import.meta.dirname, "fixtures/deep-server.mjs");
/** Where JSON.stringify gives up in a stack that is in use, and far beyond. */
const LEVELS = [4_500, 100_000];
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const deepServer = (levels: number) => ({ command: process.execPath, args: [DEEP, String(levels)] });
const FINE = { content: [{ type: "text", text: "fine" }] };

type Client = Awaited<ReturnType<typeof connect>>["client"];

/** Asks for everything that the server answers too deep; each request must end, well or not. */
async function askDeep(client: Client): Promise<void> {
  const timeout = 20_000;
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("deep__fails");
  const { resources } = await client.listResources();
  const uri = resources.find(({ name }) => name === "x")!.uri;
  for (const ask of [
    () => client.callTool({ name: "deep__fails" }, { timeout }),
    () => client.callTool({ name: "deep__answers" }, { timeout }),
    () => client.readResource({ uri }, { timeout }),
    () => client.getPrompt({ name: "deep__x" }, { timeout }),
  ]) {
    const outcome = await ask().catch((error: unknown) => error as { code?: unknown; message: string });
    // The client's own word for "no answer came".
    expect((outcome as { code?: unknown }).code).not.toBe("REQUEST_TIMEOUT");
    expect(await client.callTool({ name: "deep__fine" })).toMatchObject(FINE);
  }
  // The timer that turns a slow answer into a stream has passed.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await client.callTool({ name: "deep__fine" })).toMatchObject(FINE);
}

describe.each(LEVELS)("S1, S2: a server that answers %i levels deep", (levels) => {
  const config = { mcpServers: { deep: deepServer(levels) }, exposure: "full" };

  it.each(ERAS)("leaves no request open over HTTP, and the gateway serves on (%s)", async (era) => {
    const gateway = await openHttpGateway({ config });
    const { client } = await connectHttp(era, gateway.url, gateway.headers);
    await askDeep(client);
    await client.close();
    expect(await gateway.stop()).toBe(143);
  });

  it.each(ERAS)("leaves no request open over stdio (%s)", async (era) => {
    const folder = temporaryFolder();
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify(config));
    const { client } = await connect(era, { folder, args: ["--config", file] });
    await askDeep(client);
  });
});

describe("S1: an exception that nothing caught", () => {
  const SECRET = "s3cret-of-the-config";
  /** Throws from a timer, where nothing can catch it, when the process gets a signal. */
  function stray(folder: string): Record<string, string> {
    const file = join(folder, "stray.mjs");
    const thrown = `throw new Error("stray ${SECRET}")`;
    writeFileSync(file, `process.on("SIGUSR2", () => setTimeout(() => { ${thrown}; }, 0));`);
    return { NODE_OPTIONS: `--import=${file}` };
  }
  const scripted = (folder: string) => ({
    command: process.execPath,
    args: [SCRIPTED, join(folder, "heard.jsonl")],
    env: { TOKEN: SECRET },
  });

  it("is logged without secrets, answers who waits, and ends the HTTP gateway with 1", async () => {
    const folder = temporaryFolder();
    const gateway = await openHttpGateway({
      config: { mcpServers: { scripted: scripted(folder) } },
      env: stray(folder),
    });
    const { client } = await connectHttp("2025-11-25", gateway.url, gateway.headers);
    const waiting = client.callTool({ name: "scripted__wait", arguments: { key: "a" } });
    await eventually("the call", () => reads(join(folder, "heard.jsonl")).includes(`"wait"`));
    process.kill(gateway.pid, "SIGUSR2");
    await eventually("the report", () => gateway.stderr().includes("gateway.uncaught"));
    writeFileSync(join(folder, "heard.jsonl.a"), "");
    expect(await waiting).toMatchObject({ content: [{ text: "released a" }] });
    expect(await gateway.stop()).toBe(1);
    expect(gateway.stderr()).toContain("gateway.stopped");
    expect(gateway.stderr()).not.toContain(SECRET);
  });

  it("answers every request over stdio, leaves the run resumable, and ends with 1", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { scripted: scripted(folder) } }));
    const args = ["--config", file];
    const gateway = startGateway({ folder, args, env: stray(folder) });
    gateway.send(INITIALIZE);
    await gateway.answer("init");
    gateway.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    const code = `await mcp.scripted.touch({}); await mcp.scripted.wait({ key: "a" }); return 1;`;
    const call = (id: number, name: string, given: object) =>
      gateway.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } });
    call(1, "execute", { code });
    await eventually("the call", () => reads(join(folder, "heard.jsonl")).includes(`"wait"`), 30_000);
    gateway.child.kill("SIGUSR2");
    await eventually("the report", () => gateway.stderr().includes("gateway.uncaught"));
    writeFileSync(join(folder, "heard.jsonl.a"), "");
    const answer = (await gateway.answer(1)) as { result: { structuredContent: Record<string, unknown> } };
    const { success, run_id: runId, checkpoint } = answer.result.structuredContent;
    expect(success === true || (checkpoint as { resumable?: boolean }).resumable).toBe(true);
    expect(runId).toEqual(expect.any(String));
    expect(await gateway.exited()).toEqual({ code: 1, signal: null });
    expect(gateway.stderr()).not.toContain(SECRET);
  });
});

function reads(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
