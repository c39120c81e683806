import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsOf, programOf } from "./program.testkit.ts";

const toolsIn = (code: string) => programOf(code).uses.map((use) => `${use.namespace}/${use.tool}`);
const namespacesIn = (code: string) => programOf(code).namespaces.map((use) => use.namespace);

describe("a tool is found", () => {
  it.each([
    ["as a member", "await mcp.a.b({})", ["a/b"]],
    ["in brackets", `mcp["a-1"]['b.2']({})`, ["a-1/b.2"]],
    ["in a template without substitutions", "mcp[`a`][`b`]()", ["a/b"]],
    ["under a number", "mcp.a[0]()", ["a/0"]],
    ["in an optional chain", "mcp?.a?.b?.(1); mcp.a?.['c']()", ["a/b", "a/c"]],
    ["in parentheses", "((mcp).a).b(); (mcp.a.c)()", ["a/b", "a/c"]],
    ["under a cast", "(mcp as any).a!.b(); (<any>mcp).a.c()", ["a/b", "a/c"]],
    ["under a constant name", "const t = 'b', n = `a`; mcp[n][t]()", ["a/b"]],
    ["under a name written with escapes", "\\u006dcp.a.\\u{62}()", ["a/b"]],
    ["in a nested function", "const f = async () => { function g() { return mcp.a.b() } }", ["a/b"]],
    ["as a value", "items.map(mcp.a.b)", ["a/b"]],
    [
      "in call, apply and bind, which are no names of tools",
      "mcp.a.b.call(null); mcp.a.c.bind(0)(); mcp.a.d.apply(x, y)",
      ["a/b", "a/c", "a/d"],
    ],
    ["where it gets another name", "const f = mcp.a.b; f(); f.x.y", ["a/b"]],
    [
      "where it is deleted or assigned to",
      "delete mcp.a.b; mcp.a.c = 1; mcp.a.d ??= 2",
      ["a/b", "a/c", "a/d"],
    ],
    ["in a default of a parameter", "function f(m = mcp, { t } = m.a) { return m.a.b() }", ["a/t", "a/b"]],
    ["through a constructor or a tag", "new mcp.a.b(); mcp.a.c`x`", ["a/b", "a/c"]],
    [
      "in a class",
      "class A { static s = mcp.a.b; #p = mcp.a.c(); static { mcp.a.d() } m() { mcp.a.e() } }",
      ["a/b", "a/c", "a/d", "a/e"],
    ],
  ])("%s", (_, code, tools) => {
    expect(toolsIn(code)).toEqual(tools);
  });
});

describe("an alias is followed", () => {
  it.each([
    ["of mcp", "const m = mcp; m.a.b()", ["a/b"]],
    ["of a namespace", "const a = mcp.a; a.b(); a['c']()", ["a/b", "a/c"]],
    ["that is assigned later", "let a; a = mcp.a; a.b()", ["a/b"]],
    ["that is read before it is written", "f(); function f() { a.b() } var a = mcp.a", ["a/b"]],
    ["that nothing declares", "a = mcp.a; a.b()", ["a/b"]],
    ["with several writes", "let a = mcp.a; if (x) a = mcp.c; a.b()", ["a/b", "c/b"]],
    ["through a chain", "const x = mcp, y = x, z = y.a, w = z; w.b()", ["a/b"]],
    ["through a conditional", "(c ? mcp.a : mcp.d).b()", ["a/b", "d/b"]],
    ["through ??", "(mcp.a ?? mcp.d).b()", ["a/b", "d/b"]],
    ["through ||", "(mcp.a || mcp.d).b()", ["a/b", "d/b"]],
    [
      "through &&, whose left side is only asked",
      "const f = mcp.a && mcp.a.b; f.call(); (mcp.c && mcp.d).b()",
      ["a/b", "d/b"],
    ],
    ["through a sequence", "(mcp.a, mcp.d).b()", ["d/b"]],
    ["through an assignment", "let x; (x = mcp.a).b(); x.c()", ["a/b", "a/c"]],
    [
      "through logical assignments",
      "let x; x ??= mcp.a; x ||= mcp.c; x &&= mcp.d; (x ??= mcp.e).b()",
      ["a/b", "c/b", "d/b", "e/b"],
    ],
    ["through await", "(await mcp.a).b(); (await (await mcp).c).d()", ["a/b", "c/d"]],
    ["through an optional chain in parentheses", "(mcp?.a).b()", ["a/b"]],
    ["with a default", "const { a = mcp.z } = mcp; a.b()", ["a/b", "z/b"]],
  ])("%s", (_, code, tools) => {
    expect(toolsIn(code)).toEqual(tools);
  });

  it("around a circle, to an end", () => {
    expect(new Set(toolsIn("let x = mcp, y; y = x; x = y; x = x.a; y.c.d"))).toEqual(
      new Set(["a/a", "a/c", "c/d"]),
    );
  });
});

