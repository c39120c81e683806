/** Inputs at a real terminal. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPT, startTerminal } from "./fixtures/at-terminal.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const SUM = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/sum-server.mjs")] };
const QUESTION = "The input key";

function folderWithInput(): string {
  const folder = temporaryFolder();
  const needy = { ...SUM, env: { KEY: "${input:key}" } };
  writeFileSync(join(folder, "mine.json"), JSON.stringify({ mcpServers: { needy, other: SUM } }));
  return folder;
}

function startAtTerminal(folder: string, args: readonly string[], typedAhead = "") {
  const terminal = startTerminal(folder, [...args, "--config", join(folder, "mine.json")], { typedAhead });
  return { ...terminal, asks: () => terminal.shows(QUESTION) };
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
