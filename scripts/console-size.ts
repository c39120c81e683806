/** `node scripts/console-size.ts [folder]`: what the first paint of the console loads, and what comes later, in bytes as they are sent. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");

/** The promise of the shell: a page of this size is there at once on any line. Editor, graph, charts and palette come later. */
export const SHELL_BYTES_MAX = 130_000;

interface ManifestChunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

export interface ConsoleSize {
  /** Of scripts and styles that the first paint waits for, packed. */
  readonly shellBytes: number;
  readonly shell: readonly SizedFile[];
  /** What is loaded when it is needed. */
  readonly later: readonly SizedFile[];
}

export interface SizedFile {
  readonly file: string;
  readonly bytes: number;
}

/** Measures a console that was built: what its page names, and what that imports before it runs. */
export function measureConsole(folder: string = join(root, "dist/console")): ConsoleSize {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<
    string,
    ManifestChunk
  >;
  const chunks = new Map(Object.values(manifest).map((chunk) => [chunk.file, chunk]));
  const first = new Set(namedIn(readFileSync(join(folder, "index.html"), "utf8")));
  for (const file of first) {
    const { imports = [], css = [] } = chunks.get(file) ?? {};
    for (const next of [...css, ...imports.map((key) => manifest[key]!.file)]) first.add(next);
  }
  const shell = sizesOf(folder, first);
  if (shell.length < 2)
    throw new Error(`The page in ${folder} names no script and no style: look at how it is built`);
  const all = new Set([...chunks.values()].flatMap(({ file, css = [] }) => [file, ...css]));
  return {
    shell,
    shellBytes: shell.reduce((sum, { bytes }) => sum + bytes, 0),
    later: sizesOf(folder, all.difference(first)),
  };
}

function namedIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]!);
}

function sizesOf(folder: string, files: ReadonlySet<string>): SizedFile[] {
  return [...files]
    .filter((file) => /\.(?:js|css)$/.test(file))
    .map((file) => ({ file, bytes: gzipSync(readFileSync(join(folder, file))).length }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

if (import.meta.main) {
  const { shell, shellBytes, later } = measureConsole(process.argv[2]);
  const print = ({ file, bytes }: SizedFile) =>
    console.log(`${(bytes / 1000).toFixed(1).padStart(8)} kB  ${file}`);
  console.log(`First paint: ${(shellBytes / 1000).toFixed(1)} kB of at most ${SHELL_BYTES_MAX / 1000} kB`);
  for (const file of shell) print(file);
  console.log("Later:");
  for (const file of later) print(file);
  if (shellBytes > SHELL_BYTES_MAX) process.exitCode = 1;
}
