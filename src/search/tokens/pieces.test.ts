import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { piecesOf } from "./pieces.ts";

const countInPieces = (text: string) =>
  [...piecesOf(text)].reduce((sum, piece) => sum + countTokens(piece), 0);

it("loses nothing, and has no piece for no text", () => {
  expect([...piecesOf("")]).toEqual([]);
  for (const text of ["a".repeat(1_024), "a".repeat(1_025), "👩‍🚀 über ".repeat(700), " ".repeat(5_000)]) {
    const pieces = [...piecesOf(text)];
    expect(pieces.join("")).toBe(text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1_024);
  }
});

it("counts the same as a whole in JSON of any script", () => {
  const words = [
    "Creates an issue.",
    "課題を作成します",
    "Crée l'élément n° 12345678",
    "🚀🔥 go",
    'say \\"it\\"',
  ];
  const schema = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `field_${at}`,
      { type: "string", description: words[at % words.length] },
    ]),
  );
  const text = JSON.stringify({ name: "server__create_issue", input_schema: schema });
  expect([...piecesOf(text)].length).toBeGreaterThan(3);
  expect(countInPieces(text)).toBe(countTokens(text));
});

it("cuts no character in two", () => {
  const pieces = [...piecesOf(`x${"😀".repeat(3_000)}`)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});
