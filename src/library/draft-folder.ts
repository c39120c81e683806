/**
 * Drafts in a folder: workflows are `name.json`, code is `name.ts`. Agents and people write into it with whatever they
 * like, so only a regular file inside the folder is read: a link could lead anywhere.
 *
 * Those of the default scope are in the folder itself, those of any other in `<org>/<project>` below it; the parts of a
 * scope are safe in a path, and no draft is called like one: it has an extension.
 */
import { constants } from "node:fs";
import { open, readdir, unlink, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_SCOPE, type Scope } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CapabilityKind } from "../core/store.ts";
import { refuseLargeDraft, type Draft, type DraftPlace, type ListedDraft } from "./drafts.ts";

const KINDS: readonly { extension: string; kind: CapabilityKind }[] = [
  { extension: ".json", kind: "workflow" },
  { extension: ".ts", kind: "code" },
];

export function createDraftFolder(root: string): DraftPlace {
  return {
    emptyHint: "The drafts folder is empty.",
    correctHint: "Correct the file in the drafts folder and call again; it is read fresh each time.",
    async list(scope) {
      const folder = folderOf(root, scope);
      const files = await readdir(folder).catch(() => []);
      return files.flatMap((file) => listedOf(folder, file) ?? []);
    },
    async find(scope, names, field) {
      const folder = folderOf(root, scope);
      for (const name of names) {
        for (const { extension, kind } of KINDS) {
          const path = join(folder, name + extension);
          const text = await readDraft(path, field);
          if (text === undefined) continue;
          return text.success ? succeed<Draft>({ name, kind, path, text: text.data }) : text;
        }
      }
      return undefined;
    },
    async put(scope, { name, kind, text }) {
      const folder = folderOf(root, scope);
      const { extension } = KINDS.find((one) => one.kind === kind)!;
      const write = () => writeFile(join(folder, `${name}${extension}`), text, { flag: "wx", mode: 0o600 });
      try {
        // Most of the time the folder is there.
        await write().catch(async (error: unknown) => {
          if (codeOf(error) !== "ENOENT") throw error;
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await write();
        });
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
    },
    async remove(_scope, { path, text }) {
      if (path === undefined) return;
      const now = await readDraft(path, "name");
      if (now?.success === true && now.data === text) await unlink(path).catch(() => {});
    },
  };
}

function folderOf(root: string, { org, project }: Scope): string {
  const isDefault = org === DEFAULT_SCOPE.org && project === DEFAULT_SCOPE.project;
  return isDefault ? root : join(root, org, project);
}

function listedOf(folder: string, file: string): ListedDraft | undefined {
  const kind = KINDS.find(({ extension }) => file.endsWith(extension));
  if (kind === undefined) return undefined;
  return {
    name: file.slice(0, -kind.extension.length),
    at: async () => (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? 0,
  };
}

/** The text of a regular file; `undefined` when there is none. */
async function readDraft(path: string, field: string): Promise<ToolResult<string> | undefined> {
  let file;
  try {
    // Non-blocking, so that a pipe in the folder cannot hold the gateway.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      return fail("SECURITY_ERROR", "The draft is a link; a draft must be a file.", { field });
    // The system's own words have the path in them.
    return fail("TOOL_EXECUTION_FAILED", `The draft cannot be read (${String(code)}).`, { field });
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) return fail("SECURITY_ERROR", "The draft is not a regular file.", { field });
    return refuseLargeDraft(info.size, field) ?? succeed(await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
