/** The last part of the demo: the gateway serves over HTTP, for the reader's own clients, until it is stopped. */
import { openTokens } from "../app.ts";
import { connectHints, formatHints } from "./connect-hints.ts";
import { EXIT } from "./exit-code.ts";
import { openSession } from "./session.ts";
import { cyan, dim, print } from "./terminal.ts";

export interface DemoPlace {
  readonly home: string;
  readonly config: string;
}

/** Resolves with the exit code when a signal has come. It serves in this process, so that nothing outlives it. */
export async function serveDemo(
  { home, config }: DemoPlace,
  stopped: Promise<number>,
  title: (text: string) => void,
): Promise<number> {
  const session = await openSession({ home, config, logLevel: "error" }, "error", "http");
  try {
    const { app } = session;
    const front = await app.listenHttp({ host: "127.0.0.1", port: 0 });
    const { token } = openTokens(home).showDefault();
    title(`Your turn: it serves at ${front.url} now, with the notes of this demo behind it`);
    print(`   token ${cyan(token)}`);
    print(formatHints(connectHints({ url: front.url, token }), cyan));
    print(
      dim(
        "\n   Ctrl-C ends it. Nothing of the demo stays; `repertoire serve --http` serves your own servers.",
      ),
    );
    const exitCode = await stopped;
    await app.leave();
    await front.close();
    return exitCode === EXIT.interrupted ? EXIT.ok : exitCode;
  } finally {
    await session.close();
  }
}
