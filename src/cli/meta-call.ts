import type { Config } from "../config/config.ts";
import type { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { EXIT, exitCodeOfToolError } from "./terminal/exit-code.ts";
import { openSession, type Session } from "./session.ts";
import type { GlobalOptions } from "./global-options.ts";
import { printJson, printToolError } from "./terminal/terminal.ts";

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
