import type { Json } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const PATH_LENGTH_MAX = 200;

/** A place in arguments as one writes it in code: `labels[0].name`. The arguments tell an index from a name. */
export function argumentPath(args: Json, parts: readonly string[]): string {
  let path = "";
  let value: unknown = args;
  for (const part of parts) {
    path += Array.isArray(value) ? `[${part}]` : step(part, path === "");
    value = childOf(value, part);
  }
  return cut(path, PATH_LENGTH_MAX);
}

function step(name: string, isFirst: boolean): string {
  if (!IDENTIFIER.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function childOf(value: unknown, part: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Record<string, unknown>)[part];
}
