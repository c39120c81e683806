import { describe, expect, it } from "vitest";
import { programOf } from "./program.testkit.ts";

const inputsOf = (code: string) => programOf(code).inputs;
const namesOf = (code: string) => inputsOf(code).map(({ name }) => name);
/** `title > github.create_issue issue.title` */
const flowsOf = (code: string) =>
  inputsOf(code).flatMap(({ name, flows }) =>
    flows.map(({ namespace, tool, path }) => `${name} > ${namespace}.${tool} ${path.join(".")}`.trim()),
  );
/** `title`, `title?`, `title=1` */
const formsOf = (code: string) =>
  inputsOf(code).map(({ name, isOptional, defaultValue }) =>
    defaultValue === undefined
      ? `${name}${isOptional ? "?" : ""}`
      : `${name}=${JSON.stringify(defaultValue)}`,
  );

describe("an input is found", () => {
  it.each([
    ["as a member", "return args.repo", ["repo"]],
    [
      "in brackets, also under a constant",
      "const k = 'b'; f(args['a-1'], args[`x`], args[k])",
      ["a-1", "x", "b"],
    ],
    ["in a pattern", "const { x, y = 1, z: w, 'q-1': { r } } = args", ["x", "y", "z", "q-1"]],
    ["in an assignment", "let x; ({ x, y: o.y } = args)", ["x", "y"]],
    ["through an alias", "const a = args; f(a.x); let b; b = a; f(b.y)", ["x", "y"]],
    ["under a cast", "f((args as { x: string }).x!); const { y }: Inputs = args;", ["x", "y"]],
    ["in an optional chain", "args?.x; args?.['y']", ["x", "y"]],
    [
      "behind a fallback for args",
      "const { x } = args ?? {}; f((args || {}).y); args && f(args.z)",
      ["x", "y", "z"],
    ],
    ["in a nested function", "const f = () => args.x; class A { m() { return args.y } }", ["x", "y"]],
    ["in a default of a parameter", "function f(x = args.x, { y } = args) {}", ["x", "y"]],
    ["in a template", "f(`${args.owner}/${args.repo}`)", ["owner", "repo"]],
    ["once, where it is read first", "f(args.b); f(args.a); f(args.b)", ["b", "a"]],
    ["if every object has its name", "f(args.constructor, args.__proto__)", ["constructor", "__proto__"]],
  ])("%s", (_, code, names) => {
    expect(programOf(code)).toMatchObject({
      inputs: names.map((name) => ({ name })),
      hasOpenInputs: false,
      wholeFlows: [],
    });
  });

  it.each([
    ["a local called args", "function f(args) { return args.x } const g = ({ args }) => args.y"],
    ["a local of the whole code", "const args = { x: 1 }; return args.x"],
    ["a property called args", "f(o.args.x, { args: 1 })"],
    ["what is only written or deleted", "args.x = 1; delete args.y"],
    ["a test of args itself", "if (args) f(); if (typeof args === 'object') f(); args;"],
  ])("but not in %s", (_, code) => {
    expect(programOf(code)).toMatchObject({ inputs: [], hasOpenInputs: false });
  });
});

