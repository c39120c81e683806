/** What a person at a terminal sees while the gateway serves, and while a command works. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPT, startTerminal } from "./fixtures/at-terminal.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const CTRL_C = "\u0003";

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
