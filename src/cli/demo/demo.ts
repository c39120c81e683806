/**
 * `repertoire demo`: a minute with a real gateway. It starts the gateway as an MCP client would, in a temporary home
 * with two servers, one of which is broken, talks to it over stdio, keeps what worked, calls it from a second client,
 * and shows what comes back. Then it serves the same over HTTP until it is stopped. No process and no file of it
 * remains.
 */
import * as show from "./demo-text.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GlobalOptions } from "../global-options.ts";
import { tellStory, type DemoPlace } from "./demo-story.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { watchSignals } from "../terminal/signals.ts";
import { defineCommand } from "../command.ts";
import { ownProcess, typedCommand } from "../connect/own-command.ts";
import { print } from "../terminal/terminal.ts";
import { consoleFor, makeConsoleLink } from "../../operator/console.ts";
import { openSession } from "../session.ts";

export const demoCommand = defineCommand({
  name: "demo",
  group: "start",
  summary: "Show what Repertoire does, in a temporary folder, then serve that gateway over HTTP",
  options: [{ flags: "--no-serve", about: "Exit after the demo, without serving" }],
  run: demo,
});

interface DemoOptions extends GlobalOptions {
  readonly serve: boolean;
}

async function demo({ serve }: DemoOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-demo-"));
  // Also where a second signal ends the process at once.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { stopped } = watchSignals();
  const abort = new AbortController();
  void stopped.then(() => abort.abort());
  const place = createPlace(folder);
  await tellStory(place, abort.signal);
  if (abort.signal.aborted) return stopped;
  if (serve) return serveDemo(place, stopped);
  showNextSteps();
  return EXIT.ok;
}

/**
 * The server keeps its notes in a file: each gateway of the demo starts one of its own, and they are to have the same
 * notes.
 */
function createPlace(folder: string): DemoPlace {
  // Everything of the demo is in its folder, whatever store the user has.
  delete process.env["REPERTOIRE_DATABASE_URL"];
  const home = join(folder, "home");
  const config = join(folder, "repertoire.json");
  const server = [process.argv[1], "demo-server", join(folder, "notes")];
  const notes = { command: process.execPath, args: server };
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(config, JSON.stringify({ mcpServers: { notes, broken: { command: "no-such-program" } } }));
  return { home, config };
}

const STEPS: readonly [string, string][] = [
  ["init", "imports the servers of your clients"],
  ["connect claude", "connects a client: claude, cursor, vscode, codex, gemini and others"],
  ["doctor --servers", "checks that everything works, and how to fix what does not"],
];

function showNextSteps(): void {
  const own = typedCommand(ownProcess(), process.cwd());
  print();
  show.remark("Next, with your own servers:");
  for (const [step, what] of STEPS) {
    show.command(`${own} ${step}`);
    show.gloss(what);
  }
}

/** Of all clients that have a command for it, the most usual; the others are in docs/clients.md. */
const SHOWN: ReadonlySet<string> = new Set(["Claude Code", "anything else"]);

/** Resolves with the exit code when a signal has come. It serves in this process, so that nothing outlives it. */
async function serveDemo({ home, config }: DemoPlace, stopped: Promise<number>): Promise<number> {
  const session = await openSession({ home, config, logLevel: "error" }, "error", "http");
  try {
    const { app, config: source, log } = session;
    const console = consoleFor({ app, config: source, place: { configPath: config, home } }, log);
    const listener = await app.listenHttp({ host: "127.0.0.1", port: 0 }, { console });
    const { token } = await app.tokens.showDefault();
    show.title(8, `Your turn: the gateway now serves at ${listener.url}, with the notes of this demo`);
    for (const { client, text } of connectHints({ url: listener.url, token })) {
      if (!SHOWN.has(client)) continue;
      show.remark(client);
      show.command(text);
    }
    show.remark(
      "Cursor, VS Code, Codex, Gemini CLI, the MCP Inspector and agent frameworks: docs/clients.md",
    );
    showNextSteps();
    const link = await makeConsoleLink(app.store, {
      tokens: app.tokens,
      endpoint: listener.url,
      token: "default",
    });
    print();
    if (link.success) {
      show.remark("Everything that this demo did, in a browser (the link is good for one minute and once):");
      show.command(link.data.url);
      show.remark("Another link, while the demo runs:");
      show.command(`${typedCommand(ownProcess(), process.cwd())} console --home ${home}`);
    }
    print();
    show.remark("Ctrl-C ends the demo and deletes its files.");
    const exitCode = await stopped;
    await app.drain();
    await listener.close();
    return exitCode;
  } finally {
    await session.close();
  }
}

/** How each client is told of an endpoint: a command where the client has one, else what to write where. */

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

export interface ConnectHint {
  readonly client: string;
  /** For a shell, or for a file that `where` names. */
  readonly text: string;
  readonly where?: string;
}

export function connectHints({ url, token }: Endpoint): ConnectHint[] {
  const headers = { Authorization: `Bearer ${token}` };
  const server = { type: "http", url, headers };
  return [
    {
      client: "Claude Code",
      text: `claude mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      client: "Cursor",
      where: "~/.cursor/mcp.json",
      text: JSON.stringify({ mcpServers: { repertoire: { url, headers } } }),
    },
    { client: "VS Code", text: `code --add-mcp '${JSON.stringify({ name: "repertoire", ...server })}'` },
    {
      client: "Codex",
      text: `export REPERTOIRE_TOKEN=${token}; codex mcp add repertoire --url ${url} --bearer-token-env-var REPERTOIRE_TOKEN`,
    },
    {
      client: "Gemini CLI",
      text: `gemini mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      client: "Windsurf",
      where: "~/.codeium/windsurf/mcp_config.json",
      text: JSON.stringify({ mcpServers: { repertoire: { serverUrl: url, headers } } }),
    },
    {
      client: "anything else",
      where: "its config, as a server over Streamable HTTP",
      text: `${url} with the header Authorization: Bearer ${token}`,
    },
  ];
}

export function formatHints(hints: readonly ConnectHint[], mark: (text: string) => string): string {
  const lines = hints.map(({ client, where, text }) => {
    const place = where === undefined ? "" : ` (${where})`;
    return `   ${mark(`${client}${place}`)}\n     ${text}`;
  });
  return lines.join("\n");
}
