import type { Command } from "commander";
import { openApp, type App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { createConfigSource, type ConfigSource } from "../config/source.ts";
import { formatProblem, type Problem } from "../config/problem.ts";
import { RepertoireError } from "../core/errors.ts";
import type { LogLevel } from "../core/log.ts";
import { createLog, type ConfigurableLog } from "../log.ts";
import { note, yellow } from "./terminal.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly home?: string;
  readonly logLevel?: LogLevel;
}

export function globalOptionsOf(command: Command): GlobalOptions {
  return command.optsWithGlobals();
}

export interface Session {
  readonly config: ConfigSource;
  readonly log: ConfigurableLog;
  readonly app: App;
  close(): Promise<void>;
}

/** Opens the gateway in this process. A command that prints data logs errors only; `serve` logs what the config says. */
export async function openSession(
  options: GlobalOptions,
  quietest: LogLevel | undefined = "error",
  serves?: "stdio" | "http",
): Promise<Session> {
  const isWatched = serves !== undefined;
  const opened = createConfigSource({ configPath: options.config, home: options.home, isWatched });
  if (!opened.ok) throw configError(opened.problems);
  const config = opened.source;
  const log = createLog(logOptionsOf(config.current(), options, quietest));
  for (const warning of opened.warnings) note(`${yellow("warning")} ${formatProblem(warning)}`);
  try {
    const app = await openApp({ config, log, ...(serves !== undefined && { serves }) });
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

export function logOptionsOf(config: Config, options: GlobalOptions, quietest?: LogLevel) {
  const level = options.logLevel ?? quietest ?? config.log.level;
  return { level, file: config.log.file, secrets: config.secrets };
}

export function configError(problems: readonly Problem[]): RepertoireError {
  const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
  return new RepertoireError("CONFIG_INVALID", `the config is not valid:\n${lines.join("\n")}`, {
    hint: "Correct the file, then run: repertoire config check",
  });
}
