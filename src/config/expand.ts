/**
 * Variables in the strings of a config: `${VAR}`, `${VAR:-default}`, and both with `env:` before the name.
 *
 * One pass: what came out of a variable or a default is never looked at again. `$${x}` is the literal `${x}`. Keys, numbers
 * and booleans are not expanded. A variable that is set to the empty string counts as set for `${VAR}` and as unset for
 * `${VAR:-default}`, as in the shell. A problem names the variable and nothing else of the text around it.
 */
import { isSecretKey } from "../core/redaction.ts";
import { readVariable, type Environment } from "./locate.ts";
import type { Complaint, KeyPath } from "./problem.ts";

/**
 * An escape, a reference, or a `${` that is neither. A default ends before the next `${`, which both refuses nesting and
 * keeps the time linear: no attempt reads past the place where the next begins.
 */
const TOKEN = /\$\$\{|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}|\$\{/g;

const SYNTAX_HINT = 'write ${NAME}, ${NAME:-default} or ${env:NAME}, and "$${" for a literal "${"';

/** What a text becomes, and what went into it. */
export interface Expansion {
  readonly text: string;
  readonly variables: readonly string[];
  readonly problems: readonly { readonly message: string; readonly hint: string }[];
  /** What variables with secret names, or their defaults, held. */
  readonly secrets: readonly string[];
}

export function expandText(text: string, env: Environment): Expansion {
  const variables: string[] = [];
  const problems: { message: string; hint: string }[] = [];
  const secrets: string[] = [];
  const expanded = text.replace(TOKEN, (token, name: string | undefined, otherwise: string | undefined) => {
    if (token === "$${") return "${";
    if (name === undefined) {
      problems.push({ message: 'has a "${" that is not a variable', hint: SYNTAX_HINT });
      return token;
    }
    variables.push(name);
    const value = readVariable(env, name);
    if (isSecretKey(name)) secrets.push(value ?? "", otherwise ?? "");
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined) problems.push(complainUnset(name));
    return value ?? token;
  });
  return { text: expanded, variables, problems, secrets: secrets.filter((secret) => secret !== "") };
}

function complainUnset(name: string): { message: string; hint: string } {
  return {
    message: `the environment variable ${name} is not set`,
    hint: `set it, or write \${${name}:-default}`,
  };
}

/** A tree with all its strings expanded. */
export interface TreeExpansion {
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
  readonly uses: readonly { readonly path: KeyPath; readonly variable: string }[];
  readonly secrets: readonly string[];
}

/** Expands every string value of a tree that `parseDocument` made, so its depth is bounded. */
export function expandTree(root: unknown, env: Environment): TreeExpansion {
  const complaints: Complaint[] = [];
  const uses: { path: KeyPath; variable: string }[] = [];
  const secrets: string[] = [];
  const expandString = (text: string, path: KeyPath): string => {
    if (!text.includes("${")) return text;
    const expansion = expandText(text, env);
    for (const problem of expansion.problems) complaints.push({ path, at: "value", ...problem });
    for (const variable of expansion.variables) uses.push({ path, variable });
    secrets.push(...expansion.secrets);
    return expansion.text;
  };
  const expand = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") return expandString(value, path);
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, child] of Object.entries(value)) object[key] = expand(child, [...path, key]);
    return object;
  };
  return { value: expand(root, []), complaints, uses, secrets };
}

const WHOLE_REFERENCE = /^(?:(?:Bearer|Basic|Token) )?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}$/i;

/** Whether a written value is nothing but one variable (after the word for its scheme), so that showing it shows no secret. */
export function isWholeReference(written: string): boolean {
  return WHOLE_REFERENCE.test(written);
}
