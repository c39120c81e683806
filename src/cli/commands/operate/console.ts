/** `repertoire console`: a one-time link to the console of the gateway that runs on this home, or of one that it starts. */
import { openTokensOf, readLive } from "../../../app/app.ts";
import { locateConfig } from "../../../config/locate.ts";
import { consoleFor, makeConsoleLink, type ConsoleLink } from "../../../operator/console.ts";
import { openBrowser } from "../access/open-browser.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { openSession } from "../../session.ts";
import { useStore } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { watchSignals } from "../../terminal/signals.ts";
import { bold, dim, note, print, printJson } from "../../terminal/terminal.ts";
import { parseAddress } from "./serve.ts";

interface ConsoleOptions extends GlobalOptions {
  readonly token: string;
  readonly profile?: string;
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly http?: string;
}

export const consoleCommand = defineCommand({
  name: "console",
  group: "operate",
  summary: "Open the web console: print a one-time link and show it in the browser",
  options: [
    { flags: "--token <name>", about: "look as this token does", default: "default", completes: ["tokens"] },
    { flags: "--profile <name>", about: "look through this profile" },
    { flags: "--no-open", about: "Only print the link" },
    { flags: "--http <address>", about: "where to listen if no gateway serves HTTP on this home yet" },
  ],
  help: `The link is good for one minute and once; the browser then has a session that ends after twelve hours, with the token,
or when you sign out. If \`repertoire serve --http\` runs on this home, the link is for that gateway. Otherwise this
command serves the console and MCP itself until Ctrl-C.`,
  examples: [
    "repertoire console",
    "repertoire console --no-open --json",
    "repertoire console --token bot        what the token bot sees",
  ],
  run: (options: ConsoleOptions) => openConsole(options),
});

async function openConsole(options: ConsoleOptions): Promise<number> {
  const { home } = locateConfig({ configPath: options.config, home: options.home });
  const gateway = readLive(home).find(({ url }) => url !== undefined);
  if (gateway?.url === undefined) return serveConsole(options);
  const request = { endpoint: gateway.url, token: options.token, profile: options.profile };
  const link = await useStore(options, (store) =>
    makeConsoleLink(store, { ...request, tokens: openTokensOf({ home, store }) }),
  );
  if (!link.success) return refuse(link.error, options);
  showLink(link.data, options);
  return EXIT.ok;
}

/** No gateway serves HTTP on this home: this process does, until a signal. */
async function serveConsole(options: ConsoleOptions): Promise<number> {
  const { stopped } = watchSignals();
  const session = await openSession({ logLevel: "error", ...options }, "error", "http");
  try {
    const { app, config, log } = session;
    const place = { configPath: options.config, home: options.home };
    const address: ReturnType<typeof parseAddress> =
      options.http === undefined ? { port: 0 } : parseAddress(options.http);
    const console = consoleFor({ app, config, place, host: address.host }, log);
    const listener = await app.listenHttp(address, { console });
    const { token, profile } = options;
    const { tokens } = app;
    const link = await makeConsoleLink(app.store, { tokens, endpoint: listener.url, token, profile });
    if (!link.success) {
      await listener.close();
      return refuse(link.error, options);
    }
    showLink(link.data, options);
    note(dim(`It also serves MCP at ${listener.url}. Ctrl-C stops it; for a gateway that stays, run:`));
    note(`  ${commandLine(["serve", "--http"], options)}`);
    const exitCode = await stopped;
    await app.drain();
    await listener.close();
    return exitCode;
  } finally {
    await session.close();
  }
}

function showLink(link: ConsoleLink, options: ConsoleOptions): void {
  if (options.json === true) printJson(link);
  else {
    note(`${bold("The console")}, good for one minute and once:`);
    print(link.url);
  }
  if (options.open && options.json !== true && process.stdout.isTTY) openBrowser(new URL(link.url));
}
