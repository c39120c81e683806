/** What is wrong with the config, told without starting anything. */
import { statSync } from "node:fs";
import { findProgramProblem } from "../app.ts";
import { findPlainSecrets } from "../config/clients/plain-secrets.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { readConfigText } from "../config/config-text.ts";
import { parseDocument } from "../config/document.ts";
import { expandTree } from "../config/expand.ts";
import type { LoadResult } from "../config/load.ts";
import { formatPath, formatProblem, type Problem } from "../config/problem.ts";
import type { JsonObject } from "../core/json.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./config.ts";
import { reportOf, shellWord, type Check } from "./doctor-check.ts";
import { cureFor, editCommand } from "./doctor-cures.ts";
import type { GlobalOptions } from "./session.ts";

export function checkConfig(loaded: LoadResult, options: GlobalOptions): Check[] {
  const name = "config";
  if (!loaded.ok) {
    const cure = createProblemCure(options);
    return loaded.problems.map((problem) => ({
      name,
      state: "failed",
      message: formatProblem(problem),
      cure: cure(problem),
    }));
  }
  const { origin } = loaded.config;
  const message = origin.path ?? "no file; the defaults are in force";
  const warnings = loaded.warnings.map((problem): Check => ({
    name,
    state: "warning",
    message: formatProblem(problem),
    ...(origin.kind === "project" && { cure: commandLine(["trust"], options) }),
  }));
  return [{ name, state: "ok", message }, ...warnings, ...checkReaders(loaded.config)];
}

/** What is missing is given, a variable that is wrong is taken away; everything else is a matter for the editor. */
function createProblemCure(options: GlobalOptions): (problem: Problem) => string {
  const { origin, text } = readConfigText({ configPath: options.config, home: options.home });
  const { variables, inputs } = findMissing(text ?? "");
  return ({ file, path }) => {
    if (file === "environment") return `unset ${shellWord(path)}`;
    const unset = variables.get(path);
    if (unset !== undefined) return `export ${[...unset].map((name) => `${name}=VALUE`).join(" ")}`;
    const input = inputs.get(path);
    if (input !== undefined) return commandLine(["input", "set", input], options);
    return origin.path === undefined ? commandLine(["config", "check"], options) : editCommand(origin.path);
  };
}

/** What the file refers to, by the key where it stands: variables that are not set, and inputs that no server takes. */
function findMissing(text: string): { variables: Map<string, Set<string>>; inputs: Map<string, string> } {
  const variables = new Map<string, Set<string>>();
  const parsed = parseDocument(text, "");
  if (!parsed.ok) return { variables, inputs: new Map() };
  const { unset, uses, inputs } = expandTree(parsed.document.value, process.env);
  for (const { path } of unset) variables.set(formatPath(path), new Set());
  for (const { path, variable } of uses) {
    if (process.env[variable] === undefined) variables.get(formatPath(path))?.add(variable);
  }
  const elsewhere = inputs.filter(({ path }) => path[0] !== "mcpServers");
  return { variables, inputs: new Map(elsewhere.map(({ path, id }) => [formatPath(path), id])) };
}

/** Secrets in plain text, in a file that others can read. */
function checkReaders({ origin, servers }: Config): Check[] {
  if (origin.path === undefined || process.platform === "win32") return [];
  const stat = statSync(origin.path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o044) === 0) return [];
  const keys = servers.filter(({ declaredIn }) => declaredIn === "file").flatMap(plainKeysOf);
  if (keys.length === 0) return [];
  return [
    {
      name: "config",
      state: "warning",
      message: `other users can read the secrets in ${origin.path}: ${keys.join(", ")}`,
      cure: `chmod 600 ${shellWord(origin.path)}`,
      advice: "Or keep them as inputs: repertoire input set ID, and ${input:ID} in their place.",
    },
  ];
}

function plainKeysOf({ id, key, written }: ServerConfig): string[] {
  const entry: JsonObject =
    written.kind === "stdio"
      ? { args: [...written.args], env: { ...written.env } }
      : { url: written.url, headers: { ...written.headers } };
  return findPlainSecrets(id, entry).map(({ path }) => formatPath(["mcpServers", key, ...path]));
}

export function checkServers(loaded: LoadResult): Check[] {
  if (!loaded.ok) return [];
  const { servers } = loaded.config;
  const disabled = servers.filter((server) => !server.enabled).length;
  const rest = disabled === 0 ? "" : `, ${disabled} of them disabled`;
  return [
    { name: "servers", state: "ok", message: `${countOf(servers.length, "server")} configured${rest}` },
  ];
}

/** Servers that would not start, as far as that can be told without starting them. */
export function checkPrograms(loaded: LoadResult, options: GlobalOptions): Check[] {
  if (!loaded.ok) return [];
  const { servers, origin, limits } = loaded.config;
  const place = { options, file: origin.path, connectTimeoutMs: limits.connectTimeoutMs };
  return servers
    .filter(({ enabled, trusted }) => enabled && trusted)
    .flatMap((server): Check[] => {
      if (server.missingInputs.length > 0) return [lacksInputs(server.id, server.missingInputs, options)];
      const problem = findProgramProblem(server);
      if (problem === undefined) return [];
      const { cause, reason } = problem;
      const cure = cureFor(cause, server, place);
      return [
        { name: "server", state: "failed", message: reason, ...cure, server: reportOf(server.id, cause) },
      ];
    });
}

export function lacksInputs(id: string, missing: readonly string[], options: GlobalOptions): Check {
  return {
    name: "server",
    state: "warning",
    message: `needs ${missing.length === 1 ? "the input" : "the inputs"} ${missing.join(", ")}`,
    cure: missing.map((input) => commandLine(["input", "set", input], options)).join("; "),
    server: reportOf(id),
  };
}
