import { fail, type ToolResult } from "../core/result.ts";
import { stillStarting } from "../process/starting.ts";
import { meantTools, nearestTools, respeltTools } from "../text/tool-spelling.ts";
import { quote } from "../text/quote.ts";
import type { RegisteredSource } from "./registered-source.ts";

/**
 * Comparing letter by letter costs 10 µs for each name; of a larger catalogue only those that share a word are
 * compared.
 */
const COMPARED_MAX = 2000;

/** A name that leads nowhere, with the names that were probably meant. */
export function unknownTool(
  name: string,
  known: readonly string[],
  findByWords: (text: string) => readonly string[],
): ToolResult<never> {
  const near = nearestTools(
    name,
    known.length <= COMPARED_MAX ? known : candidatesFor(name, known, findByWords),
  );
  return fail("TOOL_NOT_FOUND", `There is no tool ${quote(name)}.${meantTools(name, near)}`, {
    nearest: near,
    hint: "browse_components lists the tools that can be called.",
  });
}

function candidatesFor(
  name: string,
  known: readonly string[],
  findByWords: (text: string) => readonly string[],
): string[] {
  const server = name.slice(0, name.indexOf("__") + 2);
  const siblings = server === "" ? [] : known.filter((other) => other.startsWith(server));
  return [...respeltTools(name, known), ...siblings.slice(0, COMPARED_MAX), ...findByWords(name)];
}

/** A tool that the server has and the person who set up the gateway does not want used. */
export function deniedTool(name: string, server: string): ToolResult<never> {
  return fail(
    "SECURITY_ERROR",
    `The tool ${quote(name)} is denied by the config of the server "${server}".`,
    {
      tool: name,
      hint: `Use another tool, or have it allowed under mcpServers.${server}.tools in repertoire.json.`,
    },
  );
}

/** A server whose list was not read yet: whether it has the tool is unknown. */
export function unreadServer({ source, refresh: { failure } }: RegisteredSource): ToolResult<never> {
  const starting = source.starting?.();
  if (starting !== undefined) return stillStarting(source.id, starting);
  if (failure === undefined) {
    return fail("TOOL_UNAVAILABLE", `The tools of the server "${source.id}" are not known yet.`, {
      hint: "It may still be starting; call again in a few seconds.",
    });
  }
  const { error } = failure;
  // A source that gives a reason (a login is needed, it is too busy) knows the next step better.
  if (error.reason !== undefined) return { success: false, error };
  return fail("TOOL_UNAVAILABLE", withServer(source.id, error.message), {
    hint: "The gateway tries again after a pause; other servers are not affected.",
  });
}

/** Most sources name themselves in their errors; once is enough. */
function withServer(id: string, message: string): string {
  return message.includes(id) ? message : `The server "${id}" cannot be reached: ${message}`;
}
