/**
 * Inputs: values that a person is asked for once and that are kept with the secrets, written `${input:ID}`. What
 * `inputs` at the top of the file says of them (in VS Code's shape) is optional, and is taken as it is: no variable in
 * it is expanded.
 *
 * Values come from outside through `readInput`. A file that is not trusted gets none: it could name the input of
 * another server in an address of its own.
 */
import { isSecretKey } from "../../text/redaction.ts";
import type { ConfigInput, InputOption } from "../config.ts";
import type { InputUse, LookUpInput } from "./expand.ts";
import type { Complaint, KeyPath } from "../problem.ts";
import { asObject, parseServerKey } from "../entries/server-check.ts";

/** The declaration of an input, as VS Code writes it. */
export interface InputDeclaration {
  readonly id: string;
  readonly type: "promptString" | "pickString";
  readonly description?: string;
  readonly default?: string;
  readonly password?: boolean;
  readonly options?: readonly (string | InputOption)[];
}

/** Whether a file can need a kept value; if not, nothing has to be read for it. */
export function mentionsInputs(text: string | undefined): boolean {
  return text?.includes("${input:") === true;
}

const REFERENCE = /\$\{input:([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\}/g;

/** The ids that a text names, each once. */
export function inputIdsIn(text: string | undefined): string[] {
  if (!mentionsInputs(text)) return [];
  return [...new Set([...text!.matchAll(REFERENCE)].map((match) => match[1]!))].sort();
}

// ── declarations ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Declarations by id, from a file that may have other problems. Of two with one id, the first. */
export function readDeclarations(file: unknown): ReadonlyMap<string, InputDeclaration> {
  const declared = new Map<string, InputDeclaration>();
  for (const entry of entriesOf(file)) {
    const { id, type, default: otherwise, description, password, options } = entry;
    if (typeof id !== "string" || declared.has(id)) continue;
    declared.set(id, {
      id,
      type: type === "pickString" ? "pickString" : "promptString",
      ...(typeof description === "string" && { description }),
      ...(typeof otherwise === "string" && { default: otherwise }),
      ...(password === true && { password }),
      ...(Array.isArray(options) && { options: options as InputDeclaration["options"] & object }),
    });
  }
  return declared;
}

/** The rules of `inputs` that need more than one key. */
export function checkInputs(file: unknown): Complaint[] {
  const complaints: Complaint[] = [];
  const seen = new Set<unknown>();
  for (const [index, { id, type, options }] of entriesOf(file).entries()) {
    const complain = (key: string, message: string, hint: string): void => {
      complaints.push({ path: ["inputs", index, key], at: "value", message, hint });
    };
    if (id !== undefined && seen.has(id))
      complain("id", "two inputs have this id", "rename or remove one of them");
    seen.add(id);
    if (type === "pickString" && !(Array.isArray(options) && options.length > 0)) {
      complain("options", 'a "pickString" needs something to pick from', 'add "options": ["one", "other"]');
    }
  }
  return complaints;
}

function entriesOf(file: unknown): Record<string, unknown>[] {
  const inputs = asObject(file)?.["inputs"];
  return Array.isArray(inputs) ? inputs.map((entry) => asObject(entry) ?? {}) : [];
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ReadInput = (id: string) => string | undefined;

/** A kept value is a secret whatever it is called; a default is in the file, and is a secret where its input is one. */
export function createInputLookUp(
  declared: ReadonlyMap<string, InputDeclaration>,
  readInput: ReadInput | undefined,
): LookUpInput {
  return (id) => {
    const kept = readInput?.(id);
    if (kept !== undefined && kept !== "") return { value: kept, isSecret: true, isKept: true };
    const { default: otherwise, password = false } = declared.get(id) ?? {};
    if (otherwise === undefined) return undefined;
    return { value: otherwise, isSecret: password || isSecretKey(id), isKept: false };
  };
}

/** Sections that clients are shown as they are, so that a secret has no place in them. */
const OPEN_SECTIONS: ReadonlySet<string | number | undefined> = new Set(["$schema", "exposure", "profiles"]);

/** Whether an input has no place here. */
export function isOpenSection({ path }: InputUse): boolean {
  return OPEN_SECTIONS.has(path[0]) || path[0] === "store";
}

export function complainOpenSection({ path }: InputUse): Complaint {
  const why = path[0] === "store" ? "the values of inputs are kept in the store" : "clients see this text";
  const message = `an input is not allowed here, because ${why}`;
  return { path, at: "value", message, hint: "write the text itself, or use ${NAME}" };
}

export function complainMissing({ path, id }: InputUse): Complaint {
  return {
    path,
    at: "value",
    message: `the input ${id} has no value`,
    hint: `run: ${cureFor(id)}`,
    missing: { input: id },
  };
}

/** Says where a value that does not fit came from: the file alone does not show it. */
export function withInputHint(complaint: Complaint, uses: readonly InputUse[]): Complaint {
  const use = uses.find(({ path }) => JSON.stringify(path) === JSON.stringify(complaint.path));
  if (use?.state !== "kept") return complaint;
  const hint = `the value comes from the input ${use.id}; to change it, run: ${cureFor(use.id)}`;
  return { ...complaint, hint: complaint.hint === undefined ? hint : `${complaint.hint}; ${hint}` };
}

/** The command that gives an input its value. */
function cureFor(id: string): string {
  return `repertoire input set ${id}`;
}

// ── the inputs of a config ────────────────────────────────────────────────────────────────────────────────

interface InputsKnown {
  readonly declared: ReadonlyMap<string, InputDeclaration>;
  readonly uses: readonly InputUse[];
  /** Whether the values were looked for at a place. */
  readonly isRead: (path: KeyPath) => boolean;
  /** By the key in `mcpServers`. */
  readonly isEnabled: (key: string) => boolean;
}

/** Every input that the file declares or uses, in the order of their ids. */
export function describeInputs({ declared, uses, isRead, isEnabled }: InputsKnown): ConfigInput[] {
  const byId = Map.groupBy(uses, ({ id }) => id);
  const ids = [...new Set([...declared.keys(), ...byId.keys()])].sort();
  return ids.map((id) => {
    const own = byId.get(id) ?? [];
    const read = own.find(({ path }) => isRead(path));
    const state = (read ?? own[0])?.state ?? "unused";
    return {
      ...shownDeclaration(id, declared.get(id)),
      state: state === "missing" && read === undefined ? "unread" : state,
      isNeeded: own.some(({ path }) => path[0] !== "mcpServers" || isEnabled(String(path[1]))),
      servers: [...new Set(own.flatMap(serverIdOf))].sort(),
      paths: own.map(({ path }) => path),
    };
  });
}

/** An input that is not declared may be a secret, so its value is not shown. */
function shownDeclaration(id: string, declaration: InputDeclaration | undefined) {
  const { type = "promptString", description, options, password } = declaration ?? { password: true };
  return {
    id,
    type,
    isPassword: password === true,
    description,
    options: options?.map(optionOf),
  };
}

function optionOf(option: string | InputOption): InputOption {
  return typeof option === "string" ? { label: option, value: option } : option;
}

function serverIdOf({ path }: InputUse): string[] {
  const parsed = path[0] === "mcpServers" ? parseServerKey(String(path[1])) : undefined;
  return parsed?.ok === true ? [parsed.id] : [];
}