describe("destructuring is followed", () => {
  it.each([
    ["in a declaration", "const { a } = mcp; a.b()", ["a/b"]],
    ["to a tool", "const { b, c: d } = mcp.a; b(); d()", ["a/b", "a/c"]],
    ["nested", "const { github: { create_issue: make } } = mcp; make()", ["github/create_issue"]],
    ["with defaults", "const { a: { b = f, c: { d } = {} } = {} } = mcp", ["a/b", "a/c"]],
    [
      "with a default that is a namespace",
      "const { x: { b } = mcp.a } = other; const { a: { d } = mcp.a } = mcp",
      ["a/b", "a/d"],
    ],
    [
      "under quoted and constant keys",
      "const k = 'c'; const { 'a-1': { ['b']: x, [k]: y } } = mcp",
      ["a-1/b", "a-1/c"],
    ],
    ["in an assignment", "let b, c; ({ b, c } = mcp.a); ({ d: { e: c } } = mcp)", ["a/b", "a/c", "d/e"]],
    ["in an assignment to members", "({ a: o.x, a: { b: o.y } } = mcp)", ["a/b"]],
    [
      "with the rest",
      "const { a, ...rest } = mcp; rest.c.d(); const { e, ...others } = rest.c; others.f()",
      ["c/d", "c/e", "c/f"],
    ],
    ["in a union", "const { b } = c ? mcp.a : mcp.d", ["a/b", "d/b"]],
  ])("%s", (_, code, tools) => {
    expect(toolsIn(code)).toEqual(tools);
  });
});

describe("a variable of the same name hides mcp", () => {
  it.each([
    [
      "a parameter",
      "function f(mcp) { mcp.a.b() } const g = (mcp) => mcp[x]; ({ m({ mcp }) { mcp.a.b() } })",
    ],
    ["a variable of the whole code, also before its line", "mcp.a.b(); const mcp = other"],
    ["a var that is hoisted out of a block", "mcp.a.b(); { var mcp = 1 }"],
    ["a block", "{ let mcp = other(); mcp.a.b() }"],
    ["a loop", "for (const mcp of list) mcp.a.b()"],
    ["a catch", "try {} catch (mcp) { mcp.a.b() }"],
    ["a class", "class mcp { static m() { mcp.a.b() } }"],
    ["a function and its own name", "function mcp() {} mcp.a.b(); (function mcp() { mcp.a.b() })"],
    ["an enum", "enum mcp { a } mcp.a.toString()"],
  ])("%s", (_, code) => {
    expect(programOf(code)).toMatchObject({ uses: [], namespaces: [] });
  });

  it.each([
    ["a block that has ended", "{ let mcp = other() } mcp.a.b()"],
    ["a parameter of another function", "((mcp) => mcp.x.y())(0); mcp.a.b()"],
    ["a property or label", "mcp: for (;;) break mcp; o.mcp.x.y(); ({ mcp: 1 }).mcp; mcp.a.b()"],
    ["a type", "interface mcp { x: 1 } type M = typeof mcp.x.y; mcp.a.b()"],
  ])("but not %s", (_, code) => {
    expect(toolsIn(code)).toEqual(["a/b"]);
  });
});

