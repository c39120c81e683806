import { createInterface } from "node:readline";
import { InvalidArgumentError, type Command } from "commander";
import type { AuthorizationWay, LoginView } from "../../../app/app.ts";
import { serverIdOf } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { countOf } from "../operate/config.ts";
import { refuse } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { CallbackListener } from "./login-callback.ts";
import { openBrowser } from "../../terminal/open-browser.ts";
import type { Finish } from "../../program.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { globalOptionsOf, openSessionFor, type GlobalOptions } from "../../session.ts";
import { green, note, printJson, tell } from "../../terminal/terminal.ts";

interface LoginOptions extends GlobalOptions {
  readonly browser: boolean;
  readonly paste?: boolean;
  readonly port?: number;
}

/** Where a pasted login is called back, if the last one says nothing else; nobody listens there. */
const PASTE_PORT = 33_418;

export function addLogin(program: Command, finish: Finish): void {
  program
    .command("login")
    .argument("<server>", "the remote server")
    .description("Log in to a remote server; the gateway renews the login by itself")
    .option("--no-browser", "Print the address of the page and do not open it")
    .option("--paste", "On a machine without a browser: paste the address that it was sent to in the end")
    .option(
      "--port <port>",
      "Be called back at this port, for a client that is registered with it",
      parsePort,
    )
    .addHelpText("after", "\nExamples:\n  $ repertoire login github\n  $ repertoire login github --paste")
    .action(async (server: string, _options: unknown, command: Command) => {
      finish(await login(server, { ...globalOptionsOf(command), ...command.opts<LoginOptions>() }));
    });
}

async function login(server: string, options: LoginOptions): Promise<number> {
  const id = serverIdOf(server);
  const session = await openSessionFor(id.success ? id.data : server, options);
  let listener: CallbackListener | undefined;
  try {
    const answer = await session.app.logins.login(server, async (lastRedirectUrl) => {
      const port = options.port ?? portOf(lastRedirectUrl);
      if (options.paste === true) return pasteWay(port ?? PASTE_PORT);
      const { listenForCallback } = await import("./login-callback.ts");
      listener = await listenForCallback(port);
      return browserWay(listener, options.browser);
    });
    if (!answer.success) {
      return refuse(answer.error, options);
    }
    if (options.json === true) printJson(answer.data);
    else show(answer.data);
    return EXIT.ok;
  } finally {
    listener?.close();
    await session.close();
  }
}

function browserWay(listener: CallbackListener, opens: boolean): AuthorizationWay {
  return {
    redirectUrl: listener.redirectUrl,
    authorize(url, isAnswer) {
      const answer = listener.waitFor(isAnswer);
      showPage(url);
      if (opens) openBrowser(url);
      return withProgress("waiting for the browser; Ctrl-C gives up", () => answer);
    },
  };
}

function pasteWay(port: number): AuthorizationWay {
  return {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    async authorize(url) {
      showPage(url);
      tell("In the end the browser is sent to an address that it cannot open. Paste that address here:");
      const line = await readLine();
      const pasted = URL.parse(line.trim());
      if (pasted === null) throw new Error("what was pasted is not an address");
      return pasted;
    },
  };
}

function showPage(url: URL): void {
  tell(`Open this page and agree:\n  ${escapeUnprintable(url.href)}`);
}

function readLine(): Promise<string> {
  const reader = createInterface({ input: process.stdin });
  return new Promise((resolve) => {
    reader.once("line", (line) => {
      resolve(line);
      reader.close();
    });
    reader.once("close", () => resolve(""));
  });
}

function show({ server, needed, account, toolCount, storedIn }: LoginView): void {
  const tools = toolCount === undefined ? "it does not list its tools yet" : countOf(toolCount, "tool");
  if (!needed) return note(`${server} needs no login; ${tools}`);
  const who = account === undefined ? "" : ` as ${escapeUnprintable(account)}`;
  note(`${green("logged in")} to ${server}${who}, ${tools}`);
  note(`The login is kept in ${storedIn === "keyring" ? "the keyring" : "secrets.json of the home folder"}.`);
}

function portOf(redirectUrl: string | undefined): number | undefined {
  const port = redirectUrl === undefined ? "" : new URL(redirectUrl).port;
  return port === "" ? undefined : Number(port);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError("a port is a number from 1 to 65535");
}
