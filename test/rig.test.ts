/** A rig that does not misbehave proves nothing: each fault of the evil upstream is seen here from outside, over stdio. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ERAS, INITIALIZE } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { connectClient } from "./rig/connect-client.ts";
import { evilCommand, linesOf, startEvil } from "./rig/evil-process.ts";
import { call, META, request } from "./rig/raw-request.ts";
import type { EvilFault, EvilRule, EvilScript } from "./rig/evil-script.ts";

/** An evil upstream with one fault for every call of a tool, which has been called once. */
function startFaulty(fault: EvilFault, script: EvilScript = {}) {
  const rules: EvilRule[] = [{ method: "tools/call", ...fault }];
  const evil = startEvil({ ...script, rules });
  evil.send(call(1, "echo", { text: "grüße 🎭" }, { progressToken: "p" }));
  return evil;
}

describe("an evil upstream without a script", () => {
  test("is a good server of both eras", async () => {
    const evil = startEvil();
    evil.send(INITIALIZE);
    evil.send(request(1, "server/discover", { _meta: META }));
    evil.send(call(2, "echo", { text: "hello" }));
    evil.send(call(3, "add", { a: 1, b: 2 }, META));
    evil.send(call(4, "fail", { message: "no" }));
    evil.send(call(5, "count"));
    evil.send(call(6, "count"));
    evil.send(request(7, "nothing/here"));
    expect(await evil.answer("init")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(await evil.answer(1)).toMatchObject({ result: { supportedVersions: ["2026-07-28"] } });
    expect(await evil.answer(2)).toMatchObject({ result: { structuredContent: { text: "hello" } } });
    expect(await evil.answer(3)).toMatchObject({
      result: { resultType: "complete", structuredContent: { sum: 3 } },
    });
    expect(await evil.answer(4)).toMatchObject({ result: { isError: true } });
    expect(await evil.answer(6)).toMatchObject({ result: { structuredContent: { count: 2 } } });
    expect(await evil.answer(7)).toMatchObject({ error: { code: -32601 } });
    evil.child.stdin.end();
    expect(await evil.exited()).toEqual({ code: 0, signal: null });
  });

  test.each(ERAS)("satisfies the SDK's client of %s", async (era) => {
    const { client } = await connectClient(era, evilCommand());
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["echo", "add", "slow", "fail", "count"]);
    expect(await client.callTool({ name: "echo", arguments: { text: "x" } })).toMatchObject({
      structuredContent: { text: "x" },
    });
  });

  test("stops a slow call that is cancelled, and does not answer it", async () => {
    const evil = startEvil();
    evil.send(call(1, "slow", { ms: 50 }));
    evil.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    evil.send(call(2, "slow", { ms: 100 }));
    await evil.answer(2);
    expect(evil.messages().map((message) => message["id"])).toEqual([2]);
  });
});

