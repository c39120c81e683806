/**
 * Repertoire as a bundle (`.mcpb`) and its entry for the MCP registry: the files of dist, a manifest that the format's own schema
 * accepts, packed by the format's own packer. The compiler that checks the types of code is a program for each platform and stays out;
 * without it code runs unchecked.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packExtension, v0_3 } from "@anthropic-ai/mcpb";
import { META_TOOL_NAMES } from "../src/core/meta-tool-names.ts";

const root = join(import.meta.dirname, "..");

interface Package {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly license: string;
  readonly homepage: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
}

export interface PackOptions {
  /** The built files. */
  readonly dist?: string;
  /** Where the bundle and its entry go. */
  readonly outDir: string;
}

export interface Packed {
  readonly file: string;
  readonly sha256: string;
  readonly entry: Record<string, unknown>;
}

export async function packBundle({ dist = join(root, "dist"), outDir }: PackOptions): Promise<Packed> {
  const own = readJson<Package>("package.json");
  const staging = join(outDir, "staging");
  const file = join(outDir, `${own.name}-${own.version}.mcpb`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  cpSync(dist, join(staging, "dist"), {
    recursive: true,
    filter: (path) => !path.startsWith(join(dist, "types")),
  });
  cpSync(join(root, "LICENSE"), join(staging, "LICENSE"));
  writeJson(join(staging, "package.json"), { name: own.name, version: own.version, type: "module" });
  writeJson(join(staging, "manifest.json"), manifestOf(own));
  const isPacked = await packExtension({ extensionPath: staging, outputPath: file, silent: true });
  rmSync(staging, { recursive: true, force: true });
  if (!isPacked) throw new Error("the bundle was not packed: its manifest is not valid");
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  const entry = entryOf(own, sha256);
  writeJson(join(outDir, "server.json"), entry);
  return { file, sha256, entry };
}

function manifestOf(own: Package) {
  const { url } = readJson<{ repository: { url: string } }>("server.json").repository;
  return v0_3.McpbManifestSchema.parse({
    manifest_version: "0.3",
    name: own.name,
    display_name: "Repertoire",
    version: own.version,
    description: own.description,
    author: { name: own.author },
    repository: { type: "git", url },
    homepage: own.homepage,
    license: own.license,
    keywords: [...own.keywords],
    server: {
      type: "node",
      entry_point: "dist/main.js",
      mcp_config: { command: "node", args: ["${__dirname}/dist/main.js", "serve"] },
    },
    tools: META_TOOL_NAMES.map((name) => ({ name })),
    tools_generated: true,
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: own.engines.node } },
  });
}

/** The entry that is committed, with the bundle of a release beside the npm package. */
function entryOf({ name, version }: Package, sha256: string): Record<string, unknown> {
  const entry = readJson<{ packages: object[]; repository: { url: string } }>("server.json");
  const bundle = {
    registryType: "mcpb",
    identifier: `${entry.repository.url}/releases/download/v${version}/${name}-${version}.mcpb`,
    version,
    fileSha256: sha256,
    transport: { type: "stdio" },
  };
  return { ...entry, version, packages: [...entry.packages.map((one) => ({ ...one, version })), bundle] };
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
