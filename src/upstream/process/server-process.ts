import { silentLog, type Log } from "../../core/log.ts";
import { messageOf } from "../../core/errors.ts";
import type { Transport } from "../transport/transport.ts";
import { findCommand, type CommandLookup } from "./command.ts";
import { launch, type Launch } from "../../process/launch.ts";
import { passedEnvironment } from "../../process/passed-environment.ts";
import { NotStartedProcess } from "./not-started-process.ts";
import type { NotStarted, ProcessExit } from "./process-exit.ts";
import { RunningProcess, type ProcessLimits } from "./running-process.ts";

export interface ServerProcessOptions extends Partial<ProcessLimits> {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's own variables; of the gateway's it gets only those that every program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly log?: Log | undefined;
}

/** A stdio MCP server as a child process. Nothing that it does throws into the gateway. */
export interface ServerProcess extends Transport {
  readonly pid: number | undefined;
  /** Settles when the process is gone and everything it wrote has been read; it never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** The last lines of stderr, oldest first; `redact` sees all that is known of it, before anything is cut. */
  stderrTail(lineCount?: number, redact?: (text: string) => string): string[];
  /** When it last wrote to stderr, on the clock of `performance.now()`. */
  stderrAt(): number | undefined;
  /** Lines on stdout that were no message, and lines that were too long. */
  counts(): { noise: number; oversize: number };
}

const LIMITS: ProcessLimits = {
  /** No message of a real server comes near it; a larger one is a mistake or an attack. */
  lineBytesMax: 8 * 1024 * 1024,
  /** Enough for a stack trace behind a page of warnings. */
  stderrBytesMax: 256 * 1024,
  /** One message of the largest size may wait for a server that reads slowly. */
  queueBytesMax: 8 * 1024 * 1024,
  sendTimeoutMs: 10_000,
  /** Twice this passes before a server that ignores everything is killed. */
  graceMs: 2_000,
  /**
   * npm takes a moment to undo an installation that SIGTERM interrupts; killed meanwhile, it leaves a cache that fails
   * from then on.
   */
  startGraceMs: 6_000,
};

/** Where programs are looked for without a PATH. Not in the working folder, which is what an empty one means. */
const PATH_DEFAULT = "/usr/bin:/bin";

/**
 * Starts the process at once. Set the callbacks and call `start()` to read from it. A command that cannot start is not
 * an error here: `exit` says `not_started` with the reason, and `start()` rejects.
 */
export function startServerProcess(options: ServerProcessOptions): ServerProcess {
  const log = options.log ?? silentLog;
  const prepared = prepare(options);
  if (prepared.kind === "not_started") return new NotStartedProcess(Promise.resolve(prepared));
  try {
    const child = launch(prepared.launch);
    if (child.pid !== undefined) return new RunningProcess(child, { ...LIMITS, ...given(options) }, log);
    const { promise, resolve } = Promise.withResolvers<NotStarted>();
    child.once("error", (error) => resolve(refusedBySystem(error)));
    return new NotStartedProcess(promise);
  } catch (error) {
    return new NotStartedProcess(Promise.resolve(refusedBySystem(error)));
  }
}

/**
 * Why a server's command could not be started as things are now; undefined where nothing speaks against it. Starts
 * nothing.
 */
export function findStartProblem(options: ServerProcessOptions): NotStarted | undefined {
  const prepared = prepare(options);
  return prepared.kind === "ready" ? undefined : { cause: prepared.cause, reason: prepared.reason };
}

function refusedBySystem(error: unknown): NotStarted {
  return { cause: "not_started", reason: messageOf(error) };
}

type Prepared =
  | { readonly kind: "ready"; readonly launch: Launch }
  | Extract<CommandLookup, { kind: "not_started" }>;

function prepare({ command, args, env: own, cwd = process.cwd() }: ServerProcessOptions): Prepared {
  const env = childEnvironment(own);
  // Windows looks up programs in its own way, by extension.
  if (process.platform === "win32") return { kind: "ready", launch: { file: command, args, env, cwd } };
  const lost = findLostName(env);
  if (lost !== undefined)
    return {
      kind: "not_started",
      cause: "bad_variable",
      reason: `The environment variable ${JSON.stringify(lost)} cannot be passed on: a name has letters, digits and _ only.`,
    };
  const lookup = findCommand(command, { cwd, path: env["PATH"] ?? PATH_DEFAULT });
  return lookup.kind === "found" ? { kind: "ready", launch: { file: lookup.file, args, env, cwd } } : lookup;
}

/** The environment of a server: its own variables over those of the gateway that every server gets. */
export function childEnvironment(
  own: Readonly<Record<string, string>>,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return { ...passedEnvironment(parent), ...own };
}

/**
 * The first variable that `/bin/sh` would not hand on: some shells drop a name that they cannot spell. A server without
 * a variable that its config names is harder to understand than one that does not start.
 */
export function findLostName(environment: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(environment).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

/** The limits that the caller set; one that is `undefined` means the default. */
function given(options: ServerProcessOptions): Partial<ProcessLimits> {
  const names = Object.keys(LIMITS) as (keyof ProcessLimits)[];
  return Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
}
