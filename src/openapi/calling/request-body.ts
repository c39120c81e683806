import { randomUUID } from "node:crypto";
import { isJsonObject, type Json } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import { BODY_ARGUMENT, type BodyPlan } from "../api-description.ts";
import { pairText, plainText } from "./parameter-text.ts";

export interface RequestBody {
  readonly contentType: string;
  readonly content: string | Buffer;
}

/** Fails for a value that its media type cannot hold. */
export function bodyOf(plan: BodyPlan, value: Json): ToolResult<RequestBody> {
  const { mediaType } = plan;
  switch (plan.kind) {
    case "json":
      return succeed({ contentType: mediaType, content: JSON.stringify(value) });
    case "form":
      return isJsonObject(value)
        ? succeed({ contentType: mediaType, content: formOf(value) })
        : wrong(`must be an object: it is sent as ${mediaType}`);
    case "multipart":
      return isJsonObject(value)
        ? multipartOf(value, plan.files)
        : wrong(`must be an object: it is sent as ${mediaType}`);
    case "text":
      return succeed({ contentType: mediaType, content: plainText(value) });
    case "bytes": {
      const bytes = bytesOf(value);
      return bytes === undefined
        ? wrong("must be bytes as base64")
        : succeed({
            contentType: mediaType.includes("*") ? "application/octet-stream" : mediaType,
            content: bytes,
          });
    }
  }
}

function wrong(what: string, field: string = BODY_ARGUMENT): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The argument ${field} ${what}.`, { field });
}

/** A list repeats its name; what nests is JSON. */
function formOf(value: Readonly<Record<string, Json>>): string {
  return itemsOf(value)
    .map(([name, item]) => pairText([name, plainText(item)]))
    .join("&");
}

function itemsOf(value: Readonly<Record<string, Json>>): [string, Json][] {
  return Object.entries(value)
    .flatMap(([name, item]): [string, Json][] =>
      Array.isArray(item) ? item.map((one) => [name, one]) : [[name, item]],
    )
    .filter(([, item]) => item !== null);
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function bytesOf(value: Json): Buffer | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\s+/g, "");
  return BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
}

function multipartOf(
  value: Readonly<Record<string, Json>>,
  files: readonly string[],
): ToolResult<RequestBody> {
  // Drawn by lot: no value of a caller can hold it.
  const boundary = `repertoire-${randomUUID()}`;
  const parts: Buffer[] = [];
  for (const [name, item] of itemsOf(value)) {
    const isFile = files.includes(name);
    const content = isFile ? bytesOf(item) : Buffer.from(plainText(item));
    if (content === undefined) return wrong("must be bytes as base64", `${BODY_ARGUMENT}.${quote(name)}`);
    const field = escapeName(name);
    const file = isFile ? `; filename="${field}"\r\nContent-Type: application/octet-stream` : typeOf(item);
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"${file}\r\n\r\n`;
    parts.push(Buffer.from(head), content, Buffer.from("\r\n"));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return succeed({ contentType: `multipart/form-data; boundary=${boundary}`, content: Buffer.concat(parts) });
}

/** As browsers do: a quote or a line end would end the name, or the line. */
function escapeName(name: string): string {
  return name.toWellFormed().replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function typeOf(item: Json): string {
  return typeof item === "object" ? "\r\nContent-Type: application/json" : "";
}
