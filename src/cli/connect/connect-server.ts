/** What a client is told of this gateway: a program to start, or an address to reach. */
import { resolve } from "node:path";
import { CLIENT_TITLES, type ClientId, type ClientPlace } from "../../clients/client.ts";
import type { GatewayServer } from "../../clients/connect/client-entry.ts";
import { readVariable } from "../../config/locate.ts";
import { findOwnCommand, type OwnProcess } from "./own-command.ts";
import type { GlobalOptions } from "../global-options.ts";
import { yellow } from "../terminal/terminal.ts";

export interface ConnectOptions extends GlobalOptions {
  readonly project?: boolean;
  readonly profile?: string;
  readonly http?: string;
  /** False for `--no-token`. */
  readonly token?: boolean;
  /** True for all servers, else the ids of those that stay. */
  readonly keepServers?: true | readonly string[] | undefined;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly undo?: boolean;
  readonly force?: boolean;
}

/** Everything about the machine. */
export interface ConnectEnvironment {
  readonly place: ClientPlace;
  readonly home: string;
  readonly own: OwnProcess;
  /** Absent if no question can be asked. */
  readonly ask?: (question: string) => Promise<boolean>;
}

/** The variable that a client reads the token from: the token itself is never written to a client's file. */
export const TOKEN_VARIABLE = "REPERTOIRE_TOKEN";

/** What the client is told to start or to reach, or what is wrong with the words. */
export function describeServer(
  options: ConnectOptions,
  environment: ConnectEnvironment,
): GatewayServer | string {
  const { http, profile, config, home } = options;
  if (http !== undefined) {
    if (profile !== undefined)
      return "--profile cannot be used with --http. Name the profile in the address: --http ADDRESS/PROFILE";
    if (!/^https?:$/.test(URL.parse(http)?.protocol ?? ""))
      return "--http needs an address that starts with http:// or https://";
    return { kind: "http", url: http, tokenVariable: options.token === false ? undefined : TOKEN_VARIABLE };
  }
  if (options.token === false) return "--no-token can only be used with --http";
  const { command, args, env } = findOwnCommand(environment.own);
  const { cwd, env: variables } = environment.place;
  // Set in a shell, it is not set on a desktop.
  const wantedHome = home ?? (readVariable(variables, "REPERTOIRE_HOME") || undefined);
  const given = [
    ...(config === undefined ? [] : ["--config", resolve(cwd, config)]),
    ...(wantedHome === undefined ? [] : ["--home", resolve(cwd, wantedHome)]),
    ...(profile === undefined ? [] : ["--profile", profile]),
  ];
  return { kind: "stdio", command, args: [...args, "serve", ...given], ...(env !== undefined && { env }) };
}

/** What the person must know to have it work. */
export function adviceFor(client: ClientId, options: ConnectOptions, { own }: ConnectEnvironment): string[] {
  if (options.http !== undefined) {
    const where = `${TOKEN_VARIABLE} must be set in the environment of ${CLIENT_TITLES[client]}, to the output of: repertoire token`;
    return options.token === false ? [] : [`${yellow("note")} ${where}`];
  }
  const { lives } = findOwnCommand(own);
  return lives === "installed" ? [] : [`${yellow("note")} ${ADVICE[lives]}: npm install -g repertoire`];
}

const ADVICE = {
  npx: "the client starts Repertoire through npx, which is slower. Install it, then connect again",
  cache: "Repertoire runs from a cache that may be cleared. Install it, then connect again",
} as const;

/** The options of a connection as words, to say how the same is done again. */
export function wordsOf({ project, profile, http, token, keepServers }: ConnectOptions): string[] {
  return [
    ...(project === true ? ["--project"] : []),
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(http === undefined ? [] : ["--http", http]),
    ...(token === false ? ["--no-token"] : []),
    ...(keepServers === undefined ? [] : ["--keep-servers", ...(keepServers === true ? [] : keepServers)]),
  ];
}
