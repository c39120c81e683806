/**
 * Our own variables as they are written: `${NAME}`, `${NAME:-default}`, `${input:ID}`, and `$${` for a literal `${`.
 * Here they are only recognised; their values are filled in when the config is loaded.
 */
import { readVariable, type Environment } from "../../config/locate.ts";

/** An escape or a reference; a default ends before the next `${`, which keeps the time linear. */
const TOKEN =
  /\$\$\{|\$\{(?:input:([A-Za-z0-9][A-Za-z0-9_.-]{0,63})|(?:env:)?([A-Za-z_]\w*)(?::-((?:[^}$]|\$(?!\{))*))?)\}/g;

/** A text between references, or a reference. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "variable";
      readonly name: string;
      readonly otherwise?: string;
      readonly written: string;
    }
  | { readonly kind: "input"; readonly id: string; readonly written: string };

/** The parts of a text of our config; escapes are undone in its literal parts. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = "";
  let end = 0;
  const flush = (): void => {
    if (literal !== "") pieces.push({ kind: "text", text: literal });
    literal = "";
  };
  for (const match of text.matchAll(TOKEN)) {
    const [written, id, name, otherwise] = match;
    literal += text.slice(end, match.index);
    end = match.index + written.length;
    if (written === "$${") {
      literal += "${";
      continue;
    }
    flush();
    if (id !== undefined) pieces.push({ kind: "input", id, written });
    else
      pieces.push({
        kind: "variable",
        name: name!,
        otherwise,
        written,
      });
  }
  literal += text.slice(end);
  flush();
  return pieces;
}

/** A literal text as it is written in our config. */
export function escapeText(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** The literal that a written text is, unless it refers to something. */
export function literalOf(written: string): string | undefined {
  const pieces = piecesOf(written);
  if (pieces.some((piece) => piece.kind !== "text")) return undefined;
  return pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
}

/** The value of a variable now; undefined where it is not set and has no default. */
export function valueOf(piece: Extract<Piece, { kind: "variable" }>, env: Environment): string | undefined {
  const value = readVariable(env, piece.name);
  return piece.otherwise === undefined ? value : value || piece.otherwise;
}

/** Every string of a tree, with its place. */
export function* textsOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ readonly path: readonly (string | number)[]; readonly text: string }> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsOf(item, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, child] of Object.entries(value)) yield* textsOf(child, [...path, key]);
  }
}
