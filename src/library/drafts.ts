/**
 * Drafts: workflows and code that are not kept yet. How they are named, checked, limited and told is here; where they
 * lie is a `DraftPlace`: a folder of the home, or the store that several gateways share. Nothing is cached, because
 * agents, people and other gateways write them too.
 *
 * Drafts belong to a scope, like the library and the runs.
 */
import { parseJson, hashText } from "../core/json.ts";
import { DEFAULT_SCOPE, parseReference, type Scope } from "../core/names.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { refuseNul } from "../text/nul.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CapabilityKind } from "../core/store.ts";
import { REDACTED } from "../text/redaction.ts";

/** The limit of code in the sandbox; a workflow has no need for more. */
export const DRAFT_BYTES_MAX = 256 * 1024;

export interface Draft {
  readonly name: string;
  readonly kind: CapabilityKind;
  readonly text: string;
  /** Of its file; one in the store has none. */
  readonly path?: string;
}

export interface Drafts {
  find(name: string, field?: string): Promise<ToolResult<Draft>>;
  names(): Promise<string[]>;
  /** Saves code, or a workflow, that worked as a draft and returns its name. The same for the same purpose is one draft. */
  save(source: string, intent?: string, kind?: CapabilityKind): Promise<string>;
  /**
   * The same for code that has just run: it gives the name at once and writes the draft after the answer, unless
   * another gateway could be asked for it. Every read of drafts in this process waits for the write.
   */
  leave(source: string, intent?: string): Promise<string>;
  /** Resolves when everything that was left is written. */
  settle(): Promise<void>;
  /** Deletes a draft after it was saved to the library; one that has changed since stays. */
  remove(draft: Draft): Promise<void>;
}

/** A draft in a list. */
export interface ListedDraft {
  readonly name: string;
  /** When it was last written, in ms. */
  readonly at: () => Promise<number>;
}

/** Where drafts lie. */
export interface DraftPlace {
  list(scope: Scope): Promise<ListedDraft[]>;
  /** The first that has one of these names; undefined where there is none. The names are safe in a path. */
  find(scope: Scope, names: Iterable<string>, field: string): Promise<ToolResult<Draft> | undefined>;
  /** A draft of this name that is there stays as it is. */
  put(scope: Scope, draft: Omit<Draft, "path">): Promise<void>;
  /** Removes it if its text is still this one. */
  remove(scope: Scope, draft: Draft): Promise<void>;
  /** What is said where there are none. */
  readonly emptyHint: string;
  /** How one that is not a workflow is corrected. */
  readonly correctHint: string;
}

export interface DraftsOptions {
  readonly place: DraftPlace;
  /** Looked at after it; never written to. */
  readonly alsoRead?: readonly DraftPlace[];
  readonly scope?: () => Scope;
  /** Drafts that are left are written behind; hears of one that could not be. Without it, they are written first. */
  readonly leftBehind?: (error: unknown) => void;
}

export function createDrafts(options: DraftsOptions): Drafts {
  const { place, alsoRead = [], scope = () => DEFAULT_SCOPE, leftBehind } = options;
  const places = [place, ...alsoRead];
  let writing: Promise<void> = Promise.resolve();
  let leftCount = 0;

  async function names(): Promise<string[]> {
    await writing;
    const listed = await Promise.all(places.map((one) => one.list(scope())));
    return [...new Set(listed.flat().map(({ name }) => name))];
  }

  async function find(name: string, field = "name"): Promise<ToolResult<Draft>> {
    const reference = parseReference(name, field);
    if (!reference.success) return reference;
    if (reference.data.kind === "bare") {
      await writing;
      const { action } = reference.data;
      const spellings = new Set([name, action, action.replaceAll("_", "-")]);
      for (const one of places) {
        const found = await one.find(scope(), spellings, field);
        if (found?.success === true) return checkDraft(found.data, field, one.correctHint);
        if (found !== undefined) return found;
      }
    }
    return noDraft(name, field, await names(), place.emptyHint);
  }

  async function save(source: string, intent?: string, kind: CapabilityKind = "code"): Promise<string> {
    const name = savedNameOf(source, intent);
    await place.put(scope(), { name, kind, text: source });
    await removeOldest(place, scope());
    return name;
  }

  async function leave(source: string, intent?: string): Promise<string> {
    if (leftBehind === undefined) return save(source, intent);
    const name = savedNameOf(source, intent);
    const at = scope();
    const isLookDue = leftCount++ % LEFT_FOR_EACH_LOOK === 0;
    const write = async (): Promise<void> => {
      await place.put(at, { name, kind: "code", text: source });
      if (isLookDue) await removeOldest(place, at);
    };
    writing = writing.then(write).catch(leftBehind);
    return name;
  }

  return {
    find,
    names,
    save,
    leave,
    settle: () => writing,
    async remove(draft) {
      await writing;
      await place.remove(scope(), draft);
    },
  };
}

