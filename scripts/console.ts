/** Builds the console, the browser's half, into dist/console; `node scripts/console.ts [folder]` builds it alone. */
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Its text is in the style sheet, and no script imports it. */
const BASE_STYLES = join(root, "node_modules/tailwindcss/index.css");

/** Writes the files of the console; returns the source files that went into them. */
export async function buildConsole(outDir: string = join(root, "dist/console")): Promise<string[]> {
  // Loading vite takes half a second, and not everything that imports this file builds.
  const { build } = await import("vite");
  const output = await asProduction(() =>
    build({ configFile: join(root, "console/vite.config.ts"), mode: "production", build: { outDir } }),
  );
  if (!Array.isArray(output) && !("output" in output))
    throw new Error("The build of the console goes on watching");
  const scripts = [output]
    .flat()
    .flatMap((each) => each.output)
    .flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  return [...scripts, BASE_STYLES];
}

/** Under the test runner NODE_ENV is `test`, and React would be built with its checks for developers. */
async function asProduction<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

if (import.meta.main) await buildConsole(process.argv[2]);
