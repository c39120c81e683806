/** A server in memory that serves skills, and files that say what they are. */
import { expect } from "vitest";
import { createFixtureSource, type FixtureSource } from "../../../test/fixtures/tool-source.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { digestOf } from "../../library/skills/library-skill.ts";

/** A skill as its server has it: all its files, by their names below its folder. */
export interface FixtureSkill {
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
}

export function skillOf(
  name: string,
  description = "Says how.",
  more: Record<string, string> = {},
): FixtureSkill {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;
  return { root: `skill://${name}`, files: { "SKILL.md": text, ...more } };
}

/** Its entry, whatever its description has in it. */
export function entryFor({ root, files }: FixtureSkill, description = "Says how."): JsonObject {
  const resources = Object.entries(files).map(([name, text]) => ({
    uri: `${root}/${name}`,
    digest: digestOf(Buffer.from(text)),
    size: Buffer.byteLength(text),
  }));
  return { uri: `${root}/SKILL.md`, frontmatter: { name: root.split("/").at(-1)!, description }, resources };
}

export interface SkillServer extends FixtureSource {
  /** What it lists. */
  entries: readonly Json[];
  /** What it serves, by URI; entries by the URI of their `SKILL.md`. */
  readonly files: Map<string, string>;
  readonly unlisted: Map<string, JsonObject>;
  readonly asked: { method: string; uri: unknown }[];
}

export function createSkillServer(id: string, ...skills: readonly FixtureSkill[]): SkillServer {
  const source = createFixtureSource(id, []);
  const files = new Map<string, string>();
  for (const { root, files: own } of skills)
    for (const [name, text] of Object.entries(own)) files.set(`${root}/${name}`, text);
  const server: SkillServer = Object.assign(source, {
    entries: skills.map((skill) => entryFor(skill)),
    files,
    unlisted: new Map<string, JsonObject>(),
    asked: [],
    async request(method: string, { uri }: JsonObject): Promise<ToolResult<JsonObject>> {
      server.asked.push({ method, uri });
      const text = files.get(uri as string);
      if (method === "resources/read" && text !== undefined)
        return succeed({ contents: [{ uri: uri!, text }] });
      if (method === "skills/list") return succeed({ skills: server.entries, ttlMs: 5 });
      const listed = server.entries.find((entry) => (entry as JsonObject | null)?.["uri"] === uri);
      const skill = server.unlisted.get(uri as string) ?? listed;
      if (method === "skills/get" && skill != null) return succeed({ skill });
      const upstream = { code: -32_602, message: "not here" };
      return fail("TOOL_NOT_FOUND", "not here", { upstream });
    },
  });
  server.onList = async () => succeed({ tools: [], skills: server.entries as readonly JsonObject[] });
  return server;
}

export function dataOf(result: ToolResult<JsonObject>): JsonObject {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

export function errorOf(result: ToolResult<JsonObject>) {
  expect(result.success).toBe(false);
  return result.success ? undefined : result.error;
}
