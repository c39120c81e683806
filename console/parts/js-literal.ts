/** A JavaScript literal as the value it has: what people write as arguments. Nothing is evaluated. */
import { tokensOf, type CodeToken } from "./code-tokens.ts";

export type Literal =
  | { readonly ok: true; readonly value: unknown; readonly end: number }
  | { readonly ok: false; readonly message: string; readonly at: number };

/** As deep as arguments ever are; a text of ten thousand brackets is not followed. */
const DEPTH_MAX = 100;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", undefined],
]);

class Unreadable extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Reads the literal at the beginning of a text; `end` is where the rest begins. */
export function readLiteral(text: string): Literal {
  const reader = createReader(text);
  try {
    const value = reader.value(0);
    return { ok: true, value, end: reader.at() };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, message: error.message, at: error.at };
    throw error;
  }
}

function createReader(text: string) {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== "comment");
  let next = 0;
  const take = (): CodeToken => {
    const token = tokens[next];
    if (token === undefined) throw new Unreadable("The text ends too early.", text.length);
    next += 1;
    return token;
  };
  const isNext = (mark: string): boolean => tokens[next]?.kind === "mark" && tokens[next]?.text === mark;
  const expectMark = (mark: string): void => {
    const token = take();
    if (token.kind !== "mark" || token.text !== mark) throw new Unreadable(`Expected ${mark}.`, token.from);
  };

  function value(depth: number): unknown {
    const token = take();
    if (depth > DEPTH_MAX) throw new Unreadable("This is nested too deeply.", token.from);
    if (token.kind === "string" || token.kind === "template") return stringOf(token);
    if (token.kind === "number") return numberOf(token);
    if (token.kind === "word" && WORDS.has(token.text)) return WORDS.get(token.text);
    if (token.text === "-" || token.text === "+") return signed(token, depth);
    if (token.text === "[") return list(depth);
    if (token.text === "{") return object(depth);
    throw new Unreadable(`${token.text} is not a value: only literals can be read back.`, token.from);
  }

  function signed(sign: CodeToken, depth: number): number {
    const number = value(depth + 1);
    if (typeof number !== "number") throw new Unreadable("Expected a number.", sign.to);
    return sign.text === "-" ? -number : number;
  }

  function list(depth: number): unknown[] {
    const items: unknown[] = [];
    while (!isNext("]")) {
      items.push(value(depth + 1) ?? null);
      if (!isNext("]")) expectMark(",");
    }
    take();
    return items;
  }

  function object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (!isNext("}")) {
      const key = keyOf(take());
      expectMark(":");
      const read = value(depth + 1);
      if (read !== undefined) entries.push([key, read]);
      if (!isNext("}")) expectMark(",");
    }
    take();
    return Object.fromEntries(entries);
  }

  return { value, at: () => tokens[next - 1]?.to ?? 0 };
}

function keyOf(token: CodeToken): string {
  if (token.kind === "word" || token.kind === "number") return token.text;
  if (token.kind === "string") return stringOf(token);
  throw new Unreadable("Expected a name.", token.from);
}

function numberOf({ text, from }: CodeToken): number {
  const number = Number(text.replaceAll("_", ""));
  if (Number.isNaN(number)) throw new Unreadable(`${text} is not a number that JSON can hold.`, from);
  return number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
  "\n": "",
};
const ESCAPE = /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g;

function stringOf({ text, from, isOpen }: CodeToken): string {
  if (isOpen) throw new Unreadable("This text has no end.", from);
  if (text.startsWith("}")) throw new Unreadable("Expected a value.", from);
  return text
    .slice(1, -1)
    .replaceAll(ESCAPE, (_, point?: string, unit?: string, byte?: string, plain?: string) => {
      const code = point ?? unit ?? byte;
      return code === undefined ? (ESCAPES[plain!] ?? plain!) : characterOf(Number.parseInt(code, 16), from);
    });
}

function characterOf(code: number, at: number): string {
  if (code > 0x10ffff) throw new Unreadable("There is no such character.", at);
  return String.fromCodePoint(code);
}
