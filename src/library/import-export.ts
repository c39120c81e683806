/** The library and a folder of files, in both directions, and two versions beside each other. */
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { displayNameOf, skillNameOf } from "../core/names.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { CurrentCapability } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Imported, LibraryEditor } from "./edit-library.ts";
import type { CapabilityDetails, Library } from "./library.ts";
import { formatPortable } from "./portable/portable.ts";
import { readPortable } from "./portable/reading.ts";
import { writePortable } from "./portable/writing.ts";
import { diffSchemas } from "./schema/schema-diff.ts";
import { librarySkillOf, type LibrarySkill } from "./skills/library-skill.ts";
import { writeSkills, type SkillFolderOptions, type SkillsWritten } from "./skills/skill-folder.ts";
import { escapeUnprintable } from "../text/printable.ts";
import type { Redactors } from "../text/redactors.ts";

export interface ImportExport {
  exportLibrary(
    folder: string,
    pattern: string | null,
  ): Promise<ToolResult<{ readonly written: readonly string[]; readonly unchanged: readonly string[] }>>;
  /** The skills of the items, as clients read them from a folder. */
  exportSkills(
    folder: string,
    pattern: string | null,
    options?: Omit<SkillFolderOptions, "known">,
  ): Promise<ToolResult<SkillsWritten>>;
  /** One item as the file that `exportLibrary` writes. */
  exportItem(name: string): Promise<ToolResult<{ readonly file: string; readonly text: string }>>;
  importLibrary(folder: string): Promise<ToolResult<Imported>>;
  /** By name, with versions: `math:sum@1`, `math:sum@2`. */
  compareVersions(
    before: string,
    after: string,
  ): Promise<ToolResult<{ readonly source: string; readonly schemas: readonly string[] }>>;
}

export function createImportExport(
  library: Library,
  libraryEditor: LibraryEditor,
  ownContext: () => CallContext,
  redactors: Pick<Redactors, "current">,
): ImportExport {
  async function skillOf(current: CurrentCapability): Promise<LibrarySkill> {
    return librarySkillOf(
      { ...current, example: await library.example(current.version) },
      redactors.current(),
    );
  }

  return {
    async exportLibrary(folder, pattern) {
      return writePortable(folder, await libraryEditor.exportItems(pattern));
    },
    async exportSkills(folder, pattern, options) {
      const known = new Set((await library.list(null)).map(skillNameOf));
      const skills = await Promise.all((await library.listCurrent(pattern)).map(skillOf));
      return writeSkills(folder, skills, { ...options, known });
    },
    async exportItem(name) {
      const found = await library.describe(name);
      if (!found.success) return found;
      const { path, text } = formatPortable(await libraryEditor.portableOf(found.data));
      return succeed({ file: path, text });
    },
    async importLibrary(folder) {
      const items = await readPortable(folder);
      return items.success ? libraryEditor.importItems(items.data, ownContext()) : items;
    },
    async compareVersions(before, after) {
      const [old, now] = await Promise.all([library.describe(before), library.describe(after)]);
      if (!old.success) return old;
      if (!now.success) return now;
      return succeed(differenceOf(old.data, now.data));
    },
  };
}

function differenceOf(before: CapabilityDetails, after: CapabilityDetails) {
  const label = ({ capability, version }: CapabilityDetails): string =>
    `${displayNameOf(capability)}@${version.version}`;
  const [old, now] = [before.version, after.version];
  return {
    source: diffSources(old.source, now.source, { before: label(before), after: label(after) }),
    schemas: [
      ...diffSchemas(old.inputSchema, now.inputSchema).map((line) => `input: ${line}`),
      ...diffSchemas(old.outputSchema ?? undefined, now.outputSchema ?? undefined).map(
        (line) => `output: ${line}`,
      ),
    ],
  };
}

interface DiffLabels {
  readonly before: string;
  readonly after: string;
}

/** Ten times what one source may have; longer texts would take their time even where they hardly differ. */
const LENGTH_MAX = 2_500_000;
/**
 * Lines removed and added, together. The cost grows with the square: so many take about a quarter of a second. A
 * larger difference is easier to read as the new text.
 */
const CHANGED_LINES_MAX = 1_500;
/** Holds on a slow machine as well, where the number of lines alone would not. */
const TIMEOUT_MS = 700;
const CONTEXT_LINES = 3;

/** A unified diff of two texts; empty when they are equal. Texts too different to compare are said to be replaced. */
export function diffSources(before: string, after: string, labels: DiffLabels): string {
  if (before === after) return "";
  const head = `--- ${escapeUnprintable(labels.before)}\n+++ ${escapeUnprintable(labels.after)}\n`;
  return head + (findHunks(before, after) ?? wholeReplaced(before, after));
}

function findHunks(before: string, after: string): string | undefined {
  if (before.length + after.length > LENGTH_MAX) return undefined;
  return createTwoFilesPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: OMIT_HEADERS,
    maxEditLength: CHANGED_LINES_MAX,
    timeout: TIMEOUT_MS,
  });
}

function wholeReplaced(before: string, after: string): string {
  return `replaced as a whole: ${countLines(before)} became ${countLines(after)}\n`;
}

function countLines(text: string): string {
  const breaks = text.split("\n").length - 1;
  const count = text === "" || text.endsWith("\n") ? breaks : breaks + 1;
  return count === 1 ? "1 line" : `${count} lines`;
}
