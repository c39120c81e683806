/** The README and docs/numbers.md claim what results of benches say, and nothing else. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CLAIMS } from "../bench/claims/claims.ts";
import type { BenchName, Results } from "../bench/claims/figures.ts";
import {
  BEGIN,
  END,
  handWrittenRows,
  numbersPage,
  problemsOfMarked,
  readmeTable,
  withTable,
} from "../bench/claims/render.ts";
import { readResults } from "../bench/claims/results.ts";
import { argsWithoutResult, readResult, resultFileOf, type BenchResult } from "../bench/result-file.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const NONE: Results = new Map();

function resultOf(name: BenchName, figures: unknown): BenchResult {
  return {
    name,
    command: `npm run ${name}`,
    commit: "0123456789",
    dirty: false,
    date: "2026-11-18T20:00:00.000Z",
    node: "v24.0.0",
    cores: 2,
    cpu: "A processor",
    memoryGb: 8,
    load: 0.5,
    figures,
  };
}

const measured = (name: BenchName, figures: unknown): Results => new Map([[name, resultOf(name, figures)]]);

it("the table of the README and docs/numbers.md are what the results say (npm run claims)", () => {
  const results = readResults();
  expect(read("README.md")).toBe(withTable(read("README.md"), readmeTable(results)));
  expect(read("docs/numbers.md")).toBe(numbersPage(results));
});

it("the README has no table of figures that was written by hand", () => {
  expect(handWrittenRows(read("README.md"))).toEqual([]);
  const forged = `| a call | 0.3 ms |\n${BEGIN}\n| b | 1 ms |\n${END}\n| c | 7 words |\n| d | 90 % |`;
  expect(handWrittenRows(forged)).toEqual(["| a call | 0.3 ms |", "| d | 90 % |"]);
});

it("pages state of marked claims what the results say", () => {
  const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: root })];
  const results = readResults();
  expect(pages.flatMap((path) => problemsOfMarked(path, read(path), results))).toEqual([]);
});

it("finds a marked figure that no result has", () => {
  const results = measured("http", { memory: { idleMb: 60, afterCallsMb: { 100000: 93.4 } } });
  const marked = (id: string, text: string) => `It takes <!-- claim:${id} -->${text}<!-- /claim --> at rest.`;
  expect(problemsOfMarked("a.md", marked("memory", "93 MB"), results)).toEqual([]);
  expect(problemsOfMarked("a.md", marked("memory", "90 MB"), results)).toHaveLength(1);
  expect(problemsOfMarked("a.md", marked("memory", ""), results)).toHaveLength(1);
  expect(problemsOfMarked("a.md", marked("memory", "93 MB"), NONE)).toHaveLength(1);
  expect(problemsOfMarked("a.md", marked("speed", "93 MB"), results)).toHaveLength(1);
});

it("what was not measured is no row of the README, and docs/numbers.md says so", () => {
  expect(readmeTable(NONE)).toContain("Nothing is measured");
  const page = numbersPage(NONE);
  expect(page.split("not measured on this commit")).toHaveLength(CLAIMS.length + 1);
  const relay = {
    "stdio, 1 at once": { direct: { p50: 0.15, p90: 1 }, "through repertoire": { p50: 0.3, p90: 1 } },
  };
  const some = measured("bench", { relay });
  expect(readmeTable(some)).toContain(
    "| a tool call over stdio | 0.30 ms, 2.00 × | 0.15 ms: the same server, called directly |",
  );
  expect(readmeTable(some)).not.toContain("over HTTP");
  expect(numbersPage(some)).toContain("bench, 2026-11-18, 0123456789 |");
  expect(numbersPage(some).split("not measured on this commit")).toHaveLength(CLAIMS.length);
});

const two = { p50Ms: 1, p99Ms: 2 };
it.each<readonly [string, BenchName, unknown, string]>([
  [
    "tasks",
    "tasks",
    {
      rows: [
        { mode: "direct", size: 107, tasks: 45, context: 40_000 },
        { mode: "lean", size: 107, tasks: 45, context: 4_000 },
      ],
    },
    "| what a task takes of a model's context, with 107 tools | 10 %: 4,000 tokens in the mean of 45 tasks | 40,000 tokens: all tools listed |",
  ],
  [
    "retail",
    "retail",
    { actions: 550, kills: { actions: 550, wholeActions: 550, repeated: 0, lost: 0 } },
    "| 550 of 550 actions end in the same database; 0 repeated, 0 lost |",
  ],
  [
    "clients",
    "http",
    {
      clients: {
        32: {
          "repertoire, modern": { ...two, perSecond: 5_400 },
          "repertoire, legacy sessions and streams": { ...two, perSecond: 4_600 },
          "bare SDK 2, modern": { ...two, perSecond: 2_700 },
        },
      },
    },
    "| 4,600 to 5,400 calls/s, forwarded to a stdio server | 2,700 calls/s:",
  ],
  [
    "resume",
    "bench",
    { journal: { step: {}, resume: { steps: 1_000, firstMs: 1_340, resumedMs: 280 } } },
    "| 0.28 s, no call repeated | 1.34 s: the run itself |",
  ],
  [
    "search",
    "search",
    {
      cold: [
        ["repertoire", 0.931, 100],
        ["repertoire", 0.9, 654],
        ["SQLite FTS5", 0.77, 100],
        ["MiniSearch (or)", 0.67, 100],
      ].map(([system, recall5, queryCount]) => ({
        system,
        set: "seal-tools",
        toolCount: 20_000,
        queryCount,
        quality: { recall5 },
      })),
    },
    "| 93 % of what 100 requests want | 77 % SQLite FTS5, 67 % MiniSearch, same texts ([search.md](docs/search.md)) |",
  ],
])("a result of %s gives its row", (_name, bench, figures, row) => {
  expect(readmeTable(measured(bench, figures))).toContain(row);
});

it("a sample of the kills claims nothing of all actions", () => {
  const kills = { actions: 55, wholeActions: 55, repeated: 0, lost: 0 };
  expect(readmeTable(measured("retail", { actions: 550, kills }))).toContain("Nothing is measured");
});

it("a bench writes its figures with commit, machine and load where --json names a file", () => {
  const file = join(temporaryFolder(), "try.json");
  const module = JSON.stringify(join(root, "bench/result-file.ts"));
  const code = `const { writeResult } = await import(${module}); writeResult("try", { a: 1 });`;
  const env = { ...process.env, npm_lifecycle_event: "bench:try" };
  const args = ["--input-type=module", "-e", code, "--", "bench.ts", "quick", "/a/path", "--json", file];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { figures, name, command, ...measuredOn } = readResult(file);
  expect({ figures, name, command }).toEqual({
    figures: { a: 1 },
    name: "try",
    command: "npm run bench:try -- quick …",
  });
  expect(Object.keys(measuredOn).toSorted()).toEqual(
    ["commit", "cores", "cpu", "date", "dirty", "load", "memoryGb", "node"].toSorted(),
  );
});

it("--json alone names no file", () => {
  expect(resultFileOf(["--json"])).toBeUndefined();
  expect(resultFileOf(["--json", "--quick"])).toBeUndefined();
  expect(resultFileOf(["a", "--json", "b.json"])).toBe("b.json");
  expect(argsWithoutResult(["a", "--json", "b.json", "c"])).toEqual(["a", "c"]);
  expect(argsWithoutResult(["--json", "--quick"])).toEqual(["--quick"]);
});
