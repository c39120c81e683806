/** What is wrong with the config, told without starting anything. */
import { countOf } from "../terminal/wording.ts";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { findProgramProblem, findSecretProblem, readCron } from "../../app/app.ts";
import { findPlainSecrets } from "../../clients/import/plain-secrets.ts";
import type { Config, ServerConfig } from "../../config/config.ts";
import type { LoadResult } from "../../config/load.ts";
import {
  formatPath,
  formatProblem,
  lackOnlyInputs,
  missingName,
  type ConfigProblem,
} from "../../config/problem.ts";
import type { JsonObject } from "../../core/json.ts";
import { passedEnvironment } from "../../process/passed-environment.ts";
import { commandLine } from "../command-line.ts";
import { findUnpinnedServers, howToPin } from "../../operator/servers/pinned-entry.ts";
import { reportOf, shellWord, type Check } from "./check.ts";
import { cureFor, editCommand, type CurePlace } from "./cures.ts";
import type { GlobalOptions } from "../global-options.ts";

export function checkConfig(loaded: LoadResult, options: GlobalOptions): Check[] {
  const name = "config";
  if (!loaded.ok) {
    return loaded.problems.map((problem) => ({
      name,
      state: "failed",
      message: formatProblem(problem),
      cure: cureOf(problem, options),
    }));
  }
  const { files } = loaded.config;
  const warnings = loaded.warnings.map((problem): Check => ({
    name,
    state: "warning",
    message: formatProblem(problem),
    cure: isAboutTrust(problem, loaded.config) ? commandLine(["trust"], options) : cureOf(problem, options),
  }));
  const found: Check[] = files.map(({ kind, path, trusted }) => ({
    name,
    state: "ok",
    message: `${path}${kind === "project" ? ` (of this project folder${trusted ? "" : ", not trusted"})` : ""}`,
  }));
  const none: Check = { name, state: "ok", message: "no file; the defaults are used" };
  return [...(found.length === 0 ? [none] : found), ...warnings, ...checkReaders(loaded.config)];
}

/** What starts runs by itself: one that is wrong does not run, and the others do. */
export async function checkStarters(loaded: LoadResult): Promise<Check[]> {
  if (!loaded.ok) return [];
  const { schedules, hooks } = loaded.config;
  const checks: Check[] = [];
  const complain = (place: string, problem: string): void =>
    void checks.push({
      name: "config",
      state: "failed",
      message: `${place}: ${problem}`,
      cure: `edit ${place} in the config; see: repertoire schedules`,
    });
  for (const [name, schedule] of Object.entries(schedules)) {
    const read = await readCron(schedule);
    if (typeof read === "string") complain(`schedules.${name}`, read);
  }
  for (const [id, hook] of Object.entries(hooks)) {
    const problem = findSecretProblem(hook);
    if (problem !== undefined) complain(`hooks.${id}`, problem);
  }
  return checks;
}

/** Whatever there is to say of a file that is not trusted, trust is the way to put it into force. */
function isAboutTrust({ file }: ConfigProblem, { files }: Config): boolean {
  return files.some(({ path, trusted }) => !trusted && path === resolve(file));
}

/** What is missing is given, a variable that is wrong is taken away; everything else is a matter for the editor. */
function cureOf(problem: ConfigProblem, options: GlobalOptions): string {
  const variable = missingName(problem, "variable");
  const input = missingName(problem, "input");
  if (problem.file === "environment") return `unset ${shellWord(problem.path)}`;
  if (variable !== undefined) return `export ${variable}=VALUE`;
  if (input !== undefined) return commandLine(["input", "set", input], options);
  return problem.file === "" ? commandLine(["config", "check"], options) : editCommand(resolve(problem.file));
}

/** Secrets in plain text, in a file that others can read. */
function checkReaders({ files, servers }: Config): Check[] {
  if (process.platform === "win32") return [];
  return files.flatMap(({ path = "" }): Check[] => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || (stat.mode & 0o044) === 0) return [];
    const keys = servers.filter(({ file }) => file === path).flatMap(plainKeysOf);
    if (keys.length === 0) return [];
    return [
      {
        name: "config",
        state: "warning",
        message: `other users can read the secrets in ${path}: ${keys.join(", ")}`,
        cure: `chmod 600 ${shellWord(path)}`,
        advice: "Or store them as inputs: run repertoire input set ID, and write ${input:ID} in the config.",
      },
    ];
  });
}

function plainKeysOf({ id, key, written }: ServerConfig): string[] {
  const entry: JsonObject =
    written.kind === "stdio"
      ? { args: [...written.args], env: { ...written.env } }
      : written.kind === "openapi"
        ? { headers: { ...written.headers }, auth: { ...written.auth } }
        : { url: written.url, headers: { ...written.headers } };
  return findPlainSecrets(id, entry).map(({ path }) => formatPath(["mcpServers", key, ...path]));
}

export function checkServers(loaded: LoadResult, options: GlobalOptions): Check[] {
  if (!loaded.ok) return [];
  const { servers } = loaded.config;
  const disabled = servers.filter((server) => !server.enabled).length;
  const rest = disabled === 0 ? "" : `, ${disabled} of them disabled`;
  return [
    { name: "servers", state: "ok", message: `${countOf(servers.length, "server")} configured${rest}` },
    ...noteVariables(servers),
    ...checkPins(servers, options),
    ...(servers.length === 0 ? [] : [notePassed(process.env), ...checkProxy(servers, process.env)]),
  ];
}

