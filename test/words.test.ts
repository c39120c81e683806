import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSource } from "../scripts/house-tree.ts";
import { findRetired } from "../scripts/house-words.ts";

const root = join(import.meta.dirname, "..");
const { files } = readSource(root);

/** The rows of the glossary: its words, and the types that it names for them. */
const glossary = [
  ...readFileSync(join(root, "ARCHITECTURE.md"), "utf8").matchAll(/^\| (\*\*.+?\*\*) \| (.+?) \| .+ \|$/gm),
].map(([, words, types]) => ({
  words: [...words!.matchAll(/\*\*(.+?)\*\*/g)].map((match) => match[1]!),
  types: [...types!.matchAll(/`(\w+)`/g)].map((match) => match[1]!),
}));

it("reads the glossary, and the source", () => {
  expect(glossary.length).toBeGreaterThan(40);
  expect(glossary.flatMap(({ types }) => types).length).toBeGreaterThan(30);
  expect(files.length).toBeGreaterThan(300);
});

it("has each word of the domain once", () => {
  const words = glossary.flatMap((row) => row.words);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});

it("declares the type of each word once, in all of src", () => {
  const declared = (type: string) =>
    files.filter((file) => file.types.some(({ name }) => name === type)).map(({ path }) => path);
  const wrong = glossary
    .flatMap(({ types }) => types)
    .map((type) => ({ type, paths: declared(type) }))
    .filter(({ paths }) => paths.length !== 1);
  expect(wrong).toEqual([]);
});

it("has no retired word in a name of src", () => {
  const used = findRetired(files).filter((word) => word.identifiers.length + word.files.length > 0);
  expect(used).toEqual([]);
});
