/** `execute {code}` as users get it: the bundle as a process, real servers behind it. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { connect, ERAS, INITIALIZE, runCli, startGateway } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const EVERYTHING = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js")],
};

/** A folder with a config whose only server is the reference server. */
function folderWithServer(): { folder: string; config: string[] } {
  const folder = temporaryFolder();
  const file = join(folder, "servers.json");
  // A busy machine may need long to start it.
  const limits = { connectTimeoutMs: 30_000 };
  writeFileSync(file, JSON.stringify({ mcpServers: { everything: EVERYTHING }, limits }));
  return { folder, config: ["--config", file] };
}

describe.each(ERAS)("a client of %s", (era) => {
  it("runs code against a real server: one answer for many calls", async () => {
    const { folder, config } = folderWithServer();
    const { client } = await connect(era, { folder, args: config });
    const code = `
      const { everything } = mcp;
      const echoes = await Promise.all([1, 2, 3].map((n) => everything.echo({ message: \`\${args.word} \${n}\` })));
      console.log("echoed", echoes.length);
      return { echoes, sum: await everything["get-sum"]({ a: 2, b: 3 }) };`;
    const answer = await client.callTool({
      name: "execute",
      arguments: { code, inputs: { word: "hey" }, intent: "Echo a word", calls: true },
    });
    expect(answer.isError).toBeUndefined();
    expect(answer.structuredContent).toMatchObject({
      success: true,
      outputs: { echoes: ["Echo: hey 1", "Echo: hey 2", "Echo: hey 3"], sum: "The sum of 2 and 3 is 5." },
      logs: [{ level: "info", message: "echoed 3" }],
    });
    expect(answer.structuredContent).not.toHaveProperty("warnings");
    const { calls, draft } = answer.structuredContent as { calls: unknown[]; draft: string };
    expect(calls).toHaveLength(4);
    // It is written right after the answer.
    const file = join(folder, "home/drafts", `${draft}.ts`);
    await eventually("the draft", () => existsSync(file) && readFileSync(file, "utf8") === code);
  });

  it("cancels a run: the guest ends, and so does the call under way", async () => {
    const { folder, config } = folderWithServer();
    const { client } = await connect(era, { folder, args: config });
    const abort = new AbortController();
    const code = `return await mcp.everything["trigger-long-running-operation"]({ duration: 20, steps: 20 })`;
    const running = client.callTool(
      { name: "execute", arguments: { code } },
      { signal: abort.signal, timeout: 15_000 },
    );
    setTimeout(() => abort.abort(), 1500);
    await expect(running).rejects.toThrow();
    const after = await client.callTool({ name: "execute", arguments: { code: "return 'still here'" } });
    expect(after.structuredContent).toMatchObject({ outputs: "still here" });
  });
});

describe.skipIf(process.platform !== "linux")("processes", () => {
  /** All processes below one, by their parents. */
  function descendants(pid: number): number[] {
    const parents = new Map<number, number>();
    for (const path of globSync("/proc/[0-9]*/stat")) {
      try {
        const stat = readFileSync(path, "utf8");
        parents.set(Number(path.split("/")[2]), Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]));
      } catch {
        // It has ended.
      }
    }
    const below = (parent: number): number[] =>
      [...parents].flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []));
    return below(pid);
  }
  const isAlive = (pid: number) => existsSync(`/proc/${pid}/exe`) && readableLink(`/proc/${pid}/exe`);
  function readableLink(path: string): boolean {
    try {
      return readlinkSync(path) !== "";
    } catch {
      return false;
    }
  }

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "%s of the gateway in the middle of hostile runs leaves none",
    async (signal) => {
      const gateway = startGateway();
      gateway.send(INITIALIZE);
      await gateway.answer("init");
      const run = (id: string, code: string, more = {}) =>
        gateway.send({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "execute", arguments: { code, ...more } },
        });
      run("first", "return 1");
      await gateway.answer("first");
      run("loop", "while (true) {}");
      run("native", "new Array(1e9) + ''");
      const pid = gateway.child.pid!;
      // Two that work, one to spare, and the compiler.
      const pids = await eventually("the runners", () => {
        const all = descendants(pid);
        return all.length >= 4 && all;
      });
      gateway.child.kill(signal);
      await gateway.exited();
      await eventually("the end of every process", () => pids.every((each) => !isAlive(each)));
    },
  );
});

