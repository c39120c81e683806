/**
 * Skills of MCP, as the extension `io.modelcontextprotocol/skills` has them (SEP-2640): instructions for a model,
 * listed by themselves and read as resources. The library is served as skills, and those of servers are passed on.
 */
import { SKILLS_EXTENSION } from "../../core/declared.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";

const SKILL_METHODS = ["skills/list", "skills/get", "resources/directory/read"] as const;
export type SkillMethod = (typeof SKILL_METHODS)[number];

export function isSkillMethod(method: string): method is SkillMethod {
  return (SKILL_METHODS as readonly string[]).includes(method);
}

/** Which of them a server has promised by what it declares of the extension. */
export function skillMethodsOf({ extensions }: JsonObject): readonly SkillMethod[] {
  const declared = isJsonObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
  if (!isJsonObject(declared)) return [];
  return declared["directoryRead"] === true ? SKILL_METHODS : ["skills/list", "skills/get"];
}

/** Another process may save a capability at any moment, and what one client may see is not for a shared cache. */
export const NOT_KEPT = { ttlMs: 0, cacheScope: "private" } as const;

export function noSkill(uri: unknown): ToolResult<never> {
  const named = typeof uri === "string" ? ` at ${quote(uri, 200)}` : ": the uri is missing";
  return fail("TOOL_NOT_FOUND", `There is no skill${named}.`, {
    field: "uri",
    hint: "skills/list says which there are; a skill is named by the URI of its SKILL.md.",
  });
}
