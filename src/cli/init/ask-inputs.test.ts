import { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { ConfigInput } from "../../config/config.ts";
import { askInputs } from "./ask-inputs.ts";
import { readPiped, viewInputs } from "../commands/access/input.ts";
import { findValueProblem, VALUE_BYTES_MAX } from "../../operator/access/input-value.ts";

function inputOf(id: string, more: Partial<ConfigInput> = {}): ConfigInput {
  return {
    id,
    type: "promptString",
    isPassword: true,
    state: "missing",
    isNeeded: true,
    servers: ["s"],
    paths: [["mcpServers", "s", "env", "A"]],
    ...more,
  };
}

async function answerWith(missing: readonly ConfigInput[], answers: readonly (string | undefined)[]) {
  const kept = new Map<string, string>();
  const notes: string[] = [];
  const asked: string[] = [];
  const givenCount = await askInputs(missing, {
    inputs: { set: async (id, value) => void kept.set(id, value) },
    ask: async ({ id }) => (asked.push(id), answers[asked.length - 1]),
    note: (line) => notes.push(line),
    options: { home: "/h" },
  });
  return { givenCount, kept: Object.fromEntries(kept), notes, asked };
}

it("asks for each input once and keeps the answers", async () => {
  const result = await answerWith([inputOf("a"), inputOf("b")], ["1", "2"]);
  expect(result).toEqual({ givenCount: 2, kept: { a: "1", b: "2" }, notes: [], asked: ["a", "b"] });
});

it("an empty answer leaves one input without a value and says how to give it", async () => {
  const { kept, notes, asked } = await answerWith([inputOf("a"), inputOf("b")], ["", "2"]);
  expect([kept, asked]).toEqual([{ b: "2" }, ["a", "b"]]);
  expect(notes).toEqual(["The input a has no value yet. Set it with: repertoire input set a --home /h"]);
});

it("a person who breaks off is asked no more, and is told every missing input", async () => {
  const { givenCount, notes, asked } = await answerWith([inputOf("a"), inputOf("b")], [undefined, "2"]);
  expect([givenCount, asked, notes.length]).toEqual([0, ["a"], 2]);
});

it("a piped value loses one line end, and is read no further than it may be long", async () => {
  const piped = (...chunks: string[]) => readPiped(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
  expect(
    await Promise.all([piped("a\n"), piped("a", "\r\n"), piped("a\n\n"), piped(" a "), piped()]),
  ).toEqual(["a", "a", "a\n", " a ", ""]);
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(VALUE_BYTES_MAX, 0x61));
    },
  });
  expect(findValueProblem(await readPiped(endless), undefined)).toContain("65536 bytes");
  expect(findValueProblem(await piped(`${"a".repeat(VALUE_BYTES_MAX)}\r\n`), undefined)).toBeUndefined();
});

it("a value is refused without being repeated", () => {
  const picked = inputOf("a", { type: "pickString", options: [{ label: "Europe", value: "eu" }] });
  expect(findValueProblem("", undefined)).toBe("must not be empty");
  expect(findValueProblem("a\0b", undefined)).toContain("NUL");
  expect(findValueProblem("mars", picked)).toBe("must be one of eu");
  expect(findValueProblem("eu", picked)).toBeUndefined();
});

it("T136: the list has what the config uses and what is kept, and no value", () => {
  const declared = [
    inputOf("a", { description: "A key", paths: [["log", "file"]], servers: [] }),
    inputOf("b", { state: "default" }),
  ];
  const views = viewInputs(declared, {
    list: () => ["a", "old"],
    protectionOf: (id) => (id === "b" ? undefined : "keyring"),
  });
  expect(views).toEqual([
    {
      id: "a",
      description: "A key",
      isKept: true,
      protectedBy: "keyring",
      hasDefault: false,
      servers: [],
      settings: ["log.file"],
    },
    { id: "b", isKept: false, hasDefault: true, servers: ["s"], settings: [] },
    { id: "old", isKept: true, protectedBy: "keyring", hasDefault: false, servers: [], settings: [] },
  ]);
});
