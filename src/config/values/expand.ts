/**
 * Variables in the strings of a config: `${VAR}`, `${VAR:-default}`, both with `env:` before the name, and inputs:
 * `${input:ID}`. `${workspaceFolder}`, `${userHome}` and the other names that editors know are given by the caller;
 * they need no `env:`.
 *
 * One pass: what came out of a variable, an input or a default is never looked at again. `$${x}` is the literal `${x}`.
 * Keys, numbers, booleans and the section `inputs` are not expanded. A variable that is set to the empty string counts
 * as set for `${VAR}` and as unset for `${VAR:-default}`, as in the shell. A problem names the variable and nothing
 * else of the text around it. An input without a value is no problem here: what it means depends on where it is used.
 */
import { isSecretKey } from "../../text/redaction.ts";
import { readVariable, type Environment } from "../locate.ts";
import type { Complaint, KeyPath } from "../problem.ts";
import { posix, win32 } from "node:path";

/**
 * An escape, a reference, or a `${` that is neither. A default ends before the next `${`, which both refuses nesting
 * and keeps the time linear: no attempt reads past the place where the next begins.
 */
const TOKEN =
  /\$\$\{|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}|\$\{input:([^}$]*)\}|\$\{/g;

/** No server gets it: who has it and the database has every secret of every gateway. */
const KEY_FOR_SECRETS = "REPERTOIRE_SECRET_KEY";

const SYNTAX_HINT =
  'write ${NAME}, ${NAME:-default}, ${env:NAME} or ${input:ID}, and "$${" for a literal "${"';

/** The value of an input. */
interface InputValue {
  readonly value: string;
  readonly isSecret: boolean;
  /** Whether a person gave it, and not the file. */
  readonly isKept: boolean;
}

export type LookUpInput = (id: string) => InputValue | undefined;

const NO_INPUTS: LookUpInput = () => undefined;

/** The values of names that are no environment variables, such as `workspaceFolder`. */
export type BuiltInVariables = ReadonlyMap<string, string>;

const NO_VARIABLES: BuiltInVariables = new Map();

/** One place where an input is used, and whether it has a value. */
export interface InputUse {
  readonly path: KeyPath;
  readonly id: string;
  readonly state: "kept" | "default" | "missing";
}

interface TextProblem {
  readonly message: string;
  readonly hint: string;
  readonly missing?: { readonly variable: string };
}

/** What a text becomes, and what went into it. */
export interface Expansion {
  readonly text: string;
  readonly variables: readonly string[];
  readonly inputs: readonly Omit<InputUse, "path">[];
  /** What is wrong with the text whatever the variables are. */
  readonly problems: readonly TextProblem[];
  /** The variables that are not set, as problems. */
  readonly unset: readonly TextProblem[];
  /** The references that are left in the text. */
  readonly unresolved: readonly string[];
  /** What inputs, and variables with secret names or their defaults, held. */
  readonly secrets: readonly string[];
}

export function expandText(
  text: string,
  env: Environment,
  lookUpInput = NO_INPUTS,
  builtIn: BuiltInVariables = NO_VARIABLES,
): Expansion {
  const variables: string[] = [];
  const inputs: Omit<InputUse, "path">[] = [];
  const problems: TextProblem[] = [];
  const unset: TextProblem[] = [];
  const unresolved: string[] = [];
  const secrets: string[] = [];
  const expandVariable = (token: string, name: string, otherwise: string | undefined): string => {
    if (name.toUpperCase().startsWith(KEY_FOR_SECRETS)) {
      problems.push({
        message: `refers to ${name}, the key for the gateway's secrets`,
        hint: "name another variable",
      });
      return token;
    }
    variables.push(name);
    const value = readVariable(env, name);
    if (isSecretKey(name)) secrets.push(value ?? "", otherwise ?? "");
    if (otherwise !== undefined) return value || otherwise;
    if (value !== undefined) return value;
    unset.push(complainUnset(name));
    unresolved.push(token);
    return token;
  };
  const expandInput = (token: string, id: string): string => {
    if (!isInputId(id)) {
      problems.push({ message: "has an input with an invalid id", hint: INPUT_ID_RULE });
      return token;
    }
    const found = lookUpInput(id);
    inputs.push({ id, state: found === undefined ? "missing" : found.isKept ? "kept" : "default" });
    if (found?.isSecret === true) secrets.push(found.value);
    if (found === undefined) unresolved.push(token);
    return found?.value ?? token;
  };
  const expanded = text.replace(
    TOKEN,
    (token, name: string | undefined, otherwise: string | undefined, id: string | undefined) => {
      if (token === "$${") return "${";
      const place = token.startsWith("${env:") ? undefined : builtIn.get(name ?? "");
      if (place !== undefined) return place;
      if (name !== undefined) return expandVariable(token, name, otherwise);
      if (id !== undefined) return expandInput(token, id);
      problems.push({ message: 'has a "${" that is not a variable', hint: SYNTAX_HINT });
      return token;
    },
  );
  const known = secrets.filter((secret) => secret !== "");
  return { text: expanded, variables, inputs, problems, unset, unresolved, secrets: known };
}

function complainUnset(name: string): TextProblem {
  return {
    message: `the environment variable ${name} is not set`,
    hint: `set it, or write \${${name}:-default}`,
    missing: { variable: name },
  };
}

/** A tree with all its strings expanded. */
export interface TreeExpansion {
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
  /** The variables that are not set. */
  readonly unset: readonly Complaint[];
  readonly uses: readonly { readonly path: KeyPath; readonly variable: string }[];
  readonly inputs: readonly InputUse[];
  /** The references that are left in the tree, such as `${input:ID}`. */
  readonly unresolved: readonly string[];
  readonly secrets: readonly string[];
}

/** Expands every string value of a tree that `parseDocument` made, so its depth is bounded. */
export function expandTree(
  root: unknown,
  env: Environment,
  lookUpInput: (id: string, path: KeyPath) => InputValue | undefined = NO_INPUTS,
  builtIn: BuiltInVariables = NO_VARIABLES,
): TreeExpansion {
  const complaints: Complaint[] = [];
  const unset: Complaint[] = [];
  const uses: { path: KeyPath; variable: string }[] = [];
  const inputs: InputUse[] = [];
  const unresolved: string[] = [];
  const secrets: string[] = [];
  const expandString = (text: string, path: KeyPath): string => {
    if (!text.includes("${")) return text;
    const expansion = expandText(text, env, (id) => lookUpInput(id, path), builtIn);
    for (const problem of expansion.problems) complaints.push({ path, at: "value", ...problem });
    for (const problem of expansion.unset) unset.push({ path, at: "value", ...problem });
    for (const variable of expansion.variables) uses.push({ path, variable });
    for (const input of expansion.inputs) inputs.push({ path, ...input });
    unresolved.push(...expansion.unresolved);
    secrets.push(...expansion.secrets);
    return expansion.text;
  };
  const expand = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") return expandString(value, path);
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, child] of Object.entries(value)) {
      object[key] = path.length === 0 && key === "inputs" ? child : expand(child, [...path, key]);
    }
    return object;
  };
  return { value: expand(root, []), complaints, unset, uses, inputs, unresolved, secrets };
}

