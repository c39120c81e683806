import type { Redactor } from "../../text/redaction.ts";

/** No redactor takes it out by itself, so only its place can. */
const PROBE = "x";

/** Whether the value under a key is a secret whatever it is: by its name, or by what is said of it beside it. */
export function isHidden(parent: object, key: string, redactor: Redactor): boolean {
  if (Array.isArray(parent)) return false;
  const { name, key: named } = parent as { readonly name?: unknown; readonly key?: unknown };
  const probe = {
    ...(typeof name === "string" && { name }),
    ...(typeof named === "string" && { key: named }),
    [key]: PROBE,
  };
  const shown = redactor.value(probe) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(shown, key) && shown[key] !== PROBE;
}
