/**
 * `node scripts/encoder/collect-packages.ts FOLDER`: what npm packages for MCP say of themselves and of their tools, into
 * FOLDER/mcp-packages.jsonl. Only packages under a permissive licence are fetched. The names come from
 * `all-the-package-names`, unpacked into FOLDER/npm; which of them there are changes from day to day.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isPermissive } from "./sources.ts";
import { filesOfTarball } from "./tarball.ts";

/** Of the 75,000 names with "mcp", most lead to nothing any more. */
const NAMES_MAX = 45_000;
const AT_ONCE = 8;
const REQUEST_MS_MAX = 20_000;
const TARBALL_BYTES_MAX = 4 * 1024 * 1024;
const UNPACKED_BYTES_MAX = 60 * 1024 * 1024;
const FILE_BYTES_MAX = 3 * 1024 * 1024;
const README_LENGTH_MAX = 200_000;
const TOOLS_MAX = 300;

const TEXT = String.raw`(?:"((?:[^"\\]|\\.){12,400})"|'((?:[^'\\]|\\.){12,400})'|${"`"}((?:[^${"`"}\\]|\\.){12,400})${"`"})`;
const NAME = String.raw`["'${"`"}]([A-Za-z][\w.-]{2,60})["'${"`"}]`;
const TITLE = String.raw`(?:title:\s*["'${"`"}][^"'${"`"}]{0,80}["'${"`"}],\s*)?`;
/** A tool as an object, and as an argument of a call. */
const DEFINED = [
  new RegExp(String.raw`name:\s*${NAME},\s*${TITLE}description:\s*${TEXT}`, "g"),
  new RegExp(
    String.raw`\.(?:tool|registerTool|addTool)\(\s*${NAME},\s*(?:\{\s*${TITLE}description:\s*)?${TEXT}`,
    "g",
  ),
];

interface Packument {
  readonly "dist-tags"?: { readonly latest?: string };
  readonly versions?: Readonly<Record<string, Manifest>>;
}

interface Manifest {
  readonly version: string;
  readonly license?: unknown;
  readonly description?: unknown;
  readonly keywords?: unknown;
  readonly dist?: { readonly tarball?: string };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Say where to: node scripts/encoder/collect-packages.ts FOLDER");
const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
const names = pickNames(join(folder, "npm/all-the-package-names/names.json"));
const lines: string[] = [];
await Promise.all(Array.from({ length: AT_ONCE }, collect));
writeFileSync(join(folder, "mcp-packages.jsonl"), lines.toSorted().join("\n"));
console.log(`${lines.length} packages`);

/** By their hash, so that it is a fair sample and the same each time. */
function pickNames(file: string): string[] {
  const hash = (name: string) => createHash("sha1").update(name).digest("hex");
  return (JSON.parse(readFileSync(file, "utf8")) as string[])
    .filter((name) => /mcp/i.test(name))
    .map((name) => [hash(name), name] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(([, name]) => name);
}

async function collect(): Promise<void> {
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const line = await describe(name).catch((error: unknown) => console.error(`${name}: ${String(error)}`));
    if (line !== undefined) lines.push(line);
  }
}

async function describe(name: string): Promise<string | undefined> {
  const answer = await get(`${registry}${name.replace("/", "%2f")}`);
  if (!answer.ok) return undefined;
  const packument = (await answer.json()) as Packument;
  const manifest = packument.versions?.[packument["dist-tags"]?.latest ?? ""];
  const url = manifest?.dist?.tarball;
  if (manifest === undefined || url === undefined || !isPermissive(manifest.license)) return undefined;
  const { version, license, description, keywords } = manifest;
  return JSON.stringify({ name, version, license, description, keywords, ...(await readTarball(url)) });
}

async function readTarball(url: string): Promise<{ readme: string; tools: [string, string][] }> {
  const answer = await get(url);
  if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > TARBALL_BYTES_MAX)
    return { readme: "", tools: [] };
  const bytes = gunzipSync(await answer.arrayBuffer(), { maxOutputLength: UNPACKED_BYTES_MAX });
  let readme = "";
  const tools = new Map<string, string>();
  for (const { name, text } of filesOfTarball(bytes, FILE_BYTES_MAX)) {
    if (/^[^/]+\/readme(?:\.md)?$/i.test(name)) readme = text().slice(0, README_LENGTH_MAX);
    if (!/\.[mc]?js$/.test(name)) continue;
    const code = text();
    for (const pattern of DEFINED)
      for (const [, tool, ...texts] of code.matchAll(pattern)) tools.set(tool!, texts.find(Boolean)!);
  }
  return { readme, tools: [...tools].slice(0, TOOLS_MAX) };
}

function get(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(REQUEST_MS_MAX) });
}
