/**
 * Keeps sensitive inputs and the secrets of the config out of the store. Wherever such a value appears, in arguments,
 * answers, errors or the run's own inputs, the store gets a mark that names it; what is read back gets the value that
 * was given this time. A step is known by its arguments with sensitive inputs sealed, so one that has changed since
 * does not make it another step.
 *
 * A secret of the config has no name of its own that would stay the same. Its mark has a keyed digest of it instead,
 * made with the seed of the run: the same in every run that goes on from this one, and of no use elsewhere. A secret
 * that the config no longer has stays a mark.
 */
import { createHmac } from "node:crypto";
import { encodedForms } from "../../text/encoded-forms.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { mapTexts } from "../../text/map-texts.ts";
import { UNREDACTABLE } from "../../text/redaction.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { createTextFinder } from "../../text/text-finder.ts";
import type { SensitiveValue } from "../../core/tool.ts";

/** A shorter value would be found in every other word. */
const SENSITIVE_LENGTH_MIN = 4;
/** Enough to tell the secrets of a config apart. */
const DIGEST_DIGITS = 8;

export interface Seal {
  /** A copy without the values; the very same where there are none. */
  close<T extends Json>(value: T): T;
  /**
   * The same with one mark for a value however it is written: how another value is written would make it another step.
   */
  identify<T extends Json>(value: T): T;
  /** The values instead of their marks. */
  open<T extends Json>(value: T): T;
  text(text: string): string;
  /** The sensitive inputs. */
  readonly values: readonly SensitiveValue[];
  readonly isEmpty: boolean;
}

/** The secrets of the config, and what their marks are made with. */
export interface SealedSecrets {
  readonly secrets: readonly string[];
  readonly seed: string;
}

export function createSeal(values: readonly SensitiveValue[], config?: SealedSecrets): Seal {
  const isEmpty = values.length === 0 && (config === undefined || config.secrets.length === 0);
  const inputs = values.flatMap(({ name, value }) => marksOf("sensitive", name, value));
  const secrets = isEmpty
    ? []
    : (config?.secrets ?? []).flatMap((secret) => secretMarks(secret, config!.seed));
  const long = inputs.filter(({ form }) => form.length >= SENSITIVE_LENGTH_MIN);
  const closeText = replacer([...long, ...secrets].map(({ form, mark }) => [form, mark]));
  const identifyText = replacer(long.map(({ form, name }) => [form, `[sensitive:${name}]`]));
  const openText = replacer([...inputs, ...secrets].map(({ form, mark }) => [mark, form]));
  const map = <T extends Json>(value: T, change: (text: string) => string): T =>
    isEmpty ? value : mapTexts(value, change, UNREDACTABLE);
  return {
    values,
    isEmpty,
    text: closeText,
    close: (value) => map(value, closeText),
    // Not the secrets of the config: a call made before one was changed, or known, is the same call.
    identify: (value) => map(value, identifyText),
    open: (value) => map(value, openText),
  };
}

function secretMarks(secret: string, seed: string): Mark[] {
  const digest = createHmac("sha256", seed).update(secret).digest("hex").slice(0, DIGEST_DIGITS);
  return marksOf("redacted", digest, secret);
}

/**
 * All in one pass, so that nothing is replaced inside a replacement; the longest first, so that a value that contains
 * another leaves no rest. Of two that read the same, the first counts.
 */
function replacer(
  pairs: readonly (readonly [find: string, replacement: string])[],
): (text: string) => string {
  const byText = new Map(pairs.toReversed());
  const finder = createTextFinder(byText.keys());
  return (text) => finder.replace(text, (found) => byText.get(found)!);
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

/** The inputs that contain the mark of a secret that the config no longer has. */
export function stillSealed(inputs: JsonObject): string[] {
  return Object.keys(inputs).filter((name) => SECRET_MARK.test(JSON.stringify(inputs[name])));
}

const SECRET_MARK = new RegExp(String.raw`\[redacted:[0-9a-f]{${DIGEST_DIGITS}}(?:\|[a-z0-9+-]+)?\]`);

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
function marksOf(kind: "sensitive" | "redacted", name: string, value: string): Mark[] {
  return encodedForms(value).map(([encoding, form]) => ({
    name,
    form,
    mark: `[${kind}:${name}${encoding === "" ? "" : `|${encoding}`}]`,
  }));
}