describe("the script's server", () => {
  test("knows one era only", async () => {
    const legacy = startEvil({ era: "legacy" });
    legacy.send(request(1, "server/discover", { _meta: META }));
    expect(await legacy.answer(1)).toMatchObject({ error: { code: -32601 } });
    const modern = startEvil({ era: "modern" });
    modern.send(INITIALIZE);
    expect(await modern.answer("init")).toMatchObject({
      error: { code: -32022, data: { supported: ["2026-07-28"] } },
    });
  });

  test("reads and answers nothing when it is silent", async () => {
    const journalFile = join(temporaryFolder(), "journal");
    const evil = startEvil({ era: "silent", journalFile });
    evil.send(INITIALIZE);
    await eventually("the request in the journal", () => linesOf(journalFile).length === 2);
    expect(evil.stdout()).toBe("");
  });

  test("changes its tools between lists and pages through them without an end", async () => {
    const one = [{ name: "a" }];
    const evil = startEvil({ toolLists: [one, [{ name: "b" }]] });
    for (const id of [1, 2, 3]) evil.send(request(id, "tools/list"));
    await evil.answer(3);
    const lists = evil.messages().map((message) => (message["result"] as { tools: unknown }).tools);
    expect(lists).toEqual([one, [{ name: "b" }], one]);
    for (const [endless, cursors] of [
      [undefined, ["1", undefined, undefined]],
      ["same-cursor", ["1", "1", "1"]],
      ["new-cursor", ["1", "2", "3"]],
    ] as const) {
      const paged = startEvil({ toolCount: 3, pages: { size: 2, ...(endless && { endless }) } });
      paged.send(request(0, "tools/list"));
      paged.send(request(1, "tools/list", { cursor: "1" }));
      paged.send(request(2, "tools/list", { cursor: "2" }));
      await paged.answer(2);
      const results = paged.messages().map((message) => message["result"] as { nextCursor?: string });
      expect(results.map((result) => result.nextCursor)).toEqual(cursors);
    }
  });

  test("counts each call before it fails, and applies a rule only to the occurrence that it names", async () => {
    const countFile = join(temporaryFolder(), "count");
    const error = { code: -32000, message: "no", data: { why: "script" } };
    const evil = startEvil({ countFile, rules: [{ tool: "echo", nth: 2, error }] });
    for (const id of [1, 2, 3]) evil.send(call(id, "echo", { text: "x" }));
    expect(await evil.answer(3)).toHaveProperty("result");
    expect(await evil.answer(2)).toMatchObject({ error });
    expect(await evil.answer(1)).toHaveProperty("result");
    expect(linesOf(countFile)).toHaveLength(3);
  });

  test("fails or ends at the opening, at the start, or after so many messages", async () => {
    const failing = startEvil({ onInitialize: { error: { code: -1, message: "no" } } });
    failing.send(INITIALIZE);
    expect(await failing.answer("init")).toMatchObject({ error: { code: -1 } });
    const leaving = startEvil({ onInitialize: { exit: { code: 3 } } });
    leaving.send(INITIALIZE);
    expect(await leaving.exited()).toEqual({ code: 3, signal: null });
    const absent = startEvil({ onStart: { exit: { signal: "SIGTERM" } } });
    expect(await absent.exited()).toEqual({ code: null, signal: "SIGTERM" });
    const counting = startEvil({ exitAfter: { messages: 2, code: 4 } });
    counting.send(INITIALIZE);
    await counting.answer("init");
    counting.send(request(1, "ping"));
    expect(await counting.exited()).toEqual({ code: 4, signal: null });
  });
});

