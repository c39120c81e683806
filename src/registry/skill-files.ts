/** Which files belong to which skill, by the URIs of their entries: those of a server, or those that clients see. */
import type { JsonObject } from "../core/json.ts";

export const SKILL_FILE = "/SKILL.md";

/** A file of a skill as its entry describes it. Without digests, an entry describes none. */
export interface SkillFile {
  readonly skill: JsonObject;
  readonly size?: number;
  readonly digest?: string;
}

/** The folder of a skill: the URI of its `SKILL.md` without that. */
function skillRootOf({ uri }: JsonObject): string {
  return (uri as string).slice(0, -SKILL_FILE.length);
}

/** Whether a URI is in the folder of a skill, listed there or not. */
export function isFileOf(skill: JsonObject, uri: string): boolean {
  return uri.startsWith(`${skillRootOf(skill)}/`);
}

/**
 * `unlisted`: in the folder of a skill that does not have it. Of a file of two skills, one inside of the other, the
 * inner one is told. Undefined for what is in no skill.
 */
export function findSkillFile(
  skills: readonly JsonObject[],
  uri: string,
): SkillFile | "unlisted" | undefined {
  const around = skills
    .filter((skill) => isFileOf(skill, uri))
    .sort((a, b) => skillRootOf(b).length - skillRootOf(a).length);
  if (around.length === 0) return undefined;
  const found = around.map((skill) => fileIn(skill, uri)).find((file) => file !== undefined);
  return found ?? "unlisted";
}

function fileIn(skill: JsonObject, uri: string): SkillFile | undefined {
  const { resources } = skill;
  if (!Array.isArray(resources)) return { skill };
  const file = (resources as readonly JsonObject[]).find((one) => one["uri"] === uri);
  return file && { skill, size: file["size"] as number, digest: file["digest"] as string };
}
