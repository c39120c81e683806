/** A call as people paste it, read without running anything. */
export type ReadCall =
  | { readonly ok: true; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** `github.create_issue`, `mcp.github.create_issue`, `github__create_issue`, `mail:digest@2`, `file:///a`. */
const NAME = /^(?:await\s+)?(?:mcp\.)?([^\s({]+)\s*/;

/**
 * Reads `github.create_issue {"repo": "a/b"}`, the same with brackets as code has it, and the JSON of a `tools/call`
 * (`{"name": …, "arguments": {…}}`).
 */
export function readCall(text: string): ReadCall {
  const trimmed = text.trim();
  if (trimmed === "") return problem("Write the name of a tool.");
  if (trimmed.startsWith("{")) return readRequest(trimmed);
  const [begin, tool] = NAME.exec(trimmed) ?? [];
  if (begin === undefined || tool === undefined) return problem("It begins with no name of a tool.");
  const rest = withoutBrackets(trimmed.slice(begin.length));
  if (rest === "") return { ok: true, tool, args: {} };
  const args = parseObject(rest);
  return args === undefined
    ? problem("What follows the name is no JSON object. Write names and texts in double quotes.")
    : { ok: true, tool, args };
}

function readRequest(text: string): ReadCall {
  const request = parseObject(text);
  if (request === undefined) return problem("It begins like JSON, and is none.");
  const call = isObject(request["params"]) ? request["params"] : request;
  const tool = call["name"] ?? call["tool"];
  if (typeof tool !== "string" || tool === "") return problem('The JSON names no tool. It needs "name".');
  const args = call["arguments"] ?? call["args"] ?? {};
  return isObject(args) ? { ok: true, tool, args } : problem("The arguments are no JSON object.");
}

/** `({…});` is `{…}`. */
function withoutBrackets(text: string): string {
  const bare = text.trim().replace(/;$/, "").trim();
  return bare.startsWith("(") && bare.endsWith(")") ? bare.slice(1, -1).trim() : bare;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function problem(text: string): ReadCall {
  return { ok: false, problem: text };
}
