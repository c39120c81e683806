/**
 * `repertoire bug-report`: what a maintainer needs to know, in one JSON value without secrets. It fails closed: of the
 * config only the shape is told (config-shape.ts), and every text that was left out of it, every kept secret and what
 * looks like one is taken out of everything else, in all encoded forms, as are the names of the user, the host and the
 * home. It starts no server and sends nothing.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { arch, homedir, hostname, release, userInfo } from "node:os";
import { promisify } from "node:util";
import { openSecretStore } from "../../app/app.ts";
import { shapeOfConfig } from "../../config/files/config-shape.ts";
import { readConfigText } from "../../config/files/config-text.ts";
import { messageOf } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { createRedactor, isSecretKey, KNOWN_SECRET_LENGTH_MIN } from "../../text/redaction.ts";
import { fail } from "../../core/result.ts";
import { loadConfigWithInputs } from "../../secrets/inputs.ts";
import { VERSION } from "../../core/version.ts";
import { refuse } from "../app-call.ts";
import { examine } from "./doctor.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { findOwnCommand, ownProcess, typedCommand } from "../connect/own-command.ts";
import type { RunView } from "../commands/runs/run-view.ts";
import { openSession } from "../session.ts";
import type { GlobalOptions } from "../global-options.ts";
import { note, printJson } from "../terminal/terminal.ts";
import { defineCommand } from "../command.ts";

interface BugReportOptions extends GlobalOptions {
  readonly out?: string;
}

const LOG_LINES_MAX = 50;
const FAILED_RUNS_MAX = 5;
const RUNS_LOOKED_AT_MAX = 200;
const NPM_WAIT_MS = 5_000;

export const bugReportCommand = defineCommand({
  name: "bug-report",
  group: "operate",
  summary: "Write what a bug report needs, without secrets: versions, config keys, states, errors",
  options: [
    {
      flags: "--out <file>",
      about: "write to this file, which must not exist yet, instead of standard output",
      completes: ["files"],
    },
  ],
  help: `It contains versions and how Repertoire was installed; the keys of the config without its texts; the states and last
errors of the servers; the output of doctor; the last ${LOG_LINES_MAX} lines of the log file, if there is one; the error
codes of the last ${FAILED_RUNS_MAX} failed runs. It does not contain values of env, headers and arguments, addresses
beyond the host, results, your name or your host. It is sent nowhere. Read it before you share it.`,
  examples: ["repertoire bug-report", "repertoire bug-report --out report.json"],
  run: (options: BugReportOptions) => report(options),
});

async function report(options: BugReportOptions): Promise<number> {
  const value = await createReport(options);
  if (options.out === undefined) printJson(value);
  else {
    try {
      writeFileSync(options.out, `${JSON.stringify(value, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    } catch (error) {
      const message = `Cannot write ${options.out}: ${messageOf(error)}`;
      const hint = "Name a file that does not exist yet, in a folder that you can write to.";
      return refuse(fail("TOOL_INVALID_INPUT", message, { field: "out", hint }).error, options);
    }
  }
  note(
    "The report has versions, config keys, states, error messages and log lines, but no values of your config.",
  );
  note(`Read ${options.out ?? "it"} before you share it.`);
  return EXIT.ok;
}

async function createReport(options: GlobalOptions): Promise<Json> {
  const place = { configPath: options.config, home: options.home };
  const { location, files } = readConfigText(place);
  const shapes = files.map(({ text = "" }) => shapeOfConfig(text));
  const loaded = await attempt(() => loadConfigWithInputs(place));
  const config = "ok" in loaded && loaded.ok ? loaded.config : undefined;
  const { installed, npm } = await describeInstallation();
  const content = {
    about:
      "repertoire bug-report: no values of the config, no arguments, no results. Read it before you share it.",
    versions: {
      repertoire: VERSION,
      node: process.version,
      npm,
      os: `${process.platform} ${release()} ${arch()}`,
      installed,
    },
    config: {
      files: files.map(({ origin, trusted }, at) => ({
        kind: origin.kind,
        trusted,
        shape: shapes[at]!.shape,
      })),
      variables: Object.keys(process.env).filter((name) => /^REPERTOIRE_|_MCP_(?:URL|ENABLED)$/.test(name)),
    },
    doctor: await attempt(() => examine({ ...options })),
    ...(await attempt(() => describeGateway(options))),
    log:
      config?.log.file === undefined ? "no log file" : await attempt(async () => lastLines(config.log.file!)),
  };
  const secrets = await knownSecrets(location.home, [
    ...(config?.secrets ?? []),
    ...shapes.flatMap(({ removed }) => removed),
  ]);
  return conceal(content, secrets, location.home);
}

/** What the gateway knows, where it can be opened; it starts no server. */
async function describeGateway(options: GlobalOptions): Promise<object> {
  const session = await openSession(options, "silent");
  try {
    const servers = await session.app.viewServers(false);
    const runs = (await session.app.traces.list(RUNS_LOOKED_AT_MAX)) as unknown as RunView[];
    return {
      servers: servers.map(({ target: _target, findings, rejected, ...view }) => ({
        ...view,
        findings: findings.map(({ code, kind }) => ({ code, kind })),
        rejected: rejected.map(({ code, kind, reason }) => ({ code, kind, reason })),
      })),
      failed_runs: runs
        .filter(({ error, status }) => error !== undefined && status !== "paused")
        .slice(0, FAILED_RUNS_MAX)
        .map(({ kind, status, started_at, error }) => ({
          kind,
          status,
          started_at,
          code: error!.code,
          ...(error!.reason !== undefined && { reason: error!.reason }),
        })),
    };
  } finally {
    await session.close();
  }
}

