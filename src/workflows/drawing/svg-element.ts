/** SVG as text. Everything that comes from a workflow goes through `escapeXml`. */
import { escapeUnprintable } from "../../text/printable.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is text in an element and in an attribute, without the characters that XML does not allow. */
export function escapeXml(text: string): string {
  return escapeUnprintable(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

type Attributes = Readonly<Record<string, string | number>>;

/** An element; its attributes are escaped here, its content was escaped by whoever made it. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  return `<${name}${written.join("")}>${content}</${name}>`;
}

export function textElement(attributes: Attributes, text: string): string {
  return element("text", attributes, escapeXml(text));
}
