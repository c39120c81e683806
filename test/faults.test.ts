/** Servers that misbehave, as processes behind the real gateway: each is on its own, and none hurts another. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, startGateway, INITIALIZE, BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { evilCommand, linesOf, startEvilHttp } from "./rig/evil-process.ts";
import type { EvilScript } from "./rig/evil-script.ts";
import { connectHttp, createPlace, startHttp } from "./rig/http-process.ts";

const require = createRequire(import.meta.url);

async function connectTo(servers: Record<string, object>, config: object = {}) {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers, ...config }));
  const connection = await connect("2025-11-25", {
    folder,
    args: ["--config", file, "--log-level", "error"],
  });
  const call = (name: string, args: Record<string, unknown> = {}) =>
    connection.client.callTool({ name, arguments: args }, { timeout: 20_000 });
  return { ...connection, call, file };
}

/** A server that behaves, whose calls and starts can be counted. */
function good(folder: string, name: string): { entry: object; journal: string } {
  const journal = join(folder, `${name}.journal`);
  return { entry: evilCommand({ name, journalFile: journal }), journal };
}

const startsOf = (journal: string) => linesOf(journal).filter((line) => line.includes(`"start"`)).length;

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}

const ECHO = { content: [{ type: "text", text: "hi" }] };

describe("one sick server among ten", () => {
  it("changes nothing for the others: one hangs, one crashes, one floods", { timeout: 60_000 }, async () => {
    const servers: Record<string, object> = {
      hangs: { ...evilCommand({ era: "silent" }), startTimeoutMs: 2_000 },
      crashes: evilCommand({ rules: [{ method: "tools/call", exit: { code: 3 } }] }),
      floods: evilCommand({
        rules: [{ method: "tools/call", floodStdout: 20_000, floodStderr: 20_000_000 }],
      }),
    };
    for (let i = 0; i < 7; i++) servers[`good${i}`] = evilCommand({ name: `good${i}` });
    const { call } = await connectTo(servers);
    const found = await call("browse_components", { query: "echo", limit: 100 });
    expect((found.structuredContent as { pending: string[] }).pending).toContain("hangs");
    for (let i = 0; i < 7; i++) expect(await call(`good${i}__echo`, { text: "hi" })).toMatchObject(ECHO);

    const sick = ["hangs__echo", "crashes__echo", "floods__echo"].map((name) => call(name, { text: "x" }));
    for (let round = 0; round < 20; round++)
      for (let i = 0; i < 7; i++) expect(await call(`good${i}__echo`, { text: "hi" })).toMatchObject(ECHO);
    const [hung, crashed, flooded] = await Promise.all(sick);
    expect(hung).toMatchObject({ isError: true, structuredContent: { error: { code: "TOOL_UNAVAILABLE" } } });
    expect(crashed).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "TOOL_UNAVAILABLE", retryable: false } },
    });
    expect(flooded).toMatchObject({ content: [{ text: "x" }] });
  });
});

describe("T071: a server that does not come up", () => {
  it("is told with what happened and its last words, whatever it was", async () => {
    const sick: Readonly<Record<string, readonly [object, string]>> = {
      absent: [{ command: "no-such-command-anywhere" }, "not in PATH"],
      exits: [{ command: "sh", args: ["-c", "echo broken pipe dream >&2; exit 7"] }, "code 7"],
      signalled: [{ command: "sh", args: ["-c", "kill -TERM $$"] }, "SIGTERM"],
      silent: [{ ...evilCommand({ era: "silent" }), startTimeoutMs: 1_500 }, "did not start within 1500 ms"],
      refuses: [
        evilCommand({ onInitialize: { error: { code: -32000, message: "no licence" } } }),
        "no licence",
      ],
    };
    const entries = mapValues(sick, ([entry]) => entry);
    const { call } = await connectTo(entries);
    for (const [server, [, words]] of Object.entries(sick)) {
      const answer = await call(`${server}__echo`, { text: "x" });
      expect({ server, ...answer }).toMatchObject({
        server,
        isError: true,
        structuredContent: { error: { code: "TOOL_UNAVAILABLE" } },
      });
      const text = JSON.stringify(answer.structuredContent);
      expect(text).toContain(words);
      if (words === "code 7") expect(text).toContain("broken pipe dream");
    }
  });

  it("is not started again with every call", async () => {
    const folder = temporaryFolder();
    const journal = join(folder, "journal");
    const { call } = await connectTo({
      sick: evilCommand({ journalFile: journal, onInitialize: { exit: { code: 1 } } }),
    });
    for (let i = 0; i < 30; i++) await call("sick__echo", { text: "x" });
    expect(startsOf(journal)).toBeLessThan(12);
  });
});

