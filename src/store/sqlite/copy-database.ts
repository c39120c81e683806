import { existsSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";

/** Copies the database of one home into another, as it is at one moment, also while others write to it. */
export function copyDatabase(fromHome: string, toHome: string): void {
  const path = join(fromHome, DATABASE_NAME);
  if (!existsSync(path)) return;
  const database = openHandle(path);
  try {
    database.prepare("VACUUM INTO ?").run(join(toHome, DATABASE_NAME));
  } finally {
    database.close();
  }
}
