import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { listen } from "../src/net/listen.testkit.ts";
import { connect, runCli } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand, startEvilHttp } from "./rig/evil-process.ts";

function folderWith(servers: Record<string, object>): {
  folder: string;
  config: string[];
  read: () => unknown;
} {
  const folder = temporaryFolder();
  const file = join(folder, "mine.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return { folder, config: ["--config", file], read: () => JSON.parse(readFileSync(file, "utf8")) };
}

describe("add", () => {
  it("takes the grammar of `claude mcp add`", async () => {
    const { folder, config, read } = folderWith({});
    const add = (...args: string[]) => runCliHere(["add", ...config, ...args], { folder });
    expect(
      (await add("git hub", "-e", "GITHUB_TOKEN=${T}", "--", "npx", "-y", "github", "--flag")).status,
    ).toBe(0);
    expect((await add("files", "node", "server.js", "/tmp")).status).toBe(0);
    expect(
      (await add("search", "--url", "https://s.example/mcp", "-H", "Authorization: Bearer ${T}")).status,
    ).toBe(0);
    expect((await add("old", "-t", "sse", "https://o.example/sse")).status).toBe(0);
    expect(read()).toEqual({
      mcpServers: {
        "git hub": { command: "npx", args: ["-y", "github", "--flag"], env: { GITHUB_TOKEN: "${T}" } },
        files: { command: "node", args: ["server.js", "/tmp"] },
        search: { type: "http", url: "https://s.example/mcp", headers: { Authorization: "Bearer ${T}" } },
        old: { type: "sse", url: "https://o.example/sse" },
      },
    });
  });

  it("takes the name and the endpoint from the server's card, given only an address", async () => {
    const { folder, config, read } = folderWith({});
    const card = {
      name: "com.example/weather",
      version: "1.0.0",
      description: "Tells \u001b[31mthe weather.",
    };
    const server = await listen((response, { url }) => {
      const isCard = url === "/mcp/server-card";
      const remotes = [{ type: "streamable-http", url: `${server.origin}/v2/mcp` }];
      response.writeHead(isCard ? 200 : 404, { "Content-Type": "application/mcp-server-card+json" });
      response.end(isCard ? JSON.stringify({ ...card, remotes }) : "");
    });
    const added = await runCliHere(["add", ...config, `${server.origin}/mcp`], { folder });
    expect(added).toMatchObject({ status: 0, stdout: "" });
    expect(added.stderr).toContain("Tells \\u{1b}[31mthe weather.");
    expect(read()).toEqual({ mcpServers: { weather: { type: "http", url: `${server.origin}/v2/mcp` } } });
    const plain = await runCliHere(["add", ...config, `${server.origin}/other`, "--json"], { folder });
    expect(plain.status).toBe(0);
    expect(JSON.parse(plain.stdout)).toMatchObject({
      server: { type: "http", url: `${server.origin}/other` },
    });
    const twice = await runCliHere(["add", ...config, server.origin, "--url", server.origin], { folder });
    expect(twice.status).toBe(2);
  });

  it("makes the user's own file where there is none", async () => {
    const { folder, status, stderr } = await runCliHere(["add", "files", "--", "node", "x.js"]);
    const file = join(folder, "config/repertoire/repertoire.json");
    expect({ status, said: stderr.includes(file) }).toEqual({ status: 0, said: true });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      mcpServers: { files: { command: "node", args: ["x.js"] } },
    });
  });

  it.each([
    ["nothing to start", ["x"], 2, "give the program to start"],
    ["a name without a letter", ["日本", "--", "node"], 2, "no letter"],
    ["a header for a program", ["x", "-H", "A: b", "--", "node"], 2, "--header is for remote servers"],
    ["a pair that is none", ["x", "-e", "SECRET", "--", "node"], 2, "write KEY=value"],
    ["a name that is taken", ["one", "--", "node"], 6, "--force replaces it"],
    [
      "an address that is none (N4)",
      ["x", "--url", "notaurl"],
      2,
      "is not a URL; write it as https://host/path",
    ],
    [
      "an address of another kind (N4)",
      ["x", "--url", "ftp://h/mcp"],
      2,
      "must begin with http:// or https://",
    ],
    ["a password in an address (N4)", ["x", "--url", "http://u:pw@h/mcp"], 2, "must not contain a user name"],
  ])("refuses %s and changes nothing", async (_, args, status, words) => {
    const { folder, config, read } = folderWith({ one: { command: "x" } });
    const result = await runCliHere(["add", ...config, ...args], { folder });
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(words);
    expect(read()).toEqual({ mcpServers: { one: { command: "x" } } });
  });

  it("replaces with --force, also under another spelling of the name", async () => {
    const { folder, config, read } = folderWith({ One: { command: "x" } });
    expect((await runCliHere(["add", ...config, "--force", "one", "--", "node"], { folder })).status).toBe(0);
    expect(read()).toEqual({ mcpServers: { One: { command: "node" } } });
  });
});

