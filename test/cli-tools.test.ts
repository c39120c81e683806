/** Finding, looking at and calling tools from the command line. One home for all: each server is asked once. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";

const fixture = (name: string) => join(import.meta.dirname, "fixtures", name);

let folder: string;
let config: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  config = join(folder, "servers.json");
  const server = (...args: string[]) => ({ command: process.execPath, args });
  const mcpServers = {
    box: server(fixture("workflow-server.mjs"), join(folder, "effects.jsonl")),
    shelf: server(fixture("shelf-server.mjs")),
    dead: server("-e", "process.exit(3)"),
    off: { command: "x", enabled: false },
  };
  writeFileSync(config, JSON.stringify({ mcpServers, exposure: "lean" }));
  writeFileSync(join(folder, "sum.ts"), "return args.a + args.b;");
  const run = await cli("run", "sum.ts", "--input", "a=1", "--input", "b=2", "--json");
  const { draft } = JSON.parse(run.stdout) as { draft: string };
  expect((await cli("save", draft, "math:sum", "--description", "Adds two numbers. Fast.")).status).toBe(0);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function cli(...args: string[]) {
  return runCliHere([...args, "--config", config], { folder });
}

describe("C5: tools", () => {
  it("shows every tool by server, with its signature, and says what clients do not see", async () => {
    const { status, stdout } = await cli("tools");
    expect(status).toBe(0);
    for (const line of [
      "box · 9 tools, not listed to clients: the exposure is lean; all can be called\n",
      "  mcp.box.create_issue(args: { repo: string; title: string })\n    Opens an issue in a repository.\n",
      "shelf · 5 tools, not listed to clients: ",
      "    Paints a thing.\n",
      "dead · failed: the process exited with code 3\n",
      "off · disabled\n",
      "kept · 1 tool\n  mcp.math.sum(args: { a: ",
      "meta-tools · 5, listed to every client\n  browse_components(",
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).not.toContain("workflows only");
    expect(stdout).not.toContain("It takes a while.");
  });

  it("shows one server, and the built-in nodes where they are wanted", async () => {
    const { stdout } = await cli("tools", "shelf");
    expect(stdout).toMatch(/^shelf · 5 tools/);
    expect(stdout).not.toContain("mcp.box");
    expect((await cli("tools", "--nodes")).stdout).toMatch(/^built-in nodes · \d+, in workflows only$/m);
  });

  it("searches, best first, and leaves out what neither code nor call can use", async () => {
    const { status, stdout, stderr } = await cli("tools", "open an issue");
    expect({ status, first: stdout.split("\n")[0] }).toEqual({
      status: 0,
      first: "  mcp.box.create_issue(args: { repo: string; title: string })",
    });
    expect(stderr, "N5: said once").toMatch(/^dead: The server dead is not available: /m);
    const nodes = await cli("tools", "http request");
    expect(nodes.stdout).not.toContain("http(");
    expect(nodes.stderr).toContain("In workflows only: http");
    expect((await cli("tools", "zebra quagga")).stderr).toContain("No tool matches");
  });

  it("as JSON has each tool with its definition, and whether clients see it", async () => {
    const tools = JSON.parse((await cli("tools", "--json")).stdout) as Record<string, unknown>[];
    const byName = new Map(tools.map((tool) => [tool["name"], tool]));
    expect(byName.get("execute")).toMatchObject({ kind: "meta_tool", listed: true });
    expect(byName.get("mcp__math__sum")).toMatchObject({ kind: "kept", listed: true });
    expect(byName.get("box__add")).toMatchObject({
      kind: "tool",
      server: "box",
      listed: false,
      inputSchema: { type: "object" },
      signature: expect.stringMatching(/^mcp\.box\.add\(/),
    });
  });
});

describe("C5: describe", () => {
  it.each(["shelf.paint", "shelf__paint", "paint", "mcp.shelf.paint"])("finds a tool as %s", async (name) => {
    const { status, stdout } = await cli("describe", name);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^shelf\.paint  a tool of a server, shelf\nmcp\.shelf\.paint\(args: \{/);
    for (const part of [
      "clients call it shelf__paint\n",
      "Paints a thing. It takes a while.\n",
      "  thing: string  (required)\n      What to paint.\n",
      '  colour?: "red" | "green"  (default "red")\n',
      "effect\n  changes something\n  may delete or overwrite\n",
      "gives\n  unknown: the server does not declare it\n",
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it("has an example that can be pasted", async () => {
    const { example } = JSON.parse((await cli("describe", "paint", "--json")).stdout) as { example: string };
    expect(example).toBe(`repertoire call shelf.paint coats=2 thing=THING --config ${config}`);
    expect((await cli(...example.split(" ").slice(1, -2))).stdout).toBe(
      'painted {"coats":2,"thing":"THING"}\n',
    );
  });

  it.each([
    ["a server", "shelf", /^shelf  a server\nstate .*\n.*tools    5 tools\n/s],
    ["a meta-tool", "execute", /^execute  a meta-tool/],
    ["a built-in node", "http", /^http  a built-in node, for workflows only/],
    ["something kept", "math:sum", /^math:sum/],
    ["something kept, by its bare name", "mcp__math__sum", /^math:sum/],
  ])("shows %s", async (_, name, words) => {
    const { status, stdout } = await cli("describe", name);
    expect(status).toBe(0);
    expect(stdout).toMatch(words);
  });

  it("asks which one, and knows the nearest", async () => {
    const two = await cli("describe", "echo");
    expect(two.status).toBe(2);
    expect(two.stderr).toContain("Write one of: box.echo, shelf.echo.");
    const none = await cli("describe", "pant");
    expect(none.status).toBe(7);
    expect(none.stderr).toContain("Did you mean shelf.paint?");
  });
});

describe("C5: call", () => {
  const PAINTED = 'painted {"thing":"x","coats":3}\n';

  it.each([
    ["words", ["shelf.paint", "thing=x", "coats=3"]],
    ["a bare name", ["paint", "thing=x", "coats=3"]],
    ["a call as in code", ['shelf.paint(thing: "x", coats: 3)']],
    ["a call that was copied out of code", ['await mcp.shelf.paint({ thing: "x", coats: 3 });']],
    ["an object", ["shelf__paint", '{"thing": "x", "coats": 3}']],
    ["--args", ["shelf.paint", "--args", '{"thing": "x", "coats": 3}']],
    ["JSON", ["shelf.paint", "thing=x", "coats:=3"]],
  ])("takes %s", async (_, words) => {
    expect(await cli("call", ...words)).toMatchObject({ status: 0, stdout: PAINTED });
  });

  it("says which tool a bare name means", async () => {
    expect((await cli("call", "paint", "thing=x", "coats=3")).stderr).toBe("calling shelf.paint\n");
    expect((await cli("call", "shelf.paint", "thing=x", "coats=3")).stderr).toBe("");
  });

  it("takes standard input, and the text of a file", async () => {
    const args = ["call", "shelf.paint", "--args", "-", "--config", config];
    const piped = await runCliHere(args, { folder, input: '{"thing": "x", "coats": 3}' });
    expect(piped.stdout).toBe(PAINTED);
    writeFileSync(join(folder, "thing.txt"), "x");
    const file = join(folder, "thing.txt");
    expect((await cli("call", "paint", `thing=@${file}`, "coats=3")).stdout).toBe(PAINTED);
  });

  it("calls what was kept by any of its names, and the meta-tools", async () => {
    for (const name of ["math:sum", "mcp__math__sum", "sum", "mcp.math.sum"]) {
      expect({ name, ...(await cli("call", name, "a=1", "b=2")) }).toMatchObject({
        name,
        status: 0,
        stdout: "3\n",
      });
    }
    expect((await cli("call", "list_library")).stdout).toContain('"name": "math:sum"');
  });

  it("calls no other version than the one that was named", async () => {
    writeFileSync(join(folder, "sum2.ts"), "return args.a + args.b + 100;");
    const run = await cli("run", "sum2.ts", "--input", "a=1", "--input", "b=2", "--json");
    const { draft } = JSON.parse(run.stdout) as { draft: string };
    const before = JSON.parse((await cli("describe", "math:sum", "--json")).stdout) as { fqdn: string };
    await cli("save", draft, "math:sum", "--description", "Adds more.", "--overwrite");
    for (const name of ["math:sum@1", before.fqdn]) {
      const { status, stdout, stderr } = await cli("call", name, "a=1", "b=2");
      expect({ name, status, stdout }).toEqual({ name, status: 2, stdout: "" });
      expect(stderr).toContain("repertoire run math:sum@1");
    }
    const now = JSON.parse((await cli("describe", "math:sum", "--json")).stdout) as { fqdn: string };
    for (const name of ["math:sum", "math:sum@2", now.fqdn]) {
      expect({ name, ...(await cli("call", name, "a=1", "b=2")) }).toMatchObject({ name, stdout: "103\n" });
    }
  });

  it("shows structure as JSON, and of an image what it is; --out writes it", async () => {
    expect((await cli("call", "shelf.echo", "text=abc")).stdout).toBe('{\n  "length": 3\n}\n');
    expect((await cli("call", "picture")).stdout).toBe(
      "image/png, 70 bytes (--json for the data, or --out FILE)\n",
    );
    const out = join(folder, "pixel.png");
    expect(await cli("call", "picture", "--out", out)).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(out).subarray(1, 4).toString()).toBe("PNG");
  });

  it("tells a failure on stderr, escaped, and nothing on stdout", async () => {
    expect(await cli("call", "shelf.complain")).toMatchObject({
      status: 5,
      stdout: "",
      stderr: "error TOOL_EXECUTION_FAILED: no \\u{1b}[2J way\n",
    });
    const json = JSON.parse((await cli("call", "shelf.complain", "--json")).stdout) as object;
    expect(json).toMatchObject({ isError: true, error: { code: "TOOL_EXECUTION_FAILED" } });
  });

  it("says what a tool takes where an argument is missing or misspelt", async () => {
    const { status, stdout, stderr } = await cli("call", "shelf.paint", "thng=x");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(
      'thing, coats are missing. "thng" is not a parameter of this tool. Did you mean thing?',
    );
    expect(stderr).toContain("  mcp.shelf.paint(args: {");
    expect(stderr).toContain("    thing: string  (required)\n");
  });

  it("--dry-run checks the arguments and calls nothing", async () => {
    expect(await cli("call", "box.add", "text=x", "--dry-run")).toMatchObject({
      status: 0,
      stdout: 'would call box.add\n{"text":"x"}\n',
    });
    const wrong = await cli("call", "box.add", "text=x", "n=many", "--dry-run");
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("n must be a number");
    expect(() => readFileSync(join(folder, "effects.jsonl"))).toThrow();
  });
});

it("C5: a reader that leaves early is no error", { timeout: 60_000 }, async () => {
  const child = spawn(
    "sh",
    ["-c", `"$0" "$1" tools --config "$2" --json 2>err.txt | head -1`, process.execPath, BIN, config],
    { cwd: folder, env: environmentOf(folder) },
  );
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  expect({ stdout, stderr: readFileSync(join(folder, "err.txt"), "utf8") }).toEqual({
    stdout: "[\n",
    stderr: "",
  });
});
