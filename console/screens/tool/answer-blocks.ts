/** The content of a tool's answer, as far as it can be shown. All of it is a stranger's. */
export type AnswerBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "image"; readonly url: string; readonly bytes: number }
  | { readonly kind: "other"; readonly type: string; readonly value: unknown };

/** What a browser draws and cannot run; not SVG, which is a document. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const IMAGE_BYTES_MAX = 2 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type Content = Readonly<Record<string, unknown>>;

export function blocksOf(content: readonly Content[]): AnswerBlock[] {
  return content.map(blockOf);
}

function blockOf(content: Content): AnswerBlock {
  const { type, text } = content;
  if (type === "text" && typeof text === "string") return textBlock(text);
  if (type === "image") return imageBlock(content) ?? withoutData(content);
  return withoutData(content);
}

/** Many tools answer with JSON as a text. */
function textBlock(text: string): AnswerBlock {
  if (!/^\s*[[{]/.test(text)) return { kind: "text", text };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "text", text };
  }
}

function imageBlock({ data, mimeType }: Content): AnswerBlock | undefined {
  if (typeof data !== "string" || typeof mimeType !== "string" || !IMAGE_TYPES.has(mimeType))
    return undefined;
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > IMAGE_BYTES_MAX || !BASE64.test(data)) return undefined;
  return { kind: "image", url: `data:${mimeType};base64,${data}`, bytes };
}

/** Long base64 is nothing to read. */
function withoutData(content: Content): AnswerBlock {
  const type = typeof content["type"] === "string" ? content["type"] : "unknown";
  const { data } = content;
  const isLong = typeof data === "string" && data.length > 200;
  return {
    kind: "other",
    type,
    value: isLong ? { ...content, data: `(${data.length} characters)` } : content,
  };
}

/** Whether a text says only what the structured answer has; servers send both for old clients. */
export function repeats(block: AnswerBlock, structured: unknown): boolean {
  return (
    block.kind === "json" &&
    structured !== undefined &&
    JSON.stringify(block.value) === JSON.stringify(structured)
  );
}