describe("S12: a legacy server that asks on the connection that clients share", () => {
  it(
    "asks no client that declared nothing, and holds up no other client's call",
    { timeout: 60_000 },
    async () => {
      const params = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
      const question = { method: "elicitation/create", params, limitMs: 60_000 };
      const rules = [
        { tool: "echo", request: question },
        { tool: "slow", never: true },
      ];
      const asking = { ...evilCommand({ era: "legacy", rules }), timeoutMs: 1_000 };
      const place = createPlace({ mcpServers: { asking } });
      const gateway = await startHttp(place);
      onTestFinished(async () => {
        await gateway.stop();
        place.remove();
      });
      const connectOne = async () => {
        const { client } = await connectHttp("2025-11-25", gateway.at("/mcp"), place.owner());
        onTestFinished(() => client.close());
        return client;
      };
      const [silent, other] = [await connectOne(), await connectOne()];
      const asked: string[] = [];
      const isAsked = Promise.withResolvers<void>();
      silent.fallbackRequestHandler = ({ method }) => {
        asked.push(method);
        isAsked.resolve();
        return new Promise(() => {});
      };
      const first = silent.callTool({ name: "asking__echo", arguments: { text: "x" } });
      // A question goes to a client whose call is the only one under way: the other call comes while it is open.
      await Promise.race([first, isAsked.promise]);
      const second = other.callTool({ name: "asking__slow", arguments: { ms: 1 } }, { timeout: 20_000 });
      expect(await second).toMatchObject({ structuredContent: { error: { code: "TOOL_TIMEOUT" } } });
      expect(await first).toMatchObject({ structuredContent: { answer: { code: -32601 } } });
      expect(asked).toEqual([]);
    },
  );
});

describe("S6: a server that exits on the first question of the other era", () => {
  it("modern only, over stdio: it is started once more, and works", async () => {
    const journal = join(temporaryFolder(), "journal");
    const rules = [{ method: "initialize", exit: { code: 1 } }];
    const { call } = await connectTo({
      modern: evilCommand({ era: "modern", journalFile: journal, rules }),
    });
    expect(await call("modern__echo", { text: "hi" })).toMatchObject(ECHO);
    expect(startsOf(journal)).toBe(2);
    expect(await call("modern__echo", { text: "hi" })).toMatchObject(ECHO);
    expect(startsOf(journal)).toBe(2);
  });

  it("legacy only, behind serve --http, which asks in the modern era first", async () => {
    const journal = join(temporaryFolder(), "journal");
    const rules = [{ method: "server/discover", exit: { code: 1 } }];
    const legacy = evilCommand({ era: "legacy", journalFile: journal, rules });
    const place = createPlace({ mcpServers: { legacy } });
    const gateway = await startHttp(place);
    onTestFinished(async () => {
      await gateway.stop();
      place.remove();
    });
    for (const era of ["2026-07-28", "2025-11-25"] as const) {
      const { client } = await connectHttp(era, gateway.at("/mcp"), place.owner());
      onTestFinished(() => client.close());
      const answer = await client.callTool({ name: "legacy__echo", arguments: { text: "hi" } });
      expect(answer).toMatchObject(ECHO);
    }
    const asked = linesOf(journal).filter((line) => line.includes(`"server/discover"`));
    expect(asked).toHaveLength(1);
  });
});

describe("a server that dies", () => {
  it("T075: fails the 20 calls under way at once, and the next call starts it once", async () => {
    const folder = temporaryFolder();
    const journal = join(folder, "journal");
    const counted = join(folder, "count");
    const script: EvilScript = {
      journalFile: journal,
      countFile: counted,
      rules: [{ tool: "slow", nth: 20, exit: { signal: "SIGKILL" } }],
    };
    const { call } = await connectTo({ frail: evilCommand(script) });
    await call("frail__echo", { text: "warm" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => call("frail__slow", { ms: 60_000 })));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "TOOL_UNAVAILABLE", retryable: false } },
      });
    }
    expect(linesOf(counted)).toHaveLength(21);
    const again = await Promise.all(Array.from({ length: 5 }, () => call("frail__echo", { text: "hi" })));
    for (const answer of again) expect(answer).toMatchObject(ECHO);
    expect(startsOf(journal)).toBe(2);
    expect(linesOf(counted)).toHaveLength(26);
  });

  it("C3: during a call tells the caller how, and what it said", async () => {
    const script = `
      require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
        const tools = [{ name: "boom", inputSchema: { type: "object" } }];
        const serverInfo = { name: "dies", version: "1" };
        if (method === "initialize") answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
        else if (method === "tools/list") answer({ tools });
        else if (method === "tools/call") throw new TypeError("the disk is gone");
      });`;
    const { call } = await connectTo({ dies: { command: process.execPath, args: ["-e", script] } });
    expect(await call("dies__boom", {})).toMatchObject({
      isError: true,
      structuredContent: {
        error: {
          code: "TOOL_UNAVAILABLE",
          message: expect.stringContaining("exited with code 1: TypeError: the disk is gone") as string,
        },
      },
    });
  });
});