describe("inputs are open", () => {
  it.each([
    ["when a name is known only at run time", "return args[name]", []],
    ["when a pattern computes a name", "const { a, [k]: b } = args", ["a"]],
    [
      "when the rest is taken, whose names are followed too",
      "const { a, ...rest } = args; f(rest.b, rest.a)",
      ["a", "b"],
    ],
    ["when args is passed on", "f(args); return args.x", ["x"]],
    ["when args is returned", "return args", []],
    ["when args is kept somewhere", "o.args = args", []],
    ["when args is spread, and its copy is read", "const o = { limit: 1, ...args }; f(o.limit, o.x)", ["x"]],
    ["when args is walked", "for (const key in args) f(key)", []],
    ["when args is asked for any name", "k in args; args.hasOwnProperty(k)", []],
    ["when args is an item", "f([args])", []],
  ])("%s", (_, code, names) => {
    expect(programOf(code)).toMatchObject({ hasOpenInputs: true, wholeFlows: [] });
    expect(namesOf(code)).toEqual(names);
  });

  it("when there are more than two hundred", () => {
    const code = (count: number) => Array.from({ length: count }, (_, n) => `f(args.i${n});`).join("");
    expect(programOf(code(200))).toMatchObject({ hasOpenInputs: false });
    expect(programOf(code(201))).toMatchObject({ hasOpenInputs: true });
    expect(namesOf(code(201))).toHaveLength(200);
  });

  it("when following them goes beyond its limit, and the code is read all the same", () => {
    const list = (item: (index: number) => string) =>
      Array.from({ length: 2_000 }, (_, n) => item(n)).join("");
    const code = `let x;${list((n) => `x=args.i${n % 150};`)}${list((n) => `var y${n}=x;f(y${n});`)}`;
    expect(programOf(code)).toMatchObject({ hasOpenInputs: true });
  });

  it("when a copy of args grows around a circle, to an end", () => {
    const code = Array.from({ length: 3_000 }, (_, n) => `x = { k${n}: 1, ...x };`).join("");
    expect(programOf(`let x = args; ${code} mcp.a.b(x)`)).toMatchObject({ hasOpenInputs: true });
  });
});

describe("an input is optional", () => {
  it.each([
    [
      "with a default in a pattern",
      "const { limit = 10, state = `open`, on = f() } = args",
      ["limit=10", 'state="open"', "on?"],
    ],
    ["with ?? and ||", "f(args.a ?? 5); f(args.b || 'x'); f(args.c ?? other)", ["a=5", 'b="x"', "c?"]],
    [
      "with a default that is a list or an object",
      "f(args.a ?? []); f(args.b ?? { x: [-1, null] })",
      ["a=[]", 'b={"x":[-1,null]}'],
    ],
    ["with ??= and ||=", "args.a ??= 1; let b = args.b; b ||= 2", ["a=1", "b=2"]],
    ["with ?.", "f(args.a?.b); args.c?.(); f(args.d?.[0])", ["a?", "c?", "d?"]],
    [
      "with a test",
      "if (args.a) f(); f(args.b ? 1 : 2); args.c && f(); while (args.d) f(); f(!args.e, !!args.g)",
      ["a?", "b?", "c?", "d?", "e?", "g?"],
    ],
    [
      "with a comparison to nothing",
      "f(args.a === undefined); f(args.b != null); f(void 0 !== args.c); f(typeof args.d === 'undefined')",
      ["a?", "b?", "c?", "d?"],
    ],
    ["with a test of its type", "if (typeof args.a === 'string') f(args.a)", ["a?"]],
    ["with in", "if ('a' in args) f(args.a)", ["a?"]],
    [
      "when a variable of it is tested",
      "const { a } = args; const b = args.b; if (a) f(); f(b ?? 1)",
      ["a?", "b=1"],
    ],
  ])("%s", (_, code, forms) => {
    expect(formsOf(code)).toEqual(forms);
  });

  it.each([
    [
      "when it is just used",
      "f(args.a); f(args.b.c); f(args.d > 1); f(args.e === 'x'); for (const x of args.g) f(x)",
    ],
    [
      "when the code throws without it",
      "if (!args.a) throw new Error('a is missing'); if (args.b === undefined || !args.c) { f(); throw new Error() }",
    ],
    ["when the code throws in an else", "if (args.a && args.b) f(); else throw new Error()"],
    ["when the code throws for another type", "if (typeof args.a !== 'string') throw new TypeError()"],
    ["when the code throws if it is not in args", "if (!('a' in args)) throw new Error()"],
  ])("but not %s", (_, code) => {
    expect(inputsOf(code).length).toBeGreaterThan(0);
    expect(inputsOf(code).filter(({ isOptional }) => isOptional)).toEqual([]);
  });

  it("when one of several is enough, or only one is allowed", () => {
    expect(formsOf("if (!args.a && !args.b) throw new Error('one of a and b')")).toEqual(["a?", "b?"]);
    expect(formsOf("if (args.a && args.b) throw new Error('not both')")).toEqual(["a?", "b?"]);
  });

  it("with a default only where every use has the same one", () => {
    expect(formsOf("f(args.a ?? 1); f(args.a ?? 1)")).toEqual(["a=1"]);
    expect(formsOf("f(args.a ?? 1); f(args.a ?? 2)")).toEqual(["a?"]);
    expect(formsOf("f(args.a ?? 1); f(args.a)")).toEqual(["a?"]);
    expect(formsOf("const { a = 1 } = args; if (a) f(a)")).toEqual(["a=1"]);
    expect(formsOf(`f(args.a ?? "${"x".repeat(2_000)}")`)).toEqual(["a?"]);
  });
});

