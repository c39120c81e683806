/** The examples, run as their readers run them: as processes on the bundle. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const EXAMPLES = join(import.meta.dirname, "../examples");

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes that run. A zombie has ended; that nobody has reaped it is not our matter. */
function listProcesses(): Process[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command! }];
  });
}

function descendantsOf(pid: number, all: readonly Process[]): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

/** Runs an example to its end and notes, at each thing that it says, what it has started. */
async function runExample(path: string) {
  const folder = temporaryFolder();
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const child = spawn(process.execPath, [join(EXAMPLES, path)], {
    cwd: folder,
    env: environmentOf(folder, { TMPDIR: temporary }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const started = new Map<number, string>();
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.stdout += chunk.toString();
    for (const { pid, command } of descendantsOf(child.pid!, listProcesses())) started.set(pid, command);
  });
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  const status = await new Promise((resolve) => child.once("close", resolve));
  const isLeft = ({ pid, command }: Process): boolean => started.get(pid) === command;
  await eventually("the end of all that the example started", () => !listProcesses().some(isLeft));
  return { ...said, status, commands: [...started.values()], left: readdirSync(temporary) };
}

it("the first capability is found, run, kept, shared, broken, corrected and tested", async () => {
  const { stdout, stderr, status, commands, left } = await runExample("first-capability/story.mjs");
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: "", left: [] });
  expect(commands.some((command) => command.includes("main.js serve"))).toBe(true);
  const gateways = [...stdout.matchAll(/has started a gateway: process (\d+)\./g)].map(([, pid]) => pid);
  expect(new Set(gateways).size).toBe(3);
  const lines = stdout.split("\n").map((line) => line.trim());
  expect(lines).toEqual(
    expect.arrayContaining([
      "mcp.weather.forecast(args: { city: string; days: number }): Promise<{ days: ({ degrees: number; rain: boolean })[] }>",
      '{"umbrella":false,"warmest":26}',
      "tool             mcp__trip__pack, version 1",
      'input schema     {"additionalProperties":false,"properties":{"city":{"description":"Its English name.","type":"string"}},"required":["city"],"type":"object"}',
      "possible input   days = 3 (line 1, column 70)",
      "mcp__trip__pack  readOnlyHint: true",
      '{"umbrella":true,"warmest":13}',
      "trip:pack uses weather__forecast, which changed",
      "weather__forecast: changed: units was added (required)",
      expect.stringMatching(/^still valid: false: Line 1, column 24: units is missing\./),
      "tool             mcp__trip__pack, version 2",
      '{"umbrella":true,"warmest":55.4}',
      expect.stringMatching(/^\* v2 /),
      expect.stringMatching(/^v1 /),
    ]),
  );
  expect(stdout).toMatch(/\n {3}\$ repertoire test\n {3}✓ trip:pack@2 passed\n$/);
});

it("a program's tools are found, used by code, kept, refused by a rule, and not done twice", async () => {
  const { stdout, stderr, status, left } = await runExample("program-tools/shop.mjs");
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: "", left: [] });
  expect(stdout.trimEnd().split("\n")).toEqual([
    "found: mcp.program.find_orders(args?: { days?: number }): Promise<{ orders: ({ id: string; amount: number; daysLate: number })[] }>",
    "kept as a tool, it says: A2, A3",
    'refund of 300: "program__refund" (destroy) is refused by rules[0]: a person pays so much.',
    "progress: asking the bank for 5",
    "run: Line 2, column 19: The bank is closed.",
    "resumed: paid; refunds made: A1, A2, A3",
  ]);
});

it("an agent loop keeps a tool in one turn and is offered it in the next", async () => {
  const { stdout, stderr, status, commands, left } = await runExample("agent-loop/loop.mjs");
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: "", left: [] });
  expect(commands.length).toBeGreaterThan(0);
  const offered = stdout.split("\n").filter((line) => line.startsWith("tools: "));
  expect(offered.map((line) => line.includes("mcp__trip__umbrella"))).toEqual([false, false, true, true]);
  expect(stdout).toContain('tool_use: mcp__trip__umbrella {"city":"Bergen"}\n');
  expect(stdout).toMatch(/\nassistant: Rome: no umbrella\. Bergen: take an umbrella\.\n$/);
});