describe("repertoire run", () => {
  it("runs a file with inputs and prints what it returns", async () => {
    const { folder, config } = folderWithServer();
    writeFileSync(
      join(folder, "hello.ts"),
      "interface A { n: number }\nconst a: A = args;\nconsole.warn('note');\nreturn [await mcp.everything.echo({ message: args.text }), a.n + 1];",
    );
    const args = ["run", "hello.ts", "--input", "text=5 apples", "--input", "n=41", ...config];
    const { status, stdout, stderr } = runCli(args, { folder });
    expect({ status, stdout: JSON.parse(stdout) as unknown }).toEqual({
      status: 0,
      stdout: ["Echo: 5 apples", 42],
    });
    expect(stderr).toContain("warn  note");
    expect(stderr).toContain("1 call (everything__echo), 0 failed");
    const json = await runCliHere([...args, "--json"], { folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ success: true, outputs: ["Echo: 5 apples", 42] });
  });

  it("reads code from standard input, and runs a draft by its name", () => {
    const folder = temporaryFolder();
    const piped = runCli(["run", "-", "--json", "--intent", "Say one"], { folder, input: "return 1" });
    const { draft, outputs } = JSON.parse(piped.stdout) as { draft: string; outputs: unknown };
    expect(outputs).toBe(1);
    expect(runCli(["run", draft], { folder })).toMatchObject({ status: 0, stdout: "1\n" });
  });

  it.each([
    [
      "a mistake in the code",
      "const a = 1;\n  return a.b.c;",
      5,
      /TOOL_EXECUTION_FAILED: Line 2.*\n.*2 \| return a\.b\.c;/,
    ],
    ["a name that does not exist", "return await mcp.evrything.echo()", 7, /Did you mean mcp\.everything\?/],
    ["a missing argument", "return await mcp.everything.echo({})", 2, /message is missing/],
    ["code that cannot be read", "return (", 2, /TOOL_INVALID_INPUT: Line 1/],
    ["no end", "while (true) {}", 4, /TOOL_TIMEOUT.*500 ms/],
  ])("says what is wrong with %s, and its exit code does too", async (_, code, expected, words) => {
    const { folder, config } = folderWithServer();
    const limit = code.startsWith("while") ? ["--timeout", "500"] : [];
    const { status, stdout, stderr } = await runCliHere(["run", "-", ...limit, ...config], {
      folder,
      input: code,
    });
    expect({ status, stdout }).toEqual({ status: expected, stdout: "" });
    expect(stderr).toMatch(words);
  });

  it("refuses what it cannot read before it opens anything", async () => {
    expect(await runCliHere(["run", "./nothing.ts"])).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("ENOENT"),
    });
    expect(await runCliHere(["run", "-", "--input", "x"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("key=value"),
    });
    expect(await runCliHere(["run", "nothing"])).toMatchObject({ status: 7 });
    expect(await runCliHere(["run", "-", "--timeout", "soon"], { input: "return 1" })).toMatchObject({
      status: 2,
    });
  });
});

describe("repertoire types", () => {
  it("writes declarations that the compiler takes and that know the tools", () => {
    const { folder, config } = folderWithServer();
    const { status, stderr } = runCli(["types", "--out", "mcp.d.ts", ...config], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "mcp.d.ts: 13 tools\n" });
    writeFileSync(
      join(folder, "good.ts"),
      "void mcp.everything.echo({ message: 'x' }); console.log(args.x);",
    );
    writeFileSync(join(folder, "bad.ts"), "void mcp.everything.echo({ text: 'x' });");
    const compile = (file: string) =>
      execFileSync(
        "tsc",
        ["--noEmit", "--strict", "--ignoreConfig", "--lib", "es2024", "--types", "", "mcp.d.ts", file],
        { cwd: folder, encoding: "utf8", stdio: "pipe" },
      );
    expect(compile("good.ts")).toBe("");
    expect(() => compile("bad.ts")).toThrow(/tsc/);
  });

  it("names a server that is not there", async () => {
    const { folder, config } = folderWithServer();
    const { status, stderr } = await runCliHere(["types", "nothing", ...config], { folder });
    expect(status).toBe(7);
    expect(stderr).toContain("nothing: no such server");
  });
});