describe("a name that is computed at run time", () => {
  it.each([
    ["mcp[x]", "mcp[x]"],
    ["mcp.github[x]()", "mcp.github[x]"],
    ["mcp.github[`a${x}`]", "mcp.github[`a${x}`]"],
    ["mcp['a' + 'b']", "mcp['a' + 'b']"],
    ["let t = 'x'; t = y; mcp.a[t]", "mcp.a[t]"],
    ["const m = mcp; const g = m.a; g[x]", "g[x]"],
    ["const { [x]: y } = mcp", "[x]: y"],
    ["const { a: { [x]: y } } = mcp", "[x]: y"],
    ["({ [x]: y } = mcp.a)", "[x]: y"],
    ["for (const k of Object.keys(mcp.a)) mcp.a[k]()", "mcp.a[k]"],
    ["const { ...m } = mcp; m[x]", "m[x]"],
  ])("is refused with its text: %s", (code, text) => {
    expect(problemsOf(code)).toMatchObject([
      {
        reason: "computed_name",
        text,
        message: expect.stringContaining(text),
        hint: expect.stringContaining("Write names out"),
      },
    ]);
  });

  it("is refused each time, up to twenty", () => {
    expect(problemsOf("mcp[x];\nmcp[y]").map((problem) => problem.line)).toEqual([1, 2]);
    expect(problemsOf("mcp[x];\n".repeat(100))).toHaveLength(20);
  });

  it("is fine on anything that is not mcp or a namespace", () => {
    expect(toolsIn("const r = await mcp.a.b(); r[x]; mcp.a.b[x]; other[mcp]; list[mcp.a.c]")).toEqual([
      "a/b",
      "a/b",
      "a/c",
    ]);
  });
});

describe("a namespace without a tool", () => {
  it.each([
    [
      "is reported where it is used",
      "Object.keys(mcp.a); f(mcp.b); typeof mcp.c; return mcp.d",
      ["a", "b", "c", "d"],
    ],
    ["is reported where an alias of it is used", "const a = mcp.a; f(a)", ["a"]],
    [
      "is reported when it is kept and not used",
      "const a = mcp.a; mcp.b; o.x = mcp.c; const [x] = mcp.d; const {} = mcp.e",
      ["a", "b", "c", "d", "e"],
    ],
    ["is reported when it is deleted or assigned to", "delete mcp.a; mcp.b = 1", ["a", "b"]],
    [
      "is not reported when only its tools are used",
      "const a = mcp.a; let c; c = mcp.c; a.b(); c.d(); const { e: { f } } = mcp",
      [],
    ],
    ["is not what mcp as a value is", "Object.keys(mcp); f(mcp); 'a' in mcp; Reflect.ownKeys(mcp)", []],
  ])("%s", (_, code, namespaces) => {
    expect(namespacesIn(code)).toEqual(namespaces);
  });
});

describe("T020: names of what was not granted", () => {
  it("are taken exactly as written, for the caller to refuse", () => {
    const accented = "caf\u00e9";
    expect(
      toolsIn(
        `mcp['other']['tool'](); mcp.GitHub.Create(); mcp.${accented}.x(); mcp.${accented.normalize("NFD")}.x()`,
      ),
    ).toEqual(["other/tool", "GitHub/Create", `${accented}/x`, `${accented.normalize("NFD")}/x`]);
  });

  it("are names even if every object has them", () => {
    expect(
      toolsIn(
        "mcp.__proto__.x(); mcp.constructor.constructor('return 1')(); mcp.a.toString(); mcp.hasOwnProperty('a')",
      ),
    ).toEqual(["__proto__/x", "constructor/constructor", "a/toString"]);
    expect(namespacesIn("mcp.hasOwnProperty('a'); mcp.__proto__ = {}; const { __proto__: p } = mcp")).toEqual(
      ["hasOwnProperty", "__proto__", "__proto__"],
    );
  });
});

describe("a place", () => {
  it("is the guest's own line and column, on one line of text", () => {
    expect(programOf("// é😀\r\n\r\n  await mcp\r\n    .a\r\n    .b()").uses).toMatchObject([
      { line: 3, column: 9, text: "mcp .a .b" },
    ]);
  });

  it("shows at most 120 characters", () => {
    const [use] = programOf(`mcp.a["${"x".repeat(500)}"]()`).uses;
    expect(use!.text).toHaveLength(120);
    expect(use!.tool).toHaveLength(500);
  });

  it("comes in source order, each tool once for each place", () => {
    const { uses } = programOf("const f = () => { z.t() };\nlet z = mcp.b; z = mcp.a; z = mcp.a;\nz.t()");
    expect(uses.map((use) => `${use.line} ${use.namespace}`)).toEqual(["1 a", "1 b", "3 a", "3 b"]);
  });
});

