/**
 * The guest's side of the boundary: JavaScript that is evaluated in every fresh VM before the guest's own code.
 *
 * It is handed `host`, the one function that leaves the VM, keeps it in its closure, and gives the guest `args`, `mcp` and
 * `console`. What it needs of the language it captures before the guest can change it. It decides nothing that matters to
 * anyone but the guest: every limit that is kept here is kept again outside.
 *
 * **What crosses**, as arguments, as result, and in the console, is JSON, made inside the VM on the guest's own budget:
 * | value | becomes |
 * |---|---|
 * | `undefined`, functions, symbols | left out of objects, `null` in arrays and as the whole value |
 * | `NaN`, `Infinity`, `-0` | `null`, `null`, `0` |
 * | `BigInt` | a number where that is exact, else its decimal digits as text |
 * | `Date`, `RegExp` | its ISO text (an invalid one: `null`), its source text |
 * | `Map` | an object where all keys are strings, else a list of pairs |
 * | `Set`, typed arrays, `ArrayBuffer` | a list |
 * | `Error` | `{name, message}` and its own fields |
 * | a cycle | `"[Circular]"` in results and the console; in arguments a TypeError |
 * | lone surrogates | kept, as JSON escapes |
 */
export const PRELUDE = String.raw`(host) => {
"use strict";
const { apply, ownKeys, construct, getPrototypeOf } = Reflect;
const { parse, stringify } = JSON;
const { freeze, create, defineProperty, fromEntries } = Object;
const { from: arrayFrom, isArray } = Array;
const { isView } = ArrayBuffer;
const PromiseOf = Promise, ProxyOf = Proxy, ErrorOf = Error, TypeErrorOf = TypeError, text = String;
const NumberOf = Number, BufferOf = ArrayBuffer, Bytes = Uint8Array, ViewOf = DataView, MapOf = Map, SetOf = Set, PatternOf = RegExp;
const then = PromiseOf.prototype.then, slice = text.prototype.slice, join = Array.prototype.join;
const cut = (value, length) => apply(slice, value, [0, length]);
const MESSAGE_MAX = 4096, STACK_MAX = 8192;

/** It would be handed the functions of this side. */
defineProperty(ErrorOf, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
for (const name of ["SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry", "DOMException", "btoa", "atob",
  "performance", "queueMicrotask", "escape", "unescape", "InternalError"]) delete globalThis[name];

function plain(value) {
  if (typeof value === "bigint") {
    const exact = value <= 9007199254740991n && value >= -9007199254740991n;
    return exact ? NumberOf(value) : text(value);
  }
  if (typeof value !== "object" || value === null || isArray(value)) return value;
  if (value instanceof MapOf) {
    const entries = arrayFrom(value);
    for (const entry of entries) if (typeof entry[0] !== "string") return entries;
    return fromEntries(entries);
  }
  if (value instanceof ViewOf) return arrayFrom(new Bytes(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof SetOf || isView(value)) return arrayFrom(value);
  if (value instanceof BufferOf) return arrayFrom(new Bytes(value));
  if (value instanceof PatternOf) return text(value);
  if (value instanceof ErrorOf) return { name: value.name, message: value.message, ...value };
  return value;
}
function encode(value) {
  return stringify(value, (_, current) => plain(current));
}
/** Slower: it remembers the way from the root. */
function encodeCyclic(value) {
  const holders = [], originals = [];
  return stringify(value, function (_, current) {
    while (holders.length > 0 && holders[holders.length - 1] !== this) { holders.length--; originals.length--; }
    if (typeof current !== "object" || current === null) return plain(current);
    for (let i = 0; i < originals.length; i++) if (originals[i] === current) return "[Circular]";
    const next = plain(current);
    holders[holders.length] = next;
    originals[originals.length] = current;
    return next;
  });
}
function encodeAny(value) {
  let first;
  try { return encode(value); } catch (error) { first = error; }
  try { return encodeCyclic(value); } catch { throw first; }
}

/** Whatever was thrown, and whatever it does when it is looked at. */
function describe(thrown) {
  try { return describeThrown(thrown); } catch { return '{"message":"A value that cannot be shown was thrown."}'; }
}
function describeThrown(thrown) {
  const told = create(null);
  const read = (key, max) => {
    try {
      const value = thrown[key];
      if (typeof value === "string") told[key] = cut(value, max);
      else if (typeof value === "boolean" || typeof value === "number") told[key] = value;
    } catch {}
  };
  // No value of a program is of this type: the engine had no memory left in a native function, not even for an error of its own.
  if (typeof thrown === "unknown") return '{"name":"InternalError","message":"out of memory"}';
  if (typeof thrown === "object" && thrown !== null) {
    read("name", 80); read("message", MESSAGE_MAX); read("stack", STACK_MAX);
    if (thrown instanceof ToolError) { read("code", 80); read("reason", 80); read("tool", 200); read("hint", 1000); read("retryable", 0); read("step", 0); }
    if (told.message === undefined) {
      try { told.message = cut(encodeAny(thrown) ?? "", MESSAGE_MAX); } catch { told.message = "A value that cannot be shown was thrown."; }
    }
  } else told.message = "The code threw " + cut(typeof thrown === "string" ? stringify(thrown) : text(thrown), MESSAGE_MAX);
  return stringify(told);
}

class ToolError extends ErrorOf {
  constructor(told) {
    super(told.message);
    for (const key of ["code", "tool", "retryable", "hint", "reason", "details", "step"]) {
      if (told[key] !== undefined) defineProperty(this, key, { value: told[key], enumerable: key !== "step" });
    }
  }
}
defineProperty(ToolError.prototype, "name", { value: "ToolError" });

let limits, callCount = 0;
const pending = create(null);

function callTool(index, name, input) {
  return new PromiseOf((resolve, reject) => {
    if (callCount >= limits.callsMax) {
      throw new ToolError({ code: "RATE_LIMITED", reason: "call_limit", tool: name, retryable: false,
        message: "call_limit: a run may make " + limits.callsMax + " tool calls, and this one has." });
    }
    if (input !== undefined && (typeof input !== "object" || input === null || isArray(input))) {
      throw new TypeErrorOf(name + " takes one object of arguments, such as " + name + "({ key: value }).");
    }
    const body = input === undefined ? "{}" : encode(input) ?? "{}";
    // Here it is characters; the runner, which counts faster, looks at the bytes.
    if (body.length > limits.argumentsMax) {
      throw new TypeErrorOf("The arguments have " + body.length + " characters as JSON; the limit is " + limits.argumentsMax + " bytes.");
    }
    const id = ++callCount;
    pending[id] = { resolve, reject, site: new ErrorOf().stack };
    host("C " + id + " " + index + " " + body);
  });
}

function deliver(kind, id, body) {
  const call = pending[id];
  if (call === undefined) return;
  delete pending[id];
  if (kind === "R") return call.resolve(body === "" ? undefined : parse(body));
  if (kind === "T") return call.reject(new TypeErrorOf(body));
  const error = new ToolError(parse(body));
  defineProperty(error, "stack", { value: call.site, configurable: true, writable: true });
  call.reject(error);
}

/** Only what was granted is there; anything else says why it is not, at once. */
function closed(target, path) {
  return new ProxyOf(freeze(target), {
    get(object, key) {
      if (key in object || typeof key === "symbol" || key === "then" || key === "toJSON" || key === "constructor") return object[key];
      throw new ToolError({ code: "SECURITY_ERROR", reason: "not_granted", tool: path + "." + key, retryable: false,
        message: "not_granted: " + path + "." + key + " is not among the tools that this code names.",
        hint: "Write the name of every tool out in the code, so that it is known before the run." });
    },
  });
}

function grant(functions) {
  const spaces = create(null);
  functions.forEach(([space, tool], index) => {
    spaces[space] ??= create(null);
    if (tool === null) return;
    const name = "mcp." + space + "." + tool;
    const fn = { call: (input) => callTool(index, name, input) }.call;
    defineProperty(fn, "name", { value: tool });
    spaces[space][tool] = freeze(fn);
  });
  for (const space of ownKeys(spaces)) spaces[space] = closed(spaces[space], "mcp." + space);
  return closed(spaces, "mcp");
}

function show(value) {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return text(value) + "n";
  if (typeof value === "function") return "[Function " + (value.name || "anonymous") + "]";
  if (typeof value === "symbol" || typeof value !== "object" || value === null) return text(value);
  if (value instanceof ErrorOf) return value.name + ": " + value.message;
  try { return encodeAny(value) ?? text(value); } catch { return "[a value that cannot be shown]"; }
}
function makeConsole() {
  const made = create(null);
  for (const level of ["log", "info", "warn", "error", "debug", "trace"]) {
    const as = level === "log" ? "info" : level === "trace" ? "debug" : level;
    const write = { write: (...values) => {
      const shown = [];
      for (let i = 0; i < values.length; i++) shown[i] = show(values[i]);
      const line = apply(join, shown, [" "]);
      const kept = cut(line, limits.consoleMax);
      host("L " + as + " " + line.length + " " + stringify(kept));
    } }.write;
    defineProperty(write, "name", { value: level });
    made[level] = freeze(write);
  }
  return freeze(made);
}

/** sfc32: four words of state, and a stream that is the same for the same seed everywhere. */
function seeded([a, b, c, d]) {
  const random = { random() {
    const t = (a + b | 0) + d | 0;
    d = d + 1 | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + t | 0;
    return (t >>> 0) / 4294967296;
  } }.random;
  for (let i = 0; i < 12; i++) random();
  return random;
}

function begin(startText) {
  const start = parse(startText);
  limits = start.limits;
  const world = { args: start.args, mcp: grant(start.functions), console: makeConsole() };
  for (const name of ownKeys(world)) {
    defineProperty(globalThis, name, { value: world[name], enumerable: false, configurable: true, writable: true });
  }
  defineProperty(Math, "random", { value: seeded(start.seed), enumerable: false, configurable: true, writable: true });
}

function run(main) {
  const returned = (value) => {
    let body;
    try { body = encodeAny(value) ?? ""; } catch (error) { return host("X " + describe(error)); }
    host(body.length > limits.resultMax ? "Y " + body.length : "V " + body);
  };
  apply(then, main(), [returned, (error) => host("X " + describe(error))]);
}

return { begin, run, deliver, describe };
}`;