const WHOLE_REFERENCE =
  /^(?:(?:Bearer|Basic|Token) )?\$\{(?:(?:env:)?[A-Za-z_][A-Za-z0-9_]*|input:[A-Za-z0-9][A-Za-z0-9_.-]{0,63})\}$/i;

/**
 * Whether a written value is nothing but one variable or input (after its scheme, such as Bearer), so that showing it
 * shows no secret.
 */
export function isWholeReference(written: string): boolean {
  return WHOLE_REFERENCE.test(written);
}

/** Also a part of the name under which a value is kept, and a word on the command line. */
const INPUT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export const INPUT_ID_RULE =
  "the id of an input is 1 to 64 letters, digits, _ . and -, beginning with a letter or digit";

export function isInputId(text: string): boolean {
  return INPUT_ID.test(text);
}

interface EditorPlace {
  readonly homedir: string;
  /** The folder that is the workspace. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** What editors put in place of `${workspaceFolder}` and the like, by name. */
export function editorVariables({ homedir, folder, platform }: EditorPlace): ReadonlyMap<string, string> {
  const path = platform === "win32" ? win32 : posix;
  return new Map([
    ["userHome", homedir],
    ["workspaceFolder", folder],
    ["workspaceRoot", folder],
    ["cwd", folder],
    ["workspaceFolderBasename", path.basename(folder)],
    ["pathSeparator", path.sep],
    ["/", path.sep],
  ]);
}
