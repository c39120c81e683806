import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandText, expandTree, isWholeReference } from "./expand.ts";

const env = { NAME: "value", EMPTY: "", REFERENCE: "${NAME}", HALF: "${", DOLLAR: "$", TAIL: "{NAME}" };

describe("expandText", () => {
  test.each([
    ["${NAME}", "value"],
    ["${env:NAME}", "value"],
    ["a ${NAME} b ${NAME}", "a value b value"],
    ["${NAME:-other}", "value"],
    ["${MISSING:-other}", "other"],
    ["${env:MISSING:-other}", "other"],
    ["${MISSING:-}", ""],
    ["${MISSING:-a:-b$c}", "a:-b$c"],
    ["${EMPTY}", ""],
    ["${EMPTY:-other}", "other"],
    ["$${NAME}", "${NAME}"],
    ["$$${NAME}", "$${NAME}"],
    ["$NAME $ {NAME} {NAME}", "$NAME $ {NAME} {NAME}"],
    ["", ""],
  ])("turns %s into %s", (text, expected) => {
    expect(expandText(text, env)).toMatchObject({ text: expected, problems: [] });
  });

  test.each([
    ["${REFERENCE}", "${NAME}"],
    ["${MISSING:-$}{NAME}", "${NAME}"],
    ["${DOLLAR}${TAIL}", "${NAME}"],
    ["${HALF}NAME}", "${NAME}"],
  ])("T137: makes no second pass over %s", (text, expected) => {
    expect(expandText(text, env)).toMatchObject({ text: expected, problems: [] });
  });

  test.each(["${", "${NAME", "${}", "${1A}", "${A B}", "${NAME-x}", "${NAME:=x}", "${input:x}", "${env:}"])(
    "refuses %s",
    (text) => {
      const [problem] = expandText(text, env).problems;
      expect(problem?.message).toBe('has a "${" that is not a variable');
      expect(problem?.hint).toContain("${NAME:-default}");
    },
  );

  test("T137: refuses a reference inside a default", () => {
    expect(expandText("${MISSING:-${NAME}}", env).problems).toHaveLength(1);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "T137: finds no variable %s",
    (name) => {
      const { problems } = expandText(`\${${name}}`, env);
      expect(problems.map((problem) => problem.message)).toEqual([
        `the environment variable ${name} is not set`,
      ]);
    },
  );

  test("names each unset variable and nothing around it", () => {
    const { problems } = expandText("${NAME}-${FIRST}-${SECOND}-literal", env);
    expect(problems.map((problem) => problem.message)).toEqual([
      "the environment variable FIRST is not set",
      "the environment variable SECOND is not set",
    ]);
  });

  test("remembers the variables, and the values and defaults of those with secret names", () => {
    const expansion = expandText("${NAME} ${API_TOKEN} ${DB_PASSWORD:-fallback}", {
      ...env,
      API_TOKEN: "t0ken",
    });
    expect(expansion.variables).toEqual(["NAME", "API_TOKEN", "DB_PASSWORD"]);
    expect(expansion.secrets).toEqual(["t0ken", "fallback"]);
  });

  test("leaves text without ${ as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(!text.includes("${"));
        expect(expandText(text, env)).toMatchObject({ text, problems: [], variables: [] });
      }),
    );
  });

  test("T137: never expands what came from a variable or a default", () => {
    const fragment = fc.constantFrom("${", "}", "$", "$$", "{", "A", "B", ":-", "env:", "text", " ");
    const value = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(""));
    const piece = fc.oneof(
      fc.constant({ text: "${A}", from: "A" as const }),
      fc.constant({ text: "${env:B}", from: "B" as const }),
      fc.constantFrom("x", "-", "é", "\n").map((text) => ({ text, from: undefined })),
    );
    fc.assert(
      fc.property(value, value, fc.array(piece), (A, B, pieces) => {
        const expected = pieces.map(({ text, from }) => (from === undefined ? text : { A, B }[from]));
        const expansion = expandText(pieces.map(({ text }) => text).join(""), { A, B });
        expect(expansion).toMatchObject({ text: expected.join(""), problems: [] });
      }),
    );
  });

  test("undoes the escape for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("${", "}", "A", ":-", "x", " ")), (parts) => {
        const text = parts.join("");
        expect(
          expandText(
            text.replaceAll("${", () => "$${"),
            {},
          ).text,
        ).toBe(text);
      }),
    );
  });

  test("takes linear time over a megabyte of unclosed references: quadratic, it would run for minutes", () => {
    const text = "${A:-".repeat(200_000);
    expect(expandText(text, env).problems).toHaveLength(200_000);
  });
});

describe("expandTree", () => {
  test("expands strings and leaves keys, numbers and booleans alone", () => {
    const tree = { "${NAME}": ["${NAME}", 1, true, null, { a: "x${NAME}" }] };
    const { value, uses } = expandTree(tree, env);
    expect(value).toEqual({ "${NAME}": ["value", 1, true, null, { a: "xvalue" }] });
    expect(uses.map((use) => use.path)).toEqual([
      ["${NAME}", 0],
      ["${NAME}", 4, "a"],
    ]);
  });

  test("says where a variable is missing", () => {
    const { complaints } = expandTree({ a: [{ b: "${MISSING}" }] }, env);
    expect(complaints).toMatchObject([{ path: ["a", 0, "b"], at: "value" }]);
  });
});

test.each([
  ["${TOKEN}", true],
  ["${env:TOKEN}", true],
  ["Bearer ${TOKEN}", true],
  ["${TOKEN:-literal}", false],
  ["x${TOKEN}", false],
  ["Bearer abc ${TOKEN}", false],
  ["$${TOKEN}", false],
  ["${A}${B}", false],
])("isWholeReference(%s) is %s", (text, expected) => {
  expect(isWholeReference(text)).toBe(expected);
});
