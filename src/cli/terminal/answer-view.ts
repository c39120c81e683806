/**
 * What a tool answered, for a person: text as text, structure as JSON, and of everything else what it is and how large.
 */
import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../core/errors.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../core/json.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import type { ToolAnswer } from "../../core/tool.ts";
import { EXIT } from "./exit-code.ts";
import { escapeLines, failWith, note, print } from "./terminal.ts";

export function showAnswer({ content, structuredContent }: ToolAnswer): void {
  const texts = content.filter((block) => typeof block["text"] === "string");
  // Most servers repeat their structure as text, for clients that do not know it.
  const isRepeated = texts.length === 1 && isSame(texts[0]!["text"] as string, structuredContent);
  if (structuredContent !== undefined && (isRepeated || texts.length === 0)) {
    print(escapeLines(JSON.stringify(structuredContent, null, 2)));
  }
  for (const block of content) {
    if (isRepeated && block === texts[0]) continue;
    print(lineOf(block));
  }
}

function isSame(text: string, structure: unknown): boolean {
  if (structure === undefined) return false;
  const parsed = parseJson(text);
  return parsed.ok && isDeepStrictEqual(parsed.value, structure);
}

/** The text of a failure. */
export function textOf({ content }: ToolAnswer): string {
  return content.map(lineOf).join("\n");
}

function lineOf(block: JsonObject): string {
  if (typeof block["text"] === "string") return escapeLines(block["text"]);
  const resource = isJsonObject(block["resource"]) ? block["resource"] : undefined;
  if (typeof resource?.["text"] === "string") return escapeLines(resource["text"]);
  const bytes = bytesOf(block);
  if (bytes !== undefined) {
    const named = [block["mimeType"], resource?.["mimeType"], block["type"]];
    const type = named.find((one) => typeof one === "string") ?? "data";
    return `${escapeUnprintable(type)}, ${sizeOf(bytes)} (--json for the data, or --out FILE)`;
  }
  if (typeof block["uri"] === "string") {
    const name = typeof block["name"] === "string" ? `${block["name"]} ` : "";
    return escapeUnprintable(`${name}${block["uri"]}`);
  }
  return escapeUnprintable(JSON.stringify(block));
}

/** Of an image, a sound, or a resource that is no text. */
function bytesOf(block: JsonObject): Buffer | undefined {
  const resource = isJsonObject(block["resource"]) ? block["resource"] : {};
  const data = block["data"] ?? resource["blob"];
  return typeof data === "string" ? Buffer.from(data, "base64") : undefined;
}

function sizeOf({ length }: Buffer): string {
  if (length < 1_000) return `${length} bytes`;
  return length < 1_000_000 ? `${Math.round(length / 1_000)} kB` : `${(length / 1_000_000).toFixed(1)} MB`;
}

/** Writes the first data of an answer, or its text where it has none, to a file. */
export async function writeAnswer(answer: ToolAnswer, file: string): Promise<number> {
  const data = answer.content.map(bytesOf).find((bytes) => bytes !== undefined);
  const text = answer.content.flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : []));
  const whole =
    data ?? Buffer.from(text.length > 0 ? text.join("\n") : JSON.stringify(answer.structuredContent ?? null));
  try {
    await writeFile(file, whole);
  } catch (error) {
    return failWith(EXIT.failed, `Cannot write the file: ${messageOf(error)}`);
  }
  note(`${file}: ${sizeOf(whole)}`);
  return EXIT.ok;
}
