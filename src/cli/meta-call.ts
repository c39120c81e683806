import type { Config } from "../config/config.ts";
import type { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { EXIT, exitCodeOfToolError } from "./exit-code.ts";
import { openSession, type GlobalOptions } from "./session.ts";
import { printJson, printToolError } from "./terminal.ts";

/** A client can ask again; a command that has ended cannot. Longer than a server may take to start. */
const WAIT_MS_MAX = 10_000;

/** Calls a meta-tool as a client would, until the answer is whole, and prints it, as JSON or as `show` draws it. */
export async function callMetaTool<T>(
  options: GlobalOptions,
  name: string,
  args: JsonObject,
  show: (answer: T, config: Config) => void,
  isWhole: (answer: T) => boolean = () => true,
): Promise<number> {
  const session = await openSession(options);
  try {
    const call = () => session.app.gateway.callTool(name, args);
    const giveUpAt = performance.now() + WAIT_MS_MAX;
    let answer = await call();
    while (answer.isError !== true && performance.now() < giveUpAt) {
      if (isWhole(answer.structuredContent as T)) break;
      answer = await call();
    }
    const content: unknown = answer.structuredContent;
    if (options.json === true) printJson(content);
    if (answer.isError === true) {
      const { error } = content as { error: ToolError };
      if (options.json !== true) printToolError(error);
      return exitCodeOfToolError(error);
    }
    if (options.json !== true) show(content as T, session.config.current());
    return EXIT.ok;
  } finally {
    await session.close();
  }
}
