import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readArguments } from "./call.ts";

const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string" },
    n: { type: "number" },
    flag: { type: "boolean" },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
    either: { type: ["string", "number"] },
    level: { enum: [1, 2] },
    list: { type: "array" },
    open: {},
  },
};

const read = (...words: string[]) => readArguments(words, {}, SCHEMA);

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "file"), text);
  return join(folder, "file");
}

it.each([
  [["text=5", "n=5", "flag=true"], { text: "5", n: 5, flag: true }],
  [["maybe=null", "either=5", "level=2"], { maybe: null, either: "5", level: 2 }],
  [["list=[1,2]", "open=5"], { list: [1, 2], open: "5" }],
  [["n=many"], { n: "many" }],
  [["text=a=b=c", "text2="], { text: "a=b=c", text2: "" }],
  [["open:=5", 'text:="@bob"', "other:=[null]"], { open: 5, text: "@bob", other: [null] }],
  [['{"text": "x", "n": 1}', "n=2"], { text: "x", n: 2 }],
  [["text=漢字 😀"], { text: "漢字 😀" }],
  [["text=@"], { text: "@" }],
])("C5: %j is read by the schema", async (words, args) => {
  expect(await read(...words)).toEqual({ success: true, data: args });
});

it("C5: the text of a file, also of a large one", async () => {
  const text = `é\n${"x".repeat(1_000_000)}`;
  expect(await read(`text=@${fileWith(text)}`)).toEqual({ success: true, data: { text } });
  const json = fileWith('\uFEFF{"text": "x"}');
  expect(await readArguments(["n=1"], { json: `@${json}` }, SCHEMA)).toEqual({
    success: true,
    data: { text: "x", n: 1 },
  });
});

it("C5: no name reaches a prototype", async () => {
  const args = await read("__proto__=1", '{"__proto__": {"polluted": true}}');
  expect(args.success && Object.keys(args.data)).toEqual(["__proto__"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it.each([
  [["text"], "TOOL_INVALID_INPUT", "is not key=value"],
  [["=x"], "TOOL_INVALID_INPUT", "is not key=value"],
  [["n:=many"], "TOOL_INVALID_INPUT", "is not JSON"],
  [["{nope"], "TOOL_INVALID_INPUT", "is not a JSON object"],
  [["text=@/nowhere/at/all"], "TOOL_NOT_FOUND", "cannot be read"],
])("C5: %j is refused", async (words, code, message) => {
  const refused = await read(...words);
  expect(refused).toMatchObject({
    success: false,
    error: { code, message: expect.stringContaining(message) },
  });
});
