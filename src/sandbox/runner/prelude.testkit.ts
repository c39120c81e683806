/** The guest's side in a context that has nothing but the language, as it is in a VM. */
import { createContext, runInContext } from "node:vm";
import type { GuestSide } from "./prelude.ts";

const LIMITS = { callsMax: 2, argumentsMax: 1000, consoleMax: 100, resultMax: 1000 };

/** Takes away what the guest's side must have captured: a guest could do the same. */
const CLOBBER = `
  for (const name of ["Promise", "Proxy", "Error", "TypeError", "String", "Number", "Reflect", "Map", "Set", "RegExp",
    "ArrayBuffer", "Uint8Array", "DataView", "JSON"]) globalThis[name] = undefined;
  Object.getPrototypeOf((async () => {})()).then = () => { throw "then"; };
  Array.prototype.join = () => { throw "join"; };
  "".constructor.prototype.slice = () => { throw "slice"; };
  for (const name of ["freeze", "create", "defineProperty", "fromEntries"]) Object[name] = undefined;
  Array.from = undefined; Array.isArray = undefined;
`;

export interface OpenPrelude {
  readonly side: GuestSide;
  /** What the guest's side has sent. */
  readonly frames: string[];
  /** Runs the body of an async function, after the language around it was broken. */
  readonly run: (body: string) => Promise<void>;
  /** What an expression of the guest's is worth. */
  readonly evaluate: (expression: string) => unknown;
}

export function openPrelude(programText: string): OpenPrelude {
  const frames: string[] = [];
  const context = createContext(Object.create(null));
  const make = runInContext(programText, context) as (host: (frame: string) => void) => GuestSide;
  const side = make((frame) => void frames.push(frame));
  const functions = [
    ["notes", "add"],
    ["notes", null],
  ];
  side.begin(JSON.stringify({ limits: LIMITS, args: { a: 1 }, functions, seed: [1, 2, 3, 4] }));
  return {
    side,
    frames,
    evaluate: (expression) => runInContext(expression, context),
    async run(body) {
      const kept = "const MapOf = Map, SetOf = Set, ErrorOf = Error, Bytes = Uint8Array, Pattern = RegExp;";
      runInContext(`${kept} ${CLOBBER}`, context);
      side.run(runInContext(`(async () => { ${body} })`, context) as () => Promise<unknown>);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}