describe("an input flows into the argument of a tool", () => {
  it.each([
    ["as a property", "await mcp.gh.create({ title: args.t })", ["t > gh.create title"]],
    ["through a variable", "const x = args.t; await mcp.gh.create({ title: x })", ["t > gh.create title"]],
    ["in shorthand", "const { title } = args; await mcp.gh.create({ title })", ["title > gh.create title"]],
    [
      "with a default",
      "mcp.gh.create({ title: args.t ?? 'd', n: args.n || 1 })",
      ["t > gh.create title", "n > gh.create n"],
    ],
    ["with a default in a pattern", "const { t = 'd' } = args; mcp.gh.create({ t })", ["t > gh.create t"]],
    [
      "in nested objects and lists",
      "mcp.gh.create({ issue: { title: args.t, labels: [args.l, { name: args.m }] } })",
      ["t > gh.create issue.title", "l > gh.create issue.labels.*", "m > gh.create issue.labels.*.name"],
    ],
    [
      "under quoted keys",
      "mcp['g-h']['c.r']({ 'a-b': args.t, ['c']: args.u })",
      ["t > g-h.c.r a-b", "u > g-h.c.r c"],
    ],
    ["as the argument", "mcp.gh.create(args.issue)", ["issue > gh.create"]],
    [
      "through an object in a variable",
      "const body = { title: args.t }; mcp.gh.create({ issue: body }); mcp.gh.log(body)",
      ["t > gh.create issue.title", "t > gh.log title"],
    ],
    [
      "in an object that is spread",
      "mcp.gh.create({ a: 1, ...(args.t && { title: args.t }), ...(args.b ? { body: args.b } : {}) })",
      ["t > gh.create title", "b > gh.create body"],
    ],
    [
      "through a conditional",
      "mcp.gh.create({ title: c ? args.t : args.u })",
      ["t > gh.create title", "u > gh.create title"],
    ],
    [
      "through a variable that is assigned again",
      "let x = args.t; if (c) x = args.u; mcp.gh.create({ x })",
      ["t > gh.create x", "u > gh.create x"],
    ],
    [
      "of an alias",
      "const { gh } = mcp; const m = mcp.sl; gh.create({ t: args.t }); m.post({ t: args.t })",
      ["t > gh.create t", "t > sl.post t"],
    ],
    [
      "of several tools, in source order, each place once",
      "mcp.b.x({ t: args.t }); mcp.a.x({ t: args.t }); mcp.b.x({ t: args.t })",
      ["t > b.x t", "t > a.x t"],
    ],
  ])("%s", (_, code, flows) => {
    expect(flowsOf(code)).toEqual(flows);
  });

  it.each([
    [
      "when it is changed",
      "mcp.gh.create({ n: args.n + 1, t: `#${args.t}`, s: args.s.trim(), l: [...args.l], k: String(args.k) })",
    ],
    ["under a name that is computed", "mcp.gh.create({ [k]: args.t })"],
    ["as a second argument", "mcp.gh.create({}, args.t)"],
    ["as a prototype", "mcp.gh.create({ __proto__: args.t })"],
    ["of another function", "f({ title: args.t })"],
    ["as the left side of &&", "mcp.gh.create({ t: args.t && 'x' })"],
  ])("but not %s", (_, code) => {
    expect(flowsOf(code)).toEqual([]);
    expect(inputsOf(code).length).toBeGreaterThan(0);
  });

  it("at most eight levels deep and in twenty places", () => {
    const nest = (depth: number) => `mcp.a.b(${"{ x: ".repeat(depth)}args.t${" }".repeat(depth)})`;
    expect(flowsOf(nest(8))).toEqual([`t > a.b ${Array.from({ length: 8 }, () => "x").join(".")}`]);
    expect(flowsOf(nest(9))).toEqual([]);
    expect(flowsOf("let o = args.t; o = { o }; mcp.a.b(o)")).toHaveLength(9);
    expect(
      flowsOf(Array.from({ length: 30 }, (_, n) => `mcp.a.t${n}({ x: args.t });`).join("")),
    ).toHaveLength(20);
  });
});

