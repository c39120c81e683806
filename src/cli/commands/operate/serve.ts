import { join } from "node:path";
import { formatProblem } from "../../../config/problem.ts";
import type { Config } from "../../../config/config.ts";
import type { JsonObject } from "../../../core/json.ts";
import { consoleFor } from "../../../operator/console.ts";
import { RepertoireError } from "../../../core/errors.ts";
import { reserveStdout } from "../../../process/stdout.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { watchSignals } from "../../terminal/signals.ts";
import { commandLine } from "../../command-line.ts";
import { bold, dim, note, print } from "../../terminal/terminal.ts";
import { logOptionsOf, logWarnings, openSession, type Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { defineCommand } from "../../command.ts";
import type { Log } from "../../../core/log.ts";

export const serveCommand = defineCommand({
  name: "serve",
  group: "operate",
  summary: "Serve MCP over stdio until the client disconnects, or over HTTP until a signal",
  options: [
    {
      flags: "--http [address]",
      about: "Serve many clients over HTTP, on host:port or port (default: from the config)",
    },
    { flags: "--profile <name>", about: "Serve only this profile of the config" },
    {
      flags: "--ready-json",
      about: "With --http: print one line of JSON when it listens, with its url and the file of the token",
    },
  ],
  help: `stdout carries only the protocol; the log goes to stderr. The exit code is 0 after the client closes stdin, 130 after
SIGINT, 143 after SIGTERM and 1 after an uncaught error. Calls under way finish and are recorded first, for at most ten
seconds; continue a run that did not finish with: repertoire resume RUN. A second signal exits at once.`,
  examples: [
    "claude mcp add repertoire -- repertoire serve",
    "repertoire serve --config ./repertoire.json --log-level debug 2> gateway.log",
    "repertoire serve --http",
    "repertoire serve --http 127.0.0.1:8080",
  ],
  run: async (options: ServeOptions) => {
    await serve(options, options.http === undefined ? serveStdio : serveHttp);
    // Whatever still holds the event loop (a client that stopped reading) must not hold the process.
    process.exit();
  },
});

const FOR_A_PERSON =
  "Waiting for JSON-RPC from an MCP client on stdin; clients start this command themselves. Try instead: repertoire demo";

interface ServeOptions extends GlobalOptions {
  /** True for `--http` without an address. */
  readonly http?: string | true;
  readonly readyJson?: boolean;
  readonly profile?: string;
}

/** Starts to serve; returns when it ended by itself, and how to close it. */
type Serve = (session: Session, options: ServeOptions) => Promise<Served>;

interface Served {
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

async function serve(options: ServeOptions, open: Serve): Promise<number> {
  const { stopped } = watchSignals();
  const session = await openSession(options, undefined, options.http === undefined ? "stdio" : "http");
  const unsubscribe = reportReloads(session, options);
  const { thrown } = watchExceptions(session.log);
  const served = await open(session, options).catch(async (error: unknown) => {
    // Connections to a database would keep the process.
    await session.close();
    throw error;
  });
  session.log.info("gateway.started", placesOf(session.config.current()));
  const exitCode = await Promise.race([served.ended.then(() => EXIT.ok), stopped, thrown]);
  unsubscribe();
  await session.app.drain();
  await served.close();
  session.log.info("gateway.stopped", { exitCode });
  await session.close();
  process.exitCode = exitCode;
  return exitCode;
}

function placesOf({ home, store }: Config): JsonObject {
  return store.place === undefined ? { home } : { store: store.place };
}

const serveStdio: Serve = async ({ app }, { profile }) => {
  if (process.stdin.isTTY) note(FOR_A_PERSON);
  return app.connectStdio(process.stdin, reserveStdout(), profile);
};

const serveHttp: Serve = async ({ app, config, log }, options) => {
  const { http, readyJson, profile } = options;
  const place = { configPath: options.config, home: options.home };
  const address = typeof http === "string" ? parseAddress(http) : {};
  const console = consoleFor({ app, config, place, profile, host: address.host }, log);
  const listener = await app.listenHttp(address, { profile, console });
  const { home } = config.current();
  // On a shared database there is no token that could be shown again.
  const tokenFile = app.tokens.hasDefault ? join(home, "tokens.json") : undefined;
  if (readyJson === true) print(JSON.stringify({ url: listener.url, tokenFile }));
  else note(welcome({ url: listener.url, tokenFile }, options));
  return { ended: new Promise(() => {}), close: () => listener.close() };
};

/** Never the token itself: what a terminal has shown stays in its history, in recordings and in screenshots. */
function welcome(
  { url, tokenFile }: { readonly url: string; readonly tokenFile: string | undefined },
  options: GlobalOptions,
): string {
  const showToken = commandLine(["token"], options);
  const token = tokenFile === undefined ? "TOKEN" : `$(${showToken})`;
  const whence =
    tokenFile === undefined
      ? `REPERTOIRE_TOKEN, or make one with: ${commandLine(["token", "create", "NAME"], options)}`
      : `in ${tokenFile}; show it with: ${showToken}`;
  const add = `claude mcp add --transport http repertoire ${url} --header "Authorization: Bearer ${token}"`;
  return [
    `${bold("Serving MCP at")} ${url}`,
    `${dim("Claude Code  ")} ${add}`,
    `${dim("other clients")} ${commandLine(["connect", "CLIENT", "--http", url], options)}`,
    `${dim("console      ")} ${new URL("/console", url).href}; open it with: ${commandLine(["console"], options)}`,
    `${dim("token        ")} ${whence}`,
    `${dim("stop         ")} Ctrl-C`,
  ].join("\n");
}

export function parseAddress(text: string): { host?: string; port?: number } {
  const parts = /^(?:(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?|:?(\d{1,5}))$/.exec(text);
  const isPortAlone = /^:?\d{1,5}$/.test(text);
  const port = isPortAlone
    ? Number(text.replace(":", ""))
    : parts?.[2] === undefined
      ? undefined
      : Number(parts[2]);
  const host = isPortAlone ? undefined : parts?.[1]?.replace(/^\[|\]$/g, "");
  if (parts === null || (port !== undefined && port > 65_535)) {
    throw new RepertoireError("CONFIG_INVALID", `${JSON.stringify(text)} is not an address to listen on.`, {
      hint: "Write host:port, host or port, such as 127.0.0.1:7373.",
    });
  }
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
}

/** A changed config takes effect for the connected client; a broken one changes nothing and says why. */
function reportReloads({ config, log }: Session, options: GlobalOptions): () => void {
  const { store: used } = config.current();
  return config.subscribe((event) => {
    if (event.kind === "broken") {
      log.error("config.reload.failed", {
        kept: "the last good config",
        problems: event.problems.map(formatProblem),
      });
      return;
    }
    if (event.config.store.url !== used.url)
      log.warn("config.store.kept", { problem: "the store of the config has changed: restart to use it" });
    log.configure(logOptionsOf(event.config, options));
    logWarnings(log, event.warnings);
    log.info("config.reloaded", { servers: event.config.servers.map((server) => server.id) });
  });
}

/** Longer than a normal shutdown takes; after an exception, the shutdown may never end by itself. */
const DRAIN_MS_MAX = 30_000;

interface ExceptionWatch {
  /** The exit code that the first exception means. */
  readonly thrown: Promise<number>;
}

/**
 * What nothing has caught. After an exception the state of the process is unknown: it is logged, and the process shuts
 * down (clients are answered, runs stay resumable) instead of crashing. A rejected promise that nothing handles has
 * stopped only itself: it is a bug to log, and no reason to drop every client.
 */
function watchExceptions(log: Log): ExceptionWatch {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isEnding = false;
  process.on("uncaughtException", (error) => {
    log.error("gateway.uncaught", { error });
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(EXIT.failed), DRAIN_MS_MAX);
    resolve(EXIT.failed);
  });
  process.on("unhandledRejection", (error) => log.error("gateway.unhandled", { error }));
  return { thrown: promise };
}
