import type { GlobalOptions } from "./global-options.ts";
import { openApp, openInputsOf, type App } from "../app/app.ts";
import type { Config, ConfigInput } from "../config/config.ts";
import type { ConfigSource, ConfigSourceCreated } from "../config/source.ts";
import { locateStore } from "../config/locate-store.ts";
import { locateConfig } from "../config/locate.ts";
import { formatProblem, type ConfigProblem } from "../config/problem.ts";
import type { Log, LogLevel } from "../core/log.ts";
import { configError } from "../operator/servers/config-change.ts";
import { openConfigSource, openInputs, type Inputs } from "../secrets/inputs.ts";
import { createLog, type ConfigurableLog } from "../telemetry/log.ts";
import { canAsk, interrupted } from "./terminal/confirm.ts";
import { note } from "./terminal/terminal.ts";

export interface Session {
  readonly config: ConfigSource;
  readonly log: ConfigurableLog;
  readonly app: App;
  close(): Promise<void>;
}

/**
 * Opens the gateway in this process. A command that prints data logs errors only; `serve` logs what the config says.
 */
export async function openSession(
  options: GlobalOptions,
  quietest: LogLevel | undefined = "error",
  serves?: "stdio" | "http",
): Promise<Session> {
  return openWith(await openConfig(options, serves !== undefined), options, quietest, { serves });
}

/** The same for a command that would rather do without than wait: with a store that is away, it throws after so long. */
export async function openSessionSoon(options: GlobalOptions, storeWaitMs: number): Promise<Session> {
  return openWith(await openConfig(options, false), options, "silent", { storeWaitMs });
}

/** The same for a command that needs one server: asks at the terminal for the inputs that this server lacks. */
export async function openSessionFor(server: string, options: GlobalOptions): Promise<Session> {
  return openWith(await openAskedConfig(options, server), options, "error");
}

interface Opening {
  readonly serves?: "stdio" | "http" | undefined;
  readonly storeWaitMs?: number;
}

async function openWith(
  opened: ConfigSourceCreated,
  options: GlobalOptions,
  quietest: LogLevel,
  { serves, storeWaitMs }: Opening = {},
): Promise<Session> {
  if (!opened.ok) throw configError(opened.problems);
  const config = opened.source;
  const log = createLog(logOptionsOf(config.current(), options, serves === undefined ? quietest : undefined));
  // A command leaves warnings to `doctor` and `config check`; a gateway that serves has only its log.
  if (serves !== undefined) logWarnings(log, opened.warnings);
  try {
    const app = await openApp({
      config,
      log,
      ...(serves !== undefined && { serves }),
      ...(storeWaitMs !== undefined && { storeWaitMs }),
    });
    return {
      config,
      log,
      app,
      async close() {
        config.close();
        await app.close();
        await log.close();
      },
    };
  } catch (error) {
    config.close();
    throw error;
  }
}

async function openConfig(
  options: GlobalOptions,
  isWatched: boolean,
  inputs?: Inputs,
): Promise<ConfigSourceCreated> {
  const values = inputs ?? (await inputsOf(options));
  return openConfigSource({ configPath: options.config, home: options.home, isWatched }, values);
}

/** Undefined where it is not known in which store they are: the config has that problem, and tells it with all others. */
async function inputsOf(options: GlobalOptions): Promise<Inputs | undefined> {
  const located = await locateStore({ configPath: options.config, home: options.home });
  return located.ok ? openInputsOf(located) : undefined;
}

async function openAskedConfig(options: GlobalOptions, server: string): Promise<ConfigSourceCreated> {
  const place = { configPath: options.config, home: options.home };
  const inputs = (await inputsOf(options)) ?? openInputs({ home: locateConfig(place).home });
  const opened = await openConfig(options, false, inputs);
  if (!opened.ok || options.json === true || !canAsk() || !process.stderr.isTTY) return opened;
  const missing = opened.source
    .current()
    .inputs.filter(
      ({ state, isNeeded, servers }) => state === "missing" && isNeeded && servers.includes(server),
    );
  if (missing.length === 0) return opened;
  const { askInputs, askAtTerminal } = await import("./init/ask-inputs.ts");
  const ask = async (input: ConfigInput): Promise<string> => {
    const answer = await askAtTerminal(input);
    if (answer === undefined) throw interrupted(input.description ?? input.id);
    return answer;
  };
  const given = await askInputs(missing, { inputs, ask, note, options });
  if (given === 0) return opened;
  opened.source.close();
  return openConfig(options, false, inputs);
}

export function logWarnings(log: Log, warnings: readonly ConfigProblem[]): void {
  for (const warning of warnings) log.warn("config.warning", { problem: formatProblem(warning) });
}

export function logOptionsOf(config: Config, options: GlobalOptions, quietest?: LogLevel) {
  const level = options.logLevel ?? quietest ?? config.log.level;
  const format = options.logFormat ?? config.log.format;
  return { level, file: config.log.file, format, secrets: config.secrets };
}
