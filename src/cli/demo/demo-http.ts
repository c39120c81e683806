/** The last part of the demo: the gateway serves over HTTP, for the reader's own clients, until it is stopped. */
import { openTokens } from "../../app/app.ts";
import { connectHints } from "../connect/connect-hints.ts";
import { showNextSteps } from "./demo-next.ts";
import type { DemoPlace } from "./demo-story.ts";
import * as show from "./demo-text.ts";
import { openSession } from "../session.ts";
import { print } from "../terminal/terminal.ts";

/** Of all clients that have a command for it, the most usual; the others are in docs/clients.md. */
const SHOWN: ReadonlySet<string> = new Set(["Claude Code", "anything else"]);

/** Resolves with the exit code when a signal has come. It serves in this process, so that nothing outlives it. */
export async function serveDemo({ home, config }: DemoPlace, stopped: Promise<number>): Promise<number> {
  const session = await openSession({ home, config, logLevel: "error" }, "error", "http");
  try {
    const { app } = session;
    const listener = await app.listenHttp({ host: "127.0.0.1", port: 0 });
    const { token } = openTokens(home).showDefault();
    show.title(8, `Your turn: it serves at ${listener.url} now, with the notes of this demo behind it`);
    for (const { client, text } of connectHints({ url: listener.url, token })) {
      if (!SHOWN.has(client)) continue;
      show.remark(client);
      show.command(text);
    }
    show.remark(
      "Cursor, VS Code, Codex, Gemini CLI, the MCP Inspector and agent frameworks: docs/clients.md",
    );
    showNextSteps();
    print();
    show.remark("Ctrl-C ends the demo. Nothing of it stays.");
    const exitCode = await stopped;
    await app.drain();
    await listener.close();
    return exitCode;
  } finally {
    await session.close();
  }
}
