/**
 * An agent that makes the commonest mistakes and corrects each by what the answer says: a policy that knows no tool, no name and no
 * message of ours, only the parts of an error (`nearest`, `field`, `place`, `signature`, `reason`) and its own data. The bundle as a
 * process, a real server behind it.
 */
import { expect, it } from "vitest";
import { openPlace, type Agent } from "./fixtures/workflow-place.ts";

interface Request {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What an answer says that a program can act on. */
interface Told {
  readonly nearest?: readonly string[];
  readonly field?: string;
  readonly reason?: string;
  readonly signature?: string;
  readonly place?: { readonly line: number; readonly column: number; readonly text: string };
}

interface Script {
  readonly mistake: string;
  /** Happened before, and is not counted. */
  readonly before?: readonly Request[];
  readonly first: Request;
  /** What the agent has at hand, by name. */
  readonly knows?: Readonly<Record<string, unknown>>;
  readonly isDone: (answer: Record<string, unknown>) => boolean;
}

/** An agent that needs more has lost its thread. */
const TURNS_MAX = 6;

const execute = (code: string, more: object = {}): Request => ({ tool: "execute", args: { code, ...more } });
const outputs = (value: unknown) => (answer: Record<string, unknown>) =>
  answer["success"] === true && JSON.stringify(answer["outputs"]) === JSON.stringify(value);
const textOf = (answer: Record<string, unknown>) => JSON.stringify(answer["content"]);
const succeeded = (answer: Record<string, unknown>) => answer["isError"] === false;

const FAILS = 'const note = await mcp.notes.add({ text: "once" });\nreturn note.missing.length';
const KEPT = execute("return args.a + 1", { inputs: { a: 1 }, intent: "Add one", save_as: "math:next" });

const SCRIPTS: readonly Script[] = [
  {
    mistake: "code without return",
    first: execute("const { text } = await mcp.notes.add({ text: 'milk' });\ntext"),
    isDone: outputs("milk"),
  },
  {
    mistake: "main is not called",
    first: execute("async function main(args) {\n  return args.n * 2;\n}", { inputs: { n: 4 } }),
    isDone: outputs(8),
  },
  { mistake: "fenced code", first: execute("Here it is:\n```ts\nreturn 7;\n```"), isDone: outputs(7) },
  {
    mistake: "server__tool in code",
    first: execute("const note = await notes__add({ text: 'tea' });\nreturn note.text;"),
    isDone: outputs("tea"),
  },
  {
    mistake: "a server without mcp in code",
    first: execute("return (await notes.add({ text: 'jam' })).text;"),
    isDone: outputs("jam"),
  },
  {
    mistake: "a dotted tool name",
    first: { tool: "notes.add", args: { text: "oil" } },
    isDone: (answer) => succeeded(answer) && textOf(answer).includes("oil"),
  },
  {
    mistake: "a bare tool name",
    first: { tool: "create_issue", args: { repo: "me/it", title: "x" } },
    isDone: (answer) => succeeded(answer) && textOf(answer).includes("me/it"),
  },
  {
    mistake: "a misspelt tool name",
    before: [KEPT],
    first: { tool: "mcp__maths__next", args: { a: 41 } },
    isDone: (answer) => textOf(answer).includes("42"),
  },
  {
    mistake: "a misspelt name of something kept",
    first: { tool: "execute", args: { name: "math:nxt", inputs: { a: 1 } } },
    isDone: outputs(2),
  },
  {
    mistake: "a wrong argument name",
    first: { tool: "describe_workflow", args: { nam: "math:next" } },
    isDone: (answer) => answer["tool"] === "mcp__math__next",
  },
  {
    mistake: "a wrong argument name in code",
    first: execute("return (await mcp.notes.add({ txt: 'rye' })).text;"),
    isDone: outputs("rye"),
  },
  {
    mistake: "a missing required argument",
    first: execute("return (await mcp.notes.create_issue({ title: 'x' })).repo;"),
    knows: { repo: "me/it" },
    isDone: outputs("me/it"),
  },
  {
    mistake: "resume with a placeholder",
    before: [execute(FAILS)],
    first: { tool: "execute", args: { resume: "<run_id>", code: FAILS.replace("missing", "text") } },
    isDone: outputs(4),
  },
  {
    mistake: "a server that is not configured",
    first: execute("return (await mcp.github.create_issue({ repo: 'a/b', title: 'x' })).repo;"),
    isDone: outputs("a/b"),
  },
  {
    mistake: "saving under a bad name",
    first: execute("return 1", { save_as: "My Great Tool!" }),
    isDone: (answer) => answer["saved"] !== undefined,
  },
  {
    mistake: "saving under a name that is taken",
    first: execute("return args.a + 2", { inputs: { a: 1 }, save_as: "math:next" }),
    isDone: (answer) => answer["saved"] !== undefined,
  },
];

/** The next request, or none where the answer says nothing that helps. */
function repair(request: Request, told: Told, knows: Readonly<Record<string, unknown>>): Request | undefined {
  const { nearest = [], field, reason, place, signature } = told;
  const { code } = request.args;
  if (place !== undefined && typeof code === "string") {
    if (nearest.length > 0) return withCode(request, replaceAt(code, place, nearest[0]!));
    if (signature === undefined) return undefined;
    return withCode(request, withArguments(code, place, signature, knows));
  }
  if (field !== undefined && nearest.length > 0) {
    const { [field]: value, ...rest } = request.args;
    const args =
      reason === "unknown_argument" ? { ...rest, [nearest[0]!]: value } : { ...rest, [field]: nearest[0] };
    return { ...request, args };
  }
  return nearest.length > 0 ? { ...request, tool: nearest[0]! } : undefined;
}

function withCode(request: Request, code: string): Request {
  return { ...request, args: { ...request.args, code } };
}

function replaceAt(code: string, { line, column, text }: NonNullable<Told["place"]>, by: string): string {
  const lines = code.split("\n");
  const at = column - 1;
  lines[line - 1] = lines[line - 1]!.slice(0, at) + by + lines[line - 1]!.slice(at + text.length);
  return lines.join("\n");
}

/** Takes the names of the arguments from the signature: one that is not among them becomes one that is missing; else it is added. */
function withArguments(
  code: string,
  place: NonNullable<Told["place"]>,
  signature: string,
  knows: Readonly<Record<string, unknown>>,
): string {
  const declared = signature.slice(signature.indexOf("{"), signature.indexOf("}"));
  const names = [...declared.matchAll(/(\w+)(\??):/g)].map(([, name, mark]) => ({
    name: name!,
    isOptional: mark === "?",
  }));
  const line = code.split("\n")[place.line - 1]!;
  const object = /\{([^}]*)\}/.exec(line.slice(place.column - 1))![1]!;
  const given = [...object.matchAll(/(\w+):/g)].map((match) => match[1]!);
  const missing = names
    .filter(({ name, isOptional }) => !isOptional && !given.includes(name))
    .map(({ name }) => name);
  const stranger = given.find((key) => names.every(({ name }) => name !== key));
  if (stranger !== undefined && missing.length > 0) return code.replace(`${stranger}:`, `${missing[0]!}:`);
  const more = missing
    .filter((name) => name in knows)
    .map((name) => ` ${name}: ${JSON.stringify(knows[name])},`);
  return code.replace(`{${object}}`, `{${more.join("")}${object}}`);
}

