/** The guided start at a real terminal of 80 and of 140 columns: what a person sees, types and has afterwards. */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { TerminalScreen } from "./rig/terminal-screen.ts";

const SCRIPT = "/usr/bin/script";
const PATIENCE_MS = 60_000;
const TEST_MS = 150_000;
const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const ENTER = "\r";
const CTRL_C = "\u0003";

/** Cursor and Claude Code share a server; Cursor has one with a secret, one that is not there and, if wanted, a slow one. */
function homeWithClients(hasSlow: boolean): string {
  const home = emptyHome();
  const sum = { command: "node", args: [join(home, "sum.mjs")] };
  const servers = {
    sum,
    secret: { ...sum, env: { API_TOKEN: TOKEN } },
    broken: { command: "no-such-program" },
    ...(hasSlow && { slow: { command: "node", args: ["-e", "setInterval(() => {}, 1000)"] } }),
  };
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers: servers }, null, 2));
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { adder: sum } }, null, 2));
  // A server on a busy machine has the time that it needs.
  mkdirSync(join(home, "config/repertoire"), { recursive: true });
  writeFileSync(join(home, "config/repertoire/repertoire.json"), '{"limits": {"connectTimeoutMs": 120000}}');
  return home;
}

function emptyHome(): string {
  const home = temporaryFolder();
  copyFileSync(join(import.meta.dirname, "fixtures/sum-server.mjs"), join(home, "sum.mjs"));
  return home;
}

function startAt(width: number, home: string, ...args: string[]) {
  const words = [process.execPath, BIN, ...args].join(" ");
  const child = spawn(SCRIPT, ["-qec", `stty cols ${width} rows 50; exec ${words}`, "/dev/null"], {
    cwd: home,
    env: {
      ...environmentOf(home, { REPERTOIRE_KEYRING: "off", TERM: "xterm", NO_COLOR: "1" }),
      SHELL: "/bin/sh",
    },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const screen = new TerminalScreen(width);
  let raw = "";
  let code: number | null | undefined;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    raw += chunk;
    screen.write(chunk);
  });
  child.stdin.on("error", () => {});
  child.on("close", (status) => (code = status));
  return {
    type: (text: string) => child.stdin.write(text),
    raw: () => raw,
    screen,
    sees: (text: string) =>
      eventually(`${text} in\n${screen.text()}`, () => screen.text().includes(text), PATIENCE_MS),
    exited: () =>
      eventually(`the exit after\n${screen.text()}`, () => code !== undefined && { code }, PATIENCE_MS),
  };
}

/** The lines without what differs from machine to machine: the difference has whole paths, and servers answer in any order. */
function readable(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replaceAll(/^--- (?:.|\n)*?(?=^The lines with -)/gm, "(the difference)\n")
    .replaceAll(/(now|it is) [\d,]+/g, "$1 N")
    .replace(/(?<=^Repertoire )\d\S*/, "VERSION")
    .replace(/(?<=^Starting each .*\n)(?:[✓✗] .*\n(?: {4}.*\n)*)+/m, (found) =>
      found
        .match(/^\S.*\n(?: {4}.*\n)*/gm)!
        .sort()
        .join(""),
    )
    .replace(/^! `repertoire` is not in your PATH(?:.|\n)*$/m, "")
    .trim();
}

const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), "utf8"));

