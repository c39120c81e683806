import type { LogFormat, LogLevel } from "../core/log.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly home?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
}
