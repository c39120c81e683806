import type { JsonObject } from "../core/json.ts";

/** A token of RFC 9110: no space, no line end, no delimiter. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** A header is seen by every proxy on the way, so what looks like a secret must not become one. */
const SECRET = /passw|secret|token|api[-_]?key|credential|authorization|private[-_]?key/i;

/**
 * Says why a tool's `x-mcp-header` is refused. `headers` collects the names of one tool, to find one that is used
 * twice.
 */
export function findHeaderProblem(
  schema: JsonObject,
  at: { readonly path: string; readonly plain: boolean },
  headers: Set<string>,
): string | undefined {
  if (!Object.hasOwn(schema, "x-mcp-header")) return undefined;
  const name = schema["x-mcp-header"];
  if (typeof name !== "string" || !TOKEN.test(name)) return "x-mcp-header is not the name of a header";
  if (!at.plain || at.path === "#")
    return "x-mcp-header may stand on properties only, not below a combination, list or $ref";
  if (!TYPES.has(schema["type"])) return "x-mcp-header needs a property of type string, integer or boolean";
  if (SECRET.test(name) || SECRET.test(at.path))
    return "x-mcp-header would put what looks like a secret into a header";
  if (headers.has(name.toLowerCase())) return `x-mcp-header ${name} is used twice`;
  headers.add(name.toLowerCase());
  return undefined;
}
