/** Programs that mean harm, by the case that they belong to, each with the endings that count as contained. */
export interface HostileProgram {
  /** Its number in the list of cases, or `mem` and `text`, which have none there. */
  readonly threat: string;
  readonly name: string;
  readonly code: string;
  /** Matched against the ending as the table shows it: `CODE reason`, or `result` and its JSON. */
  readonly contained: RegExp;
  /** Beyond the run's own second; more only where reading the code and checking its types may take their budgets too. */
  readonly slackMs?: number;
}

/** Reading and type check may take 2 s each before the run starts. */
const READING_SLACK_MS = 4500;

const NOTHING_FOUND = /^result "undefined"$|thrown$|not_available$/;
const OUT_OF_TIME = /^TOOL_TIMEOUT timeout$/;
/** Which limit such a program meets first depends on the machine. */
const OUT_OF_TIME_OR_MEMORY = /^TOOL_TIMEOUT timeout$|memory_limit$|thrown$/;
const REFUSED = /^TOOL_INVALID_INPUT |^TOOL_NOT_FOUND /;
const THROWN = /thrown$/;

const ESCAPES: HostileProgram[] = [
  ["Function of an array", "return [].constructor.constructor('return typeof process')()"],
  ["process through Function", "return [].constructor.constructor('return process')()"],
  [
    "Function of a promise",
    "return Promise.resolve().constructor.constructor('return typeof globalThis.process')()",
  ],
  ["AsyncFunction", "return await (async () => {}).constructor('return typeof require')()"],
  ["GeneratorFunction", "return (function* () {}).constructor('yield typeof process')().next().value"],
  [
    "Error.prepareStackTrace",
    "Error.prepareStackTrace = (_, frames) => frames; const found = new Error('x').stack; return typeof found?.[0]?.getThis?.()?.process",
  ],
  [
    "the error of a tool",
    "try { await mcp.bench.noop(null as never) } catch (e) { return e.constructor.constructor('return typeof process')() } return 'undefined'",
  ],
  [
    "the value of a tool",
    "return (await mcp.bench.rows({})).constructor.constructor('return typeof process')()",
  ],
  ["import()", "return await import('node:fs')"],
  ["import() in Function", "return typeof (await new Function('return import(\"node:fs\")')())"],
  ["import() in eval", "return typeof (await (0, eval)('import(\"node:fs\")'))"],
].map(([name, code]) => ({ threat: "T001", name: name!, code: code!, contained: NOTHING_FOUND }));

const ABSENT: HostileProgram[] = [
  {
    threat: "T003",
    name: "thenables in async generators",
    code: `const thenable = { then(resolve) { resolve(typeof process) } };
      async function* g() { yield* [thenable]; } const it = g(); await it.next(); return (await it.return(thenable)).value`,
    contained: NOTHING_FOUND,
  },
  {
    threat: "T003",
    name: "WebAssembly",
    code: "return typeof WebAssembly",
    contained: NOTHING_FOUND,
  },
  {
    threat: "T004",
    name: "the host's globals",
    code: `return ['process', 'require', 'module', 'fetch', 'Deno', 'Bun', 'navigator', 'Buffer', 'setTimeout', 'WebSocket', 'std', 'os', 'host']
      .filter((name) => typeof globalThis[name] !== 'undefined')`,
    contained: /^result \[\]$/,
  },
  {
    threat: "T019",
    name: "shared memory and clocks",
    code: "const at = Date.now(); for (let i = 0; i < 1e5; i++); return [typeof SharedArrayBuffer, typeof Atomics, typeof performance, Date.now() - at]",
    contained: /^result \["undefined","(undefined|object)","undefined",0\]$/,
  },
];

const POLLUTION: HostileProgram[] = [
  {
    threat: "T006",
    name: "pollutes every prototype",
    code: `Object.prototype.polluted = 1; Array.prototype.map = () => ['polluted']; JSON.stringify = () => '"polluted"';
      Promise.prototype.then = () => 0; Function.prototype.call = () => 0; String.prototype.slice = () => 'polluted'; return 1`,
    contained: /^result |stuck$|thrown$/,
  },
  {
    threat: "T006",
    name: "the next run sees none of it",
    code: "return [({}).polluted === undefined, [1].map(String)[0], JSON.stringify({ a: 1 }), 'abc'.slice(1)]",
    contained: /^result \[true,"1","\{\\"a\\":1\}","bc"\]$/,
  },
  {
    threat: "T006",
    name: "Object.prototype.then",
    code: "Object.prototype.then = function (resolve) { while (true); }; await mcp.bench.noop({}); return {}",
    contained: /timeout$|^result |stuck$|thrown$/,
  },
];

