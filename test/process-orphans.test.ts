/** T077: nothing of a server outlives the gateway, however the gateway ends. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { endGroupAfterwards, groupIsGone, livingMembers, SERVER } from "./fixtures/process-group.ts";
import { eventually } from "./fixtures/temporary.ts";

const PARENT = `${import.meta.dirname}/fixtures/process-parent.ts`;
/** A soak sets more. */
const ROUND_COUNT = Number(process.env["PROCESS_KILL_ROUNDS"] ?? 3);
/** Starting three Node processes takes most of a round; on a busy machine it takes seconds. */
const ROUND_MS_MAX = 20_000;

/** `npx` as a shell script: the server is its child, not its successor. */
const SHELL_WRAPPER = ["sh", "-c", '"$@"; exit $?', "wrapper", process.execPath, SERVER, "wrapper"];
const NODE_WRAPPER = [process.execPath, SERVER, "wrapper"];

/** `when` is a word of the fixture, or after how many milliseconds the parent kills itself. */
function startParent(when: "later" | "close" | number, command: readonly string[]) {
  const parent = spawn(process.execPath, [PARENT, String(when), ...command], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): boolean => parent.kill("SIGKILL");
  onTestFinished(() => void kill());
  const lines: string[] = [];
  createInterface({ input: parent.stdout }).on("line", (line) => {
    if (lines.push(line) === 1) endGroupAfterwards(groupOf(line));
  });
  return { lines, kill, parent };
}

function groupOf(line: string): number {
  return (JSON.parse(line) as { server: number }).server;
}

async function killOnce(command: readonly string[], memberCount: number): Promise<void> {
  const parent = startParent("later", command);
  // The parent prints the server; the wrapper tells of its child; the child says that it is ready.
  await eventually("three lines", () => parent.lines.length >= 3, ROUND_MS_MAX);
  const group = groupOf(parent.lines[0]!);
  const members = livingMembers(group);
  expect(members).toContain(group);
  expect(members.length).toBe(memberCount);
  parent.kill();
  await groupIsGone(group);
}

describe.skipIf(process.platform === "win32")("T077 when the gateway is killed with SIGKILL", () => {
  it(
    `takes the server, its child and the watcher with it, ${ROUND_COUNT} times of ${ROUND_COUNT}`,
    { timeout: ROUND_COUNT * ROUND_MS_MAX },
    async () => {
      for (let round = 0; round < ROUND_COUNT; round += 1) await killOnce(NODE_WRAPPER, 3);
    },
  );

  it("takes also what runs behind a shell that did not exec", { timeout: 3 * ROUND_MS_MAX }, async () => {
    for (let round = 0; round < 3; round += 1) await killOnce(SHELL_WRAPPER, 4);
  });

  it("takes a server that has outlived a polite stop of its group", async () => {
    const parent = startParent("later", [process.execPath, SERVER, "stubborn"]);
    await eventually("two lines", () => parent.lines.length >= 2, ROUND_MS_MAX);
    const group = groupOf(parent.lines[0]!);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.kill(-group, signal);
    // A round trip through ps is long enough for a signal to have had its effect.
    expect(livingMembers(group).length).toBe(2);
    expect(livingMembers(group).length).toBe(2);
    parent.kill();
    await groupIsGone(group);
  });

  it(
    "leaves nothing when it dies while the server is being started, at whatever moment",
    { timeout: ROUND_COUNT * ROUND_MS_MAX },
    async () => {
      for (let round = 0; round < ROUND_COUNT; round += 1) {
        // The shell, the watcher and the program come within the first five milliseconds.
        const parent = startParent((round % 20) * 0.25, ["sleep", "600"]);
        const line = await eventually("the pid", () => parent.lines[0], ROUND_MS_MAX);
        await groupIsGone(groupOf(line));
      }
    },
  );
});

describe("a gateway that has stopped its server", () => {
  it.each([
    ["that ends by itself", [process.execPath, SERVER, "argv"]],
    ["that has to be killed", NODE_WRAPPER],
  ])("ends too: nothing keeps its event loop alive after one %s", async (_which, command) => {
    const { parent, lines } = startParent("close", command);
    const code = await new Promise((resolve) => parent.once("exit", resolve));
    expect(code).toBe(0);
    await groupIsGone(groupOf(lines[0]!));
  });
});
