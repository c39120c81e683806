/** What a person at a terminal sees while the gateway serves, and while a command works. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { SCRIPT, startTerminal } from "./fixtures/at-terminal.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand } from "./rig/evil-process.ts";

const CTRL_C = "\u0003";

describe.skipIf(!existsSync(SCRIPT))("C7: a command that takes a while", () => {
  /** Two that come up, and one that is silent until the limit for starting is over. */
  function folderWithSlow(): string {
    const folder = temporaryFolder();
    const silent = { command: "sh", args: ["-c", "cat > /dev/null"], startTimeoutMs: 3_000 };
    const config = { mcpServers: { good: evilCommand(), silent } };
    writeFileSync(join(folder, "mine.json"), JSON.stringify(config));
    return folder;
  }

  it.each([
    ["servers", "--check"],
    ["doctor", "--servers"],
  ])("%s %s says which server it waits for, and takes the line away", async (...args) => {
    const terminal = startTerminal(folderWithSlow(), [...args, "--config", "mine.json"]);
    await terminal.shows("1 of 2 servers, waiting for silent");
    await terminal.exited();
    // What is left on the screen begins after the last line that was erased.
    const left = stripVTControlCharacters(terminal.raw().split("\r\u001B[2K").at(-1)!);
    expect(left).toMatch(/\bgood\b[^]*\bsilent\b/);
    expect(left).not.toContain("waiting for");
  });
});

describe.skipIf(!existsSync(SCRIPT))("C10: serve --http at a terminal", () => {
  it("says where it serves, how to connect and how to stop, and logs text; never the token", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.json"), JSON.stringify({ mcpServers: {} }));
    const terminal = startTerminal(folder, ["serve", "--http", "0", "--config", "mine.json"]);
    await terminal.shows("gateway started");
    const shown = terminal.shown();
    expect(shown).toMatch(/^Serving MCP at http:\/\/127\.0\.0\.1:\d+\/mcp\r?\n/);
    expect(shown).toContain("$(repertoire token --config mine.json)");
    expect(shown).toContain(`in ${join(folder, "home", "tokens.json")}`);
    expect(shown).toContain("Ctrl-C");
    expect(shown).toMatch(/^\d\d:\d\d:\d\d info {2}gateway started, home /m);
    expect(shown).not.toContain("{");
    expect(shown).not.toMatch(/rpt_\w+/);
    terminal.type(CTRL_C);
    expect(await terminal.exited()).toEqual({ code: 130 });
  });

  it("--log-format json writes JSON there as well", async () => {
    const folder = temporaryFolder();
    const terminal = startTerminal(folder, ["serve", "--http", "0", "--log-format", "json"]);
    await terminal.shows('"event":"gateway.started"');
    terminal.type(CTRL_C);
    await terminal.exited();
  });
});

it.skipIf(!existsSync(SCRIPT))(
  "N9: a question is readable on a terminal that does not know its width",
  async () => {
    const terminal = startTerminal(
      temporaryFolder(),
      ["add", "x", "-e", "API_TOKEN=f3Kq9Zt2Lw8Xb5Rm", "--", "node"],
      {
        columns: 0,
      },
    );
    await terminal.shows("API_TOKEN looks like a secret. Where should it be stored?");
    terminal.type(CTRL_C);
    await terminal.exited();
  },
);
