import type { Command } from "commander";
import { formatProblem } from "../config/problem.ts";
import { reserveStdout } from "../stdout.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { watchSignals } from "./signals.ts";
import { note } from "./terminal.ts";
import { globalOptionsOf, logOptionsOf, openSession, type GlobalOptions, type Session } from "./session.ts";

export function addServe(program: Command, finish: Finish): void {
  program
    .command("serve")
    .description("Serve MCP over stdio until the client goes")
    .addHelpText(
      "after",
      `
Examples:
  $ claude mcp add repertoire -- repertoire serve
  $ repertoire serve --config ./repertoire.json --log-level debug 2> gateway.log

stdout carries the protocol and nothing else; the log goes to stderr. The client closing stdin ends it with 0,
SIGINT with 130, SIGTERM with 143. Calls under way are finished and recorded first, for at most ten seconds; a run
that could not end stands where it is, and goes on with: repertoire resume RUN. A second signal ends it at once.`,
    )
    .action(async (_options: unknown, command: Command) => {
      finish(await serve(globalOptionsOf(command)));
      // Whatever still holds the event loop (a client that stopped reading) must not hold the process.
      process.exit();
    });
}

const FOR_A_PERSON =
  "Waiting for an MCP client to speak JSON-RPC on stdin; clients start this command themselves. To look around: repertoire demo";

async function serve(options: GlobalOptions): Promise<number> {
  const { stopped } = watchSignals();
  if (process.stdin.isTTY) note(FOR_A_PERSON);
  const session = await openSession(options);
  session.log.configure(logOptionsOf(session.config.current(), options));
  const unsubscribe = reportReloads(session, options);
  // A promise that somebody forgot, in a dependency most likely, is a bug to report and no reason to drop every client's servers.
  process.on("unhandledRejection", (error) => session.log.error("gateway.unhandled", { error }));
  const connection = await session.app.connectStdio(process.stdin, reserveStdout());
  session.log.info("gateway.started", { home: session.config.current().home });
  const exitCode = await Promise.race([connection.ended.then(() => EXIT.ok), stopped]);
  unsubscribe();
  await session.app.leave();
  await connection.close();
  session.log.info("gateway.stopped", { exitCode });
  await session.close();
  process.exitCode = exitCode;
  return exitCode;
}

/** A changed config takes effect for the connected client; a broken one changes nothing and says why. */
function reportReloads({ config, log }: Session, options: GlobalOptions): () => void {
  return config.subscribe((event) => {
    if (event.kind === "broken") {
      log.error("config.reload.failed", {
        kept: "the last good config",
        problems: event.problems.map(formatProblem),
      });
      return;
    }
    log.configure(logOptionsOf(event.config, options));
    log.info("config.reloaded", { servers: event.config.servers.map((server) => server.id) });
  });
}
