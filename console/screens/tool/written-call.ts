/** A call as code writes it, and back: `await mcp.files.read({ path: "a" })`. */
import { readLiteral } from "../../parts/js-literal.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** What is read back from a text that is being typed. */
export type ReadArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly message: string };

const WIDTH = 80;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The function that code calls, from a signature: everything before its arguments. */
export function targetOfSignature(signature: string): string {
  return /^(?:[\w$]+)(?:\.[\w$]+|\["(?:\\.|[^"\\])*"\])*/.exec(signature)?.[0] ?? signature;
}

export function codeOfCall(target: string, args: JsonObject): string {
  const literal = Object.keys(args).length === 0 ? "" : literalOf(args, "");
  return `await ${target}(${literal})`;
}

/** A value as people write it: names without quotes, one line where it fits. */
export function literalOf(value: unknown, margin: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const inner = `${margin}  `;
  const entries = isList
    ? value.map((each) => literalOf(each, inner))
    : Object.entries(value).map(
        ([key, each]) => `${IDENTIFIER.test(key) ? key : JSON.stringify(key)}: ${literalOf(each, inner)}`,
      );
  if (entries.length === 0) return `${open}${close}`;
  const line = isList ? `[${entries.join(", ")}]` : `{ ${entries.join(", ")} }`;
  if (line.length + margin.length <= WIDTH && !line.includes("\n")) return line;
  return `${open}\n${entries.map((entry) => `${inner}${entry},`).join("\n")}\n${margin}${close}`;
}

/** The arguments of a call that is written as code; only literals can be read back. */
export function argsOfCode(target: string, code: string): ReadArguments {
  const text = code
    .trim()
    .replace(/;$/, "")
    .trim()
    .replace(/^await\s+/, "");
  if (!text.startsWith(target)) return { ok: false, message: `Begin with: await ${target}(` };
  const rest = text.slice(target.length).trimStart();
  if (!rest.startsWith("(")) return { ok: false, message: "After the name comes a bracket: (" };
  const inside = rest.slice(1).trimStart();
  if (/^\)\s*$/.test(inside)) return { ok: true, args: {} };
  const read = readLiteral(inside);
  if (!read.ok) return { ok: false, message: read.message };
  if (!/^\s*,?\s*\)\s*$/.test(inside.slice(read.end)))
    return { ok: false, message: "The call ends with a bracket: )" };
  return objectOf(read.value);
}

export function argsOfJson(text: string): ReadArguments {
  if (text.trim() === "") return { ok: true, args: {} };
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : "This is not JSON." };
  }
}

function objectOf(value: unknown): ReadArguments {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ok: true, args: value as JsonObject }
    : { ok: false, message: "Arguments are an object: { … }" };
}
