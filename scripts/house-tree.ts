/** The source of a repository as `npm run house` counts it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { countLines, readFacts, type FileFacts, type WrittenImport } from "./house-syntax.ts";

export interface SourceFile extends Omit<FileFacts, "imports"> {
  /** Relative to src. */
  readonly path: string;
  readonly lines: number;
  /** Of files of src, by their paths. */
  readonly imports: readonly Import[];
}

export interface Import extends Pick<WrittenImport, "kind"> {
  readonly target: string;
}

export interface Source {
  readonly root: string;
  readonly files: readonly SourceFile[];
  /** Files that are started and not imported, relative to src. */
  readonly entries: ReadonlySet<string>;
  readonly testFiles: number;
  readonly testLines: number;
}

const TEST_FILE = /\.(test|testkit|testsuite)\.ts$|(^|\/)testsuite\//;

/** Reads `src`, `test` and `knip.json`. Throws where there is no source: zeros would look like goals that are met. */
export function readSource(root: string): Source {
  const src = join(root, "src");
  const inSrc = globSync("**/*.ts", { cwd: src }).toSorted();
  const paths = new Set(inSrc.filter((path) => !TEST_FILE.test(path)));
  if (paths.size === 0) throw new Error(`There is no .ts file in ${src}: nothing to count.`);
  const tests = [
    ...inSrc.filter((path) => TEST_FILE.test(path)).map((path) => join(src, path)),
    ...globSync("test/**/*.{ts,mjs}", { cwd: root }).map((path) => join(root, path)),
  ];
  return {
    root,
    files: [...paths].map((path) => readFile(src, path, paths)),
    entries: readEntries(root),
    testFiles: tests.length,
    testLines: tests.reduce((sum, path) => sum + countLines(readFileSync(path, "utf8")), 0),
  };
}

function readFile(src: string, path: string, paths: ReadonlySet<string>): SourceFile {
  const text = readFileSync(join(src, path), "utf8");
  const facts = readFacts(path, text);
  const imports = facts.imports.flatMap(({ specifier, kind }) => {
    const target = join(dirname(path), specifier);
    // What lies outside of src, such as package.json, does not count.
    return specifier.startsWith(".") && paths.has(target) ? [{ target, kind }] : [];
  });
  return { ...facts, path, lines: countLines(text), imports };
}

function readEntries(root: string): ReadonlySet<string> {
  const file = join(root, "knip.json");
  if (!existsSync(file)) throw new Error(`${file} is gone: it names the entry points of src.`);
  const { entry } = JSON.parse(readFileSync(file, "utf8")) as { readonly entry: readonly string[] };
  const found = entry
    .filter((pattern) => pattern.startsWith("src/"))
    .flatMap((pattern) => {
      const paths = globSync(pattern, { cwd: root });
      if (paths.length === 0)
        throw new Error(`knip.json has the entry ${pattern}, and there is no such file.`);
      return paths;
    });
  return new Set(found.map((path) => path.slice("src/".length)));
}
