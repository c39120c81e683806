import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCycles } from "../scripts/house-graph.ts";
import { countSource } from "../scripts/house-rows.ts";
import { readSource } from "../scripts/house-tree.ts";
import { findRetired, findTypes } from "../scripts/house-words.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

/** A repository of these files, and of a knip.json that names its entries. */
function repositoryOf(files: Readonly<Record<string, string>>, entry = ["src/main.ts"]): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...files, "knip.json": JSON.stringify({ entry }) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function figuresOf(root: string): Record<string, number | undefined> {
  return Object.fromEntries(countSource(readSource(root)).map(({ number, now }) => [number, now]));
}

const SMALL = {
  "src/main.ts": 'import "./ring/a.ts";\nimport { c } from "./knot/c.ts";\nexport const x = c;\n',
  "src/ring/a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;\n',
  "src/ring/b.ts": 'export const b = () => import("./a.ts");\n',
  "src/knot/c.ts": 'import type { D } from "./d.ts";\nexport const c: D = 1;\n',
  "src/knot/d.ts": 'export type D = number | import("./e.ts").E;\n',
  "src/knot/e.ts": 'export type { C as E } from "./a.ts";\n',
  "src/knot/a.ts": 'import { c } from "./c.ts";\nexport type C = typeof c;\n',
  "src/knot/a.test.ts": 'import "./a.ts";\nimport "./d.ts";\n',
  "src/knot/testsuite/suite.ts": 'import "../e.ts";\n',
  "test/whole.test.ts": "// one\n// two\n",
};

