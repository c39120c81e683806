/** The library as skills: one for each capability that the caller may see, made from its current version. */
import type { JsonObject } from "../../core/json.ts";
import { displayNameOf, parseSkillName, toolNameOf, type CapabilityName } from "../../core/names.ts";
import type { Capability } from "../../core/store.ts";
import type { ToolView } from "../../core/tool.ts";
import type { Library } from "../../library/library.ts";
import { librarySkillOf, skillUriOf, type LibrarySkill } from "../../library/skills/library-skill.ts";
import { createLru, type Lru } from "../../timing/lru.ts";
import type { Redactor } from "../../text/redaction.ts";
import { NO_SECRETS, type Redactors } from "../../text/redactors.ts";
import { viewLibrary } from "../meta-tools/library-view.ts";

export interface LibrarySkills {
  /** The URIs of all that a caller may see. */
  uris(view: ToolView | undefined): Promise<string[]>;
  /** By the URI of its `SKILL.md`; undefined for what is not there, or not for this caller. */
  find(uri: string, view: ToolView | undefined): Promise<LibrarySkill | undefined>;
}

/** Enough for a library whose skills are listed again and again; a text has a few KiB. */
const KEPT = { countMax: 2_000, sizeMax: 16 * 1024 * 1024 };

export function createLibrarySkills(deps: {
  readonly library: Library;
  readonly redactors?: Pick<Redactors, "current"> | undefined;
}): LibrarySkills {
  const { library, redactors = NO_SECRETS } = deps;
  let kept: { readonly of: Redactor; readonly skills: Lru<LibrarySkill> } | undefined;

  /** Others when the config has other secrets. */
  function skillsOf(redactor: Redactor): Lru<LibrarySkill> {
    if (kept?.of !== redactor) kept = { of: redactor, skills: createLru(KEPT) };
    return kept.skills;
  }

  async function make(
    capability: Capability,
    view: ToolView | undefined,
    redactor: Redactor,
  ): Promise<LibrarySkill | undefined> {
    const details = await library.describe(displayNameOf(capability));
    if (!details.success) return undefined;
    const own = toolNameOf(capability);
    const parts = {
      ...details.data,
      example: await library.example(details.data.version),
      tool: view?.nameOf(own) ?? own,
      description: view?.descriptionOf(own),
    };
    return librarySkillOf(parts, redactor);
  }

  return {
    async uris(view) {
      return (await viewLibrary(library, view).list(null)).map(skillUriOf);
    },
    async find(uri, view) {
      const name = nameIn(uri);
      const capability = name && (await viewLibrary(library, view).find({ kind: "capability", ...name }));
      // An alias is a name to call it by, and no second skill.
      if (capability === undefined || skillUriOf(capability) !== uri) return undefined;
      const redactor = redactors.current();
      const skills = skillsOf(redactor);
      const key = keyOf(capability, view);
      const known = skills.get(key);
      if (known !== undefined) return known;
      const made = await make(capability, view, redactor);
      if (made !== undefined) skills.set(key, made, made.size);
      return made;
    },
  };
}

/** The capability that a URI of a skill of the library means. */
function nameIn(uri: string): CapabilityName | undefined {
  const named = /^skill:\/\/[a-z0-9_]+\/([a-z0-9-]{1,64})\/SKILL\.md$/.exec(uri)?.[1];
  return named === undefined ? undefined : parseSkillName(named);
}

/** Everything that its text is made of; a profile may call and describe it in its own way. */
function keyOf(capability: Capability, view: ToolView | undefined): string {
  const { id, currentVersion, updatedAt, description } = capability;
  const tool = toolNameOf(capability);
  const shown = [view?.nameOf(tool) ?? tool, view?.descriptionOf(tool) ?? description];
  return JSON.stringify([id, currentVersion, updatedAt, ...shown]);
}

export function isLibrarySkillUri(uri: unknown): uri is string {
  return typeof uri === "string" && /^skill:\/\/[a-z0-9_]+\//.test(uri);
}

/** As `skills/list` and `skills/get` tell of it. */
export function entryOf({ uri, frontmatter, size, digest }: LibrarySkill): JsonObject {
  return { uri, frontmatter: { ...frontmatter }, resources: [{ uri, digest, size }] };
}
