/** Folders of skills, told from the lists of their files: nothing is asked of a server for them. */
import type { JsonObject } from "../../core/json.ts";

export interface ListedFile {
  readonly uri: string;
  readonly size: number;
}

const FOLDER_TYPE = "inode/directory";

/** What is directly in a folder, by URI; nothing where there is no such folder. */
export function childrenOf(folder: string, files: readonly ListedFile[]): ReadonlyMap<string, JsonObject> {
  const children = new Map<string, JsonObject>();
  const start = `${folder}/`;
  for (const { uri, size } of files) {
    if (!uri.startsWith(start)) continue;
    const [name = "", ...below] = uri.slice(start.length).split("/");
    if (name === "") continue;
    const child = start + name;
    children.set(child, below.length > 0 ? folderOf(child, name) : fileOf(child, name, size));
  }
  return children;
}

function folderOf(uri: string, name: string): JsonObject {
  return { uri, name, mimeType: FOLDER_TYPE };
}

function fileOf(uri: string, name: string, size: number): JsonObject {
  return { uri, name, ...(name.endsWith(".md") && { mimeType: "text/markdown" }), size };
}