const ENDLESS: HostileProgram[] = [
  ["T008", "while (true) {}", "while (true) {}"],
  ["T008", "new Array(1e9) + ''", "return (new Array(1e9) + '').length"],
  ["T008", "regular expression", "return /^(a+)+$/.test('a'.repeat(40) + '!')"],
  ["T008", "power of a BigInt", "return String((3n ** (2n ** 22n)) ** 64n).length"],
  ["T008", "sort that never ends", "return [3, 2, 1].sort(() => { while (true); })"],
  ["T012", "microtask storm", "function g() { Promise.resolve().then(g) } g(); await new Promise(() => {})"],
  ["T012", "for (;;) await null", "for (;;) await null"],
  ["T017", "toJSON that loops", "return { toJSON() { while (true); } }"],
  ["T017", "getter that loops", "return { get a() { while (true); } }"],
].map(([threat, name, code]) => ({
  threat: threat!,
  name: name!,
  code: code!,
  contained: name!.includes("BigInt") || name!.includes("Array") ? OUT_OF_TIME_OR_MEMORY : OUT_OF_TIME,
}));

const MEMORY: HostileProgram[] = [
  ["array of numbers", "const a = []; while (true) a.push(a.length)"],
  ["array of arrays", "const a = []; while (true) a.push(new Array(1000).fill(1))"],
  ["text that doubles", "let s = 'x'; while (true) s += s"],
  ["'x'.repeat(2 ** 29)", "return 'x'.repeat(2 ** 29).length"],
  ["Uint8Array of 1 GB", "return new Uint8Array(2 ** 30).fill(1).length"],
  ["Map of objects", "const m = new Map(); for (let i = 0; ; i++) m.set({ i }, { i })"],
  ["closures", "let f = () => 0; while (true) { const g = f; f = () => g }"],
  ["errors with stacks", "const a = []; while (true) a.push(new Error('x'.repeat(1000)))"],
  [
    "caught and tried again",
    "const a = []; while (true) { try { while (true) a.push(new Uint8Array(1e6)) } catch {} }",
  ],
].map(([name, code]) => ({
  threat: "mem",
  name: name!,
  code: code!,
  contained: OUT_OF_TIME_OR_MEMORY,
}));

const DEPTH: HostileProgram[] = [
  {
    threat: "T011",
    name: "recursion",
    code: "const f = () => f() + 1; return f()",
    contained: THROWN,
  },
  {
    threat: "T011",
    name: "recursion, caught for ever",
    code: "const f = () => { try { f() } catch { f() } }; f()",
    contained: /timeout$|thrown$/,
  },
  {
    threat: "T011",
    name: "JSON.parse, 200,000 deep",
    code: "return JSON.parse('['.repeat(2e5))",
    contained: /thrown$|memory/,
  },
  {
    threat: "T011",
    name: "result 100,000 deep",
    code: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
    contained: /thrown$|memory|timeout$/,
  },
  {
    threat: "T011",
    name: "recursive getter",
    code: "const o = { get a() { return this.a } }; return o.a",
    contained: THROWN,
  },
];

const PROMISES: HostileProgram[] = [
  {
    threat: "T012",
    name: "a million promises",
    code: "const all = []; for (let i = 0; i < 1e6; i++) all.push(new Promise(() => {})); await Promise.race(all)",
    contained: /timeout$|memory|stuck$/,
  },
  {
    threat: "T012",
    name: "a promise that nothing settles",
    code: "await new Promise(() => {})",
    contained: /stuck$/,
  },
  {
    threat: "T013",
    name: "rejects after the return",
    code: "for (let i = 0; i < 1e4; i++) void (async () => { await null; throw new Error('late') })(); return 1",
    contained: /^result 1$/,
  },
  {
    threat: "T014",
    name: "returns before its calls",
    code: "for (let i = 0; i < 100; i++) void mcp.bench.noop({}); return 1",
    contained: /^result 1$/,
  },
  {
    threat: "T015",
    name: "10,000 parallel calls",
    code: `let made = 0, refused = 0;
      await Promise.all(Array.from({ length: 10000 }, () => mcp.bench.noop({}).then(() => made++, () => refused++))); return { made, refused }`,
    contained: /^result \{"made":200,"refused":9800\}$|timeout$/,
  },
];

