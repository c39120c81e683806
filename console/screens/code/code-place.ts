/**
 * Where in code the cursor is, as far as `mcp` is concerned: after `mcp.`, in the arguments of a call, after an answer. It walks
 * the tokens before the cursor once and keeps the brackets that are open.
 */
import { tokensOf, type CodeToken } from "../../parts/code-tokens.ts";

/** A call as it is written: `mcp.files.read`. */
export interface WrittenCall {
  readonly namespace: string;
  readonly tool: string;
}

export type CodePlace =
  /** The name of a namespace, from the dot on. */
  | { readonly kind: "namespace"; readonly from: number; readonly dotAt: number }
  | { readonly kind: "tool"; readonly namespace: string; readonly from: number; readonly dotAt: number }
  /** The name of an argument; `given` are there already. */
  | (WrittenCall & {
      readonly kind: "key";
      readonly path: readonly string[];
      readonly given: readonly string[];
      readonly from: number;
    })
  /** A text as the value of an argument; `from` is after its quote, where it has one. */
  | (WrittenCall & {
      readonly kind: "value";
      readonly path: readonly string[];
      readonly from: number;
      readonly isQuoted: boolean;
    })
  /** A member of what a call answered. */
  | (WrittenCall & { readonly kind: "answer"; readonly path: readonly string[]; readonly from: number });

interface Frame {
  readonly opened: string;
  /** Of the brackets of a call, or of what is in its argument. */
  readonly call?: WrittenCall;
  /** From the argument to here; undefined where it is no literal. */
  readonly path?: readonly string[];
  readonly given: string[];
  /** Before the first token, after a comma or a colon: what comes is a whole value. */
  isFresh: boolean;
  /** The member whose value is being written. */
  key?: string | undefined;
  /** The names before the bracket, of `a["b"]`. */
  readonly chain?: readonly string[];
  only?: string | undefined;
}

interface Scan {
  readonly frames: Frame[];
  readonly answers: Map<string, WrittenCall>;
  /** `["mcp", "files", "read"]` after `mcp.files.read`; a trailing dot adds an empty name. */
  chain: readonly string[];
  dotAt: number;
  declared?: string | undefined;
  last: CodeToken | undefined;
}

/** The place at the end of a text: give it what is before the cursor. */
export function placeAt(before: string): CodePlace | undefined {
  const scan = scanTo(before);
  const { last } = scan;
  if (last?.isOpen !== true) return placeOfName(scan, before);
  return last.kind === "string" ? placeInString(scan, last) : undefined;
}

/** The call in whose arguments the end of the text is, for showing its signature. */
export function callAround(before: string): WrittenCall | undefined {
  return scanTo(before).frames.findLast(({ call }) => call !== undefined)?.call;
}

function scanTo(before: string): Scan {
  const root: Frame = { opened: "", given: [], isFresh: true };
  const scan: Scan = { frames: [root], answers: new Map(), chain: [], dotAt: -1, last: undefined };
  for (const token of tokensOf(before)) {
    if (token.kind !== "comment") step(scan, token);
    scan.last = token;
  }
  return scan;
}

function step(scan: Scan, token: CodeToken): void {
  if (token.isOpen && !token.text.endsWith("${")) return;
  if (token.kind === "template") return stepTemplate(scan, token);
  if (token.kind === "word") return stepWord(scan, token);
  if (token.kind === "mark") return stepMark(scan, token);
  const top = scan.frames.at(-1)!;
  const isText = token.kind === "string";
  if (isText) nameKey(top, unquoted(token.text));
  top.only = isText && top.isFresh ? unquoted(token.text) : undefined;
  settle(scan, top);
}

function stepTemplate(scan: Scan, { text }: CodeToken): void {
  if (text.startsWith("}")) scan.frames.pop();
  settle(scan, scan.frames.at(-1)!);
  if (text.endsWith("${")) scan.frames.push({ opened: "${", given: [], isFresh: true });
}

function stepWord(scan: Scan, { text }: CodeToken): void {
  const top = scan.frames.at(-1)!;
  const follows = scan.chain.at(-1) === "";
  if (!follows && ["const", "let", "var"].includes(scan.last?.text ?? "")) scan.declared = text;
  nameKey(top, text);
  if (text === "await" || text === "return") return;
  top.isFresh = false;
  top.only = undefined;
  scan.chain = follows ? [...scan.chain.slice(0, -1), text] : [text];
}