/** Undefined where its size is within the limit. */
export function refuseLargeDraft(bytes: number, field: string): ToolResult<never> | undefined {
  if (bytes <= DRAFT_BYTES_MAX) return undefined;
  return fail("TOOL_INVALID_INPUT", `The draft has ${bytes} bytes; the limit is ${DRAFT_BYTES_MAX}.`, {
    field,
  });
}

function checkDraft(draft: Draft, field: string, hint: string): ToolResult<Draft> {
  const refused = refuseNul(draft.text, `The draft ${draft.name}`, field);
  if (refused !== undefined) return refused;
  if (draft.kind === "code") return succeed(draft);
  const parsed = parseJson(draft.text);
  if (parsed.ok) return succeed(draft);
  const place = parsed.position === undefined ? "" : ` (${placeOf(draft.text, parsed.position)})`;
  return fail("TOOL_INVALID_INPUT", `The draft ${draft.name} is not a workflow: ${parsed.message}${place}`, {
    reason: "validation_error",
    field,
    hint,
  });
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function noDraft(
  name: string,
  field: string,
  known: readonly string[],
  emptyHint: string,
): ToolResult<never> {
  const near = nearest(name, known);
  return fail("TOOL_NOT_FOUND", `There is no draft called ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field,
    nearest: near,
    hint: known.length === 0 ? emptyHint : `Drafts: ${known.slice(0, 20).join(", ")}.`,
  });
}

const HASH_DIGITS = 8;
const WORDS_LENGTH_MAX = 40;
/** Beyond this, the oldest are deleted. */
const SAVED_MAX = 200;
/** Looking through the folder costs more than a draft; a few more than the limit may lie there meanwhile. */
const LEFT_FOR_EACH_LOOK = 20;
const SAVED_NAME = /^[a-z][a-z0-9-]*-([0-9a-f]{8})$/;

/** Made of the run's intent and the hash of the source, so the same source is saved once. */
function savedNameOf(source: string, intent?: string): string {
  return `${wordsOf(intent)}-${hashText(source).slice(0, HASH_DIGITS)}`;
}

/** Longer than any word of a sentence, and letters and digits in a row: more likely a key of some kind. */
const KEY_LIKE = /\S{25,}|(?=[^\s]*\d)(?=[^\s]*[A-Za-z])\S{10,}/g;

/**
 * `list-open-issues` of "List open issues!". What may be a key, or was one, is left out: names are shown everywhere.
 */
function wordsOf(intent = ""): string {
  const words = intent
    .replaceAll(REDACTED, " ")
    .replace(KEY_LIKE, " ")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, WORDS_LENGTH_MAX)
    .replace(/-+$/, "");
  return words === "" ? "run" : words;
}

/** A draft whose name no longer matches its text was edited by somebody and is never deleted here. */
async function removeOldest(place: DraftPlace, scope: Scope): Promise<void> {
  const saved = (await place.list(scope)).filter(({ name }) => SAVED_NAME.test(name));
  if (saved.length <= SAVED_MAX) return;
  const dated = await Promise.all(saved.map(async ({ name, at }) => ({ name, at: await at() })));
  const old = dated.sort((a, b) => a.at - b.at).slice(0, saved.length - SAVED_MAX);
  for (const { name } of old) {
    const found = await place.find(scope, [name], "name");
    if (found?.success !== true) continue;
    const hash = SAVED_NAME.exec(name)![1]!;
    if (hashText(found.data.text).startsWith(hash)) await place.remove(scope, found.data);
  }
}