const OUTPUT: HostileProgram[] = [
  {
    threat: "T016",
    name: "console of 100 MB",
    code: "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6)); return 1",
    contained: /^result 1$|timeout$/,
  },
  {
    threat: "T016",
    name: "console of a million lines",
    code: "for (let i = 0; i < 1e6; i++) console.log(i); return 1",
    contained: /^result 1$|timeout$/,
  },
  {
    threat: "T016",
    name: "result of 100 MB",
    code: "const row = 'x'.repeat(1e6); return Array.from({ length: 100 }, () => row)",
    contained: /result_limit$|memory|timeout$|thrown$/,
  },
  {
    threat: "T016",
    name: "result of 20 MB",
    code: "return 'x'.repeat(2e7)",
    contained: /result_limit$|memory/,
  },
  {
    threat: "T016",
    name: "cyclic result",
    code: "const a = {}; a.a = a; return a",
    contained: /^result \{"a":"\[Circular\]"\}$/,
  },
  {
    threat: "T016",
    name: "arguments of 20 MB",
    code: "return await mcp.bench.noop({ text: 'x'.repeat(2e7) })",
    contained: /thrown$|tool_error$|memory|type_error$/,
  },
  {
    threat: "T017",
    name: "toJSON that throws",
    code: "return { toJSON() { throw new Error('no') } }",
    contained: THROWN,
  },
  {
    threat: "T017",
    name: "proxy with endless keys",
    code: "return new Proxy({}, { ownKeys() { while (true); } })",
    contained: OUT_OF_TIME,
  },
];

const NAMES: HostileProgram[] = [
  ["a server that is not there", "return await mcp['other']['tool']({})", REFUSED],
  ["a computed name", "const name = 'no' + 'op'; return await mcp.bench[name]({})", REFUSED],
  ["mcp.__proto__", "return await mcp.__proto__.constructor({})", REFUSED],
  ["another case", "return await mcp.bench.NOOP({})", REFUSED],
  ["mcp as a value", "const all = mcp; return Reflect.ownKeys(all)", /^TOOL_INVALID_INPUT |^result \[\]$/],
  ["a meta-tool", "return await mcp.repertoire.execute({ code: 'return 1' })", REFUSED],
].map(([name, code, contained]) => ({
  threat: "T020",
  name: name as string,
  code: code as string,
  contained: contained as RegExp,
}));

/** What can be done with text that is only read. */
const TEXTS: HostileProgram[] = [
  ["100,000 nested parentheses", `return ${"(".repeat(1e5)}1${")".repeat(1e5)}`],
  ["100,000 nested arrays", `return ${"[".repeat(1e5)}${"]".repeat(1e5)}`],
  ["50,000 nested functions", `return ${"()=>".repeat(5e4)}1`],
  ["120,000 member accesses", `const o = {}; return o${".a".repeat(12e4)}`],
  ["40,000 nested blocks", `${"{".repeat(4e4)}${"}".repeat(4e4)} return 1`],
  ["80,000 additions", `return 1${"+1".repeat(8e4)}`],
  ["nested templates", `return ${"`${".repeat(3e4)}1${"}`".repeat(3e4)}`],
  [
    "types that compute without end",
    "type Grow<T extends unknown[]> = T['length'] extends 9e9 ? T : Grow<[...T, ...T, 1]>; const a: Grow<[1]> = 0 as never; return 1",
  ],
  [
    "types that multiply",
    "type D = 0|1|2|3|4|5|6|7|8|9; type S = `${D}${D}${D}${D}${D}`; const a: `${S}${D}` | S = '1' as never; return 1",
  ],
  ["300 KB of code", `return 1 // ${"x".repeat(300_000)}`],
].map(([name, code]) => ({
  threat: "text",
  name: name!,
  code: code!,
  contained: /^TOOL_INVALID_INPUT |thrown$|^result |timeout$|memory/,
  slackMs: READING_SLACK_MS,
}));

export const HOSTILE_PROGRAMS: readonly HostileProgram[] = [
  ...ESCAPES,
  ...ABSENT,
  ...POLLUTION,
  ...ENDLESS,
  ...MEMORY,
  ...DEPTH,
  ...PROMISES,
  ...OUTPUT,
  ...NAMES,
  ...TEXTS,
];
