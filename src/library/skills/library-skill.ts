/** A capability's skill with what hosts verify: the address, the size and the digest of its one file. */
import { createHash } from "node:crypto";
import { skillNameOf, type CapabilityName } from "../../core/names.ts";
import type { Redactor } from "../../text/redaction.ts";
import { frontmatterOf, skillTextOf, type SkillFrontmatter, type ShownCapability } from "./skill-text.ts";

export const SKILL_FILE = "SKILL.md";
const SCHEME = "skill://";

export interface LibrarySkill {
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All of its `SKILL.md`. */
  readonly text: string;
  readonly size: number;
  /** `sha256:` and 64 digits, over the bytes. */
  readonly digest: string;
}

/** Secrets of the config are out of it before it is measured. */
export function librarySkillOf(
  shown: ShownCapability,
  redactor: Pick<Redactor, "mask" | "text">,
): LibrarySkill {
  const frontmatter = redactor.mask(frontmatterOf(shown, redactor));
  const text = redactor.mask(skillTextOf(shown, frontmatter));
  return {
    uri: skillUriOf(shown.capability),
    frontmatter,
    text,
    size: Buffer.byteLength(text),
    digest: digestOf(Buffer.from(text)),
  };
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Under the namespace, in a folder of the skill's name. No server's skill is there: its first part has a plus. */
export function skillUriOf(name: CapabilityName): string {
  return `${SCHEME}${name.namespace}/${skillNameOf(name)}/${SKILL_FILE}`;
}
