import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "./document.ts";
import { formatProblem } from "../problem.ts";

function valueOf(text: string): unknown {
  const parsed = parseDocument(text, "f.json");
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join("\n"));
  return parsed.document.value;
}

function problemsOf(text: string): string[] {
  const parsed = parseDocument(text, "f.json");
  return parsed.ok
    ? parsed.complaints.map((c) => formatProblem(parsed.document.locate(c)))
    : parsed.problems.map(formatProblem);
}

test("reads JSON as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value, null, 1);
      fc.pre(!text.includes('"__proto__"'));
      expect(JSON.stringify(valueOf(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("allows comments and trailing commas", () => {
  expect(valueOf('// a\n{"a": [1, /* b */ 2,], // c\n}')).toEqual({ a: [1, 2] });
});

describe("syntax", () => {
  test.each([
    ['{"a" 1}', 'f.json:1:6  a ":" is expected here'],
    ['{\n  "a": 1\n  "b": 2\n}', 'f.json:3:3  a "," is expected here'],
    ['{"a": 1', 'f.json:1:8  a "}" is missing'],
    ["{a: 1}", "f.json:1:2  this is not JSON"],
    ['{"a": tru}', "f.json:1:7  this is not JSON"],
    ["{'a': 1}", "f.json:1:2  this is not JSON"],
    ['{"a": "x\n"}', "f.json:1:7  this text has no closing quote on its line"],
    ["{} {}", "f.json:1:4  the file should end here"],
    ['{"a": /* }', 'f.json:1:7  this comment has no "*/"'],
    ['{"a": "C:\\dir"}', "f.json:1:7  this escape is not known"],
    ["", "f.json  the file is empty; write {} into it"],
    [" \n", "f.json  the file is empty; write {} into it"],
    ["// nothing", "f.json:1:11  a value is expected here"],
  ])("%j is reported with its place", (text, expected) => {
    expect(problemsOf(text)[0]).toContain(expected);
  });

  test("counts lines that end in CRLF or CR", () => {
    expect(problemsOf('{\r\n"a": 1,\r"b" 2}')[0]).toContain("f.json:3:5 ");
  });

  test("never throws, and always gives a value or a reason", () => {
    const fragment = fc.constantFrom(
      '"',
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "a",
      "1",
      "//",
      "/*",
      "\\",
      "\n",
      "null",
      "-",
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (parts) => {
        const parsed = parseDocument(parts.join(""), "f.json");
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("reports a few errors of a file of garbage, not all", () => {
    expect(problemsOf("x ".repeat(10_000)).length).toBeLessThanOrEqual(10);
  });
});

describe("T037: depth", () => {
  test("of 64 is read", () => {
    expect(problemsOf("[".repeat(64) + "]".repeat(64))).toEqual([]);
  });

  test.each([
    ["[", 65],
    ["[", 500_000],
    ['{"a":', 100_000],
    ["[{", 50_000],
  ])("of %s × %i is refused before the parser recurses", (opening, count) => {
    const [problem] = problemsOf(opening.repeat(count));
    expect(problem).toMatch(/^f\.json:1:\d+ {2}nests deeper than 64 levels$/);
  });

  test("counts no braces in strings and comments", () => {
    expect(problemsOf(`{"a": "${"[".repeat(100)}" /* ${"{".repeat(100)} */}`)).toEqual([]);
  });
});

describe("keys", () => {
  test("that stand twice are reported at the second", () => {
    expect(problemsOf('{"a": {"b": 1,\n "b": 2}}')).toEqual([
      "f.json:2:2  a.b: duplicate key; keep one of them",
    ]);
  });

  test("__proto__ is refused and reaches no prototype", () => {
    const parsed = parseDocument('{"__proto__": {"polluted": true}, "a": {"__proto__": 1}}', "f.json");
    expect(parsed).toMatchObject({
      ok: true,
      complaints: [{ path: ["__proto__"] }, { path: ["a", "__proto__"] }],
    });
    expect(parsed.ok && (parsed.document.value as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("of every object's prototype are ordinary", () => {
    const value = valueOf('{"constructor": 1, "toString": 2, "hasOwnProperty": 3}') as Record<
      string,
      unknown
    >;
    expect(value["constructor"]).toBe(1);
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  test("in great number are found in linear time: quadratic, it would run for minutes", () => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `k${i}`);
    const parsed = parseDocument(`{${keys.map((key) => `"${key}":1`).join(",")}}`, "f.json");
    const locate = (key: string) =>
      parsed.ok && parsed.document.locate({ path: [key], at: "key", message: "" });
    expect(keys.map(locate).at(-1)).toMatchObject({ line: 1, path: "k59999" });
  });
});

test("places a complaint at the nearest thing that exists", () => {
  const parsed = parseDocument('{\n "a": [\n  {"b": 1}\n ]\n}', "f.json");
  const placeOf = (path: (string | number)[], at: "key" | "value"): string =>
    parsed.ok ? formatProblem(parsed.document.locate({ path, at, message: "m" })) : "";
  expect(placeOf([], "value")).toBe("f.json:1:1  m");
  expect(placeOf(["a", 0, "b"], "key")).toBe("f.json:3:4  a[0].b: m");
  expect(placeOf(["a", 0, "b"], "value")).toBe("f.json:3:9  a[0].b: m");
  expect(placeOf(["a", 0, "c"], "key")).toBe("f.json:3:3  a[0].c: m");
  expect(placeOf(["z", "y"], "value")).toBe("f.json:1:1  z.y: m");
});