describe("a small repository", () => {
  it("counts files and lines, and tests apart", () => {
    expect(figuresOf(repositoryOf(SMALL))).toMatchObject({
      "source files": 7,
      "source lines": 12,
      "test files": 3,
      "test lines": 5,
      "lines of a file, median": 2,
      "files in the root of src": 1,
      "files flat in one folder, the most": 4,
      "file names in more than one folder": 1,
    });
  });

  it("counts the files with one importer, without tests and entries", () => {
    // Two import ring/a.ts and knot/c.ts; ring/b.ts, knot/a.ts, knot/d.ts and knot/e.ts have one each.
    expect(figuresOf(repositoryOf(SMALL))).toMatchObject({
      "files with exactly one importer": 66.7,
      "files under 40 lines with one importer": 4,
    });
  });

  it("finds a cycle at run time, also through import(), and the larger one that types make", () => {
    const root = repositoryOf(SMALL);
    const { files } = readSource(root);
    const ring = ["ring/a.ts", "ring/b.ts"];
    expect(findCycles(files, ["static"])).toEqual([]);
    expect(findCycles(files, ["static", "lazy"])).toEqual([ring]);
    const knot = ["knot/a.ts", "knot/c.ts", "knot/d.ts", "knot/e.ts"];
    expect(findCycles(files, ["static", "lazy", "type"])).toEqual([knot, ring]);
    expect(figuresOf(root)).toMatchObject({
      "runtime import cycles": 1,
      "files of the largest cycle with types": 4,
    });
  });

  it("takes `import { type A }` for a runtime import, as Node does", () => {
    const { files } = readSource(
      repositoryOf({
        "src/main.ts": 'import { type A } from "./a.ts";\nexport type B = A;\n',
        "src/a.ts": 'import { type B } from "./main.ts";\nexport type A = B;\n',
      }),
    );
    expect(findCycles(files, ["static"])).toEqual([["a.ts", "main.ts"]]);
  });

  it("counts lines of named functions, and not of those that are arguments", () => {
    const text = `export function f(): number {
  return [1].map((x) => x)[0]!;
}
const g = (): void => {
  f();
  f();
};
export class C {
  m(): void {
    g();
    g();
    g();
  }
}
`;
    const { files } = readSource(repositoryOf({ "src/main.ts": text }));
    expect(files[0]!.functionLines).toEqual([3, 4, 5]);
  });

  it("tells conditional spreads apart", () => {
    const text = `export const f = (x?: number, y = false) => ({
  ...(x !== undefined && { x }),
  ...(x === undefined ? {} : { z: x }),
  ...(x !== undefined && { twice: 2 * x }),
  ...(x === undefined && { x: 0 }),
  ...(x !== undefined ? { x } : { y }),
  ...(y && { y }),
  ...(y ? [1] : []),
});
`;
    expect(figuresOf(repositoryOf({ "src/main.ts": text }))).toMatchObject({
      "conditional spreads": 6,
      "conditional spreads that test for undefined": 3,
      "conditional spreads that only leave an undefined out": 2,
    });
  });

  it("counts the methods of Gateway, with those that it extends, and says when it is gone", () => {
    const gateway = `interface Lists { list(): void }
export interface Gateway extends Lists, AsyncDisposable {
  readonly name: string;
  readonly open: () => void;
  call(): void;
}
`;
    const methodsIn = (file: string) =>
      countSource(readSource(repositoryOf({ "src/main.ts": "", [file]: gateway }))).find(
        ({ number }) => number === "methods of Gateway",
      );
    expect(methodsIn("src/gateway/gateway.ts")).toMatchObject({ now: 3, details: [] });
    expect(methodsIn("src/api/gateway.ts")).toMatchObject({
      now: undefined,
      details: ["There is no interface Gateway in src/gateway any more."],
    });
  });

  it("says which names of a list are gone, and which stand for two types", () => {
    const { files } = readSource(
      repositoryOf({
        "src/main.ts": "export class Only {}\n",
        "src/one/a.ts": "export type Both = 1;\nexport interface Twice {}\n",
        "src/two/a.ts": "export type Both = 2;\nexport interface Twice {}\n",
      }),
    );
    expect(findTypes(files, ["Only", "one/Both"])).toEqual({ count: 2, problems: [] });
    expect(findTypes(files, ["Gone", "Twice"])).toEqual({
      count: 3,
      problems: [
        "Gone is declared nowhere: correct the list in scripts/house-words.ts",
        "Twice is declared 2 times: one/a.ts, two/a.ts",
      ],
    });
  });

  it("finds retired words in identifiers and file names, as whole words", () => {
    const text = `export interface ShelfDeps {}
export const [bookshelf, visitNode, faceOf, shelfOf] = [1, 2, 3, 4];
export type ClientFace = 1;
export type ThingParts = 1;
export const PARTS = 1;
`;
    const { files } = readSource(repositoryOf({ "src/main.ts": text, "src/call-desk.ts": "" }));
    expect(findRetired(files).filter((use) => use.identifiers.length + use.files.length > 0)).toEqual([
      { word: "shelf", identifiers: ["ShelfDeps", "shelfOf"], files: [] },
      { word: "face", identifiers: ["ClientFace"], files: [] },
      { word: "parts", identifiers: ["ThingParts"], files: [] },
      { word: "desk", identifiers: [], files: ["call-desk.ts"] },
    ]);
  });

  it("fails where there is nothing to count, or an entry is gone", () => {
    expect(() => readSource(repositoryOf({}))).toThrow("nothing to count");
    expect(() => readSource(repositoryOf({ "src/a.ts": "" }))).toThrow("src/main.ts");
  });
});

describe("this repository", () => {
  it("is seen", () => {
    const source = readSource(join(import.meta.dirname, ".."));
    expect(source.files.length).toBeGreaterThan(300);
    expect(source.files.flatMap(({ imports }) => imports).length).toBeGreaterThan(1_000);
    expect(source.entries.size).toBeGreaterThan(3);
    expect(countSource(source).length).toBeGreaterThan(15);
  });

  it("keeps the numbers that it has reached", () => {
    const rows = countSource(readSource(join(import.meta.dirname, "..")));
    const missed = rows.filter(({ now, goal }) => goal !== undefined && !(now! <= goal));
    expect(missed.map(({ number }) => number)).toEqual([
      // 30.5 % (goal: 30 %) since the store has two databases; small parts that belong together come first.
      "files with exactly one importer",
      "types of what runs",
    ]);
  });
});
