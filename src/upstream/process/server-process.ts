import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve as resolvePath } from "node:path";
import { silentLog, type Log } from "../../core/log.ts";
import { messageOf } from "../../core/errors.ts";
import type { Transport } from "../transport/transport.ts";
import type { Isolation } from "../../process/isolation/isolation.ts";
import { launch, type Launch } from "../../process/launch.ts";
import { isolateLaunch, type IsolatedWith } from "../../process/isolation/isolated-launch.ts";
import { passedEnvironment } from "../../process/passed-environment.ts";
import { type NotStarted, type ProcessExit, describeExit } from "./process-exit.ts";
import { RunningProcess, type ProcessLimits } from "./running-process.ts";
import { ProcessError } from "./process-error.ts";

export interface ServerProcessOptions extends Partial<ProcessLimits> {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's own variables; of the gateway's it gets only those that every program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** A server with it is started behind `backend`, or not at all. */
  readonly isolation?: Isolation | undefined;
  readonly keptAway?: readonly string[] | undefined;
  readonly backend?: string | undefined;
  readonly onChannel?: IsolatedWith["onChannel"];
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
  if (options.isolation !== undefined && options.backend === undefined) return notStartedProcess(NO_BACKEND);
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

const NO_BACKEND: NotStarted = { cause: "no_isolation", reason: "Nothing was found that isolates it." };

/** In the place of a process that must not be started. */
export function notStartedProcess(why: NotStarted): ServerProcess {
  return new NotStartedProcess(Promise.resolve(why));
}

function refusedBySystem(error: unknown): NotStarted {
  return { cause: "not_started", reason: messageOf(error) };
}

type Prepared =
  | { readonly kind: "ready"; readonly launch: Launch }
  | Extract<CommandLookup, { kind: "not_started" }>;

function prepare(options: ServerProcessOptions): Prepared {
  const prepared = prepareOpen(options);
  if (options.isolation === undefined || prepared.kind === "not_started") return prepared;
  return isolate(prepared.launch, options.isolation, options);
}

/** Never without the isolation that was asked for. */
function isolate(open: Launch, isolation: Isolation, options: ServerProcessOptions): Prepared {
  const { keptAway = [], backend, onChannel } = options;
  const isolated = isolateLaunch(open, { isolation, keptAway, backend: backend ?? "", onChannel });
  if (isolated.ok) return { kind: "ready", launch: isolated.launch };
  const reason = `It cannot be isolated as its sandbox says: ${isolated.reason}.`;
  return { kind: "not_started", cause: "bad_isolation", reason };
}

function prepareOpen({ command, args, env: own, cwd = process.cwd() }: ServerProcessOptions): Prepared {
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

/** Takes the place of a process that could not be started: it is closed from the beginning, and says why. */
class NotStartedProcess implements Transport {
  readonly pid = undefined;
  readonly exit: Promise<ProcessExit>;
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  #wasClosed = false;

  constructor(why: Promise<NotStarted>) {
    this.exit = why.then(({ cause, reason }) => ({ kind: "not_started", cause, reason }));
  }

  async start(): Promise<void> {
    await this.close();
    await this.#refuse();
  }

  async send(): Promise<void> {
    await this.#refuse();
  }

  async close(): Promise<void> {
    await this.exit;
    if (this.#wasClosed) return;
    this.#wasClosed = true;
    this.onclose?.();
  }

  stderrTail(): string[] {
    return [];
  }

  stderrAt(): undefined {
    return undefined;
  }

  counts(): { noise: number; oversize: number } {
    return { noise: 0, oversize: 0 };
  }

  async #refuse(): Promise<never> {
    throw new ProcessError("PROCESS_NOT_STARTED", describeExit(await this.exit));
  }
}

type CommandLookup =
  | { readonly kind: "found"; readonly file: string }
  | ({ readonly kind: "not_started" } & NotStarted);

/** Where a command looks for its program: the folder that it starts in, and its own PATH. */
interface CommandPlace {
  readonly cwd: string;
  readonly path: string;
}

/**
 * Finds the program of a command as execvp would, so that a command that cannot start says precisely why, and so that
 * what starts is an absolute path that no shell looks up again.
 */
export function findCommand(command: string, { cwd, path }: CommandPlace): CommandLookup {
  const cwdProblem = findFolderProblem(cwd);
  if (cwdProblem !== undefined) return { kind: "not_started", cause: "bad_folder", reason: cwdProblem };
  if (command === "") return { kind: "not_started", cause: "not_found", reason: "The command is empty." };
  if (command.includes("/")) return lookAt(resolvePath(cwd, command));
  return searchPath(command, path.split(delimiter), cwd);
}

function searchPath(command: string, folders: readonly string[], cwd: string): CommandLookup {
  let refused: CommandLookup | undefined;
  for (const folder of folders) {
    // An empty entry means the current folder, which here is the server's.
    const lookup = lookAt(resolvePath(cwd, folder, command));
    if (lookup.kind === "found") return lookup;
    if (lookup.exists) refused ??= lookup;
  }
  return refused ?? notFound(`Command not found (ENOENT): ${command} is not in PATH.`);
}

type FileLookup =
  | Extract<CommandLookup, { kind: "found" }>
  | (Extract<CommandLookup, { kind: "not_started" }> & { readonly exists: boolean });

function lookAt(file: string): FileLookup {
  try {
    if (statSync(file).isDirectory()) return notExecutable(`Not a program (EISDIR): ${file} is a folder.`);
    accessSync(file, constants.X_OK);
    return { kind: "found", file };
  } catch (error) {
    const code = codeOf(error);
    if (code === "EACCES")
      return notExecutable(
        `Not executable (EACCES): ${file}. Set its x bit, or start it through its interpreter.`,
      );
    return notFound(`Command not found (${code}): ${file}.`);
  }
}

function notFound(reason: string) {
  return { kind: "not_started", cause: "not_found", exists: false, reason } as const;
}

function notExecutable(reason: string) {
  return { kind: "not_started", cause: "not_executable", exists: true, reason } as const;
}

function findFolderProblem(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `The working folder is a file (ENOTDIR): ${cwd}.`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return `The working folder cannot be entered (${codeOf(error)}): ${cwd}.`;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
