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

  test.each(["${", "${NAME", "${}", "${1A}", "${A B}", "${NAME-x}", "${NAME:=x}", "${INPUT:x}", "${env:}"])(
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
      const { unset } = expandText(`\${${name}}`, env);
      expect(unset.map((problem) => problem.message)).toEqual([
        `the environment variable ${name} is not set`,
      ]);
    },
  );

  test("names each unset variable and nothing around it", () => {
    const { unset } = expandText("${NAME}-${FIRST}-${SECOND}-literal", env);
    expect(unset.map((problem) => problem.message)).toEqual([
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

test.each(["REPERTOIRE_SECRET_KEY", "REPERTOIRE_SECRET_KEY_PREVIOUS", "repertoire_secret_key"])(
  "expandText gives no server the key for secrets: %s",
  (name) => {
    for (const written of [`\${${name}}`, `\${env:${name}}`, `\${${name}:-x}`]) {
      const { text, problems, variables } = expandText(written, { [name]: "KEY" });
      expect(text).toBe(written);
      expect(variables).toEqual([]);
      expect(problems).toMatchObject([
        { message: expect.stringContaining("the key for the gateway's secrets") },
      ]);
    }
  },
);

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
    const { unset: complaints } = expandTree({ a: [{ b: "${MISSING}" }] }, env);
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

describe("inputs", () => {
  const KEPT = { id: "${NAME} ${input:other} $${x}", other: "second" } as Record<string, string>;
  const lookUp = (id: string) =>
    Object.hasOwn(KEPT, id) ? { value: KEPT[id]!, isSecret: true, isKept: true } : undefined;

  test("T137: a value is put in as it is, once, and is a secret", () => {
    const expansion = expandText("a ${input:id} ${NAME} ${input:other}", env, lookUp);
    expect(expansion).toMatchObject({
      text: `a ${KEPT["id"]} value second`,
      problems: [],
      unset: [],
      variables: ["NAME"],
      inputs: [
        { id: "id", state: "kept" },
        { id: "other", state: "kept" },
      ],
      secrets: [KEPT["id"], "second"],
    });
  });

  test("one without a value stays as it is written, and is named", () => {
    const expansion = expandText("Bearer ${input:none}", env, lookUp);
    expect(expansion).toMatchObject({
      text: "Bearer ${input:none}",
      problems: [],
      inputs: [{ id: "none", state: "missing" }],
      unresolved: ["${input:none}"],
    });
    expect(expandText("${input:constructor}", env, lookUp).inputs).toEqual([
      { id: "constructor", state: "missing" },
    ]);
  });

  test.each([
    "${input:}",
    "${input:__proto__}",
    "${input:a b}",
    "${input:a/b}",
    "${input:a:-default}",
    "${input:${NAME}}",
    `\${input:${"x".repeat(65)}}`,
  ])("T137: refuses %s and shows the rule", (text) => {
    const { problems, inputs } = expandText(text, env, lookUp);
    expect(inputs).toEqual([]);
    if (text.includes("${NAME}")) expect(problems[0]?.message).toContain("not a variable");
    else expect(problems[0]?.hint).toContain("beginning with a letter or digit");
  });

  test("an escaped one is literal, and nothing in the section inputs is expanded", () => {
    expect(expandText("$${input:id}", env, lookUp)).toMatchObject({ text: "${input:id}", inputs: [] });
    const tree = { inputs: [{ id: "x", default: "${NAME}" }], log: { inputs: "${NAME}" } };
    expect(expandTree(tree, env, lookUp).value).toEqual({
      inputs: [{ id: "x", default: "${NAME}" }],
      log: { inputs: "value" },
    });
  });

  test("is a whole reference", () => {
    for (const text of ["${input:a.b-c}", "Bearer ${input:a}"]) expect(isWholeReference(text)).toBe(true);
    for (const text of ["x${input:a}", "${input:__proto__}"]) expect(isWholeReference(text)).toBe(false);
  });

  test("a text of many beginnings takes time in proportion", () => {
    const text = "${input:".repeat(100_000);
    expect(expandText(text, env, lookUp).problems).toHaveLength(100_000);
  });
});
