import { isJsonObject, type Json } from "../core/json.ts";
import { formatReference, type TemplateReference } from "./template-text.ts";

const AVAILABLE_COUNT_MAX = 20;

/** How far a reference leads. */
export interface NotFound {
  readonly root: string;
  /** The longest part that exists, such as `fetch.body`; empty where even the root does not. */
  readonly found: string;
  /** What there is in its stead: names, or indexes as `[0]`. */
  readonly available: readonly string[];
}

export type LookedUp =
  | { readonly kind: "found"; readonly value: Json }
  | { readonly kind: "missing"; readonly missing: NotFound };

/** What a reference leads to, through members that a JSON text would show. */
export function lookUp(reference: TemplateReference, roots: ReadonlyMap<string, Json>): LookedUp {
  const { root, path } = reference;
  let value = roots.get(root);
  if (value === undefined) {
    const available = [...roots.keys()].slice(0, AVAILABLE_COUNT_MAX);
    return { kind: "missing", missing: { root, found: "", available } };
  }
  for (const [depth, part] of path.entries()) {
    const next = memberOf(value, part);
    if (next === undefined) {
      const found = formatReference({ root, path: path.slice(0, depth) });
      return { kind: "missing", missing: { root, found, available: membersOf(value) } };
    }
    value = next;
  }
  return { kind: "found", value };
}

function memberOf(value: Json, part: string | number): Json | undefined {
  if (typeof part === "number") return Array.isArray(value) ? (value as readonly Json[])[part] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function membersOf(value: Json): readonly string[] {
  if (Array.isArray(value)) {
    const count = Math.min(value.length, AVAILABLE_COUNT_MAX);
    return Array.from({ length: count }, (_, index) => `[${index}]`);
  }
  return isJsonObject(value) ? Object.keys(value).slice(0, AVAILABLE_COUNT_MAX) : [];
}
