export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `json` is for programs, `text` for a person who reads along. */
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** One event, one line. `event` is a stable dotted name; the fields are redacted before they are written. */
export interface Log {
  error(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  debug(event: string, fields?: Record<string, unknown>): void;
}

/** A line as data, redacted. */
export interface LogEntry {
  readonly level: Exclude<LogLevel, "silent">;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