describe("code that multiplies what its variables may hold", () => {
  const list = (item: (index: number) => string): string =>
    Array.from({ length: 2_000 }, (_, index) => item(index)).join("");

  it.each([
    [
      "from variable to variable",
      `let x;${list((n) => `x=mcp.n${n};`)}${list((n) => `var y${n}=x;y${n}.t;`)}`,
    ],
    ["in a pattern", `let x;${list((n) => `x=mcp.n${n};`)}({${list((n) => `p${n}:o.x,`)}}=x)`],
  ])("is refused at a limit: %s", (_, code) => {
    expect(problemsOf(code)).toMatchObject([
      { reason: "too_deep", message: expect.stringContaining("so many variables") },
    ]);
  });

  it("is read when it only has many", () => {
    expect(toolsIn(`${list((n) => `var a${n} = a${n + 1};`)} var a2000 = mcp; a0.b.c()`)).toEqual(["b/c"]);
  });
});

/** A value that generated code holds in a variable: `undefined` is mcp itself, a string the namespace of that name. */
interface Holder {
  readonly expression: string;
  readonly held: ReadonlySet<string | undefined>;
}

const stepArbitrary = fc.record({
  form: fc.nat(),
  first: fc.nat(),
  second: fc.nat(),
  kind: fc.constantFrom("alias", "union", "name"),
  name: fc.constantFrom("a", "b", "x1", "call", "constructor"),
});

type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never;

const pick = (forms: readonly string[], index: number): string => forms[index % forms.length]!;

function aliasForms(v: string, e: string): string[] {
  return [
    `const ${v} = ${e};`,
    `let ${v}; ${v} = ${e};`,
    `var ${v} = (0, await (${e}));`,
    `let o${v}, ${v} = o${v} = ${e};`,
    `const { ...${v} } = ${e};`,
    `const { z = ${e} } = other; const ${v} = z;`.replaceAll(/\bz\b/g, `z${v}`),
  ];
}

function unionForms(v: string, e: string, f: string): string[] {
  return [
    `const ${v} = cond ? ${e} : ${f};`,
    `const ${v} = ${e} ?? ${f};`,
    `const ${v} = ${e} || ${f};`,
    `let ${v} = ${e}; ${v} = ${f};`,
    `let ${v} = ${e}; ${v} ||= ${f};`,
  ];
}

function nameForms(v: string, e: string, n: string): string[] {
  return [
    `const ${v} = ${e}.${n};`,
    `const ${v} = ${e}?.["${n}"];`,
    `const k${v} = "${n}"; const ${v} = (${e})[k${v}];`,
    `const { ${n}: ${v} } = ${e};`,
    `let ${v}; ({ ["${n}"]: ${v} } = ${e});`,
    `const { ${n}: ${v} = other } = ${e} as any;`,
  ];
}

/** Code from random steps, and by a model the tools that it reaches. */
function build(steps: readonly Step[]): { code: string; tools: Set<string> } {
  const holders: Holder[] = [{ expression: "mcp", held: new Set([undefined]) }];
  const tools = new Set<string>();
  const lines = steps.map(({ kind, form, first, second, name }, index) => {
    const v = `v${index}`;
    const one = holders[first % holders.length]!;
    const two = holders[second % holders.length]!;
    if (kind === "alias") holders.push({ expression: v, held: one.held });
    else if (kind === "union") holders.push({ expression: v, held: one.held.union(two.held) });
    else {
      holders.push({ expression: v, held: new Set(one.held.has(undefined) ? [name] : []) });
      for (const namespace of one.held) if (namespace !== undefined) tools.add(`${namespace}/${name}`);
    }
    if (kind === "alias") return pick(aliasForms(v, one.expression), form);
    return kind === "union"
      ? pick(unionForms(v, one.expression, two.expression), form)
      : pick(nameForms(v, one.expression, name), form);
  });
  return { code: lines.join("\n"), tools };
}

describe("chains of aliases", () => {
  it("reach exactly the tools that a model of them reaches, in any order of lines", () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 25 }), fc.boolean(), (steps, isReversed) => {
        const { code, tools } = build(steps);
        const ordered = isReversed ? code.split("\n").toReversed().join("\n") : code;
        expect(new Set(toolsIn(ordered))).toEqual(tools);
      }),
      { numRuns: 500 },
    );
  });
});
