/**
 * The built product, copied: a build beside the bench does not pull it away. The parts that are called directly are bundled
 * beside it in the same way as the product is, so they start the runner and the threads that are shipped.
 */
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type * as SandboxParts from "./sandbox-parts.ts";

export type Parts = typeof SandboxParts;

export interface BuiltCopy {
  readonly bin: string;
  loadParts(): Promise<Parts>;
}

const root = join(import.meta.dirname, "..");

export function copyBuild(folder: string): BuiltCopy {
  const dist = join(folder, "dist");
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "dist"), dist, { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  // For the one dependency that is not in the bundle.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    bin: join(dist, "main.js"),
    async loadParts() {
      const file = join(dist, "parts.js");
      const build = await rolldown({
        input: join(import.meta.dirname, "sandbox-parts.ts"),
        platform: "node",
        external: [/^typescript(\/|$)/],
        resolve: { mainFields: ["module", "main"] },
      });
      await build.write({ file, format: "esm", codeSplitting: false });
      await build.close();
      return (await import(pathToFileURL(file).href)) as Parts;
    },
  };
}