/** What goes wrong here is a finding itself. */
async function attempt<T>(work: () => Promise<T>): Promise<T | { readonly error: string }> {
  try {
    return await work();
  } catch (error) {
    return { error: messageOf(error) };
  }
}

async function describeInstallation(): Promise<{ readonly installed: string; readonly npm: string }> {
  const own = ownProcess();
  const isTyped = typedCommand(own, process.cwd()) === "repertoire";
  const isLasting = findOwnCommand(own).lives === "installed";
  const installed = isLasting ? (isTyped ? "on PATH" : "as a script") : "by a package runner (npx)";
  const run = promisify(execFile);
  const npm = await run("npm", ["--version"], { timeout: NPM_WAIT_MS }).then(
    ({ stdout }) => stdout.trim(),
    () => "not found",
  );
  return { installed, npm };
}

function lastLines(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-LOG_LINES_MAX);
}

/**
 * Everything that must not be in it: what is kept, what the config holds, and what the environment has under the name
 * of a secret.
 */
async function knownSecrets(home: string, texts: readonly string[]): Promise<string[]> {
  const store = openSecretStore({ home });
  const kept: string[] = [];
  for (const name of store.names("")) {
    const value = await store.get(name).catch(() => undefined);
    // A login is kept as JSON: each of its texts is a secret.
    if (value !== undefined)
      kept.push(value, ...[...value.matchAll(/"((?:[^"\\]|\\.){8,})"/g)].map(([, text]) => text!));
  }
  const fromEnvironment = Object.entries(process.env).flatMap(([name, value = ""]) =>
    isSecretKey(name) || name === "REPERTOIRE_DATABASE_URL" ? [value] : [],
  );
  return [...kept, ...texts, ...fromEnvironment].filter((text) => text.length >= KNOWN_SECRET_LENGTH_MIN);
}

/** Takes out the secrets, and then what says who and where this is. */
function conceal(content: unknown, secrets: readonly string[], home: string): Json {
  const redactor = createRedactor(secrets.toSorted((a, b) => b.length - a.length));
  const text = redactor.text(JSON.stringify(redactor.value(content)));
  const names: readonly (readonly [string, string])[] = [
    [home, "~/…/home"],
    [homedir(), "~"],
    [process.cwd(), "./"],
  ];
  const withoutPaths = names
    .filter(([name]) => name.length > 1)
    .reduce((left, [name, mark]) => left.replaceAll(JSON.stringify(name).slice(1, -1), mark), text);
  const concealed = [userName(), hostname()]
    .filter((name) => name.length > 1)
    .reduce((left, name) => left.replaceAll(wholeWord(name), "<name>"), withoutPaths);
  try {
    return JSON.parse(concealed) as Json;
  } catch {
    // A text of the config that looks like JSON was taken out across its borders.
    return {
      error:
        "The report cannot be written without a text of your config. Describe the problem in your own words.",
    };
  }
}

function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])${RegExp.escape(name)}(?![A-Za-z0-9_])`, "gi");
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
