/**
 * The types that the gateway declares for code, read back member by member. The text is our own, of one shape: objects with a
 * member on each line, functions of one argument, names and descriptions only in literals and comments.
 */
export interface TypeMember {
  readonly name: string;
  /** Its type as text. */
  readonly type: string;
  readonly isOptional: boolean;
  /** Its description; empty where there is none. */
  readonly doc: string;
}

export interface DeclaredFunction {
  /** The type of its argument. */
  readonly args: string;
  readonly isArgsOptional: boolean;
  /** What the promise gives. */
  readonly answer: string;
}

const SKIPPED = /"(?:\\.|[^"\\])*"|\/\*[\s\S]*?\*\//y;
const OPENING = "({[";
const CLOSING = ")}]";

/** Where the first of these characters is outside of brackets, literals and comments. */
function findOutside(text: string, from: number, isWanted: (char: string) => boolean): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]!;
    SKIPPED.lastIndex = at;
    const skipped = char === '"' || char === "/" ? SKIPPED.exec(text)?.[0] : undefined;
    if (skipped !== undefined) at += skipped.length - 1;
    else if (depth === 0 && isWanted(char)) return at;
    else if (OPENING.includes(char)) depth += 1;
    else if (CLOSING.includes(char)) depth -= 1;
  }
  return text.length;
}

/** The objects in a type that are not inside of another: of a union, a list or an intersection. */
function objectsIn(type: string): { readonly from: number; readonly to: number }[] {
  const objects: { from: number; to: number }[] = [];
  for (let at = 0; at < type.length; at += 1) {
    SKIPPED.lastIndex = at;
    const skipped = type[at] === '"' || type[at] === "/" ? SKIPPED.exec(type)?.[0] : undefined;
    if (skipped !== undefined) at += skipped.length - 1;
    if (skipped !== undefined || type[at] !== "{") continue;
    const to = findOutside(type, at + 1, (char) => char === "}");
    objects.push({ from: at + 1, to });
    at = to;
  }
  return objects;
}

/** The members of every object in a type; a name that two of them have is listed once. */
export function membersOf(type: string): TypeMember[] {
  const members = new Map<string, TypeMember>();
  for (const { from, to } of objectsIn(type)) {
    for (const member of readMembers(type, from, to))
      if (!members.has(member.name)) members.set(member.name, member);
  }
  return [...members.values()];
}

const HEAD =
  /\s*(?:\/\*\*([\s\S]*?)\*\/\s*)?(?:([\p{ID_Start}$_][\p{ID_Continue}$]*)|("(?:\\.|[^"\\])*")|\[key: string\])(\?)?:\s*/uy;

function* readMembers(text: string, from: number, to: number): Generator<TypeMember> {
  let at = from;
  while (at < to) {
    HEAD.lastIndex = at;
    const head = HEAD.exec(text);
    if (head === null) return;
    const [whole, doc = "", word, literal, mark] = head;
    const begins = at + whole.length;
    const ends = Math.min(
      to,
      findOutside(text, begins, (char) => char === ";"),
    );
    const name = word ?? (literal === undefined ? undefined : (JSON.parse(literal) as string));
    if (name !== undefined)
      yield { name, type: text.slice(begins, ends), isOptional: mark === "?", doc: docText(doc) };
    at = ends + 1;
  }
}

/** The text of a comment, without its stars. */
function docText(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").replaceAll("*\\/", "*/"))
    .join("\n")
    .trim();
}

const FUNCTION = /^\(args(\?)?: /;

/** A type `(args: …) => Promise<…>`; undefined for any other. */
export function functionOf(type: string): DeclaredFunction | undefined {
  const head = FUNCTION.exec(type);
  if (head === null) return undefined;
  const begins = head[0].length;
  const ends = findOutside(type, begins, (char) => char === ")");
  const answer = /^\) => Promise<([\s\S]*)>$/.exec(type.slice(ends))?.[1];
  if (answer === undefined) return undefined;
  return { args: type.slice(begins, ends), isArgsOptional: head[1] === "?", answer };
}

/** The type below a path of member names; `[]` is any entry of a list. */
export function typeAt(type: string, path: readonly string[]): string | undefined {
  let found: string | undefined = type;
  for (const name of path) {
    if (found === undefined || name === "[]") continue;
    found = membersOf(found).find((member) => member.name === name)?.type;
  }
  return found;
}

/** The texts that a type allows: of a union of literals. */
export function literalsOf(type: string): string[] {
  const texts: string[] = [];
  for (let at = 0; at < type.length;) {
    const next = findOutside(type, at, (char) => char === "|");
    const part = type.slice(at, next).trim();
    if (/^"(?:\\.|[^"\\])*"$/.test(part)) texts.push(JSON.parse(part) as string);
    at = next + 1;
  }
  return texts;
}

/** A type in one line, without its comments. */
export function shortType(type: string): string {
  return type
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll(/;(?= \})/g, "");
}