/** Where the answer names nothing, the agent looks for what it wants in its own words, and tries again. */
function lookAround({ tool, args: { code } }: Request): Request {
  const words = typeof code === "string" ? /mcp\.\w+\.(\w+)/.exec(code)?.[1] : tool;
  return { tool: "browse_components", args: { query: (words ?? tool).replaceAll("_", " ") } };
}

async function turnsOf(
  agent: Agent,
  { before = [], first, knows = {}, isDone }: Script,
): Promise<number | string> {
  for (const { tool, args } of before) await agent.call(tool, args);
  let request = first;
  let hasLooked = false;
  for (let turn = 1; turn <= TURNS_MAX; turn++) {
    const answer = await agent.call(request.tool, request.args);
    if (isDone(answer)) return turn;
    const error = (answer["error"] ?? {}) as Told;
    const next = repair(request, error, knows);
    if (next !== undefined) request = next;
    else if (hasLooked || !answer.isError) return "lost";
    else {
      hasLooked = true;
      const { tool, args } = lookAround(request);
      await agent.call(tool, args);
      turn++;
    }
  }
  return "lost";
}

it("an agent corrects its commonest mistakes by what the answers say, in few turns", async () => {
  const agent = await openPlace().join();
  expect(await agent.tools()).toContain("execute");
  const turns: Record<string, number | string> = {};
  for (const script of SCRIPTS) turns[script.mistake] = await turnsOf(agent, script);
  expect(turns).toEqual({
    "code without return": 1,
    "main is not called": 1,
    "fenced code": 1,
    "server__tool in code": 2,
    "a server without mcp in code": 2,
    "a dotted tool name": 2,
    "a bare tool name": 2,
    "a misspelt tool name": 2,
    "a misspelt name of something kept": 2,
    "a wrong argument name": 2,
    "a wrong argument name in code": 2,
    "a missing required argument": 2,
    "resume with a placeholder": 2,
    "a server that is not configured": 2,
    "saving under a bad name": 2,
    "saving under a name that is taken": 2,
  });
});
