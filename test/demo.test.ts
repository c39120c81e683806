/** The demo as its reader starts it: one process, told to its end, then served over HTTP until Ctrl-C. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readPages } from "./fixtures/docs/blocks.ts";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually } from "./fixtures/temporary.ts";
import { processesAt } from "./rig/processes-at.ts";

const COLUMNS = 40;
/** What the machine needs under load; only a broken demo takes so long. */
const LIMIT_MS = 60_000;

let folder: string;
let demo: Demo;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-demo-test-"));
  mkdirSync(join(folder, "tmp"));
  demo = startDemo(folder);
  await eventually("the end of the story", () => demo.stdout().includes("Ctrl-C ends the demo"), LIMIT_MS);
}, LIMIT_MS);
afterAll(() => {
  demo.child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

type Demo = ReturnType<typeof startDemo>;

function startDemo(home: string) {
  const child = spawn(process.execPath, [BIN, "demo"], {
    cwd: home,
    env: environmentOf(home, { TMPDIR: join(home, "tmp"), COLUMNS: String(COLUMNS) }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let exit: number | null | undefined;
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.on("close", (code) => (exit = code));
  return { child, stdout: () => stdout, stderr: () => stderr, exit: () => exit };
}

/** What it says, whatever the width. */
const said = (): string => demo.stdout().replaceAll(/\s+/g, " ");

it("C8: an agent that connects to the demo's address finds the notes of the demo", async () => {
  const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(demo.stdout())![0];
  const token = /rpt_[\w-]+/.exec(demo.stdout())![0];
  const client = new Client({ name: "reader", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { content } = await client.callTool({ name: "notes__list", arguments: {} });
  expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(
    expect.arrayContaining(["Try Repertoire", "Monday: write tests", "Book the train"]),
  );
  await client.close();
});

it("C8: step 6 shows the corrected code and what differs", () => {
  expect(said()).toContain("- return { notes: notes.lenght.toFixed() };");
  expect(said()).toContain("+ return { notes: notes.length.toFixed() };");
  expect(said()).toContain('execute {"resume":"last"} {"notes":"6"} notes__add from the journal');
});

it("C8: lines fit the terminal; only commands to copy are as long as they are", () => {
  const lines = demo.stdout().split("\n");
  expect(lines.length).toBeGreaterThan(100);
  const isCommand = (line: string): boolean =>
    /console#link=|claude mcp add|with the header|main\.js/.test(line);
  expect(lines.filter((line) => line.length > COLUMNS && !isCommand(line))).toEqual([]);
});

it("C8: begins with what it does and ends with what to type next", () => {
  expect(said()).toMatch(/^Starting the gateway in a temporary home/);
  expect(said()).toContain(`${BIN} init imports the servers of your clients`);
  expect(said()).toContain("connect claude");
});

it("the README shows what the demo prints, line by line", () => {
  const { blocks } = readPages().find(({ path }) => path === "README.md")!;
  const shown = blocks.find(({ text }) => text.includes("browse_components"))!;
  const lines = shown.text.split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(25);
  const printed = withoutSpace(demo.stdout());
  expect(lines.filter((line) => !printed.includes(withoutSpace(line)))).toEqual([]);
});

/** Narrow lines are broken anywhere. */
function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

it("C8: Ctrl-C ends it with 130, and neither a process nor a file is left", async () => {
  demo.child.kill("SIGINT");
  expect(
    await eventually("the exit", () => (demo.exit() === undefined ? false : { code: demo.exit() }), LIMIT_MS),
  ).toEqual({
    code: 130,
  });
  expect(demo.stderr()).toBe("");
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  await eventually("the end of all that it started", () => processesAt(folder).length === 0, LIMIT_MS);
});

it("C8: Ctrl-C in the middle of the story ends it the same way", async () => {
  const other = startDemo(folder);
  await eventually("its third step", () => other.stdout().includes("3. Every tool"), LIMIT_MS);
  other.child.kill("SIGINT");
  await eventually("the exit", () => other.exit() !== undefined, LIMIT_MS);
  expect({ code: other.exit(), stderr: other.stderr() }).toEqual({ code: 130, stderr: "" });
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  await eventually("the end of all that it started", () => processesAt(folder).length === 0, LIMIT_MS);
});
