import { expect, it } from "vitest";
import { ENTRY_STEP, nodeOf, rowsOf, type JsonRow, type JsonState } from "./json-rows.ts";

const CLOSED: JsonState = { open: new Map(), shown: new Map(), loaded: new Map(), depth: 1 };
const pathsOf = (rows: readonly JsonRow[]) =>
  rows.map((row) => (row.row === "node" ? row.node.path : `${row.row} ${row.path}`));

it("has a row for each entry of what is open, and none for what is closed", () => {
  const root = nodeOf({ a: 1, b: { c: 2 }, "x/y~z": [] });
  expect(pathsOf(rowsOf(root, CLOSED))).toEqual(["", "/a", "/b", "/x~1y~0z"]);
  expect(pathsOf(rowsOf(root, { ...CLOSED, open: new Map([["/b", true]]) }))).toContain("/b/c");
});

it("shows the first entries of a long array, and how many are left", () => {
  const rows = rowsOf(nodeOf(Array.from({ length: 10_000 }, (_, at) => at)), CLOSED);
  expect(rows).toHaveLength(ENTRY_STEP + 2);
  expect(rows.at(-1)).toMatchObject({ row: "more", left: 10_000 - ENTRY_STEP });
});

it("waits for what has to be asked for, then shows it by its size", () => {
  const root = { path: "", kind: "array", bytes: 20_000_000 } as const;
  expect(pathsOf(rowsOf(root, CLOSED))).toEqual(["", "loading "]);
  const entries = [
    { key: 0, kind: "object", bytes: 9_000_000, entry_count: 40 },
    { key: 1, kind: "string", bytes: 3, value: "a" },
  ];
  const loaded = new Map([["", { entries, next: 2, state: "ready" as const }]]);
  const rows = rowsOf(root, { ...CLOSED, loaded });
  expect(pathsOf(rows)).toEqual(["", "/0", "/1", "more "]);
  expect(rows[1]).toMatchObject({ canOpen: true, isOpen: false, node: { count: 40 } });
});
