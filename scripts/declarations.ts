/**
 * The type declarations of the package: those that `index.d.ts` reaches and no others. The compiler writes one for every file of
 * the program; what is not reachable from the public API would only invite imports of it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

export function writeDeclarations(outDir: string = join(root, "dist/types")): void {
  const all = mkdtempSync(join(tmpdir(), "repertoire-types-"));
  try {
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
      "bin/tsc",
    );
    const args = [compiler, "-p", join(root, "tsconfig.types.json"), "--outDir", all];
    execFileSync(process.execPath, args, { stdio: "inherit" });
    rmSync(outDir, { recursive: true, force: true });
    for (const file of reachableFrom(join(all, "index.d.ts"))) {
      const target = join(outDir, relative(all, file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

/** A declaration file and all that it imports, directly or not. */
function reachableFrom(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
    reachableFrom(join(dirname(file), specifier!.replace(/\.[jt]s$/, ".d.ts")), seen);
  }
  return seen;
}
