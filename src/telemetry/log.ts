/**
 * Log lines: one event, one line of JSON, on stderr or in a file that only its owner can read; or text for a person at
 * a terminal.
 *
 * Everything is redacted twice: as values before pino sees them, and as text before the line is written, so that a
 * secret in an event's name or a key is caught as well. The sink may block or break: lines wait in a bounded buffer,
 * then are dropped and counted, and the gateway goes on. pino is loaded with the first line that is written.
 */
import type { Log, LogEntry, LogFormat, LogLevel } from "../core/log.ts";
import { createRedactor, type Redactor } from "../text/redaction.ts";
import { HIDDEN_CLASS } from "../text/visible-text.ts";

/** What may wait for a slow sink: some thousands of lines. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** How long the end of the process waits for the last lines. */
const LAST_LINES_MS = 200;
/** A file takes them, also on a machine that is very busy; a disk that is full must not hold the end of the process for long. */
const LAST_FILE_LINES_MS = 3_000;

const SEVERITY: Readonly<Record<LogLevel, number>> = {
  silent: 100,
  error: 50,
  warn: 40,
  info: 30,
  debug: 20,
};

export interface LogOptions {
  readonly level: LogLevel;
  readonly file?: string | undefined;
  readonly secrets: readonly string[];
  /** Without it, text where stderr is a terminal, and JSON everywhere else. */
  readonly format?: LogFormat | undefined;
  /** Takes each line in place of stderr or a file. */
  readonly receive?: ((entry: LogEntry) => void) | undefined;
}

export interface ConfigurableLog extends Log {
  /** Takes effect with the next line; the sink stays what it was. */
  configure(options: Pick<LogOptions, "level" | "secrets">): void;
  /** Lines that the sink did not take, since the start. */
  droppedCount(): number;
  /** Waits a moment for the last lines; later ones are not written. */
  close(): Promise<void>;
}

type Level = Exclude<LogLevel, "silent">;
type Sink = {
  write(level: Level, event: string, fields: Record<string, unknown>): void;
  close(): Promise<void>;
};

export function createLog(options: LogOptions): ConfigurableLog {
  let { level } = options;
  let redactor = createRedactor(options.secrets);
  let sink: Promise<Sink> | undefined;
  let dropped = 0;

  function write(at: Level, event: string, fields: Record<string, unknown> = {}): void {
    if (SEVERITY[at] < SEVERITY[level]) return;
    const safe = { ...(redactor.value(fields) as object) };
    if (options.receive !== undefined) return hand(options.receive, { level: at, event, fields: safe });
    sink ??= openSink(
      options,
      () => redactor,
      () => dropped++,
    );
    void sink.then((open) => open.write(at, event, safe));
  }

  return {
    error: (event, fields) => write("error", event, fields),
    warn: (event, fields) => write("warn", event, fields),
    info: (event, fields) => write("info", event, fields),
    debug: (event, fields) => write("debug", event, fields),
    configure(next) {
      level = next.level;
      redactor = createRedactor(next.secrets);
    },
    droppedCount: () => dropped,
    async close() {
      level = "silent";
      await (await sink)?.close();
    },
  };
}

/** Events have fixed names; what a receiver throws stops nothing here. */
function hand(receive: (entry: LogEntry) => void, entry: LogEntry): void {
  try {
    Promise.resolve(receive(entry) as unknown).catch(() => {});
  } catch {
    // There is no log to say it in.
  }
}

async function openSink(
  { file, format = file === undefined && process.stderr.isTTY ? "text" : "json" }: LogOptions,
  redactor: () => Redactor,
  onDrop: () => void,
): Promise<Sink> {
  const { pino } = await import("pino");
  const destination = pino.destination({
    ...(file === undefined ? { fd: 2 } : { dest: file, mkdir: true, mode: 0o600 }),
    sync: false,
    maxLength: WAITING_BYTES_MAX,
  });
  let droppedCount = 0;
  const drop = (): void => {
    droppedCount++;
    onDrop();
  };
  destination.on("error", drop);
  destination.on("drop", drop);
  const logger = pino(
    {
      level: "trace",
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: await createLineWriter(format, file, redactor) },
    },
    destination,
  );
  return {
    write(level, event, fields) {
      logger[level](droppedCount === 0 ? fields : { ...fields, droppedCount }, event);
      droppedCount = 0;
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, file === undefined ? LAST_LINES_MS : LAST_FILE_LINES_MS);
      destination.once("close", resolve);
      destination.end();
      await promise;
      clearTimeout(timer);
    },
  };
}

/** A secret is looked for in the line that is really written as well: text has fewer escapes than JSON. */
async function createLineWriter(
  format: LogFormat,
  file: string | undefined,
  redactor: () => Redactor,
): Promise<(line: string) => string> {
  if (format === "json") return (line) => escapeHiddenJson(redactor().text(line));
  const [{ textLineOf }, { default: colours }] = await Promise.all([
    import("./log-text.ts"),
    import("picocolors"),
  ]);
  const hasColours = file === undefined && process.stderr.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  const { red, yellow, dim } = colours.createColors(hasColours);
  const paints: Readonly<Record<string, (text: string) => string>> = {
    error: red,
    warn: yellow,
    debug: dim,
  };
  const paint = (level: string, text: string): string => paints[level]?.(text) ?? text;
  return (line) => redactor().text(textLineOf(redactor().text(line), paint));
}

const HIDDEN = new RegExp(`[${HIDDEN_CLASS}]`, "gu");

/**
 * JSON leaves characters alone that end a line for some viewers, steer a terminal, or reverse the text after them.
 */
function escapeHiddenJson(line: string): string {
  return line.replace(HIDDEN, (char) =>
    Array.from({ length: char.length }, (_, at) => jsonEscape(char.charCodeAt(at))).join(""),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
