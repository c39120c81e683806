import type { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { EXIT, exitCodeOfToolError } from "./exit-code.ts";
import { openSession, type GlobalOptions } from "./session.ts";
import { printJson, printToolError } from "./terminal.ts";

/** Calls a meta-tool as a client would and prints its answer, as JSON or as `show` draws it. */
export async function callMetaTool<T>(
  options: GlobalOptions,
  name: string,
  args: JsonObject,
  show: (answer: T) => void,
): Promise<number> {
  const session = await openSession(options);
  try {
    const answer = await session.app.gateway.callTool(name, args);
    const content: unknown = answer.structuredContent;
    if (options.json === true) printJson(content);
    if (answer.isError === true) {
      const { error } = content as { error: ToolError };
      if (options.json !== true) printToolError(error);
      return exitCodeOfToolError(error.code);
    }
    if (options.json !== true) show(content as T);
    return EXIT.ok;
  } finally {
    await session.close();
  }
}
