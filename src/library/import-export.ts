/** The library and a folder of files, in both directions, and two versions beside each other. */
import { displayNameOf } from "../core/names.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import type { Imported, LibraryEditor } from "./edit-library.ts";
import type { CapabilityDetails, Library } from "./library.ts";
import { readPortable } from "./portable/reading.ts";
import { writePortable } from "./portable/writing.ts";
import { diffSchemas } from "./schema/schema-diff.ts";
import { diffSources } from "./text-diff.ts";

export interface ImportExport {
  exportLibrary(
    folder: string,
    pattern: string | null,
  ): Promise<ToolResult<{ readonly written: readonly string[]; readonly unchanged: readonly string[] }>>;
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
): ImportExport {
  return {
    async exportLibrary(folder, pattern) {
      return writePortable(folder, await libraryEditor.exportItems(pattern));
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