function stepMark(scan: Scan, token: CodeToken): void {
  const top = scan.frames.at(-1)!;
  if ("([{".includes(token.text)) return open(scan, top, token.text);
  if (")]}".includes(token.text)) return close(scan);
  if (token.text === "." || token.text === "?.") {
    scan.chain = scan.chain.length === 0 ? [] : [...scan.chain, ""];
    scan.dotAt = token.from;
    return;
  }
  if (token.text === ",") Object.assign(top, { key: undefined, isFresh: true, only: undefined });
  else if (token.text === ":" && top.opened === "{" && top.path !== undefined && top.key !== undefined)
    top.isFresh = true;
  else top.isFresh = false;
  if (token.text === ";") scan.declared = undefined;
  if (token.text !== "!") scan.chain = [];
}

/** The first word or text after a brace or a comma is the name of a member. */
function nameKey(top: Frame, name: string): void {
  if (top.opened !== "{" || top.path === undefined || top.key !== undefined || !top.isFresh) return;
  top.key = name;
  top.given.push(name);
}

function settle(scan: Scan, top: Frame): void {
  top.isFresh = false;
  scan.chain = [];
}

function open(scan: Scan, top: Frame, opened: string): void {
  const { chain } = scan;
  const call = opened === "(" ? callOf(chain) : undefined;
  if (call !== undefined && scan.declared !== undefined) scan.answers.set(scan.declared, call);
  const inside = call === undefined ? literalInside(top, opened) : { call, path: [] };
  scan.frames.push({
    opened,
    given: [],
    isFresh: true,
    ...inside,
    ...(opened === "[" && chain.length > 0 && { chain }),
  });
  top.isFresh = false;
  scan.chain = [];
  if (opened === "{" && inside.path === undefined) scan.declared = undefined;
}

/** A literal that is the argument of a call, or is in it. */
function literalInside(
  { opened: around, call, path, key, isFresh }: Frame,
  opened: string,
): Pick<Frame, "call" | "path"> {
  if (call === undefined || path === undefined || !isFresh || opened === "(") return {};
  const below = around === "{" && key !== undefined ? [...path, key] : path;
  return { call, path: opened === "[" ? [...below, "[]"] : below };
}

function close(scan: Scan): void {
  const closed = scan.frames.length > 1 ? scan.frames.pop() : undefined;
  settle(scan, scan.frames.at(-1)!);
  if (closed?.chain !== undefined) scan.chain = [...closed.chain, closed.only ?? "[]"];
}

function callOf(chain: readonly string[]): WrittenCall | undefined {
  const [root, namespace, tool, ...rest] = chain;
  if (root !== "mcp" || namespace === undefined || tool === undefined || rest.length > 0) return undefined;
  return { namespace, tool };
}

function placeInString({ frames }: Scan, { text, from }: CodeToken): CodePlace | undefined {
  const { opened, call, path, key, isFresh, given } = frames.at(-1)!;
  if (call === undefined || path === undefined || !isFresh || opened === "(" || text.startsWith("`"))
    return undefined;
  if (opened === "{" && key === undefined) return { kind: "key", ...call, path, given, from: from + 1 };
  return {
    kind: "value",
    ...call,
    path: key === undefined ? path : [...path, key],
    from: from + 1,
    isQuoted: true,
  };
}

function placeOfName(scan: Scan, before: string): CodePlace | undefined {
  const { last } = scan;
  const isWord = last?.kind === "word" && last.to === before.length;
  const from = isWord ? last.from : before.length;
  const chain = isWord
    ? scan.chain.slice(0, -1)
    : scan.chain.at(-1) === ""
      ? scan.chain.slice(0, -1)
      : undefined;
  if (chain !== undefined && chain.length > 0) return placeOfMember(scan, chain, from);
  const { opened, call, path, key, given, isFresh } = scan.frames.at(-1)!;
  if (call === undefined || path === undefined || opened === "(") return undefined;
  if (opened === "{" && isWord && given.at(-1) === last.text && key === last.text && !before.endsWith(":")) {
    return { kind: "key", ...call, path, given: given.slice(0, -1), from };
  }
  if (opened === "{" && key === undefined && isFresh) return { kind: "key", ...call, path, given, from };
  if (!isFresh) return undefined;
  return { kind: "value", ...call, path: key === undefined ? path : [...path, key], from, isQuoted: false };
}

function placeOfMember(
  { answers, dotAt }: Scan,
  chain: readonly string[],
  from: number,
): CodePlace | undefined {
  const [root, ...path] = chain;
  if (root !== "mcp") {
    const call = answers.get(root!);
    return call === undefined ? undefined : { kind: "answer", ...call, path, from };
  }
  if (path.length === 0) return { kind: "namespace", from, dotAt };
  return path.length === 1 ? { kind: "tool", namespace: path[0]!, from, dotAt } : undefined;
}

function unquoted(text: string): string {
  return text.slice(1, -1);
}
