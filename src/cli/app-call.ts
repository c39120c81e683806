import type { App } from "../app/app.ts";
import type { ToolError } from "../core/errors.ts";
import type { ToolResult } from "../core/result.ts";
import { EXIT, exitCodeOfToolError } from "./terminal/exit-code.ts";
import { withProgress } from "./terminal/progress-line.ts";
import { openSession, type Session } from "./session.ts";
import type { GlobalOptions } from "./global-options.ts";
import { printJson, printToolError } from "./terminal/terminal.ts";
import type { Config } from "../config/config.ts";
import type { JsonObject } from "../core/json.ts";
import type { OperatorDeps, Viewer } from "../operator/operator.ts";
import { localViewer } from "../operator/viewer.ts";

/** How the answer is printed, and its exit code; 0 by default. */
interface Drawing<T> {
  readonly show: (answer: T) => void;
  /** What `--json` prints, where it is not the answer itself. */
  readonly view?: (answer: T) => unknown;
  readonly exitCodeOf?: (answer: T) => number;
  /** Progress text for a terminal; not for work that asks questions. */
  readonly progress?: string;
}

/** Uses the gateway and prints the result, as JSON or with `show`. */
export async function useApp<T>(
  options: GlobalOptions,
  use: (app: App, operator: Operator) => Promise<ToolResult<T>>,
  { show, view, exitCodeOf, progress }: Drawing<T>,
): Promise<number> {
  const session = await openSession(options);
  try {
    const work = (): Promise<ToolResult<T>> => use(session.app, operatorOf(session, options));
    const answer = await (progress === undefined ? work() : withProgress(progress, work));
    if (!answer.success) return refuse(answer.error, options);
    if (options.json === true) printJson(view === undefined ? answer.data : view(answer.data));
    else show(answer.data);
    return exitCodeOf?.(answer.data) ?? EXIT.ok;
  } finally {
    await session.close();
  }
}

/** What views and actions need, and the person at this machine who looks. */
export interface Operator {
  readonly deps: OperatorDeps;
  readonly viewer: Viewer;
}

export function operatorOf(
  { app, config }: Session,
  options: GlobalOptions,
  signal: AbortSignal = new AbortController().signal,
): Operator {
  const place = { configPath: options.config, home: options.home };
  return { deps: { app, config, place }, viewer: localViewer(app, { signal }) };
}

export function refuse(error: ToolError, options: GlobalOptions): number {
  if (options.json === true) printJson({ success: false, error });
  else printToolError(error);
  return exitCodeOfToolError(error);
}

/** Calls a meta-tool as a client would, and prints its answer, as JSON or as `show` draws it. */
export async function callMetaTool<T>(
  options: GlobalOptions,
  name: string,
  args: JsonObject,
  show: (answer: T, config: Config) => void,
): Promise<number> {
  const session = await openSession(options);
  try {
    return await callMetaToolIn(session, options, name, args, show);
  } finally {
    await session.close();
  }
}

/** The same in a session that is open already. */
export async function callMetaToolIn<T>(
  session: Session,
  options: GlobalOptions,
  name: string,
  args: JsonObject,
  show: (answer: T, config: Config) => void,
): Promise<number> {
  const answer = await session.app.gateway.callTool(name, args);
  const content: unknown = answer.structuredContent;
  if (options.json === true) printJson(content);
  if (answer.isError === true) {
    const { error } = content as { error: ToolError };
    if (options.json !== true) printToolError(error);
    return exitCodeOfToolError(error);
  }
  if (options.json !== true) show(content as T, session.config.current());
  return EXIT.ok;
}