/** Servers that run another version as soon as somebody publishes one. */
function checkPins(servers: readonly ServerConfig[], options: GlobalOptions): Check[] {
  const unpinned = findUnpinnedServers(servers);
  const [first] = unpinned;
  if (first === undefined) return [];
  const npm = unpinned.find(({ run }) => run.kind === "npm");
  const message = `${unpinned.map(({ id }) => id).join(", ")} ${unpinned.length === 1 ? "runs" : "run"} packages without an exact version`;
  const advice = `In the args of ${first.id}, ${howToPin(first.run)}.`;
  return [
    {
      name: "servers",
      state: "warning",
      message,
      ...(npm === undefined ? { advice } : { cure: commandLine(["pin", npm.id], options) }),
    },
  ];
}

/** Every login has them, in a terminal and on the desktop. */
const COMMON_VARIABLES: ReadonlySet<string> = new Set(["HOME", "LANG", "PATH", "SHELL", "TMPDIR", "USER"]);

/** A variable that is set here need not be set where a client starts the gateway, and nothing here can tell. */
function noteVariables(servers: readonly ServerConfig[]): Check[] {
  const takers = servers
    .filter(({ enabled, trusted, problems }) => enabled && trusted && problems.length === 0)
    .map(({ id, fromEnvironment }) => ({
      id,
      names: fromEnvironment.filter((name) => !COMMON_VARIABLES.has(name)),
    }))
    .filter(({ names }) => names.length > 0);
  if (takers.length === 0) return [];
  const told = takers.map(({ id, names }) => `${id} uses ${names.join(", ")}`).join("; ");
  return [
    {
      name: "servers",
      state: "ok",
      message: `environment variables of this terminal: ${told}`,
      advice: ADVICE_ON_VARIABLES,
    },
  ];
}

/** More of them are in `--json`. */
const PASSED_SHOWN_MAX = 8;

/** What servers get of this environment; beyond what every login has, it is what matters behind a proxy. */
function notePassed(environment: NodeJS.ProcessEnv): Check {
  const passed = Object.keys(passedEnvironment(environment)).sort();
  const isCommon = (name: string) => COMMON_VARIABLES.has(name);
  const names = [...passed.filter((name) => !isCommon(name)), ...passed.filter(isCommon)];
  const more = names.length - PASSED_SHOWN_MAX;
  const shown = `${names.slice(0, PASSED_SHOWN_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return {
    name: "servers",
    state: "ok",
    message: `servers get ${shown} from this environment, and the variables in their "env"`,
    passed,
  };
}

const PROXY_NAMES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Of a description in a file, it is not known where the API is. */
function addressesOf(transport: ServerConfig["transport"]): string[] {
  if (transport.kind === "stdio") return [];
  if (transport.kind !== "openapi") return [transport.url];
  const { location, baseUrl } = transport;
  return [location, baseUrl ?? ""].filter((address) => /^https?:/i.test(address));
}

/** Remote servers are reached directly, whatever the environment says of proxies. */
function checkProxy(servers: readonly ServerConfig[], environment: NodeJS.ProcessEnv): Check[] {
  const proxy = PROXY_NAMES.find((name) => (environment[name] ?? "") !== "");
  if (proxy === undefined) return [];
  const noProxy = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  const remote = servers.filter(
    ({ enabled, trusted, transport }) =>
      enabled && trusted && addressesOf(transport).some((address) => needsProxy(address, noProxy)),
  );
  if (remote.length === 0) return [];
  const who = remote.map(({ id }) => id).join(", ");
  return [
    {
      name: "servers",
      state: "warning",
      message: `${proxy} is set, but remote servers are reached without a proxy: ${who}`,
      advice: `If they cannot be reached, use a program that supports proxies: "command": "npx", "args": ["-y", "mcp-remote", "URL"].`,
    },
  ];
}

function needsProxy(url: string, noProxy: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return false;
  return !noProxy.split(",").some((part) => {
    const suffix = part.trim().replace(/^\*?\./, "");
    return suffix === "*" || (suffix !== "" && (hostname === suffix || hostname.endsWith(`.${suffix}`)));
  });
}

/** Servers that would not start, as far as that can be told without starting them. */
export function checkPrograms(loaded: LoadResult, options: GlobalOptions): Check[] {
  if (!loaded.ok) return [];
  const { servers, limits } = loaded.config;
  const place = { options, limits };
  return servers
    .filter(({ enabled, trusted }) => enabled && trusted)
    .flatMap((server): Check[] => {
      if (server.problems.length > 0) return [reportUnusable(server, place)];
      const problem = findProgramProblem(server);
      if (problem === undefined) return [];
      const { cause, reason } = problem;
      const cure = cureFor(cause, server, place);
      return [
        { name: "server", state: "failed", message: reason, ...cure, server: reportOf(server.id, cause) },
      ];
    });
}

/** A server that cannot be started as it is configured; one that only waits for an input is no fault of the config. */
export function reportUnusable({ id, problems, missingInputs }: ServerConfig, place: CurePlace): Check {
  const { options } = place;
  if (lackOnlyInputs(problems)) {
    return {
      name: "server",
      state: "warning",
      message: `needs ${missingInputs.length === 1 ? "the input" : "the inputs"} ${missingInputs.join(", ")}`,
      cure: missingInputs.map((input) => commandLine(["input", "set", input], options)).join("; "),
      server: reportOf(id),
    };
  }
  const variables = problems.flatMap((problem) => missingName(problem, "variable") ?? []);
  return {
    name: "server",
    state: "failed",
    message: `is not usable: ${problems.map(formatProblem).join("\n")}`,
    cure: [...new Set(problems.map((problem) => cureOf(problem, options)))].join("; "),
    ...(variables.length > 0 && { advice: ADVICE_ON_VARIABLES }),
    server: reportOf(id),
  };
}

const ADVICE_ON_VARIABLES =
  "A variable must be set where the gateway starts. A client that was started from the desktop does not have the " +
  "variables of a terminal. Set it in that client's entry for Repertoire, or store the value as an input.";
