/** Questions at a real terminal: Ctrl-C ends the command with 130 and says what was not done, and --no-input asks nothing. */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const SCRIPT = "/usr/bin/script";
const PATIENCE_MS = 60_000;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

function startAtTerminal(folder: string, args: readonly string[]) {
  const words = [process.execPath, BIN, ...args];
  const child = spawn(SCRIPT, ["-qec", `stty cols 200 rows 50; exec ${words.join(" ")}`, "/dev/null"], {
    cwd: folder,
    env: { ...environmentOf(folder, { REPERTOIRE_KEYRING: "off", TERM: "xterm" }), SHELL: "/bin/sh" },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  let code: number | null | undefined;
  child.stdout.on("data", (chunk: Buffer) => (shown += stripVTControlCharacters(chunk.toString())));
  child.stdin.on("error", () => {});
  child.on("close", (status) => (code = status));
  return {
    async answer(question: string, keys: string) {
      await eventually(`the question (${shown})`, () => shown.includes(question), PATIENCE_MS);
      child.stdin.write(keys);
      return this.exited();
    },
    async exited() {
      await eventually(`the exit (${shown})`, () => code !== undefined, PATIENCE_MS);
      return { code, shown };
    },
  };
}

const NEEDY = { command: "x", env: { KEY: "${input:key}" } };
const GATED = {
  ir_version: "1.0",
  nodes: [{ id: "ask", type: "approve", params: { message: "Really?" } }],
};

/** A project that waits for trust, a run that waits for an approval, a server that needs an input. */
async function folderWithQuestions(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "flow.json"), JSON.stringify(GATED));
  writeFileSync(join(folder, "needy.json"), JSON.stringify({ mcpServers: { needy: NEEDY } }));
  expect((await runCliHere(["run", "flow.json"], { folder })).status).toBe(8);
  writeFileSync(join(folder, "repertoire.json"), JSON.stringify({ mcpServers: { a: { command: "x" } } }));
  return folder;
}

describe.skipIf(!existsSync(SCRIPT))("C7: at a terminal", { timeout: 120_000 }, () => {
  it("Ctrl-C at a question is 130, says what was not done, and does nothing", async () => {
    const folder = await folderWithQuestions();
    const cases: [string[], string, RegExp][] = [
      [["trust"], "[y/N]", /interrupted at the question "Trust .*\?"; nothing was changed/],
      [["approve", "last"], "[y/N]", /interrupted at the question "Approve it\?"; nothing was changed/],
      [
        ["connect", "cursor"],
        "[y/N]",
        /interrupted at the question "Write this to .*\?"; nothing was changed/,
      ],
      [["input", "set", "key"], "The input key", /Interrupted\. Nothing was changed/],
      [
        ["call", "needy.x", "--config", "needy.json"],
        "The input key",
        /interrupted at the question .*; nothing was changed/,
      ],
    ];
    for (const [args, question, words] of cases) {
      const { code, shown } = await startAtTerminal(folder, args).answer(question, CTRL_C);
      expect({ args, code }).toEqual({ args, code: 130 });
      expect(shown).toMatch(words);
    }
    expect((await runCliHere(["approve", "last", "--no-input"], { folder })).stderr).toContain("Really?");
    expect(existsSync(join(folder, "home/trusted.json"))).toBe(false);
  });

  it("the end of the input is a no, and --no-input asks nothing", async () => {
    const folder = await folderWithQuestions();
    expect(await startAtTerminal(folder, ["trust"]).answer("[y/N]", CTRL_D)).toMatchObject({ code: 6 });
    for (const args of [["trust"], ["connect", "cursor"], ["input", "set", "key"], ["approve", "last"]]) {
      const { code, shown } = await startAtTerminal(folder, [...args, "--no-input"]).exited();
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(shown).toContain("--no-input");
    }
  });
});
