/** The task bench counts by its rules, drives a gateway in every mode, and takes no wrong result. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countConversation, startTokens, type Turn } from "../bench/tasks/conversation.ts";
import { loadDefinitions, type Definitions } from "../bench/tasks/definitions.ts";
import { MODES, type Mode, type Outcome } from "../bench/tasks/outcome.ts";
import { runTaskBench } from "../bench/tasks/run.ts";
import { rowsOf } from "../bench/tasks/table.ts";
import { both, json, text, type Task } from "../bench/tasks/task.ts";
import { TASKS } from "../bench/tasks/tasks.ts";
import { worldsOf } from "../bench/tasks/world.ts";

const bin = resolve(import.meta.dirname, "../dist/main.js");

const tool = (name: string, description: string, properties: Record<string, { type: string }>) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const word = { type: "string" };

const SERVERS = [
  {
    server: "parts",
    tools: [
      tool("list_parts", "Lists the spare parts of a shelf.", { shelf: word }),
      tool("get_part", "Shows one spare part.", { id: word }),
      tool("move_part", "Moves a spare part to another shelf.", { id: word, shelf: word }),
    ],
  },
  {
    server: "letters",
    tools: [
      tool("send_letter", "Sends a letter to a person.", { to: word, words: word }),
      tool("list_letters", "Lists the letters that were sent.", {}),
      tool("burn_letter", "Burns a letter.", { id: word }),
    ],
  },
];

const PARTS = Array.from({ length: 200 }, (_, id) => ({ id: `p${id}`, name: `Screw ${id}`, left: id % 10 }));

const SMALL_TASKS: readonly Task[] = [
  {
    id: "send",
    kind: "one",
    intent: "Send Ines a letter.",
    queries: ["send a letter"],
    calls: [
      {
        server: "letters",
        tool: "send_letter",
        args: { to: "Ines", words: "Hello" },
        answer: text("sent 7"),
      },
    ],
    code: `return await mcp.letters.send_letter({ to: "Ines", words: "Hello" });`,
    result: "sent 7",
  },
  {
    id: "move",
    kind: "sequence",
    intent: "Move part p3 to the shelf of part p4.",
    queries: ["show and move a part"],
    inputs: { from: "p3", to: "p4" },
    calls: [
      { server: "parts", tool: "get_part", args: { id: "p4" }, answer: both({ id: "p4", shelf: "B" }) },
      { server: "parts", tool: "move_part", args: { shelf: "B", id: "p3" }, answer: json({ moved: true }) },
    ],
    code: `const { shelf } = await mcp.parts.get_part({ id: args.to }) as any;
const moved = await mcp.parts.move_part({ id: args.from, shelf }) as any;
return { shelf, moved: moved.moved };`,
    result: { shelf: "B", moved: true },
  },
  {
    id: "empty",
    kind: "loop",
    intent: "How many parts of shelf A are used up?",
    queries: ["list the parts of a shelf"],
    calls: [{ server: "parts", tool: "list_parts", args: { shelf: "A" }, answer: json(PARTS) }],
    code: `const parts = await mcp.parts.list_parts({ shelf: "A" }) as any[];
return parts.filter((part: any) => part.left === 0).length;`,
    result: 20,
  },
];

let definitions: Definitions;
const run = (tasks: readonly Task[], modes: readonly Mode[] = MODES) =>
  runTaskBench({ bin, definitions, tasks, sizes: [6], modes });

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  const file = join(folder, "tools.json");
  writeFileSync(file, JSON.stringify(SERVERS));
  definitions = loadDefinitions(file)!;
});

describe("the rules of counting", () => {
  const answer = both({ a: 1 });
  const turn: Turn = {
    calls: [
      { name: "one", args: { x: 1 }, answer: text("first") },
      { name: "two", args: {}, answer },
    ],
  };
  const asked = ["one", '{"x":1}', "two", "{}"].reduce((total, words) => total + countTokens(words), 0);
  const answered = countTokens("first") + countTokens(JSON.stringify({ a: 1 }, null, 2));

  it("counts definitions as a model's API takes them, and instructions", () => {
    const [list] = SERVERS[0]!.tools;
    const { name, description, inputSchema } = list!;
    const shown = countTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
    expect(startTokens([list!, list!], "Read this.")).toBe(2 * shown + countTokens("Read this."));
  });

  it("counts what enters the context once, and structure only for clients that show it", () => {
    const { context, contextBoth } = countConversation(100, [turn]);
    expect(context).toBe(100 + asked + answered);
    expect(contextBoth - context).toBe(countTokens('{"a":1}'));
  });

  it("bills each request for all that is in the context by then", () => {
    const growth = asked + answered;
    const { billed, requests, context } = countConversation(100, [turn, turn]);
    expect(requests).toBe(3);
    expect(billed).toBe(100 + (100 + growth) + (100 + 2 * growth));
    expect(context).toBe(100 + 2 * growth);
  });
});

it(
  "does every task in every mode with the right result, and says what each comes to",
  { timeout: 180_000 },
  async () => {
    const { outcomes, failures } = await run(SMALL_TASKS);
    expect(failures).toEqual([]);
    const rows = rowsOf(outcomes);
    expect(rows.map(({ mode, tasks }) => [mode, tasks])).toEqual(MODES.map((mode) => [mode, 3]));
    const of = (task: string, mode: string): Outcome =>
      outcomes.find((outcome) => outcome.task === task && outcome.mode === mode)!;
    const listed = startTokens(SERVERS.flatMap(({ tools }) => tools));
    expect(of("empty", "direct").parts.start).toBe(listed);
    expect(of("empty", "direct").repeated.context - listed).toBe(
      3 * (of("empty", "direct").once.context - listed),
    );
    expect(of("move", "direct").once.requests).toBe(3);
    expect(of("empty", "lean").parts.callAnswers).toBe(0);
    expect(of("empty", "lean").once.context).toBeLessThan(of("empty", "direct").once.context / 2);
    expect(of("send", "full").parts).toMatchObject({ found: 0, code: 0 });
    expect(of("empty", "kept").once.requests).toBe(2);
    expect(of("empty", "kept of 20").parts.start).toBeGreaterThan(
      2 * of("empty", "kept").parts.start - 2_000,
    );
    expect(rows.find(({ mode }) => mode === "lean")).toMatchObject({ needed: 4, inFirstFive: 4, missing: 0 });
  },
);

it("a wrong result and a call with other arguments fail, with and without the gateway, and the others count", async () => {
  const [send, move, empty] = SMALL_TASKS;
  const wrong = { ...empty!, result: 21 };
  const other = { ...move!, inputs: { from: "p5", to: "p4" } };
  const { outcomes, failures } = await run([send!, wrong, other], ["direct", "lean"]);
  expect(outcomes.map(({ task, mode }) => `${task} ${mode}`)).toEqual(["send direct", "send lean"]);
  expect(failures.map((line) => line.split(":")[0])).toEqual(
    ["direct", "lean"].flatMap((mode) => ["empty", "move"].map((task) => `${task}, ${mode}, 6 tools`)),
  );
  expect(failures.filter((line) => line.includes("No answer is scripted"))).toHaveLength(2);
});

it("a world has what its tasks need, others of the same servers, and then the next servers", () => {
  const [world] = worldsOf(definitions, [SMALL_TASKS[1]!], 5);
  expect(world!.servers.map(({ defined, tools }) => [defined.id, tools])).toEqual([
    ["parts", ["get_part", "move_part", "list_parts"]],
    ["letters", ["send_letter", "list_letters"]],
  ]);
  expect(worldsOf(definitions, SMALL_TASKS, 5)).toHaveLength(3);
});

it("the 45 tasks are of three kinds and have names of their own", () => {
  expect(
    Object.entries(Object.groupBy(TASKS, ({ kind }) => kind)).map(([kind, { length }]) => [kind, length]),
  ).toEqual([
    ["one", 15],
    ["sequence", 15],
    ["loop", 15],
  ]);
  expect(new Set(TASKS.map(({ id }) => id)).size).toBe(45);
});
