/**
 * Keeps sensitive inputs out of the store. Wherever the value of one stands, in arguments, answers, errors or the run's own
 * inputs, the store gets a mark that names it; what is read back gets the value that was given this time. A step is known by
 * its sealed arguments, so a secret that has changed since does not make it another step.
 */
import { encodedForms } from "../core/encoded-forms.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { SensitiveValue } from "../core/tool.ts";

/** A shorter value would be found in every other word. */
const SENSITIVE_LENGTH_MIN = 4;

export interface Seal {
  /** A copy without the values; the very same where there are none. */
  close<T extends Json>(value: T): T;
  /** The same with one mark for a value however it is written: how another value is written would make it another step. */
  identify<T extends Json>(value: T): T;
  /** The values instead of their marks. */
  open<T extends Json>(value: T): T;
  text(text: string): string;
  readonly values: readonly SensitiveValue[];
}

export function createSeal(values: readonly SensitiveValue[]): Seal {
  const marks = values.flatMap(marksOf);
  const long = marks.filter(({ form }) => form.length >= SENSITIVE_LENGTH_MIN);
  const closeText = replacer(long.map(({ form, mark }) => [form, mark]));
  const identifyText = replacer(long.map(({ form, name }) => [form, `[sensitive:${name}]`]));
  const openText = replacer(marks.map(({ form, mark }) => [mark, form]));
  const isEmpty = values.length === 0;
  return {
    values,
    text: (text) => (isEmpty ? text : closeText(text)),
    close: (value) => (isEmpty ? value : mapTexts(value, closeText)),
    identify: (value) => (isEmpty ? value : mapTexts(value, identifyText)),
    open: (value) => (isEmpty ? value : mapTexts(value, openText)),
  };
}

/**
 * All in one pass, so that nothing is replaced inside a replacement; the longest first, so that a value that contains another
 * leaves no rest. Of two that read the same, the first counts.
 */
function replacer(
  pairs: readonly (readonly [find: string, replacement: string])[],
): (text: string) => string {
  if (pairs.length === 0) return (text) => text;
  const byText = new Map(pairs.toReversed());
  const longestFirst = [...byText.keys()].sort((a, b) => b.length - a.length);
  const find = new RegExp(longestFirst.map((text) => RegExp.escape(text)).join("|"), "g");
  return (text) => text.replace(find, (found) => byText.get(found)!);
}

/** The values of a request's sensitive inputs, and those that came from above. */
export function sensitiveValues(
  { inputs, sensitive = [] }: { readonly inputs: JsonObject; readonly sensitive?: readonly string[] },
  above: readonly SensitiveValue[] = [],
): SensitiveValue[] {
  const own = sensitive.flatMap((name): SensitiveValue[] => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    return typeof value === "string" && value !== "" ? [{ name, value }] : [];
  });
  return [...own, ...above];
}

/** A value that cannot be kept out of the store without blotting out half of it is refused. */
export function checkSensitive(request: Parameters<typeof sensitiveValues>[0]): ToolResult<void> {
  const short = sensitiveValues(request).find(({ value }) => value.length < SENSITIVE_LENGTH_MIN);
  if (short === undefined) return succeed(undefined);
  const message = `The sensitive input ${short.name} has ${short.value.length} characters; it needs at least ${SENSITIVE_LENGTH_MIN} to be kept out of the journal.`;
  return fail("TOOL_INVALID_INPUT", message, { field: `inputs.${short.name}`, reason: "sensitive_input" });
}

interface Mark {
  readonly name: string;
  readonly form: string;
  readonly mark: string;
}

/** Each way in which a value is written has a mark of its own, so that it comes back written in the same way. */
function marksOf({ name, value }: SensitiveValue): Mark[] {
  return encodedForms(value).map(([encoding, form]) => ({
    name,
    form,
    mark: `[sensitive:${name}${encoding === "" ? "" : `|${encoding}`}]`,
  }));
}

function mapTexts<T extends Json>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change)) as unknown as T;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [change(key), mapTexts(child, change)]);
  return Object.fromEntries(entries) as T;
}
