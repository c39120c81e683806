/**
 * Each client has variables of its own in the texts of its config. They become what our config understands, or the very
 * text that they stand for; everything that the client does not expand stays the literal that it is there, with `${`
 * escaped.
 */
import { readVariable } from "../../config/locate.ts";
import { quoteKey } from "../../config/problem.ts";
import type { ClientId, ClientPlace } from "../client.ts";
import { inputIdOf } from "./input-declaration.ts";
import { escapeText } from "./references.ts";
import { editorVariables } from "../../config/values/expand.ts";

/** A hostile text could hold thousands of them; more are not read. */
const NOTE_COUNT_MAX = 20;

/** `${…}` up to the next `${`, which keeps the time linear, or `$NAME`. */
const TOKEN = /\$\{((?:[^}$]|\$(?!\{))*)\}|\$([A-Za-z_]\w*)/g;

/** What the inside of a `${…}` means to a client. */
type Meaning =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string; readonly otherwise?: string }
  | { readonly kind: "input"; readonly id: string };

/** Where a text comes from: its client, and which folder is the workspace. */
export interface TextPlace {
  readonly client: ClientId;
  readonly place: ClientPlace;
  readonly folder: string;
}

type Resolve = (body: string, at: TextPlace) => Meaning | undefined;

/** Rewrites the texts of one entry and remembers what there is to say about them. */
export interface Rewriting {
  /** `isShell` also understands `${NAME}`, for programs that expand it themselves. */
  readonly text: (text: string, isShell?: boolean) => string;
  readonly note: (note: string) => void;
  readonly notes: () => string[];
  readonly inputIds: () => string[];
}

export function createRewriting(at: TextPlace): Rewriting {
  const notes = new Set<string>();
  const inputIds = new Set<string>();
  const note = (text: string): void => {
    if (notes.size < NOTE_COUNT_MAX) notes.add(text);
  };
  const rewrite = (text: string, isShell = false): string => {
    const written = new Written(note);
    let end = 0;
    for (const match of text.matchAll(TOKEN)) {
      const meaning = meaningOf(match, at, isShell, note);
      if (meaning === undefined) continue;
      written.literal(text.slice(end, match.index));
      end = match.index + match[0].length;
      if (meaning.kind === "text") written.literal(meaning.text);
      else if (meaning.kind === "input") {
        inputIds.add(meaning.id);
        written.reference(`\${input:${meaning.id}}`, match[0]);
      } else {
        const otherwise = meaning.otherwise === undefined ? "" : `:-${meaning.otherwise}`;
        written.reference(`\${${meaning.name}${otherwise}}`, match[0]);
      }
    }
    written.literal(text.slice(end));
    return written.text();
  };
  return { text: rewrite, note, notes: () => [...notes], inputIds: () => [...inputIds] };
}

/**
 * A text while it is written. A `$` right before a reference would make an escape of it, which cannot be written in our
 * config.
 */
class Written {
  #done = "";
  #literal = "";
  readonly #note: (note: string) => void;

  constructor(note: (note: string) => void) {
    this.#note = note;
  }

  literal(text: string): void {
    this.#literal += text;
  }

  reference(ours: string, theirs: string): void {
    if (this.#literal.endsWith("$")) {
      this.#note(`${shown(theirs)} is kept as it is, because a "$" comes right before it.`);
      this.literal(theirs);
      return;
    }
    this.#flush();
    this.#done += ours;
  }

  text(): string {
    this.#flush();
    return this.#done;
  }

  #flush(): void {
    this.#done += escapeText(this.#literal);
    this.#literal = "";
  }
}

function meaningOf(
  match: RegExpExecArray,
  at: TextPlace,
  isShell: boolean,
  note: (note: string) => void,
): Meaning | undefined {
  const [token, body, bare] = match;
  if (body === undefined) return at.client === "gemini" ? bareVariable(bare!, at) : undefined;
  const resolve = RESOLVE[at.client];
  const meaning = resolve?.(body, at) ?? (isShell ? shellVariable(body) : undefined);
  if (meaning === undefined && resolve !== undefined) {
    note(`${shown(token)} has no meaning in Repertoire, so it is kept as it is.`);
  }
  return meaning;
}

/** `NAME` or `NAME:-default`. */
function shellVariable(body: string): Meaning | undefined {
  const parts = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(body);
  if (parts === null) return undefined;
  return { kind: "variable", name: parts[1]!, otherwise: parts[2] };
}

/**
 * Gemini CLI leaves a `$name` alone that is not set; it may be part of a password. Upper case is meant as a variable.
 */
function bareVariable(name: string, at: TextPlace): Meaning | undefined {
  const isMeant = readVariable(at.place.env, name) !== undefined || /^[A-Z][A-Z0-9_]*$/.test(name);
  return isMeant ? { kind: "variable", name } : undefined;
}

function envVariable(body: string): Meaning | undefined {
  const name = /^env:([A-Za-z_]\w*)$/.exec(body)?.[1];
  return name === undefined ? undefined : { kind: "variable", name };
}

function editorVariable(body: string, { place, folder }: TextPlace): Meaning | undefined {
  const text = editorVariables({ ...place, folder }).get(body);
  return text === undefined ? envVariable(body) : { kind: "text", text };
}

function claudeVariable(body: string, at: TextPlace): Meaning | undefined {
  const meaning = shellVariable(body);
  const isFolder = meaning?.kind === "variable" && meaning.name === "CLAUDE_PROJECT_DIR";
  // Claude Code sets it for what it starts; here it is not set.
  return isFolder ? { kind: "text", text: at.folder } : meaning;
}

function vscodeVariable(body: string, at: TextPlace): Meaning | undefined {
  const id = /^input:(.+)$/s.exec(body)?.[1];
  return id === undefined ? editorVariable(body, at) : { kind: "input", id: inputIdOf(id) };
}

/** Clients that expand nothing have no way to resolve. */
const RESOLVE: Readonly<Record<ClientId, Resolve | undefined>> = {
  claude: claudeVariable,
  "claude-desktop": undefined,
  cursor: editorVariable,
  vscode: vscodeVariable,
  windsurf: envVariable,
  codex: undefined,
  gemini: shellVariable,
};

/** A default may be a secret, so only names are shown. */
function shown(token: string): string {
  return /^\$\{?[\w:./ -]{1,60}\}?$/.test(token) && !token.includes(":-") ? quoteKey(token) : 'A "${…}"';
}
