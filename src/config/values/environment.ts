/**
 * Servers from environment variables, beside those of the file:
 *
 * - `<NAME>_MCP_URL` adds a remote server, or replaces the url of one in the file;
 * - `<NAME>_API_KEY` is sent to that remote server as `Authorization: Bearer …`, unless the file gives an
 *   Authorization;
 * - `<NAME>_MCP_ENABLED` switches a server on or off.
 *
 * NAME becomes a server id by the same slug as a key of the file. An empty variable counts as unset. An API key goes
 * only to a server that exists, and never to a program that is started. The environment is the user's own, so it needs
 * no trust.
 */
import { nearest } from "../../text/nearest.ts";
import { findHeaderValueProblem, findUrlProblem } from "../http.ts";
import type { Environment } from "../locate.ts";
import { quoteKey, type ConfigProblem } from "../problem.ts";
import { parseServerKey, type KnownServer } from "../entries/server-check.ts";

const URL_SUFFIX = "_MCP_URL";
const KEY_SUFFIX = "_API_KEY";
const ENABLED_SUFFIX = "_MCP_ENABLED";

const ENABLED_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

/** A value, and the name of the variable that holds it. */
interface FromVariable<T> {
  readonly variable: string;
  readonly value: T;
}

/** What the environment says, by server id. */
export interface EnvironmentServers {
  readonly urls: ReadonlyMap<string, FromVariable<string>>;
  /** Only those that have a remote server to go to. */
  readonly apiKeys: ReadonlyMap<string, FromVariable<string>>;
  readonly enabled: ReadonlyMap<string, FromVariable<boolean>>;
  /** What is wrong with a server, by its id. */
  readonly problems: readonly ServerProblem[];
  readonly warnings: readonly ConfigProblem[];
}

interface ServerProblem {
  readonly server: string;
  readonly problem: ConfigProblem;
}

export function readEnvironment(
  env: Environment,
  known: ReadonlyMap<string, KnownServer>,
): EnvironmentServers {
  const problems: ServerProblem[] = [];
  const warnings: ConfigProblem[] = [];
  const urls = readUrls(env, known, problems, warnings);
  const ids = new Set([...known.keys(), ...urls.keys()]);
  const remote = new Set([...ids].filter((id) => (known.get(id)?.kind ?? "remote") === "remote"));
  const apiKeys = readApiKeys(env, remote, problems);
  const enabled = readEnabled(env, ids, problems, warnings);
  return { urls, apiKeys, enabled, problems, warnings };
}

function readUrls(
  env: Environment,
  known: ReadonlyMap<string, KnownServer>,
  problems: ServerProblem[],
  warnings: ConfigProblem[],
): Map<string, FromVariable<string>> {
  const urls = new Map<string, FromVariable<string>>();
  for (const { name, variable, value } of variablesWith(env, URL_SUFFIX)) {
    const parsed = parseServerKey(name);
    if (!parsed.ok) {
      warnings.push(problem(variable, `has no effect: it does not name a server: ${parsed.message}`));
      continue;
    }
    const server = parsed.id;
    const clash = known.get(server);
    const url = findUrlProblem(value);
    if (clash !== undefined && clash.kind !== "remote")
      problems.push({ server, problem: complainOther(variable, clash) });
    else if (url === undefined) keepOne(urls, server, { variable, value }, problems);
    else {
      problems.push({ server, problem: problem(variable, url.message, url.hint) });
      // A server that only this variable names is there as well, and says what is wrong with it.
      if (clash === undefined) urls.set(server, { variable, value });
    }
  }
  return urls;
}

function complainOther(variable: string, { key, kind }: KnownServer): ConfigProblem {
  const server = `mcpServers[${quoteKey(key)}]`;
  return problem(
    variable,
    `gives a url to ${server}, which has ${kind === "stdio" ? 'a "command"' : 'an "openapi"'}`,
    `unset ${variable}, or rename the server in the file`,
  );
}

function readApiKeys(
  env: Environment,
  remote: ReadonlySet<string>,
  problems: ServerProblem[],
): Map<string, FromVariable<string>> {
  const apiKeys = new Map<string, FromVariable<string>>();
  for (const { name, variable, value } of variablesWith(env, KEY_SUFFIX)) {
    const parsed = parseServerKey(name);
    if (!parsed.ok || !remote.has(parsed.id)) continue;
    const header = findHeaderValueProblem(value);
    if (header !== undefined) {
      problems.push({ server: parsed.id, problem: problem(variable, header.message, header.hint) });
    } else keepOne(apiKeys, parsed.id, { variable, value }, problems);
  }
  return apiKeys;
}

function readEnabled(
  env: Environment,
  ids: ReadonlySet<string>,
  problems: ServerProblem[],
  warnings: ConfigProblem[],
): Map<string, FromVariable<boolean>> {
  const enabled = new Map<string, FromVariable<boolean>>();
  for (const { name, variable, value } of variablesWith(env, ENABLED_SUFFIX)) {
    const parsed = parseServerKey(name);
    const word = ENABLED_WORDS.get(value.trim().toLowerCase());
    if (!parsed.ok || !ids.has(parsed.id)) warnings.push(warnUnknown(variable, name, ids));
    else if (word === undefined) {
      const message = `must be one of ${[...ENABLED_WORDS.keys()].join(", ")}`;
      problems.push({ server: parsed.id, problem: problem(variable, message) });
    } else keepOne(enabled, parsed.id, { variable, value: word }, problems);
  }
  return enabled;
}

function warnUnknown(variable: string, name: string, ids: ReadonlySet<string>): ConfigProblem {
  const [hit] = nearest(name, ids, 1);
  const guess = hit === undefined ? "" : `; did you mean the server "${hit}"?`;
  return problem(variable, `has no effect: there is no such server${guess}`);
}

/** Two variables may differ only in spelling; which of them would win must not depend on their order. */
function keepOne<T>(
  found: Map<string, FromVariable<T>>,
  id: string,
  next: FromVariable<T>,
  problems: ServerProblem[],
): void {
  const first = found.get(id);
  if (first === undefined) found.set(id, next);
  else if (first.value !== next.value) {
    const message = `contradicts ${first.variable} about the server "${id}"`;
    problems.push({ server: id, problem: problem(next.variable, message, "unset one of them") });
  }
}

interface NamedVariable {
  readonly name: string;
  readonly variable: string;
  readonly value: string;
}

function variablesWith(env: Environment, suffix: string): NamedVariable[] {
  const found: NamedVariable[] = [];
  for (const variable of Object.keys(env).sort()) {
    const value = env[variable];
    if (!variable.endsWith(suffix) || value === undefined || value === "") continue;
    const name = variable.slice(0, -suffix.length);
    if (name !== "") found.push({ name, variable, value });
  }
  return found;
}

function problem(variable: string, message: string, hint?: string): ConfigProblem {
  return { file: "environment", path: variable, message, hint };
}
