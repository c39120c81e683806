/** The fix for a server that failed: chosen by the cause, never by the text of an error. */
import type { ViewCause } from "../../app/app.ts";
import type { Config, ServerConfig } from "../../config/config.ts";
import { isInstaller, startLimitOf } from "../../config/entries/installer.ts";
import { maskTransport } from "../../config/values/secrets.ts";
import { REDACTED } from "../../text/redaction.ts";
import { commandLine } from "../command-line.ts";
import { shellWord } from "./check.ts";
import type { GlobalOptions } from "../global-options.ts";

export interface Cure {
  /** A command to copy. */
  readonly cure: string;
  readonly advice?: string;
}

export interface CurePlace {
  readonly options: GlobalOptions;
  readonly limits: Pick<Config["limits"], "connectTimeoutMs">;
}

export function cureFor(cause: ViewCause | undefined, server: ServerConfig, place: CurePlace): Cure {
  const { options } = place;
  const off = switchOff(server, options);
  const file = server.file ?? "the config";
  switch (cause) {
    case "not_found":
      return {
        cure: off,
        advice: `Install ${programOf(server)} so that it is in PATH, or disable ${server.id}.`,
      };
    case "not_executable":
      return {
        cure: off,
        advice: `Make ${programOf(server)} executable, or start it through its interpreter.`,
      };
    case "bad_folder":
      return edit(server, place, `Correct "cwd" of ${server.key} in ${file}.`);
    case "bad_variable":
      return edit(server, place, `Rename the variable under "env" of ${server.key} in ${file}.`);
    case "no_isolation":
      return {
        cure: commandLine(["doctor"], options),
        advice: `It says what is missing to isolate a server. Without that, ${server.id} is not started.`,
      };
    case "bad_isolation":
      return edit(server, place, `Correct "sandbox" of ${server.key} in ${file}.`);
    case "integrity_changed":
      return {
        cure: commandLine(["disable", server.id], options),
        advice: `Somebody may have replaced the package. If you have looked at it and want it: ${commandLine(["pin", server.id], options)}`,
      };
    case "bundle_changed":
      return {
        cure: commandLine(["disable", server.id], options),
        advice: `Somebody may have changed its files. To unpack it once more: ${commandLine(["add", "FILE", "--as", server.id, "--force"], options)}`,
      };
    case "connect_timeout":
      return cureSlowStart(server, place);
    case "auth_required":
      return hasOwnAuthorization(server)
        ? edit(server, place, `The server rejects the Authorization header of ${server.key}: correct it.`)
        : { cure: commandLine(["login", server.id], options) };
    case "auth_unavailable":
    case "busy":
    case "lost":
      return { cure: again(server, options), advice: "This may be temporary: try again later." };
    case "name_not_found":
    case "unreachable":
      return edit(server, place, `Start the server, or correct "url" of ${server.key} in ${file}.`);
    case "http_status":
    case "not_mcp":
    case "blocked_address":
      return edit(
        server,
        place,
        `Check that ${server.key} in ${file} is the address or command of an MCP server.`,
      );
    case "tls":
      return edit(
        server,
        place,
        `Correct "url", or trust its certificate authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem`,
      );
    case "unknown_version":
      return { cure: "npm install --global repertoire@latest", advice: `Or update the server ${server.id}.` };
    default:
      return { cure: off, advice: byHand(server) };
  }
}

function cureSlowStart(server: ServerConfig, place: CurePlace): Cure {
  const { file = "the config", written } = server;
  const { ms } = startLimitOf(server, place.limits);
  const key =
    written.kind === "stdio" ? `"startTimeoutMs" of ${server.key}` : `"limits": {"connectTimeoutMs": …}`;
  const raise = `raise ${key}, now ${ms}, in ${file}`;
  if (written.kind !== "stdio" || !isInstaller(written.command, written.args))
    return edit(server, place, `If it needs more time, ${raise}.`);
  const advice = `It may have been downloading. Run it once by hand, stop it with Ctrl-C, and try again; or ${raise}.`;
  const command = commandOf(server);
  // A command with a hidden secret cannot be run as it is shown.
  const canBeCopied = command !== undefined && !command.includes(REDACTED) && !command.includes("${");
  return canBeCopied ? { cure: command, advice } : { ...edit(server, place, `${advice} ${byHand(server)}`) };
}

function byHand(server: ServerConfig): string {
  const command = commandOf(server);
  return command === undefined ? "See the log of the server." : `To see its output, run: ${command}`;
}

/** As it could be typed, without the values of secrets. */
function commandOf({ written }: ServerConfig): string | undefined {
  const shown = maskTransport(written);
  return shown.kind === "stdio" ? [shown.command, ...shown.args].map(shellWord).join(" ") : undefined;
}

function programOf({ written }: ServerConfig): string {
  const shown = maskTransport(written);
  if (shown.kind === "stdio") return shown.command;
  return shown.kind === "openapi" ? shown.location : shown.url;
}

function hasOwnAuthorization({ transport }: ServerConfig): boolean {
  return (
    transport.kind !== "stdio" && Object.keys(transport.headers).some((name) => /^authorization$/i.test(name))
  );
}

/** Opens the file that has the server, if there is one. */
function edit(server: ServerConfig, { options }: CurePlace, advice: string): Cure {
  const { file } = server;
  return { cure: file === undefined ? switchOff(server, options) : editCommand(file), advice };
}

export function editCommand(file: string): string {
  return process.platform === "win32" ? `notepad ${shellWord(file)}` : `\${EDITOR:-vi} ${shellWord(file)}`;
}

function again({ id }: ServerConfig, options: GlobalOptions): string {
  return commandLine(["doctor", "--servers", id], options);
}

/** A server from the environment is not in the file, and goes with its variable. */
function switchOff({ id, declaredIn, fromEnvironment }: ServerConfig, options: GlobalOptions): string {
  const variable = fromEnvironment.find((name) => name.endsWith("_MCP_URL"));
  return declaredIn === "environment" && variable !== undefined
    ? `unset ${variable}`
    : commandLine(["disable", id], options);
}
