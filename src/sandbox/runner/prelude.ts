/**
 * The guest's side of the boundary: a program that is evaluated in every fresh VM before the guest's own code.
 *
 * It is a function so that types, lint and format see it, and its own text is what the VM evaluates. So **it may use nothing
 * outside of itself** but what the language has: no import, no constant of this file, and no syntax that a compiler would turn into
 * a helper. A test evaluates the text of the source and of the bundle in a bare context.
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
import type { Start } from "./frame.ts";

interface ToolFailure {
  readonly code: string;
  readonly message: string;
  readonly tool?: string;
  readonly retryable?: boolean;
  readonly hint?: string;
  readonly reason?: string;
  readonly details?: unknown;
  readonly step?: number;
}

/** What the guest's side gives to the runner. */
export interface GuestSide {
  /** The text is `Start["guest"]` as JSON. */
  begin(startText: string): void;
  run(main: () => Promise<unknown>): void;
  deliver(kind: string, id: string, body: string): void;
  describe(thrown: unknown): string;
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Where the call is in the guest's code. */
  readonly site: string | undefined;
}

/** The text that a VM evaluates; it gives the function. A script's first words make all of it strict, which a module is anyway. */
export const PRELUDE_TEXT = `"use strict"; (${String(prelude)})`;

function prelude(host: (frame: string) => void): GuestSide {
  const { apply, ownKeys } = Reflect;
  const { parse, stringify } = JSON;
  const { freeze, create, defineProperty, fromEntries } = Object;
  const { from: arrayFrom, isArray } = Array;
  const [PromiseOf, ProxyOf, ErrorOf, TypeErrorOf, text] = [Promise, Proxy, Error, TypeError, String];
  const [NumberOf, BufferOf, Bytes, ViewOf] = [Number, ArrayBuffer, Uint8Array, DataView];
  const [MapOf, SetOf, PatternOf] = [Map, Set, RegExp];
  // What needs a `this` is called by `apply`, which hands it over.
  /* oxlint-disable typescript/unbound-method */
  const { isView } = ArrayBuffer;
  const [then, slice, join] = [PromiseOf.prototype.then, text.prototype.slice, Array.prototype.join];
  /* oxlint-enable typescript/unbound-method */
  const cut = (value: string, length: number): string => apply(slice, value, [0, length]);
  const MESSAGE_MAX = 4096;
  const STACK_MAX = 8192;

  /** It would be handed the functions of this side. */
  defineProperty(ErrorOf, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
  for (const name of [
    "SharedArrayBuffer",
    "Atomics",
    "WeakRef",
    "FinalizationRegistry",
    "DOMException",
    "btoa",
    "atob",
    "performance",
    "queueMicrotask",
    "escape",
    "unescape",
    "InternalError",
  ]) {
    delete (globalThis as Record<string, unknown>)[name];
  }

  function plain(value: unknown): unknown {
    if (typeof value === "bigint") {
      const isExact = value <= 9007199254740991n && value >= -9007199254740991n;
      return isExact ? NumberOf(value) : text(value);
    }
    if (typeof value !== "object" || value === null || isArray(value)) return value;
    if (value instanceof MapOf) {
      const entries = arrayFrom(value as Map<unknown, unknown>);
      for (const entry of entries) if (typeof entry[0] !== "string") return entries;
      return fromEntries(entries);
    }
    if (value instanceof ViewOf) {
      return arrayFrom(new Bytes(value.buffer, value.byteOffset, value.byteLength));
    }
    if (value instanceof SetOf || isView(value)) return arrayFrom(value as Iterable<unknown>);
    if (value instanceof BufferOf) return arrayFrom(new Bytes(value));
    if (value instanceof PatternOf) return text(value);
    if (value instanceof ErrorOf) return { name: value.name, message: value.message, ...(value as object) };
    return value;
  }

  function encode(value: unknown): string | undefined {
    return stringify(value, (_, current: unknown) => plain(current));
  }

  /** Slower: it remembers the way from the root. */
  function encodeCyclic(value: unknown): string | undefined {
    const holders: unknown[] = [];
    const originals: unknown[] = [];
    return stringify(value, function (this: unknown, _, current: unknown) {
      while (holders.length > 0 && holders[holders.length - 1] !== this) {
        holders.length--;
        originals.length--;
      }
      if (typeof current !== "object" || current === null) return plain(current);
      for (let i = 0; i < originals.length; i++) if (originals[i] === current) return "[Circular]";
      const next = plain(current);
      holders[holders.length] = next;
      originals[originals.length] = current;
      return next;
    });
  }

  function encodeAny(value: unknown): string | undefined {
    let first: unknown;
    try {
      return encode(value);
    } catch (error) {
      first = error;
    }
    try {
      return encodeCyclic(value);
    } catch {
      throw first;
    }
  }

  /** Whatever was thrown, and whatever it does when it is looked at. */
  function describe(thrown: unknown): string {
    try {
      return describeThrown(thrown);
    } catch {
      // A literal: what makes JSON of an object may be what threw.
      return '{"message":"A value that cannot be shown was thrown."}';
    }
  }

  function describeThrown(thrown: unknown): string {
    const told = create(null) as Record<string, unknown>;
    const read = (key: string, lengthMax: number): void => {
      try {
        const value = (thrown as Record<string, unknown>)[key];
        if (typeof value === "string") told[key] = cut(value, lengthMax);
        else if (typeof value === "boolean" || typeof value === "number") told[key] = value;
      } catch {
        // It is left out.
      }
    };
    // No value of a program is of this type: the engine had no memory left in a native function, not even for an error of its own.
    if (text(typeof thrown) === "unknown") return '{"name":"InternalError","message":"out of memory"}';
    if (typeof thrown === "object" && thrown !== null) {
      read("name", 80);
      read("message", MESSAGE_MAX);
      read("stack", STACK_MAX);
      if (thrown instanceof ToolError) {
        read("code", 80);
        read("reason", 80);
        read("tool", 200);
        read("hint", 1000);
        read("retryable", 0);
        read("step", 0);
      }
      if (told["message"] === undefined) {
        try {
          told["message"] = cut(encodeAny(thrown) ?? "", MESSAGE_MAX);
        } catch {
          told["message"] = "A value that cannot be shown was thrown.";
        }
      }
    } else {
      const shown = typeof thrown === "string" ? stringify(thrown) : text(thrown);
      told["message"] = "The code threw " + cut(shown, MESSAGE_MAX);
    }
    return stringify(told);
  }

  class ToolError extends ErrorOf {
    constructor(told: ToolFailure) {
      super(told.message);
      for (const key of ["code", "tool", "retryable", "hint", "reason", "details", "step"] as const) {
        if (told[key] !== undefined) {
          defineProperty(this, key, { value: told[key], enumerable: key !== "step" });
        }
      }
    }
  }
  defineProperty(ToolError.prototype, "name", { value: "ToolError" });

  let limits: Start["guest"]["limits"];
  let callCount = 0;
  const pending = create(null) as Record<string, PendingCall | undefined>;

  function callTool(index: number, name: string, input: unknown): Promise<unknown> {
    return new PromiseOf((resolve, reject) => {
      if (callCount >= limits.callsMax) {
        throw new ToolError({
          code: "RATE_LIMITED",
          reason: "call_limit",
          tool: name,
          retryable: false,
          message: "call_limit: a run may make " + limits.callsMax + " tool calls, and this one has.",
        });
      }
      if (input !== undefined && (typeof input !== "object" || input === null || isArray(input))) {
        throw new TypeErrorOf(name + " takes one object of arguments, such as " + name + "({ key: value }).");
      }
      const body = input === undefined ? "{}" : (encode(input) ?? "{}");
      // Here it is characters; the runner, which counts faster, looks at the bytes.
      if (body.length > limits.argumentsMax) {
        throw new TypeErrorOf(
          "The arguments have " +
            body.length +
            " characters as JSON; the limit is " +
            limits.argumentsMax +
            " bytes.",
        );
      }
      const id = ++callCount;
      pending[id] = { resolve, reject, site: new ErrorOf().stack };
      host("C " + id + " " + index + " " + body);
    });
  }

  function deliver(kind: string, id: string, body: string): void {
    const call = pending[id];
    if (call === undefined) return;
    delete pending[id];
    if (kind === "R") return call.resolve(body === "" ? undefined : parse(body));
    if (kind === "T") return call.reject(new TypeErrorOf(body));
    const error = new ToolError(parse(body) as ToolFailure);
    defineProperty(error, "stack", { value: call.site, configurable: true, writable: true });
    call.reject(error);
  }

  /** Only what was granted is there; anything else says why it is not, at once. */
  function closed<T extends object>(target: T, path: string): T {
    return new ProxyOf(freeze(target), {
      get(object, key) {
        if (
          key in object ||
          typeof key === "symbol" ||
          key === "then" ||
          key === "toJSON" ||
          key === "constructor"
        ) {
          return object[key as keyof T];
        }
        throw new ToolError({
          code: "SECURITY_ERROR",
          reason: "not_granted",
          tool: path + "." + key,
          retryable: false,
          message: "not_granted: " + path + "." + key + " is not among the tools that this code names.",
          hint: "Write the name of every tool out in the code, so that it is known before the run.",
        });
      },
    });
  }

  function grant(functions: Start["guest"]["functions"]): object {
    const spaces = create(null) as Record<string, Record<string, unknown>>;
    functions.forEach(([space, tool], index) => {
      const members = (spaces[space] ??= create(null) as Record<string, unknown>);
      if (tool === null) return;
      const name = "mcp." + space + "." + tool;
      const call = (input: unknown): Promise<unknown> => callTool(index, name, input);
      defineProperty(call, "name", { value: tool });
      members[tool] = freeze(call);
    });
    for (const space of ownKeys(spaces) as string[]) spaces[space] = closed(spaces[space]!, "mcp." + space);
    return closed(spaces, "mcp");
  }

  function show(value: unknown): string {
    if (typeof value === "string") return value;
    if (typeof value === "bigint") return text(value) + "n";
    if (typeof value === "function") return "[Function " + (value.name || "anonymous") + "]";
    if (typeof value !== "object" || value === null) return text(value);
    if (value instanceof ErrorOf) return value.name + ": " + value.message;
    try {
      return encodeAny(value) ?? text(value);
    } catch {
      return "[a value that cannot be shown]";
    }
  }

  function makeConsole(): object {
    const made = create(null) as Record<string, unknown>;
    for (const level of ["log", "info", "warn", "error", "debug", "trace"]) {
      const as = level === "log" ? "info" : level === "trace" ? "debug" : level;
      const write = (...values: unknown[]): void => {
        const shown: string[] = [];
        for (let i = 0; i < values.length; i++) shown[i] = show(values[i]);
        const line = apply(join, shown, [" "]);
        host("L " + as + " " + line.length + " " + stringify(cut(line, limits.consoleMax)));
      };
      defineProperty(write, "name", { value: level });
      made[level] = freeze(write);
    }
    return freeze(made);
  }

  /** sfc32: four words of state, and a stream that is the same for the same seed everywhere. */
  function seeded([a, b, c, d]: Start["guest"]["seed"]): () => number {
    const random = (): number => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + t) | 0;
      return (t >>> 0) / 4294967296;
    };
    for (let i = 0; i < 12; i++) random();
    return random;
  }

  function begin(startText: string): void {
    const start = parse(startText) as Start["guest"];
    limits = start.limits;
    const world: Record<string, unknown> = {
      args: start.args,
      mcp: grant(start.functions),
      console: makeConsole(),
    };
    for (const name of ownKeys(world) as string[]) {
      defineProperty(globalThis, name, {
        value: world[name],
        enumerable: false,
        configurable: true,
        writable: true,
      });
    }
    const random = { value: seeded(start.seed), enumerable: false, configurable: true, writable: true };
    defineProperty(Math, "random", random);
  }

  function run(main: () => Promise<unknown>): void {
    const failed = (error: unknown): void => host("X " + describe(error));
    const returned = (value: unknown): void => {
      let body: string;
      try {
        body = encodeAny(value) ?? "";
      } catch (error) {
        return failed(error);
      }
      host(body.length > limits.resultMax ? "Y " + body.length : "V " + body);
    };
    void apply(then, main(), [returned, failed]);
  }

  return { begin, run, deliver, describe };
}
