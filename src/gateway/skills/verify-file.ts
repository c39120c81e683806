/**
 * Whether a file of a skill is what its entry says: as long, with the same digest, and with the same frontmatter. What
 * does not fit is refused whole, and not passed on with a warning.
 */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import { digestOf } from "../../library/skills/library-skill.ts";
import type { SkillFile } from "../../registry/skill-files.ts";
import { readFrontmatter } from "../../text/markdown/frontmatter.ts";
import { quote } from "../../text/quote.ts";

/** A file that is read: by the URI that its client gave, and by the one under which all see it. */
interface ReadFile {
  readonly asked: string;
  readonly exposed: string;
}

/** `answer` is that of `resources/read`, with URIs as clients see them. */
export function verifyFile(
  { asked: uri, exposed }: ReadFile,
  { skill, size, digest }: SkillFile,
  answer: ToolResult<JsonObject>,
): ToolResult<JsonObject> {
  if (!answer.success || !Array.isArray(answer.data["contents"])) return answer;
  const [content, ...others] = answer.data["contents"] as readonly JsonObject[];
  if (content === undefined || others.length > 0 || content["uri"] !== uri)
    return refuseFile(uri, "the server answered with something other than this one file");
  const bytes = bytesOf(content);
  if (size !== undefined && bytes.length !== size)
    return refuseFile(uri, `it has ${bytes.length} bytes, and its entry says ${size}`);
  if (digest !== undefined && digestOf(bytes) !== digest)
    return refuseFile(uri, "its digest is another one than its entry says");
  if (exposed === skill["uri"] && !hasFrontmatter(bytes, skill["frontmatter"]))
    return refuseFile(uri, "its frontmatter is another one than its entry says");
  return answer;
}

/** The shapes of answers are checked where they come in: what is no text is base64. */
function bytesOf({ text, blob }: JsonObject): Buffer {
  return typeof text === "string" ? Buffer.from(text) : Buffer.from(blob as string, "base64");
}

/** As values: in what order or style they are written makes no difference. */
function hasFrontmatter(bytes: Buffer, told: unknown): boolean {
  const read = readFrontmatter(bytes.toString());
  return isJsonObject(told) && read !== undefined && isDeepStrictEqual(plain(read), plain(told));
}

function plain(value: JsonObject): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function refuseFile(uri: string, why: string): ToolResult<never> {
  return fail("SECURITY_ERROR", `The skill file ${quote(uri, 200)} is refused: ${why}.`, {
    reason: "skill_mismatch",
    field: "uri",
    hint: "It may have changed: ask skills/get for the skill, look at what differs, and read it again.",
  });
}