describe("an answer over stdio", () => {
  test("comes late, or never, while others overtake it", async () => {
    const evil = startEvil({
      rules: [
        { tool: "late", delayMs: 50 },
        { tool: "lost", never: true },
      ],
    });
    evil.send(call(1, "late"));
    evil.send(call(2, "lost"));
    evil.send(call(3, "echo", { text: "x" }));
    await evil.answer(1);
    expect(evil.messages().map((message) => message["id"])).toEqual([3, 1]);
  });

  test("has a wrong id, an id of another type, or comes twice", async () => {
    await startFaulty({ wrongId: true }).answer(1_000_001);
    await startFaulty({ stringId: true }).answer("1");
    const doubled = startFaulty({ duplicate: true });
    await eventually("the second answer", () => doubled.messages().length === 2);
    expect(doubled.messages().map((message) => message["id"])).toEqual([1, 1]);
  });

  test("follows garbage, noise and a BOM", async () => {
    const evil = startFaulty({ garbage: true, floodStdout: 1_000 });
    const stdout = await eventually("the answer", () => evil.stdout().includes("grüße 🎭") && evil.stdout());
    expect(stdout).toContain("noise 1000\n");
    expect(stdout).toContain("\u001B[32m");
    expect(stdout).toContain('\n{"level":"info"');
    expect(stdout).toContain('\uFEFF{"jsonrpc"');
    expect(Buffer.concat(evil.chunks).includes(Buffer.of(0xff, 0xfe))).toBe(true);
  });

  test("is cut between bytes and inside characters, and ends with CRLF", async () => {
    for (const splitUtf8 of ["bytes", "characters"] as const) {
      const evil = startFaulty({ splitUtf8, crlf: true });
      expect(await evil.answer(1)).toMatchObject({ result: { structuredContent: { text: "grüße 🎭" } } });
      await eventually("the end of the line", () => evil.stdout().endsWith("}\r\n"));
      expect(evil.chunks.length).toBeGreaterThan(3);
      const startsInside = evil.chunks.filter((chunk) => ((chunk[0] ?? 0) & 0xc0) === 0x80);
      expect(startsInside.length).toBeGreaterThan(0);
    }
  });

  test("comes in one chunk with its progress", async () => {
    const evil = startFaulty({ progress: 3, oneChunk: true });
    await evil.answer(1);
    expect(evil.chunks).toHaveLength(1);
    expect(evil.messages()).toMatchObject([
      { params: { progressToken: "p", progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3 } },
      { id: 1 },
    ]);
  });

  test("is as big as the script says", async () => {
    const evil = startFaulty({ bigResult: 3_000_000 });
    await eventually("the whole line", () => evil.stdout().endsWith("\n"));
    expect(evil.stdout().length).toBeGreaterThan(3_000_000);
  });

  test("stops in the middle when the process ends", async () => {
    const evil = startFaulty({ exit: { signal: "SIGKILL", when: "middle" } });
    expect(await evil.exited()).toEqual({ code: null, signal: "SIGKILL" });
    expect(evil.stdout()).toMatch(/^\{"jsonrpc"[^\n]+$/);
    const after = startFaulty({ exit: { code: 5, when: "after" } });
    await after.answer(1);
    expect(await after.exited()).toEqual({ code: 5, signal: null });
  });

  test("follows notifications and a request to the client, whose answer it echoes", async () => {
    const method = "notifications/tools/list_changed";
    const evil = startFaulty({ notify: [{ method, times: 5 }], request: { method: "roots/list" } });
    const asked = await evil.message("the request", (message) => message["method"] === "roots/list");
    evil.send({ jsonrpc: "2.0", id: asked["id"], result: { roots: [{ uri: "file:///x" }] } });
    const answer = { roots: [{ uri: "file:///x" }] };
    expect(await evil.answer(1)).toMatchObject({ result: { structuredContent: { answer } } });
    expect(evil.messages().filter((message) => message["method"] === method)).toHaveLength(5);
  });

  test("asks a modern client for input, and announces changes on its subscription", async () => {
    const inputRequired = { name: { method: "elicitation/create", params: { message: "?" } } };
    const method = "notifications/tools/list_changed";
    const evil = startEvil({
      rules: [
        { tool: "ask", inputRequired },
        { tool: "change", notify: [{ method }] },
      ],
    });
    evil.send(call(1, "ask", {}, META));
    expect(await evil.answer(1)).toMatchObject({
      result: { resultType: "input_required", inputRequests: inputRequired },
    });
    const inputResponses = { name: { action: "accept" } };
    evil.send(request(2, "tools/call", { name: "ask", inputResponses, requestState: "evil", _meta: META }));
    expect(await evil.answer(2)).toMatchObject({ result: { structuredContent: { answer: inputResponses } } });
    evil.send(
      request("l", "subscriptions/listen", { notifications: { toolsListChanged: true }, _meta: META }),
    );
    evil.send(call(3, "change", {}, META));
    await evil.answer(3);
    expect(evil.messages().find((message) => message["method"] === method)).toMatchObject({
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": "l" } },
    });
  });
});

describe("a process that does not go", () => {
  test("floods stderr before it answers", async () => {
    const evil = startFaulty({ floodStderr: 5_000_000 });
    await evil.answer(1);
    await eventually("all of stderr", () => evil.stderrBytes() === 5_000_000);
  });

  test("stops reading, so that the pipe fills up", async () => {
    const evil = startFaulty({ stopReading: true });
    await evil.answer(1);
    const line = `${JSON.stringify(call(2, "echo", { text: "x".repeat(1_000_000) }))}\n`;
    for (let i = 0; i < 5; i++) evil.child.stdin.write(line);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(evil.child.stdin.writableLength).toBeGreaterThan(3_000_000);
    expect(evil.messages()).toHaveLength(1);
  });

  test("ignores the end of stdin and SIGTERM, and has children of its own", async () => {
    const journalFile = join(temporaryFolder(), "journal");
    const evil = startEvil({ ignoreStdinEnd: true, ignoreSigterm: true, grandchildCount: 1, journalFile });
    evil.send(request(1, "ping"));
    await evil.answer(1);
    const entries = linesOf(journalFile).map((line) => JSON.parse(line) as { grandchild?: number });
    const grandchild = entries.find((entry) => entry.grandchild !== undefined)?.grandchild;
    // Never with 0: that would be the whole group of the test.
    if (!grandchild) throw new Error("no grandchild in the journal");
    onTestFinished(() => void (isAlive(grandchild) && process.kill(grandchild, "SIGKILL")));
    evil.child.stdin.end();
    await eventually("the ignored end", () => evil.stderr().includes("ignored the end of stdin"));
    evil.child.kill("SIGTERM");
    await eventually("the ignored signal", () => evil.stderr().includes("ignored SIGTERM"));
    evil.child.kill("SIGKILL");
    expect(await evil.exited()).toEqual({ code: null, signal: "SIGKILL" });
    expect(isAlive(grandchild)).toBe(true);
  });

  test("ends itself when its time is over", async () => {
    const evil = startEvil({ ignoreStdinEnd: true, lifeMs: 50 });
    expect(await evil.exited()).toEqual({ code: 70, signal: null });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