describe("C6: a secret that add is given", () => {
  const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const OFF = { REPERTOIRE_KEYRING: "off" };

  it.each<[where: string, args: string[], entry: object]>([
    [
      "a variable",
      ["-e", `TOKEN=${TOKEN}`, "-e", "MODE=fast", "--", "x"],
      { command: "x", env: { TOKEN: "${input:s-TOKEN}", MODE: "fast" } },
    ],
    [
      "a header",
      ["--url", "https://h.example/mcp", "-H", `Authorization: Bearer ${TOKEN}`],
      {
        type: "http",
        url: "https://h.example/mcp",
        headers: { Authorization: "Bearer ${input:s-Authorization}" },
      },
    ],
    [
      "an argument",
      ["--", "x", "--api-key", TOKEN],
      { command: "x", args: ["--api-key", "${input:s-api-key}"] },
    ],
    [
      "the query of an address",
      [`https://h.example/mcp?api_key=${TOKEN}`],
      { type: "http", url: "https://h.example/mcp?api_key=${input:s-api_key}" },
    ],
    [
      "the login of an API",
      ["--openapi", "https://h.example/o.json", "--auth", "type=bearer", "--auth", `token=${TOKEN}`],
      { openapi: "https://h.example/o.json", auth: { type: "bearer", token: "${input:s-token}" } },
    ],
    [
      "JSON",
      [JSON.stringify({ command: "x", env: { TOKEN } })],
      { command: "x", env: { TOKEN: "${input:s-TOKEN}" } },
    ],
  ])("in %s goes to the secret store, which is said", async (_, args, entry) => {
    const { folder, config, read } = folderWith({});
    const added = await runCliHere(["add", ...config, "s", ...args], { folder, env: OFF });
    expect(added).toMatchObject({ status: 0, stdout: "" });
    const kept = join(folder, "home/secrets.json");
    expect(added.stderr).toContain(`stored in ${kept}, which only you can read, not in the config`);
    expect(added.stderr).not.toContain(TOKEN);
    expect(read()).toMatchObject({ mcpServers: { s: entry } });
    expect(readFileSync(join(folder, "mine.json"), "utf8")).not.toContain(TOKEN);
    expect(readFileSync(kept, "utf8")).toContain(TOKEN);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const { stdout } = await runCliHere(["servers", "--json", ...config], { folder, env: OFF });
    expect(JSON.parse(stdout)).toMatchObject([{ state: "idle" }]);
  });

  it("is written as it is with --plain, and a reference is none", async () => {
    const { folder, config, read } = folderWith({});
    const add = (...args: string[]) => runCliHere(["add", ...config, ...args], { folder, env: OFF });
    await add("--plain", "a", "-e", `TOKEN=${TOKEN}`, "--", "x");
    await add("b", "-e", "TOKEN=${TOKEN}", "--", "x");
    expect(read()).toEqual({
      mcpServers: { a: { command: "x", env: { TOKEN } }, b: { command: "x", env: { TOKEN: "${TOKEN}" } } },
    });
    expect(existsSync(join(folder, "home/secrets.json"))).toBe(false);
  });

  it("does not take the place of another server's, and with --force takes that of its own", async () => {
    const { folder, config, read } = folderWith({
      other: { command: "x", env: { KEY: "${input:s-TOKEN}" } },
    });
    const add = (...args: string[]) => runCliHere(["add", ...config, ...args], { folder, env: OFF });
    await add("s", "-e", `TOKEN=${TOKEN}1`, "--", "x");
    expect(read()).toMatchObject({ mcpServers: { s: { env: { TOKEN: "${input:s-TOKEN_2}" } } } });
    await add("--force", "s", "-e", `TOKEN=${TOKEN}2`, "--", "x");
    expect(read()).toMatchObject({ mcpServers: { s: { env: { TOKEN: "${input:s-TOKEN_2}" } } } });
    const kept = readFileSync(join(folder, "home/secrets.json"), "utf8");
    expect([kept.includes(`${TOKEN}1`), kept.includes(`${TOKEN}2`)]).toEqual([false, true]);
  });
});

