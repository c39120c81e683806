/** Inputs at a real terminal: `script` gives the command one, and what is written to `script` is typed into it. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const SCRIPT = "/usr/bin/script";
const SUM = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/sum-server.mjs")] };
const QUESTION = "The input key";
const PATIENCE_MS = 30_000;

function folderWithInput(): string {
  const folder = temporaryFolder();
  const needy = { ...SUM, env: { KEY: "${input:key}" } };
  writeFileSync(join(folder, "mine.json"), JSON.stringify({ mcpServers: { needy, other: SUM } }));
  return folder;
}

function startAtTerminal(folder: string, args: readonly string[], typedAhead = "") {
  const words = [process.execPath, BIN, ...args, "--config", join(folder, "mine.json")];
  // A terminal of no width would have every letter on a line of its own.
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
  child.stdin.write(typedAhead);
  return {
    type: (text: string) => child.stdin.write(text),
    shown: () => shown,
    asks: () => eventually(`the question (${shown})`, () => shown.includes(QUESTION), PATIENCE_MS),
    exited: () => eventually(`the exit (${shown})`, () => code !== undefined && { code }, PATIENCE_MS),
  };
}

function keptIn(folder: string): string {
  const file = join(folder, "home/secrets.json");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

describe.skipIf(!existsSync(SCRIPT))("B6: at a terminal", () => {
  it.each([["runs"], ["list"], ["servers"], ["tools"], ["call", "other.get-sum", "a=1", "b=2"]])(
    "%s asks for no input of a server that it does not use",
    async (...args) => {
      const folder = folderWithInput();
      const terminal = startAtTerminal(folder, args);
      expect(await terminal.exited()).toEqual({ code: 0 });
      expect(terminal.shown()).not.toContain(QUESTION);
    },
  );

  it("a call of the server that lacks it asks, and goes on with the answer", async () => {
    const folder = folderWithInput();
    const terminal = startAtTerminal(folder, ["call", "needy.get-sum", "a=1", "b=2"]);
    await terminal.asks();
    terminal.type("given-by-hand\r");
    expect(await terminal.exited()).toEqual({ code: 0 });
    expect(terminal.shown()).toContain("The sum of 1 and 2 is 3.");
    expect(keptIn(folder)).toContain("given-by-hand");
  });

  it.each([
    ["a call", ["call", "needy.get-sum", "a=1", "b=2"]],
    ["input set", ["input", "set", "key"]],
  ])("what was typed before the question of %s does not become the secret", async (_, args) => {
    const folder = folderWithInput();
    const terminal = startAtTerminal(folder, args, "rm -rf typed-ahead\rand half a line");
    await terminal.asks();
    expect(keptIn(folder)).toBe("");
    terminal.type("given-by-hand\r");
    expect(await terminal.exited()).toEqual({ code: 0 });
    expect(keptIn(folder)).toContain("given-by-hand");
    expect(keptIn(folder)).not.toMatch(/typed-ahead|half a line/);
  });
});
