/** What a client sends, read once and checked: the same JSON is looked at, decided on and carried out. */
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from "@modelcontextprotocol/server";
import { countParsedKeys, findJsonProblem, isJsonObject, JSON_LIMITS } from "../core/json.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../core/rpc-codes.ts";

/** The arguments of a call sit four levels inside a message, and have their own limit. */
const MESSAGE_LIMITS = {
  ...JSON_LIMITS,
  depthMax: JSON_LIMITS.depthMax + 8,
  keyCountMax: Number.POSITIVE_INFINITY,
};
/** The arguments of calls whose whole message was within the limits of arguments: they are not walked again. */
const smallArguments = new WeakSet<object>();
/** An id is repeated in every answer and kept while a request is under way. */
const ID_LENGTH_MAX = 1024;

export type MessageId = string | number;

export type ReadMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly message: string;
      readonly id: MessageId | null;
    };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readMessage(bytes: Uint8Array): ReadMessage {
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(bytes));
  } catch {
    return { kind: "refused", code: PARSE_ERROR, message: "This is not valid JSON in UTF-8.", id: null };
  }
  const problem = findMessageProblem(message, bytes);
  if (problem === undefined) return { kind: "message", message: message as JSONRPCMessage };
  return { kind: "refused", code: INVALID_REQUEST, message: problem, id: idOf(message) };
}

/** Whether the arguments of a call are within the limits of any JSON here. */
export function areWithinLimits(args: object): boolean {
  return smallArguments.has(args) || findJsonProblem(args) === undefined;
}

/**
 * The answer to a request that the SDK would drop without a word: a member too many, an id that is no integer, an odd
 * `_meta`.
 */
export function refuseUnreadable(message: JSONRPCMessage) {
  if (!("method" in message) || !("id" in message)) return undefined;
  const { id } = message;
  if (isJSONRPCRequest(message)) return undefined;
  const words =
    "A request has jsonrpc, id (a string or an integer), method and params, and nothing else; _meta is an object, and its progressToken a string or an integer.";
  return { jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: words } } as const;
}

function idOf(message: unknown): MessageId | null {
  const id = isJsonObject(message) ? message["id"] : undefined;
  if (typeof id === "string") return id.length <= ID_LENGTH_MAX ? id : null;
  return typeof id === "number" ? id : null;
}

/** Why a message is not JSON-RPC 2.0 as MCP uses it: no batches, no null ids. */
function findMessageProblem(message: unknown, bytes: Uint8Array): string | undefined {
  if (Array.isArray(message)) return "Batches are not part of MCP: send one message at a time.";
  if (!isJsonObject(message) || message["jsonrpc"] !== "2.0")
    return `A message is an object with jsonrpc: "2.0".`;
  const hasId = Object.hasOwn(message, "id");
  if (hasId && idOf(message) === null)
    return `An id is a number, or a string of at most ${ID_LENGTH_MAX} characters.`;
  const hasMethod = typeof message["method"] === "string";
  const isResponse = hasId && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));
  if (!hasMethod && !isResponse) return "A message has a method, or an id with a result or an error.";
  const { params } = message;
  if (params !== undefined && !isJsonObject(params)) return "params is an object.";
  // Nearly every message is within the limits of arguments as a whole, and then one walk tells everything.
  const keyCount = countParsedKeys(message);
  if (hasDuplicateKeys(bytes, message, keyCount))
    return "Duplicate key in a JSON object: send each key once.";
  if (keyCount === undefined) return findJsonProblem(message, MESSAGE_LIMITS);
  const args = params?.["arguments"];
  if (typeof args === "object" && args !== null) smallArguments.add(args);
  return undefined;
}

/** Looked at for each message: everything else passes by. */
export function isListen(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && message.method === "subscriptions/listen";
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * `JSON.parse` keeps the last of two equal keys and says nothing; another reader of the same text may keep the first. A
 * program that checks one reading and acts on another can be deceived, so an object with a duplicate key is refused on arrival.
 *
 * Every key of an object is followed by one colon outside of strings, so it is enough to count: fewer keys in the value than
 * colons in its text means that one was lost. `text` is JSON in UTF-8 and `value` what it was parsed to, with so many keys.
 */
export function hasDuplicateKeys(
  text: Uint8Array,
  value: unknown,
  keyCount: number = countKeys(value),
): boolean {
  return countColons(text) !== keyCount;
}

function countColons(text: Uint8Array): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH) at++;
    else if (byte === COLON && !isInString) count++;
  }
  return count;
}

function countKeys(root: unknown): number {
  let count = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === "object") stack.push(child);
  }
  return count;
}
