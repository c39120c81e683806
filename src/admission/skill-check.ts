/**
 * The entry of a skill, as `skills/list` and `skills/get` of a server have it.
 *
 * Clients compare it with the skill's files, byte for byte and field by field, so nothing in it can be repaired: an
 * entry is right, or it is left out. What it names may become paths on somebody's disk, so a part of a URI that could
 * lead out of the skill's folder is refused.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { mapTexts } from "../text/map-texts.ts";
import { makeVisible } from "../text/visible-text.ts";
import type { Verdict } from "./entry-check.ts";
import { DESCRIPTION_BYTES_MAX } from "./entry-texts.ts";

/** The limits that every host supports; a skill beyond them is for none. */
const FILE_COUNT_MAX = 512;
const SKILL_BYTES_MAX = 16 * 1024 * 1024;
const URI_LENGTH_MAX = 2 * 1024;

/** The rule of the format: 1 to 64 lower-case letters and digits, with single hyphens between them. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const FILE = "/SKILL.md";
/** A part that goes up or stays, in any spelling, and what ends a path on some system. */
const STRAYING = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|[\\\0]|%2f|%5c|%00/i;

export function checkSkill(skill: JsonObject): Verdict<JsonObject> {
  const reason =
    findAddressProblem(skill) ?? findFrontmatterProblem(skill["frontmatter"]) ?? findFilesProblem(skill);
  if (reason !== undefined) return { kind: "refused", reason };
  return { kind: "admitted", entry: skill, shaped: skill, drops: [], notes: [] };
}

function findAddressProblem({ uri, frontmatter }: JsonObject): string | undefined {
  const problem = findUriProblem(uri);
  if (problem !== undefined) return `uri ${problem}`;
  if (!(uri as string).endsWith(FILE)) return `uri does not end in ${FILE}`;
  const named = rootOf(uri as string)
    .split("/")
    .at(-1)!;
  if (!NAME.test(named)) return "the last part of its path is no name of a skill";
  const { name } = isJsonObject(frontmatter) ? frontmatter : {};
  return name === named ? undefined : "frontmatter.name is not the last part of its path";
}

function findUriProblem(uri: unknown): string | undefined {
  if (typeof uri !== "string" || uri === "") return "is no text";
  if (uri.length > URI_LENGTH_MAX) return `is longer than ${URI_LENGTH_MAX} characters`;
  if (!URL.canParse(uri)) return "is not an absolute URI";
  if (makeVisible(uri) !== uri) return "has text that does not show";
  return STRAYING.test(uri) ? "could lead out of the skill's folder" : undefined;
}

function findFrontmatterProblem(frontmatter: Json | undefined): string | undefined {
  if (!isJsonObject(frontmatter)) return "frontmatter is no object";
  const { description } = frontmatter;
  if (typeof description !== "string" || description.trim() === "") return "it has no description";
  if (Buffer.byteLength(description) > DESCRIPTION_BYTES_MAX)
    return `the description is longer than ${DESCRIPTION_BYTES_MAX} bytes`;
  const shown = mapTexts<JsonObject>(frontmatter, (text) => showAll(text), null);
  return shown === frontmatter ? undefined : "frontmatter has text that does not show";
}

/** The ends of lines are spelt in one way; that hides nothing. */
function showAll(text: string): string {
  const visible = makeVisible(text);
  return visible === text.replaceAll("\r\n", "\n") ? text : visible;
}

function findFilesProblem({ uri, resources }: JsonObject): string | undefined {
  if (resources === "dynamic") return undefined;
  if (!Array.isArray(resources)) return 'resources is neither a list nor "dynamic"';
  if (resources.length > FILE_COUNT_MAX)
    return `it has ${resources.length} files; the limit is ${FILE_COUNT_MAX}`;
  const root = rootOf(uri as string);
  const seen = new Set<unknown>();
  let bytes = 0;
  for (const [at, file] of (resources as readonly Json[]).entries()) {
    const problem = findFileProblem(file, root);
    if (problem !== undefined) return `resources[${at}] ${problem}`;
    const { uri: address, size } = file as { uri: string; size: number };
    if (seen.has(address)) return `resources[${at}] is listed twice`;
    seen.add(address);
    bytes += size;
  }
  if (bytes > SKILL_BYTES_MAX) return `its files have ${bytes} bytes; the limit is ${SKILL_BYTES_MAX}`;
  return seen.has(uri) ? undefined : "resources has no entry for SKILL.md itself";
}

function findFileProblem(file: Json, root: string): string | undefined {
  if (!isJsonObject(file)) return "is no object";
  const { uri, digest, size } = file;
  const problem = findUriProblem(uri);
  if (problem !== undefined) return `.uri ${problem}`;
  if (!(uri as string).startsWith(`${root}/`)) return ".uri is outside of the skill's folder";
  if (typeof digest !== "string" || !DIGEST.test(digest)) return ".digest is not sha256: with 64 digits";
  return Number.isSafeInteger(size) && (size as number) >= 0 ? undefined : ".size is no number of bytes";
}

/** The folder of a skill, by the URI of its `SKILL.md`. */
function rootOf(uri: string): string {
  return uri.slice(0, -FILE.length);
}
