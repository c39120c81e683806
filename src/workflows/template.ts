/**
 * Templates in JSON values: where they are, and what they become.
 *
 * A string that is one template and nothing else becomes the value itself; a template inside a text becomes text. Keys
 * are never templates. Only members that a JSON text would show can be reached: no `length`, no prototype. What cannot
 * be filled in is told all at once, and nothing here throws.
 */
import { canonicalJson, isJsonObject, JSON_LIMITS, type Json, type JsonLimits } from "../core/json.ts";
import { cut } from "../text/cut.ts";
import { formatPlace, type Path } from "./place.ts";
import {
  parseTemplateText,
  formatReference,
  type TemplatePiece,
  type TemplateReference,
} from "./template-text.ts";

/**
 * A call with more than this is refused on its way anyway; without it, a short text could repeat a long value without
 * end.
 */
export const FILLED_TEXT_LENGTH_MAX = JSON_LIMITS.bytesMax;
/** More are not reported: each costs a search for what exists instead. */
const MISSING_COUNT_MAX = 100;
const SHOWN_TEXT_LENGTH_MAX = 60;
const NOTHING: NotFound = { root: "", found: "", available: [] };
/** Values are bounded when they come in; here only the depth matters, because writing them recurses. */
const EMBEDDED_LIMITS: JsonLimits = {
  depthMax: 1_000,
  keyCountMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
};

export interface TemplateUse {
  /** A node, an input, `item` or `index`. */
  readonly root: string;
  readonly path: readonly (string | number)[];
  /** As written: `${a.b}`. */
  readonly text: string;
  /** `nodes[2].params.list[0].x`. */
  readonly place: string;
}

export interface MalformedTemplate {
  readonly text: string;
  readonly place: string;
}

export type Filled =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly missing: readonly MissingTemplate[] };

/** A template that cannot be filled in. */
export interface MissingTemplate extends NotFound {
  readonly text: string;
  readonly place: string;
  /** Why it cannot be filled in, where the reason is not that there is nothing. */
  readonly reason?: "malformed" | "too_large";
}

/** A string inside a value, and the way to it. */
export interface FoundText {
  readonly path: Path;
  readonly text: string;
}

/** Every string among the values, in the order of the text. */
export function* textsIn(value: Json, path: Path = []): Generator<FoundText> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries()) yield* textsIn(item, [...path, index]);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
  }
}

/** Every template in a value, and everything that looks like one and is none. `place` is where the value is. */
export function findTemplates(
  value: Json,
  place: string,
): { readonly uses: readonly TemplateUse[]; readonly malformed: readonly MalformedTemplate[] } {
  const uses: TemplateUse[] = [];
  const malformed: MalformedTemplate[] = [];
  for (const found of textsIn(value)) {
    const here = formatPlace(found.path, place);
    for (const piece of parseTemplateText(found.text)) {
      if (piece.kind === "use") uses.push({ ...piece.reference, text: piece.text, place: here });
      else if (piece.kind === "malformed") malformed.push({ text: piece.text, place: here });
    }
  }
  return { uses, malformed };
}

/** The value with every template filled in, or every template that cannot be. */
export function fillTemplates(value: Json, place: string, roots: ReadonlyMap<string, Json>): Filled {
  const filling: Filling = { roots, missing: [], textLeft: FILLED_TEXT_LENGTH_MAX };
  const filled = fillValue(value, place, filling);
  return filling.missing.length === 0 ? { ok: true, value: filled } : { ok: false, missing: filling.missing };
}

interface Filling {
  readonly roots: ReadonlyMap<string, Json>;
  readonly missing: MissingTemplate[];
  textLeft: number;
}

function fillValue(value: Json, place: string, filling: Filling): Json {
  if (typeof value === "string") return fillText(value, place, filling);
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, index) =>
      fillValue(item, formatPlace([index], place), filling),
    );
  }
  if (!isJsonObject(value)) return value;
  // Not by assignment: a key such as `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillValue(item, formatPlace([key], place), filling)]),
  );
}

function fillText(text: string, place: string, filling: Filling): Json {
  if (!text.includes("${")) return text;
  const values = parseTemplateText(text).map((piece) => fillPiece(piece, place, filling));
  if (values.length === 1) return values[0]!;
  return filling.missing.length > 0 ? null : joinTexts(values, { text, place }, filling);
}

function fillPiece(piece: TemplatePiece, place: string, filling: Filling): Json {
  if (piece.kind === "text") return piece.text;
  if (filling.missing.length >= MISSING_COUNT_MAX) return null;
  const { text } = piece;
  if (piece.kind === "malformed") {
    filling.missing.push({ text, place, ...NOTHING, reason: "malformed" });
    return null;
  }
  const found = lookUp(piece.reference, filling.roots);
  if (found.kind === "found") return found.value;
  filling.missing.push({ text, place, ...found.missing });
  return null;
}

/** Every value is counted before they are joined. */
function joinTexts(
  values: readonly Json[],
  at: { readonly text: string; readonly place: string },
  filling: Filling,
): string {
  const texts: string[] = [];
  for (const value of values) {
    const text = embeddedText(value);
    filling.textLeft -= text?.length ?? Number.POSITIVE_INFINITY;
    if (text === undefined || filling.textLeft < 0) break;
    texts.push(text);
  }
  if (filling.textLeft >= 0) return texts.join("");
  const text = cut(at.text, SHOWN_TEXT_LENGTH_MAX);
  filling.missing.push({ text, place: at.place, ...NOTHING, reason: "too_large" });
  return "";
}

/** Undefined for what is too deep to be written. */
function embeddedText(value: Json): string | undefined {
  if (typeof value === "string") return value;
  try {
    return canonicalJson(value, EMBEDDED_LIMITS);
  } catch {
    return undefined;
  }
}

const AVAILABLE_COUNT_MAX = 20;

/** How far a reference leads. */
interface NotFound {
  readonly root: string;
  /** The longest part that exists, such as `fetch.body`; empty where even the root does not. */
  readonly found: string;
  /** What there is in its stead: names, or indexes as `[0]`. */
  readonly available: readonly string[];
}

type LookedUp =
  | { readonly kind: "found"; readonly value: Json }
  | { readonly kind: "missing"; readonly missing: NotFound };

/** What a reference leads to, through members that a JSON text would show. */
function lookUp(reference: TemplateReference, roots: ReadonlyMap<string, Json>): LookedUp {
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