describe("add --openapi", () => {
  const PETS = {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "http://127.0.0.1:9/v1" }],
    paths: { "/pets": { get: { operationId: "listPets" }, put: 5 }, "no-slash": {} },
  };

  it("adds a description by its full path, and its tools are there", async () => {
    const { folder, config, read } = folderWith({});
    const file = join(folder, "pets.json");
    writeFileSync(file, JSON.stringify(PETS));
    const add = ["add", ...config, "pets", "--openapi", file, "--base-url", "https://a.example/v2"];
    expect(await runCliHere(add, { folder })).toMatchObject({ status: 0 });
    expect(read()).toEqual({ mcpServers: { pets: { openapi: file, baseUrl: "https://a.example/v2" } } });
    const { stdout } = await runCliHere(["servers", "pets", "--check", "--json", ...config], { folder });
    expect(JSON.parse(stdout)).toMatchObject([
      {
        state: "ready",
        target: file,
        toolCount: 1,
        rejected: [
          { name: "put /pets", reason: "the operation is not an object" },
          { name: "no-slash", reason: 'the path does not begin with "/"' },
        ],
      },
    ]);
  });

  it("tells why a description cannot be used, and what other words do not belong to it", async () => {
    const { folder, config } = folderWith({ bad: { openapi: "gone.json" } });
    const { stdout } = await runCliHere(["servers", "bad", "--check", "--json", ...config], { folder });
    const error = expect.stringContaining("there is no such file") as string;
    expect(JSON.parse(stdout)).toMatchObject([{ state: "failed", cause: "bad_description", error }]);
    for (const [args, why] of [
      [["--openapi", "a.json", "--", "x"], "--openapi takes no program"],
      [["--base-url", "https://a.example", "--", "x"], "--base-url and --auth are for --openapi"],
      [["--openapi", "a.json", "--auth", "token"], "write KEY=value"],
      [["--openapi", "https://me:pw@a.example/x"], "must not contain a user name or password"],
    ] as const) {
      const refused = await runCliHere(["add", ...config, "n", ...args], { folder });
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(why);
    }
  });
});

describe("add with JSON from a README", () => {
  it.each([
    ['{"mcpServers": {"files": {"command": "npx"}, "chat": {"url": "https://c.example/"}}}'],
    ['{"servers": {"files": {"command": "npx"}, "chat": {"url": "https://c.example/"}} /* VS Code */}'],
    ['"files": {"command": "npx"},\n"chat": {"url": "https://c.example/"},'],
  ])("adds the servers of %s", async (snippet) => {
    const { folder, config, read } = folderWith({});
    const added = await runCliHere(["add", ...config, snippet], { folder });
    expect(added).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("added files, chat to ") as string,
    });
    expect(read()).toEqual({
      mcpServers: { files: { command: "npx" }, chat: { url: "https://c.example/" } },
    });
  });

  it.each([
    ['{"command": "npx"}', "has no server name"],
    ['{"mcpServers": {"a": {"command": "x"}', "is not valid JSON"],
    ['{"name": "x"}', "has no server"],
  ])("refuses %s and changes nothing", async (snippet, words) => {
    const { folder, config, read } = folderWith({});
    const refused = await runCliHere(["add", ...config, snippet], { folder });
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(words) as string });
    expect(read()).toEqual({ mcpServers: {} });
  });
});

describe("C7: --dry-run", () => {
  it.each([
    [["add", "b", "-e", "TOKEN=abcdefgh12345678", "--", "y"], '+    "b"'],
    [["remove", "a"], '-    "a"'],
    [["enable", "off"], '-      "enabled": false'],
    [["disable", "a"], '+      "enabled": false'],
  ])("of %s shows the difference and changes nothing", async ([command = "", ...args], line) => {
    const { folder, config } = folderWith({});
    const file = join(folder, "mine.json");
    const before = JSON.stringify(
      { mcpServers: { a: { command: "x" }, off: { command: "x", enabled: false } } },
      null,
      2,
    );
    writeFileSync(file, before);
    const shown = await runCliHere([command, "--dry-run", ...config, ...args], { folder });
    expect(shown).toMatchObject({ status: 0, stderr: "Nothing was changed (--dry-run)\n" });
    expect(shown.stdout).toContain(line);
    expect(shown.stdout).not.toContain("abcdefgh12345678");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(existsSync(join(folder, "home"))).toBe(false);
  });
});

