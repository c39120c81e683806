import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The programs of this room that run outside the gateway's own thread. */
export type EntryName = "runner" | "analysis-worker" | "schema-worker";

const FILE = fileURLToPath(import.meta.url);
/** Node runs the source as it is. */
export const IS_SOURCE = FILE.endsWith(".ts");

/** The file of a program that runs in a thread or process of its own; the bundle has them at its top, above its chunks. */
export function entryFile(name: EntryName): string {
  if (IS_SOURCE) return join(dirname(FILE), `${name}.ts`);
  const folder = dirname(FILE);
  const file = name === "runner" ? "runner.mjs" : `${name}.js`;
  return join(basename(folder) === "chunks" ? dirname(folder) : folder, file);
}
