import { countOf } from "../../terminal/wording.ts";
import { createInterface } from "node:readline";
import { InvalidArgumentError } from "commander";
import type { AuthorizationWay, LoginView, LogoutView } from "../../../app/app.ts";
import { serverIdOf } from "../../../core/names.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse, useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { CallbackListener } from "../../../operator/servers/login-callback.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { openSessionFor } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { green, note, printJson, tell } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface LoginOptions extends GlobalOptions {
  readonly browser: boolean;
  readonly paste?: boolean;
  readonly port?: number;
}

/** The callback port of a pasted login, unless an earlier login had another; nothing listens on it. */
const PASTE_PORT = 33_418;

export const loginCommand = defineCommand({
  name: "login",
  group: "access",
  summary: "Log in to a remote server; the gateway renews the login automatically",
  arguments: [{ words: "<server>", about: "the remote server", completes: ["servers"] }],
  options: [
    { flags: "--no-browser", about: "Print the address of the login page, and do not open it" },
    {
      flags: "--paste",
      about: "For a machine without a browser: paste the address that the browser ends at",
    },
    {
      flags: "--port <port>",
      about: "Use this callback port, for a client that is registered with it",
      parse: parsePort,
    },
  ],
  examples: ["repertoire login github", "repertoire login github --paste"],
  run: (options: LoginOptions, server: string) => login(server, options),
});

async function login(server: string, options: LoginOptions): Promise<number> {
  const id = serverIdOf(server);
  const session = await openSessionFor(id.success ? id.data : server, options);
  let listener: CallbackListener | undefined;
  try {
    const answer = await session.app.logins.login(server, async (lastRedirectUrl) => {
      const port = options.port ?? portOf(lastRedirectUrl);
      if (options.paste === true) return pasteWay(port ?? PASTE_PORT);
      const { listenForCallback } = await import("../../../operator/servers/login-callback.ts");
      const { openBrowser } = await import("./open-browser.ts");
      listener = await listenForCallback(port);
      return browserWay(listener, options.browser ? openBrowser : undefined);
    });
    if (!answer.success) {
      return refuse(answer.error, options);
    }
    if (options.json === true) printJson(answer.data);
    else showLogin(answer.data);
    return EXIT.ok;
  } finally {
    listener?.close();
    await session.close();
  }
}

function browserWay(listener: CallbackListener, open?: (url: URL) => void): AuthorizationWay {
  return {
    redirectUrl: listener.redirectUrl,
    authorize(url, isAnswer) {
      const answer = listener.waitFor(isAnswer);
      showPage(url);
      open?.(url);
      return withProgress("waiting for the browser; Ctrl-C cancels", () => answer);
    },
  };
}

function pasteWay(port: number): AuthorizationWay {
  return {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    async authorize(url) {
      showPage(url);
      tell("After the login, the browser ends at an address that it cannot open. Paste that address here:");
      const line = await readLine();
      const pasted = URL.parse(line.trim());
      if (pasted === null) throw new Error("the pasted text is not an address");
      return pasted;
    },
  };
}

function showPage(url: URL): void {
  tell(`Open this page and log in:\n  ${escapeUnprintable(url.href)}`);
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

function showLogin({ server, needed, account, toolCount, storedIn }: LoginView): void {
  const tools = toolCount === undefined ? "its tools are not listed yet" : countOf(toolCount, "tool");
  if (!needed) return note(`${server} needs no login; ${tools}`);
  const who = account === undefined ? "" : ` as ${escapeUnprintable(account)}`;
  note(`${green("logged in")} to ${server}${who}, ${tools}`);
  note(`The login is stored in ${STORED_IN[storedIn]}.`);
}

const STORED_IN: Readonly<Record<LoginView["storedIn"], string>> = {
  keyring: "the keyring",
  file: "secrets.json of the home folder",
  database: "the database, sealed with REPERTOIRE_SECRET_KEY",
};

function portOf(redirectUrl: string | undefined): number | undefined {
  const port = redirectUrl === undefined ? "" : new URL(redirectUrl).port;
  return port === "" ? undefined : Number(port);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError("A port is a number from 1 to 65535.");
}

export const logoutCommand = defineCommand({
  name: "logout",
  group: "access",
  summary: "Log out of a remote server and delete the login",
  arguments: [{ words: "<server>", about: "the remote server", completes: ["servers"] }],
  examples: ["repertoire logout github"],
  run: (options: GlobalOptions, server: string) =>
    useApp(options, (app) => app.logins.logout(server), { show: showLogout }),
});

const REVOCATIONS = {
  revoked: "the server revoked the tokens",
  not_offered: "the server offers no revocation; the tokens expire by themselves",
  failed: "the server could not be reached to revoke the tokens; they expire by themselves",
} as const;

function showLogout({ server, wasLoggedIn, revocation = "not_offered" }: LogoutView): void {
  if (!wasLoggedIn) return note(`${server} has no login`);
  note(`${green("logged out")} of ${server}; ${REVOCATIONS[revocation]}`);
}