describe("remove, enable, disable", () => {
  it("change the one server, found by key or id", async () => {
    const { folder, config, read } = folderWith({ "My Files": { command: "x" }, b: { command: "y" } });
    expect((await runCliHere(["disable", ...config, "my_files"], { folder })).status).toBe(0);
    expect(read()).toEqual({
      mcpServers: { "My Files": { command: "x", enabled: false }, b: { command: "y" } },
    });
    expect((await runCliHere(["enable", ...config, "My Files"], { folder })).status).toBe(0);
    expect((await runCliHere(["remove", ...config, "b"], { folder })).status).toBe(0);
    expect(read()).toEqual({ mcpServers: { "My Files": { command: "x" } } });
  });

  it("answer a miss with the nearest", async () => {
    const { folder, config } = folderWith({ github: { command: "x" } });
    const { status, stderr } = await runCliHere(["remove", ...config, "gihub"], { folder });
    expect({ status, near: stderr.includes("Did you mean github?") }).toEqual({ status: 7, near: true });
  });
});

describe("servers", () => {
  it("starts nothing unless told, and then tells state, era, tools and last words", async () => {
    const remote = await startEvilHttp({ era: "modern" });
    const { folder, config } = folderWith({
      good: evilCommand(),
      remote: { url: `${remote.url}?token=CANARY-query` },
      dead: { command: "sh", args: ["-c", "echo last words >&2; exit 9"] },
      off: { command: "x", enabled: false },
    });
    const states = async (...args: string[]) => {
      const { stdout, status } = await runCliHere(["servers", "--json", ...config, ...args], { folder });
      const views = JSON.parse(stdout) as {
        id: string;
        state: string;
        era?: string;
        toolCount?: number;
        stderr?: string[];
      }[];
      return { status, views: Object.fromEntries(views.map(({ id, ...view }) => [id, view])), stdout };
    };
    expect((await states()).views).toMatchObject({
      good: { state: "idle" },
      dead: { state: "idle" },
      off: { state: "disabled" },
    });
    const checked = await states("--check");
    expect(checked.status).toBe(4);
    expect(checked.views).toMatchObject({
      good: { state: "ready", era: "legacy", toolCount: 5 },
      remote: { state: "ready", era: "modern", toolCount: 5 },
      dead: { state: "failed", error: expect.stringContaining("code 9"), stderr: ["last words"] },
    });
    expect(checked.stdout).not.toContain("CANARY");
    // What was found is there for the next process, which starts nothing.
    expect((await states()).views).toMatchObject({
      good: { state: "idle", toolCount: 5 },
      remote: { toolCount: 5 },
    });
  });

  it("C10: a server that runs in a live gateway is not idle, and a gateway that was killed leaves nothing behind", async () => {
    const { folder, config } = folderWith({
      good: evilCommand(),
      dead: { command: "sh", args: ["-c", "echo last words >&2; exit 9"] },
      other: evilCommand(),
    });
    const list = async (...args: string[]) =>
      (await runCliHere(["servers", ...config, ...args], { folder })).stdout;
    type Views = { id: string; state: string; gateways?: { pid: number; serves: string; state: string }[] }[];
    const views = async () =>
      Object.fromEntries((JSON.parse(await list("--json")) as Views).map((view) => [view.id, view]));
    const gateway = await connect("2025-11-25", { folder, args: config });
    expect((await views())["good"]).toMatchObject({ state: "idle" });
    await gateway.client.callTool({ name: "good__echo", arguments: {} });
    await gateway.client.callTool({ name: "dead__any", arguments: {} });
    const running = await eventuallyAsync("the servers", async () => {
      const all = await views();
      return all["good"]?.state === "ready" && all["dead"]?.state === "failed" && all;
    });
    const there = [{ pid: gateway.pid, serves: "stdio", state: "ready" }];
    expect(running).toMatchObject({
      good: { state: "ready", era: "legacy", pid: expect.any(Number), gateways: there },
      dead: { state: "failed", error: expect.stringContaining("code 9"), gateways: [{ said: "last words" }] },
    });
    expect(running["other"]).toMatchObject({ state: "idle" });
    expect(running["other"]).not.toHaveProperty("gateways");
    const text = await list();
    expect(text).toMatch(/^good +running in 1 gateway /m);
    expect(text).toMatch(/^dead +failed in 1 gateway /m);
    expect(text).toContain(`gateway with pid ${gateway.pid} (stdio):\n`);
    expect(text).toMatch(/^ {2}good: running, started (just now|\d+ (s|min) ago)$/m);
    // D11: the log counts the five tools of the gateway itself.
    expect(gateway.stderr()).toMatch(/"staticCount":5,"mcpCount":\d+,"event":"tools.registry.updated"/);
    // The same name for something else is not the same server.
    const elsewhere = join(folder, "elsewhere.json");
    writeFileSync(elsewhere, JSON.stringify({ mcpServers: { good: { command: "another" } } }));
    const another = await runCliHere(["servers", "--json", "--config", elsewhere], { folder });
    expect(JSON.parse(another.stdout)).toMatchObject([{ id: "good", state: "idle" }]);
    process.kill(gateway.pid, "SIGKILL");
    await eventuallyAsync("the servers are idle", async () => (await views())["good"]?.state === "idle");
    expect(readdirSync(join(folder, "home/live"))).toEqual([]);
  });

  it("D11: what was left out of a server's lists is told with code, kind, name and reason, also what is no object", async () => {
    const { folder, config } = folderWith({
      odd: { command: process.execPath, args: [join(import.meta.dirname, "fixtures/odd-lists-server.mjs")] },
      good: evilCommand(),
    });
    const list = async (...args: string[]) => runCliHere(["servers", ...args, ...config], { folder });
    const wanted = [
      { code: "invalid_tool", kind: "tool", name: "tools[0]", reason: "it is not an object" },
      { code: "invalid_tool", kind: "tool", name: "tools[2]", reason: "it is not an object" },
      {
        code: "invalid_tool",
        kind: "tool",
        name: "bad\\u{1b}",
        reason: expect.stringContaining("inputSchema"),
      },
      { code: "invalid_resource", kind: "resource", name: "no uri", reason: expect.any(String) },
      { code: "validation_error", kind: "prompt", name: "prompts[0]", reason: "it is not an object" },
    ];
    const [checked] = JSON.parse((await list("--check", "--json", "odd")).stdout) as { rejected: object[] }[];
    expect(checked!.rejected).toHaveLength(wanted.length);
    // It is there for the next process, which starts nothing.
    const [kept] = JSON.parse((await list("--json", "odd")).stdout) as { rejected: object[] }[];
    expect(kept).toMatchObject({ state: "idle", toolCount: 1, rejected: checked!.rejected });
    expect(checked!.rejected.map((one) => ({ ...one }))).toEqual(
      wanted.map(({ name, ...rest }) => ({ ...rest, name: name.replace("\\u{1b}", "\u001b") })),
    );
    expect((await list()).stdout).toMatch(
      /^odd: 5 entries rejected\. See: repertoire servers odd --config /m,
    );
    for (const shown of [(await list("odd")).stdout, (await list("--rejected")).stdout]) {
      expect(shown).toContain("odd: tool tools[0] rejected (invalid_tool): it is not an object\n");
      expect(shown).toContain("odd: tool bad\\u{1b} rejected (invalid_tool): inputSchema");
    }
    expect((await list("odd")).stdout).not.toMatch(/^good /m);
    const missed = await list("ood");
    expect(missed.stderr).toContain("Did you mean good or odd?");
    expect(missed.status).not.toBe(0);
  });

  it("doctor starts them when asked, and each red line has its cause and its cure", async () => {
    const canary = "c4nary".repeat(4);
    const { folder, config } = folderWith({
      good: evilCommand(),
      gone: { command: "no-such-program-here" },
      dead: {
        command: "sh",
        args: ["-c", 'echo "last words: $API_KEY" >&2; exit 9'],
        env: { API_KEY: canary },
      },
    });
    const doctor = (...args: string[]) => runCliHere(["doctor", ...args, ...config], { folder });
    // Nothing is started, and what cannot start is red all the same.
    const { stdout: before, status } = await doctor();
    expect(status).toBe(1);
    expect(before).toMatch(/✗ server +gone .*not in PATH.* → repertoire disable gone --config /);
    expect(before).not.toMatch(/server +dead/);

    const { stdout: text } = await doctor("--servers", "good", "dead");
    expect(text).toMatch(
      /✓ server +good  legacy \d{4}-\d\d-\d\d  5 tools  [\d,]+ tokens  started in \d+ ms  answers in [\d.]+ ms\n/,
    );
    expect(text).toMatch(
      /✗ server +dead  .*code 9 {2}→ repertoire disable dead .*\n +│ last words: \[redacted\]\n/,
    );

    const { stdout: json } = await doctor("--json", "--servers");
    const { ok, checks } = JSON.parse(json) as {
      ok: boolean;
      checks: { name: string; state: string; server?: { id: string } }[];
    };
    const about = (id: string) => checks.filter(({ server }) => server?.id === id);
    expect(ok).toBe(false);
    expect(about("good")).toEqual([
      {
        name: "server",
        state: "ok",
        message: expect.stringContaining("5 tools"),
        server: {
          id: "good",
          era: "legacy",
          protocolVersion: expect.any(String),
          toolCount: 5,
          resourceCount: expect.any(Number),
          promptCount: expect.any(Number),
          tokens: expect.any(Number),
          startMs: expect.any(Number),
          latencyMs: expect.any(Number),
          rejected: [],
          findings: [],
        },
      },
    ]);
    expect(about("dead")).toEqual([
      {
        name: "server",
        state: "failed",
        message: "the process exited with code 9",
        cure: expect.stringContaining("repertoire disable dead"),
        advice: expect.stringContaining("sh -c"),
        server: {
          id: "dead",
          rejected: [],
          findings: [],
          stderr: ["last words: [redacted]"],
          cause: "exited",
        },
      },
    ]);
    expect(about("gone")).toMatchObject([{ state: "failed", server: { cause: "not_found" } }]);
    expect(before + text + json).not.toContain(canary);
  });

  it("says how to add the first one", async () => {
    expect(await runCliHere(["servers"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("repertoire add"),
    });
  });
});

describe("call and tools", () => {
  it("calls a tool with arguments of the types that it wants", async () => {
    const { folder, config } = folderWith({ good: evilCommand() });
    const call = (...args: string[]) => runCliHere(["call", ...config, ...args], { folder });
    expect(await call("good.echo", "text=5")).toMatchObject({ status: 0, stdout: "5\n" });
    expect(JSON.parse((await call("good.add", "a=2", "b=3", "--json")).stdout)).toMatchObject({
      structuredContent: { sum: 5 },
    });
    expect(
      JSON.parse((await call("good__add", "--args", '{"a": 1, "b": 1}', "--json")).stdout),
    ).toMatchObject({
      structuredContent: { sum: 2 },
    });
    expect(await call("good.fail", "message=no way")).toMatchObject({
      status: 5,
      stdout: "",
      stderr: expect.stringContaining("no way"),
    });
    expect((await call("good.ehco", "text=x")).status).toBe(7);
    expect((await call("good.echo", "text")).status).toBe(2);
    expect((await call("good.echo", "--args", "[]")).status).toBe(2);
    expect((await call("gone.echo")).status).toBe(7);
  });

  it("calls the meta-tools, too", async () => {
    expect(JSON.parse((await runCliHere(["call", "list_library", "--json"])).stdout)).toMatchObject({
      structuredContent: { items: [] },
    });
  });

  it("finds tools by what they do", async () => {
    const { folder, config } = folderWith({ good: evilCommand() });
    const { status, stdout } = await runCliHere(["tools", ...config, "add numbers"], { folder });
    expect({ status, first: stdout.trim().split("(")[0] }).toEqual({ status: 0, first: "mcp.good.add" });
    expect((await runCliHere(["tools", ...config, "zebra"], { folder })).stderr).toContain("No tool matches");
  });
});

it("every command ends by itself, each a process of its own", () => {
  const { folder, config, read } = folderWith({});
  const { command, args } = evilCommand();
  for (const [words, status, said] of [
    [["add", "good", "--", command, ...args], 0, ""],
    [["disable", "good"], 0, ""],
    [["enable", "good"], 0, ""],
    [["servers", "--check", "--json"], 0, `"toolCount": 5`],
    [["call", "good.fail", "message=no way"], 5, ""],
    [["remove", "good"], 0, ""],
  ] as const) {
    const ended = runCli([words[0], ...config, ...words.slice(1)], { folder });
    expect({ words, status: ended.status }).toEqual({ words, status });
    expect(ended.stdout).toContain(said);
  }
  expect(read()).toEqual({ mcpServers: {} });
});