describe("T080, T081, T084: bad framing and odd answers", () => {
  it("garbage, cut characters, CRLF, an answer twice: the call works all the same", async () => {
    const faults: Readonly<Record<string, object>> = {
      garbage: { garbage: true },
      bytes: { splitUtf8: "bytes" },
      crlf: { crlf: true },
      twice: { duplicate: true },
    };
    const { call } = await connectTo(
      mapValues(faults, (fault) => evilCommand({ rules: [{ method: "tools/call", ...fault }] })),
    );
    for (const server of Object.keys(faults)) {
      for (const text of ["hi", "é😀", "hi"]) {
        const answer = await call(`${server}__echo`, { text });
        expect({ server, ...answer }).toMatchObject({ server, content: [{ text }] });
      }
    }
  });

  it("another id, the id as text, nothing for an answer: that call times out, and the next works", async () => {
    const faults: Readonly<Record<string, object>> = {
      another: { wrongId: true },
      text: { stringId: true },
      nothing: { never: true },
    };
    const { call } = await connectTo(
      mapValues(faults, (fault) => ({
        ...evilCommand({ rules: [{ tool: "echo", nth: 2, ...fault }] }),
        timeoutMs: 300,
      })),
    );
    for (const server of Object.keys(faults)) {
      const echo = async (text: string) => ({ server, ...(await call(`${server}__echo`, { text })) });
      expect(await echo("hi")).toMatchObject({ server, ...ECHO });
      expect(await echo("lost")).toMatchObject({
        server,
        isError: true,
        structuredContent: { error: { code: "TOOL_TIMEOUT", message: expect.stringContaining("300 ms") } },
      });
      expect(await echo("hi")).toMatchObject({ server, ...ECHO });
    }
  });
});

describe("T093, T030: lists that are not as they should be", () => {
  it("an endless list is cut, and a hostile name is shown harmless", async () => {
    const tools = [
      { name: "ok", description: "fine", inputSchema: { type: "object" } },
      { name: "</script>\u001b[31m", inputSchema: { type: "object" } },
      { name: "bad_schema", inputSchema: { type: "string" } },
    ];
    const { client } = await connectTo(
      {
        endless: evilCommand({ toolCount: 5, pages: { size: 1, endless: "new-cursor" } }),
        odd: evilCommand({ tools }),
      },
      { exposure: "full" },
    );
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toContain("odd__ok");
    expect(names).not.toContain("odd__bad_schema");
    expect(names.filter((name) => name.startsWith("endless__")).length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("a list that changes is told once it has been read and really differs", async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    const changed = { method: "notifications/tools/list_changed", times: 50 };
    const script: EvilScript = {
      toolLists: [[tool("a")], [tool("a")], [tool("a"), tool("b")]],
      capabilities: { tools: { listChanged: true } },
      rules: [{ method: "tools/call", notify: [changed] }],
    };
    const { client, call } = await connectTo({ moving: evilCommand(script) }, { exposure: "full" });
    let names: string[] = [];
    let changeCount = 0;
    const read = async () => (names = (await client.listTools()).tools.map((tool_) => tool_.name));
    await read();
    expect(names).toContain("moving__a");
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changeCount++;
      void read();
    });
    await call("moving__a");
    await call("moving__a");
    await eventually("the new tool", () => names.includes("moving__b"));
    expect(changeCount).toBeLessThan(5);
  });
});