describe("args flows into a tool as a whole", () => {
  it.each([
    ["as its argument", "mcp.gh.create(args)", []],
    ["through a variable", "const a = args; mcp.gh.create(a)", []],
    ["spread", "mcp.gh.create({ ...args })", []],
    [
      "spread beside what the code sets",
      "mcp.gh.create({ state: 'open', ...args, 'per-page': 5 })",
      ["state", "per-page"],
    ],
    ["but for what is taken out", "const { dry, ...rest } = args; mcp.gh.create(rest)", ["dry"]],
    [
      "twice, once with more",
      "mcp.gh.create({ ...args, a: 1, b: 2 }); mcp.gh.create({ ...args, b: 1 })",
      ["b"],
    ],
  ])("%s", (_, code, without) => {
    expect(programOf(code)).toMatchObject({
      hasOpenInputs: true,
      wholeFlows: [{ namespace: "gh", tool: "create", without }],
    });
  });

  it("each tool once, in source order", () => {
    const { wholeFlows } = programOf("mcp.b.x(args); mcp.a.x(args); mcp.b.x({ ...args })");
    expect(wholeFlows.map(({ namespace }) => namespace)).toEqual(["b", "a"]);
  });

  it("but not as a part of its argument", () => {
    expect(programOf("mcp.gh.create({ options: args }, args)")).toMatchObject({
      wholeFlows: [],
      hasOpenInputs: true,
    });
  });
});

it("reads code as it is written for real", () => {
  const code = `
interface Inputs { repo: string; before: string; label?: string }
const { repo, before, label = "stale" } = args as Inputs;
if (!repo.includes("/")) throw new Error("repo is owner/name");
const gh = mcp.github;
const issues = await gh.list_issues({ repo, state: "open", per_page: args.limit ?? 50 });
const old = issues.filter((issue) => issue.updated_at < before);
await Promise.all(old.map((issue) => gh.add_label({ repo, number: issue.number, labels: [label] })));
if (args.notify) await mcp.slack.post({ channel: args.notify, text: \`\${old.length} in \${repo}\` });
return { labelled: old.length };`;
  expect(programOf(code)).toMatchObject({ hasOpenInputs: false, wholeFlows: [] });
  expect(formsOf(code)).toEqual(["repo", "before", 'label="stale"', "limit=50", "notify?"]);
  expect(flowsOf(code)).toEqual([
    "repo > github.list_issues repo",
    "repo > github.add_label repo",
    "label > github.add_label labels.*",
    "limit > github.list_issues per_page",
    "notify > slack.post channel",
  ]);
});

it("reads code whose types need more than blanking", () => {
  const code = "enum State { Open = 'open' }\nawait mcp.gh.list({ state: State.Open, repo: args.repo })";
  expect(flowsOf(code)).toEqual(["repo > gh.list repo"]);
});

it("takes the same time for 256 KiB of flows", () => {
  const part = "{ const { repo, n = 1 } = args; await mcp.gh.list({ repo, o: { n } }); }\n";
  const code = part.repeat(Math.floor((256 * 1024) / part.length));
  expect(flowsOf(code)).toEqual(["repo > gh.list repo", "n > gh.list o.n"]);
});