describe.skipIf(!existsSync(SCRIPT))("C7: the guided start", () => {
  it(
    "goes from the servers of two clients to both connected, at 80 columns; a second time, at 140, nothing is left to do",
    async () => {
      const home = homeWithClients(false);
      const first = startAt(80, home);
      await first.sees("Which servers should Repertoire import?");
      expect(first.screen.text()).toContain("◼ adder (Claude Code, Cursor) (node …/sum.mjs)");
      first.type(ENTER);
      await first.sees("Move it to the secret store?");
      first.type(ENTER);
      await first.sees("Write this to ~/.claude.json?");
      first.type(ENTER);
      await first.sees("Write this to ~/.cursor/mcp.json?");
      expect(first.screen.text()).toContain('-    "secret": {');
      first.type(ENTER);
      expect(await first.exited()).toEqual({ code: 0 });
      expect(first.screen.overflows()).toEqual([]);
      expect(readable(first.screen.lines())).toMatchInlineSnapshot(`
        "Welcome to Repertoire.
        It puts all your MCP servers behind one. Your AI client then has a few tools in
        every conversation instead of all of them, and code that worked can be saved as
        a new tool.

        Found on this machine:
          Claude Code  1 server
          Cursor       3 servers
          One server is in more than one client, and shown once below.

        │
        ◇  Which servers should Repertoire import?
        │  adder (Claude Code, Cursor), secret (Cursor), broken (Cursor)

        A secret is in plain text in these files: API_TOKEN of secret. In the secret
        store, a value is encrypted with the system's keyring, or in a file that only
        you can read.
        │
        ◇  Move it to the secret store?
        │  Yes

        ✓ Added 3 servers to ~/config/repertoire/repertoire.json.
        ✓ Moved 1 secret to ~/home/secrets.json, which only you can read.
          Without questions: repertoire init --yes --move-secrets
          To undo: repertoire init --undo

        Starting each server once to check that it works:
        ✓ adder   1 tool
        ✓ secret  1 tool
        ✗ broken  Command not found (ENOENT): no-such-program is not in PATH
                  Install no-such-program so that it is in PATH, or disable broken.
                  → repertoire disable broken
          Without questions: repertoire doctor --servers

        Claude Code will change like this:
        (the difference)
        The lines with - are removed: Repertoire has this server now, and Claude Code
        would list every tool twice.
        │
        ◇  Write this to ~/.claude.json? A backup is kept.
        │  Yes

        ✓ Connected Claude Code.
          Without questions: repertoire connect claude --yes
          To undo: repertoire connect claude --undo

        Cursor will change like this:
        (the difference)
        The lines with - are removed: Repertoire has these servers now, and Cursor would
        list every tool twice.
        broken stays in Cursor, because it did not answer. Once it works: repertoire
        connect cursor
        │
        ◇  Write this to ~/.cursor/mcp.json? A backup is kept.
        │  Yes

        ✓ Connected Cursor.
          Without questions: repertoire connect cursor --yes --keep-servers broken
          To undo: repertoire connect cursor --undo

        Claude Code: before 59 tokens in every conversation, now N.
        Cursor: before 118 tokens in every conversation, now N.
        Not counted, because they did not answer: broken.

        What to try now:
          1. Restart Claude Code and Cursor.
          2. Ask it: "Which tools do you have for adder? Try one that only reads."
          3. Here: repertoire tools lists the tools, repertoire call SERVER.TOOL calls
             one."
      `);
      expect(first.raw()).not.toContain(TOKEN);
      expect(first.raw()).not.toMatch(/\u001B\[(?:3\d|9\d)m/);

      expect(readJson(home, "config/repertoire/repertoire.json")).toMatchObject({
        mcpServers: {
          secret: { env: { API_TOKEN: "${input:secret-API_TOKEN}" } },
          adder: { command: "node" },
        },
      });
      const cursor = readJson(home, ".cursor/mcp.json") as {
        mcpServers: Record<string, { command: string; args: string[] }>;
      };
      expect(Object.keys(cursor.mcpServers)).toEqual(["broken", "repertoire"]);

      const second = startAt(140, home, "start");
      await second.exited();
      expect(second.screen.overflows()).toEqual([]);
      expect(readable(second.screen.lines())).toMatchInlineSnapshot(`
        "Welcome to Repertoire.
        It puts all your MCP servers behind one. Your AI client then has a few tools in every conversation instead of
        all of them, and code that worked can be saved as a new tool.

        Found on this machine:
          Claude Code  no servers, Repertoire is connected
          Cursor       1 server, Repertoire is connected
          Already in your config: broken

        Starting each server once to check that it works:
        ✓ adder   1 tool
        ✓ secret  1 tool
        ✗ broken  Command not found (ENOENT): no-such-program is not in PATH
                  Install no-such-program so that it is in PATH, or disable broken.
                  → repertoire disable broken
          Without questions: repertoire doctor --servers

        ✓ Claude Code is already connected.

        ✓ Cursor is already connected.

        The tools of 2 servers cost 118 tokens in every conversation; through Repertoire, 650.
        Not counted, because they did not answer: broken.

        What to try now:
          1. Open Claude Code and Cursor.
          2. Ask it: "Which tools do you have for adder? Try one that only reads."
          3. Here: repertoire tools lists the tools, repertoire call SERVER.TOOL calls one."
      `);

      const bare = startAt(80, home);
      expect(await bare.exited()).toEqual({ code: 0 });
      expect(bare.screen.overflows()).toEqual([]);
      expect(readable(bare.screen.lines())).toMatchInlineSnapshot(`
        "Repertoire VERSION

        Servers  3 servers
          ✓ adder   1 tool
          ✗ broken  Command not found (ENOENT): no-such-program is not in PATH.
          ✓ secret  1 tool
        Clients  connected: Claude Code, Cursor
        Library  nothing yet
        Runs     none yet

        What to try:
          repertoire tools "what you want to do"  find a tool for a task
          repertoire doctor --servers             show what is wrong, and how to fix it
          repertoire start                        look for new servers and clients"
      `);
    },
    TEST_MS,
  );

  it(
    "goes on without a slow server, and Ctrl-C says what was done and leaves the rest as it was",
    async () => {
      const home = homeWithClients(true);
      const before = readFileSync(join(home, ".cursor/mcp.json"), "utf8");
      const terminal = startAt(80, home);
      await terminal.sees("Which servers should Repertoire import?");
      terminal.type(ENTER);
      await terminal.sees("Move it to the secret store?");
      terminal.type("n");
      await terminal.sees("✓ secret  1 tool");
      await terminal.sees("press Enter to continue without waiting");
      terminal.type(ENTER);
      await terminal.sees("slow    still starting in the background");
      await terminal.sees("Write this to ~/.claude.json?");
      terminal.type(CTRL_C);
      expect(await terminal.exited()).toEqual({ code: 130 });
      expect(terminal.screen.text().slice(terminal.screen.text().indexOf("Stopped."))).toMatchInlineSnapshot(`
        "Stopped. This was done:
          Added 4 servers to ~/config/repertoire/repertoire.json. To undo: repertoire
            init --undo
        Not done: connecting clients.
        To continue: repertoire start"
      `);
      expect(terminal.screen.overflows()).toEqual([]);
      expect(readFileSync(join(home, ".cursor/mcp.json"), "utf8")).toBe(before);
      expect(readJson(home, ".claude.json")).toMatchObject({ mcpServers: { adder: {} } });
      expect(readJson(home, "config/repertoire/repertoire.json")).toMatchObject({
        mcpServers: { secret: { env: { API_TOKEN: TOKEN } } },
      });
    },
    TEST_MS,
  );

  it(
    "without anything to find takes pasted JSON, and Ctrl-C before that changes nothing",
    async () => {
      const home = emptyHome();
      const stopped = startAt(80, home);
      await stopped.sees("What would you like to do?");
      stopped.type(CTRL_C);
      expect(await stopped.exited()).toEqual({ code: 130 });
      expect(stopped.screen.text()).toContain("Stopped. Nothing was changed.");
      expect([existsSync(join(home, "config")), existsSync(join(home, "home"))]).toEqual([false, false]);

      const terminal = startAt(80, home);
      await terminal.sees("What would you like to do?");
      terminal.type(ENTER);
      await terminal.sees("Paste it here");
      terminal.type(`{\r  "mcpServers": {\r    "sum": {"command": "node", "args": ["sum.mjs"]}\r  }\r}\r`);
      await terminal.sees("What to try now:");
      expect(await terminal.exited()).toEqual({ code: 0 });
      expect(terminal.screen.text()).toContain("✓ sum  1 tool");
      expect(terminal.screen.text()).toContain("Without questions: repertoire add sum -- node sum.mjs");
      expect(terminal.screen.overflows()).toEqual([]);
      expect(readJson(home, "config/repertoire/repertoire.json")).toEqual({
        mcpServers: { sum: { command: "node", args: ["sum.mjs"] } },
      });
    },
    TEST_MS,
  );
});

describe.skipIf(!existsSync(SCRIPT))("C6: add with a secret, at a terminal", () => {
  it(
    "asks where it goes: Enter keeps it in the secret store, Ctrl-C changes nothing",
    async () => {
      const home = emptyHome();
      const words = ["add", "s", "-e", `TOKEN=${TOKEN}`, "--", "node", "sum.mjs"];
      const stopped = startAt(80, home, ...words);
      await stopped.sees("TOKEN looks like a secret. Where should it be stored?");
      stopped.type(CTRL_C);
      expect(await stopped.exited()).toEqual({ code: 130 });
      expect([existsSync(join(home, "config")), existsSync(join(home, "home"))]).toEqual([false, false]);
      const terminal = startAt(80, home, ...words);
      await terminal.sees("Where should it be stored?");
      terminal.type(ENTER);
      expect(await terminal.exited()).toEqual({ code: 0 });
      expect(readJson(home, "config/repertoire/repertoire.json")).toMatchObject({
        mcpServers: { s: { env: { TOKEN: "${input:s-TOKEN}" } } },
      });
      expect(readJson(home, "home/secrets.json")).toBeDefined();
    },
    TEST_MS,
  );
});