describe("T094: a gateway that leads back to itself", () => {
  it(
    "starts itself a few times and not for ever, and the other servers work",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, "config.json");
      const started = join(folder, "started");
      // Each start leaves a mark; the environment of the test keeps every gateway on this folder.
      const script = `echo x >> "${started}"; exec "$0" "$@"`;
      const self = {
        command: "sh",
        args: ["-c", script, process.execPath, BIN, "serve", "--config", file, "--log-level", "silent"],
        env: environmentOf(folder),
      };
      writeFileSync(file, JSON.stringify({ mcpServers: { self, good: evilCommand() }, exposure: "full" }));
      const { client } = await connect("2025-11-25", {
        folder,
        args: ["--config", file, "--log-level", "error"],
      });
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      expect(names).toContain("good__echo");
      expect(await client.callTool({ name: "good__echo", arguments: { text: "hi" } })).toMatchObject(ECHO);
      await client.close();
      expect(linesOf(started).length).toBeLessThanOrEqual(5);
    },
  );
});

describe("config while running", () => {
  it(
    "a disabled server is stopped and its tools are gone; enabled, they are back at once",
    { timeout: 30_000 },
    async () => {
      const folder = temporaryFolder();
      const { entry, journal } = good(folder, "one");
      const { client, call, file } = await connectTo({ one: entry }, { exposure: "full" });
      const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
      const write = (enabled: boolean) =>
        writeFileSync(file, JSON.stringify({ mcpServers: { one: { ...entry, enabled } }, exposure: "full" }));
      await call("one__echo", { text: "hi" });
      expect(await names()).toContain("one__echo");
      const { pid } = (JSON.parse(linesOf(journal)[0]!) as { start: { pid: number } }).start;
      write(false);
      await eventually("the end of the server", () => !isAlive(pid));
      expect(await names()).not.toContain("one__echo");
      expect(await call("one__echo", { text: "hi" })).toMatchObject({ isError: true });
      write(true);
      await eventuallyAsync("the tools", async () => (await names()).includes("one__echo"));
      expect(await call("one__echo", { text: "hi" })).toMatchObject(ECHO);
    },
  );

  it("a denied tool is not listed and cannot be called", async () => {
    const entry = { ...evilCommand(), tools: { deny: ["fail"] } };
    const { client, call, folder } = await connectTo({ one: entry }, { exposure: "full" });
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain("one__fail");
    expect(await call("one__fail", { message: "x" })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "SECURITY_ERROR" } },
    });
    // D11: what was denied inside of code or of a workflow is on record under the tool's own name.
    const workflow = {
      ir_version: "1.0",
      inputs: {},
      outputs: {},
      nodes: [{ id: "a", type: "one__fail", params: {} }],
    };
    const inNode = { id: "c", type: "code", params: { code: "return mcp.one.fail({})" } };
    mkdirSync(join(folder, "home/drafts"), { recursive: true });
    writeFileSync(join(folder, "home/drafts/direct.json"), JSON.stringify(workflow));
    writeFileSync(join(folder, "home/drafts/nested.json"), JSON.stringify({ ...workflow, nodes: [inNode] }));
    const refused = { success: false, error: { code: "SECURITY_ERROR" } };
    for (const args of [{ code: "return await mcp.one.fail({})" }, { name: "direct" }, { name: "nested" }])
      expect((await call("execute", args)).structuredContent).toMatchObject(refused);
    await client.close();
    const store = await openSqliteStore({ home: join(folder, "home") });
    onTestFinished(() => store.close());
    const inCode = { action: "tool.denied", subject: "one__fail", details: { by: "execute" } };
    expect(await store.audit.list({ limit: 10 })).toMatchObject([
      { action: "tool.denied", subject: "one__fail" },
      inCode,
      inCode,
      inCode,
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function eventuallyAsync(what: string, probe: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await probe()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}

describe("T077: kill -9 of the gateway", () => {
  const rounds = Number(process.env["GATEWAY_KILL_ROUNDS"] ?? 1);

  it(`leaves no server and no grandchild behind, ${rounds} times`, { timeout: 20_000 * rounds }, async () => {
    const folder = temporaryFolder();
    for (let round = 0; round < rounds; round++) {
      const journal = join(folder, `journal-${round}`);
      const file = join(folder, `config-${round}.json`);
      const direct = evilCommand({
        journalFile: journal,
        grandchildCount: 2,
        ignoreStdinEnd: true,
        ignoreSigterm: true,
      });
      // A shell that waits for the server, which is its child; and npx itself, which is several processes.
      const wrapped = { command: "sh", args: ["-c", '"$@"; true', "sh", direct.command, ...direct.args] };
      const npx = {
        command: "npx",
        args: ["--no-install", "node", ...direct.args],
        cwd: join(import.meta.dirname, ".."),
      };
      const mcpServers = { direct, wrapped, npx };
      writeFileSync(file, JSON.stringify({ mcpServers, limits: { connectTimeoutMs: 30_000 } }));
      const gateway = startGateway({ folder, args: ["--config", file] });
      gateway.send(INITIALIZE);
      for (const server of Object.keys(mcpServers)) {
        const params = { name: `${server}__echo`, arguments: { text: "hi" } };
        gateway.send({ jsonrpc: "2.0", id: server, method: "tools/call", params });
        expect(await gateway.answer(server)).toMatchObject({ result: ECHO });
      }
      const pids = linesOf(journal).flatMap((line) => {
        const entry = JSON.parse(line) as { start?: { pid: number }; grandchild?: number };
        return entry.start?.pid ?? entry.grandchild ?? [];
      });
      // Each server and its two grandchildren.
      expect(pids).toHaveLength(9);
      gateway.child.kill("SIGKILL");
      await eventually(`the end of ${pids.join(", ")}`, () => pids.every((pid) => !isAlive(pid)));
    }
  });
});

describe("remote servers", () => {
  it("T085, T088: redirects, errors and pages that are no answer are typed errors, and no header reaches another origin", async () => {
    const other = await startEvilHttp({ journalFile: join(temporaryFolder(), "other") });
    const otherJournal = join(temporaryFolder(), "stolen");
    const thief = await startEvilHttp({ journalFile: otherJournal });
    expect(other.url).not.toBe(thief.url);
    const faults = {
      redirects: { http: { status: 307, redirect: thief.url } },
      denies: { http: { status: 401, body: "no" } },
      breaks: { http: { status: 500, body: "oops" } },
      html: { http: { status: 200, contentType: "text/html", body: "<html>log in</html>" } },
      empty: { http: { status: 200, body: "" } },
      bomb: { http: { gzipBomb: 200_000_000 } },
    };
    const servers: Record<string, object> = {};
    for (const [name, fault] of Object.entries(faults)) {
      const { url } = await startEvilHttp({ onInitialize: fault });
      servers[name] = { url, headers: { Authorization: "Bearer CANARY-token" } };
    }
    servers["good"] = { url: other.url };
    const { call } = await connectTo(servers, { limits: { connectTimeoutMs: 10_000 } });
    for (const name of Object.keys(faults)) {
      const answer = await call(`${name}__echo`, { text: "x" });
      expect({ name, answer }).toMatchObject({
        answer: { isError: true, structuredContent: { error: { code: "TOOL_UNAVAILABLE" } } },
      });
      expect(JSON.stringify(answer)).not.toContain("CANARY");
      if (name === "bomb") expect(JSON.stringify(answer)).toContain("longer than 8388608 bytes");
    }
    expect(linesOf(otherJournal).join("\n")).not.toContain("CANARY");
    expect(await call("good__echo", { text: "hi" })).toMatchObject(ECHO);
  });

  it("speak both eras over Streamable HTTP, as plain JSON and as a stream", async () => {
    const servers: Record<string, object> = {};
    for (const era of ["legacy", "modern"] as const) {
      for (const sse of [false, true]) {
        const { url } = await startEvilHttp({ era, http: { sse, bearer: "CANARY-key" } });
        servers[`${era}_${sse ? "stream" : "json"}`] = {
          url,
          headers: { Authorization: "Bearer CANARY-key" },
        };
      }
    }
    const { call } = await connectTo(servers);
    for (const server of Object.keys(servers)) {
      const answer = await call(`${server}__add`, { a: 2, b: 3 });
      expect({ server, ...answer }).toMatchObject({ server, structuredContent: { sum: 5 } });
    }
  });

  it.each([
    ["streamableHttp", "http", "/mcp"],
    ["sse", "sse", "/sse"],
  ] as const)("work for real: server-everything over %s", { timeout: 30_000 }, async (mode, type, path) => {
    const port = await freePort();
    const entry = join(
      dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
      "dist/index.js",
    );
    const server = spawn(process.execPath, [entry, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void server.kill("SIGKILL"));
    let output = "";
    server.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    server.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await eventually("the port", () => output.includes(String(port)));
    const { call } = await connectTo({ every: { type, url: `http://127.0.0.1:${port}${path}` } });
    expect(await call("every__echo", { message: "hi" })).toMatchObject({ content: [{ text: "Echo: hi" }] });
    expect(await call("every__get-sum", { a: 2, b: 3 })).toMatchObject({
      content: [{ text: "The sum of 2 and 3 is 5." }],
    });
  });
});

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
