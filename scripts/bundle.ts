/**
 * Bundles the bin, the library and the console. One file is read in a third of the time that its packages take one by one, and what was
 * tested is what is installed: the package has no dependencies of its own, and their licences travel with it.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { GUEST_TEMPLATE, PROGRAMS } from "../src/process/program-file.ts";
import { createTemplate, encodeTemplate } from "../src/sandbox/runner/guest.ts";
import { rolldown, type RolldownPlugin } from "rolldown";
import { buildConsole } from "./console.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export interface BundleOptions {
  readonly outDir?: string;
  readonly plugins?: RolldownPlugin[];
  /** Without the console, for what only starts the gateway. */
  readonly console?: false;
}

export async function bundle(options: BundleOptions = {}): Promise<void> {
  const outDir = options.outDir ?? join(root, "dist");
  rmSync(outDir, { recursive: true, force: true });
  const source = (name: string) => join(root, "src", name);
  const { runner: runnerSource, relay: relaySource, ...workers } = PROGRAMS;
  const gateway = await write(outDir, "[name].js", options, {
    main: source("main.ts"),
    index: source("index.ts"),
    ...Object.fromEntries(Object.entries(workers).map(([name, file]) => [name, source(file)])),
  });
  // On its own: the process of the sandbox may read this file, and no other. Its name says what it is, so that Node does not
  // look for a package.json.
  const runner = await write(outDir, "[name].mjs", options, { runner: source(runnerSource) });
  const relay = await write(outDir, "[name].mjs", options, { relay: source(relaySource) });
  const engine = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  copyFileSync(engine, join(outDir, "quickjs.wasm"));
  const template = await createTemplate(await WebAssembly.compile(readFileSync(engine)));
  writeFileSync(join(outDir, GUEST_TEMPLATE), encodeTemplate(template));
  copyFileSync(source("search/encoder/word-vectors.bin"), join(outDir, "word-vectors.bin"));
  const pages = options.console === false ? [] : await buildConsole(join(outDir, "console"));
  // `npx repertoire` in a checkout runs the file itself, by a link that npm made once.
  chmodSync(join(outDir, "main.js"), 0o755);
  const wordSources = readFileSync(source("search/encoder/word-vectors.licences.txt"), "utf8");
  const licences = [licencesOf([...gateway, ...runner, ...relay, ...pages]), wordSources].join(
    BETWEEN_LICENCES,
  );
  writeFileSync(join(outDir, "THIRD_PARTY_LICENSES.txt"), licences);
}

/**
 * jq-wasm copies what is left of its input for each byte that it reads, and all of its output for each byte that it writes: half a
 * megabyte takes half a minute. Here a byte costs the same wherever it is. It also wants the folder of a CommonJS module, in which
 * it looks for nothing: its WebAssembly is in its text.
 */
const bundledJq: RolldownPlugin = {
  name: "bundled-jq",
  transform(code, id) {
    if (!id.replaceAll("\\", "/").endsWith("/jq-wasm/dist/build/jq.js")) return undefined;
    const reading = "stdinBuffer = stdinBuffer.slice(1);";
    const writing =
      /const tmp = new Uint8Array\((std\w+)\.length \+ 1\);\s*tmp\.set\(\1, 0\);\s*tmp\[tmp\.length - 1\] = charCode;\s*\1 = tmp;/g;
    if (!code.includes(reading) || [...code.matchAll(writing)].length !== 2) {
      throw new Error("jq-wasm reads or writes in another way now: look at bundledJq in scripts/bundle.ts");
    }
    return code
      .replace('__dirname + "/"', '"/"')
      .replace(reading, "stdinBuffer = stdinBuffer.subarray(1);")
      .replace(writing, "$1 = appendByte($1, charCode);")
      .concat(`\n${appendByte.toString()}`);
  },
};

/** In the bundle. The bytes are the beginning of a buffer that doubles when it is full. */
function appendByte(bytes: Uint8Array, byte: number): Uint8Array {
  const { length } = bytes;
  let { buffer } = bytes;
  if (length === buffer.byteLength) {
    const larger = new Uint8Array(Math.max(1024, length * 2));
    larger.set(bytes);
    buffer = larger.buffer;
  }
  const longer = new Uint8Array(buffer, 0, length + 1);
  longer[length] = byte;
  return longer;
}

/** Writes a bundle; returns the files that went into it. */
async function write(
  dir: string,
  entryFileNames: string,
  options: BundleOptions,
  input: Record<string, string>,
): Promise<string[]> {
  const build = await rolldown({
    input,
    platform: "node",
    // They are a program, or a library, of their own for each platform.
    external: [/^typescript(\/|$)/, "@napi-rs/keyring"],
    // Some packages have an ESM build only under "module", and their CommonJS one cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    plugins: [bundledJq, ...(options.plugins ?? [])],
    logLevel: "warn",
  });
  const { output } = await build.write({
    dir,
    format: "esm",
    entryFileNames,
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: { compress: true, mangle: false, codegen: false },
    banner: (chunk) => (chunk.name === "main" ? "#!/usr/bin/env node" : ""),
  });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

const BETWEEN_LICENCES = `\n${"-".repeat(80)}\n\n`;

function licencesOf(moduleIds: readonly string[]): string {
  const own = new Set(moduleIds.flatMap((id) => packageFolderOf(id) ?? []));
  return [...own.union(new Set([...own].flatMap(foldersBeside)))]
    .sort()
    .map(licenceOf)
    .join(BETWEEN_LICENCES);
}

/** A package may itself be a bundle that holds what it depends on. */
function foldersBeside(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Record<string, string>;
  };
  const modules = folder.slice(0, folder.lastIndexOf("/node_modules/") + "/node_modules".length);
  return Object.keys(manifest.dependencies ?? {})
    .map((name) => join(modules, name))
    .filter((path) => existsSync(join(path, "package.json")));
}

function packageFolderOf(id: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0];
}

function licenceOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "";
  return `${String(manifest["name"])} ${String(manifest["version"])} (${String(manifest["license"])})\n\n${text}`;
}
