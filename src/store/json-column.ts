import { canonicalJson, DATA_LIMITS, type Json } from "../core/json.ts";

/** JSON null and "nothing" are both SQL null: no reader tells them apart. */
export function toColumn(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : canonicalJson(value, DATA_LIMITS);
}

/** For columns that are never null; also of interfaces, which the type `Json` does not admit. */
export function toRequiredColumn(value: object): string {
  return canonicalJson(value, DATA_LIMITS);
}

/** Unchecked, because only `canonicalJson` writes these columns; the caller knows the type that it put in. */
export function fromColumn(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}
