import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasNul } from "../../text/nul.ts";
import { workedMs } from "../../../test/rig/worked.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { VISIBILITIES } from "../../core/store.ts";
import { formatPortable, parsePortable, type PortableCapability } from "./portable.ts";

const SUM: PortableCapability = {
  namespace: "math",
  action: "sum",
  kind: "code",
  description: "Adds numbers",
  tags: ["numbers"],
  visibility: "private",
  author: "ann",
  source: "return inputs.a + inputs.b;\n",
  inputSchema: {
    type: "object",
    required: ["a", "b"],
    properties: { b: { type: "number" }, a: { type: "number" } },
  },
  outputSchema: null,
  toolsUsed: [],
  aliases: [{ namespace: "math", action: "add" }],
  example: null,
};

const SUM_TEXT = `/* repertoire
{
  "name": "math:sum",
  "kind": "code",
  "description": "Adds numbers",
  "tags": [
    "numbers"
  ],
  "visibility": "private",
  "author": "ann",
  "aliases": [
    "math:add"
  ],
  "inputSchema": {
    "properties": {
      "a": {
        "type": "number"
      },
      "b": {
        "type": "number"
      }
    },
    "required": [
      "a",
      "b"
    ],
    "type": "object"
  }
}
*/
return inputs.a + inputs.b;
`;

/** Ten times what it takes here; each place looked up for itself would take minutes. */
const IN_TIME_MS = 10_000;

function problemsOf(text: string, path = "math/sum.ts"): string[] {
  const parsed = parsePortable(path, text);
  return parsed.success ? [] : parsed.error.message.split("\n");
}

/** The file of the sum with its header changed. */
function withHeader(change: Record<string, unknown>): string {
  const header = {
    name: "math:sum",
    kind: "code",
    description: "",
    visibility: "private",
    author: "",
    inputSchema: {},
  };
  return `/* repertoire\n${JSON.stringify({ ...header, ...change }, null, 2)}\n*/\nreturn 1;`;
}

describe("a capability as a file", () => {
  it("is a header of JSON in a fixed order and then the source", () => {
    expect(formatPortable(SUM)).toEqual({ path: "math/sum.ts", text: SUM_TEXT });
    expect(parsePortable("math/sum.ts", SUM_TEXT)).toEqual({ success: true, data: SUM });
  });

  it("a workflow is JSON with comments", () => {
    const workflow: PortableCapability = { ...SUM, kind: "workflow", source: '{ "nodes": [] }' };
    const { path, text } = formatPortable(workflow);
    expect(path).toBe("math/sum.jsonc");
    expect(parsePortable(path, text)).toEqual({ success: true, data: workflow });
  });

  it("does not depend on the order of keys", () => {
    const turned = { ...SUM, inputSchema: Object.fromEntries(Object.entries(SUM.inputSchema).toReversed()) };
    expect(formatPortable(turned)).toEqual(formatPortable(SUM));
  });

  it("holds no character in its header that would not show, and no end of the comment", () => {
    const { text } = formatPortable({
      ...SUM,
      description: "a */ b \u202e c \u2028 d \u0085 e \u{e0001}",
      source: "",
    });
    expect(text).toContain(String.raw`"a *\/ b \u202e c \u2028 d \u0085 e \udb40\udc01"`);
  });

  it.each([
    ["CRLF", "a;\r\nb;\r\n"],
    ["a lone CR", "\ra"],
    ["no final line break", "a"],
    ["a byte order mark", "\uFEFFreturn 1;"],
    ["a comment", "/* repertoire\n{}\n*/\nreturn 1;"],
    ["the end of a comment", "*/\n*/"],
    ["nothing", ""],
    ["a line break", "\n"],
  ])("keeps a source byte for byte: %s", (_, source) => {
    const { path, text } = formatPortable({ ...SUM, source });
    expect(parsePortable(path, text)).toEqual({ success: true, data: { ...SUM, source } });
  });

  it("is read back as it was, whatever it holds", () => {
    fc.assert(
      fc.property(CAPABILITY, (item) => {
        // What cannot be stored is refused.
        fc.pre(![item.source, item.description, item.author, item.example?.seed ?? ""].some(hasNul));
        const { path, text } = formatPortable(item);
        const bytes = new TextEncoder().encode(text);
        const read = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        expect(parsePortable(path, read)).toEqual({ success: true, data: item });
      }),
      { numRuns: 200 },
    );
  });

  it("is understood with a byte order mark and CRLF in its header", () => {
    const crlf = `\uFEFF${SUM_TEXT.replaceAll("\n", "\r\n")}`;
    expect(parsePortable("math/sum.ts", crlf)).toEqual({
      success: true,
      data: { ...SUM, source: SUM.source.replaceAll("\n", "\r\n") },
    });
  });

  it("may leave out what is empty", () => {
    expect(parsePortable("math/sum.ts", withHeader({}))).toMatchObject({
      data: { tags: [], aliases: [], toolsUsed: [], outputSchema: null, example: null },
    });
  });
});

describe("a file that is refused", () => {
  it("says where the header is missing or has no end", () => {
    expect(problemsOf("return 1;")[0]).toMatch(
      /^math\/sum\.ts:1: the header is missing\. A file begins with/,
    );
    expect(problemsOf("")[0]).toContain("the header is missing");
    expect(problemsOf("/* repertoire\n{}")[0]).toContain("the header has no end");
  });

  it("says the line of broken JSON", () => {
    expect(problemsOf(SUM_TEXT.replace('"author": "ann",', '"author": ann,'))).toEqual([
      expect.stringMatching(/^math\/sum\.ts:10: the header: Not valid JSON/),
    ]);
  });

  it("says how the end of a comment is written in text", () => {
    expect(problemsOf(SUM_TEXT.replace("Adds numbers", "Adds */ numbers"))).toEqual([
      String.raw`math/sum.ts:5: the header ends in the middle of this line. Inside text, write */ as *\/; the source begins on a new line`,
    ]);
  });

  it("tells all its problems at once, in the order of their lines", () => {
    const text = withHeader({
      descripton: "x",
      description: 1,
      visibility: "secret",
      author: undefined,
      toolsUsed: [{ tool: "a", hsh: "b" }],
    });
    expect(problemsOf(text)).toEqual([
      "math/sum.ts:2: author: is missing",
      "math/sum.ts:5: description: must be text",
      "math/sum.ts:6: visibility: must be one of private, project, org, public",
      'math/sum.ts:8: the key "descripton" is not known. Did you mean description?',
      "math/sum.ts:10: toolsUsed[0].hash: is missing",
      'math/sum.ts:12: toolsUsed[0]: the key "hsh" is not known. Did you mean hash?',
    ]);
  });

  it("names the known keys where none is near", () => {
    expect(problemsOf(withHeader({ example: { inputs: {}, calls: [], result: 1, zzzzz: 1 } }))).toEqual([
      'math/sum.ts:13: example: the key "zzzzz" is not known. There are inputs, calls, result, seed, clockAt.',
    ]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      "another name than its path",
      { name: "math:product" },
      "math/sum.ts",
      '"math:product" does not match the path, which says "math:sum"',
    ],
    [
      "another kind than its extension",
      { kind: "workflow" },
      "math/sum.ts",
      '"workflow" does not go with .ts; such a file ends in .jsonc',
    ],
    ["a name that leads elsewhere", { name: "..:passwd" }, "../passwd.ts", "is refused"],
    ["a name that is no name", { name: "Math:sum" }, "Math/sum.ts", "is not a valid name"],
    ["another spelling of a name", { name: "mcp__math__sum" }, "math/sum.ts", "must be namespace:action"],
    [
      "an alias with a version",
      { aliases: ["math:add@2"] },
      "math/sum.ts",
      "aliases[0]: must be namespace:action",
    ],
    ["a path that is too deep", {}, "a/math/sum.ts", "a file is called <namespace>/<action>.ts"],
    ["a path of another kind", {}, "math/sum.js", "a file is called <namespace>/<action>.ts"],
    [
      "half a character in its fields",
      { author: "\ud800" },
      "math/sum.ts",
      "author: holds half of a character",
    ],
    ["NUL in its fields", { description: "a\0" }, "math/sum.ts", "description: holds a NUL character"],
  ])("has %s", (_, change, path, message) => {
    expect(problemsOf(withHeader(change), path).join("\n")).toContain(message);
  });

  it.each(["[]", "null", '"text"', "1"])("has %s as its header", (json) => {
    expect(problemsOf(`/* repertoire\n${json}\n*/\n`)).toEqual(["math/sum.ts:2: must be an object"]);
  });

  it("has a key twice, as a merge leaves it", () => {
    const text = withHeader({}).replace('"author": "",', '"author": "",\n  "author": "eve",');
    expect(problemsOf(text)).toEqual(["math/sum.ts:8: duplicate key; keep one of them"]);
  });

  it("has a key that could reach a prototype", () => {
    const text = withHeader({}).replace('"author": "",', '"author": "",\n  "__proto__": {},');
    expect(problemsOf(text)[0]).toContain('the key "__proto__" is not known');
  });

  it("has half a character in its source", () => {
    expect(problemsOf(`${SUM_TEXT}\n"\ud800"`)).toEqual([
      "math/sum.ts:33: half of a character is here (a lone surrogate); save the file as UTF-8",
    ]);
  });

  it("has NUL in its source", () => {
    expect(problemsOf(`${SUM_TEXT}\n"\0"`)).toEqual([
      String.raw`math/sum.ts:33: a NUL character is here, which cannot be stored; write it as "\u0000" in a string`,
    ]);
  });

  it("has a source or a header over the limit", () => {
    const at = { ...SUM, source: "x".repeat(256 * 1024) };
    expect(problemsOf(formatPortable(at).text)).toEqual([]);
    expect(problemsOf(formatPortable({ ...at, source: `${at.source}x` }).text)[0]).toContain(
      "the source has 262145 bytes; the limit is 262144",
    );
    expect(problemsOf(withHeader({ description: "x".repeat(1024 * 1024) }))[0]).toContain(
      "the limit is 1048576",
    );
  });

  it("nests deeper than the stack, and is refused all the same", () => {
    const text = `/* repertoire\n${"[".repeat(100_000)}\n*/\n`;
    expect(problemsOf(text)[0]).toContain("nests deeper than");
  });

  it("has more problems than anyone reads", () => {
    const problems = problemsOf(withHeader({ tags: Array.from({ length: 150 }, () => 1) }));
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe("math/sum.ts: there are more problems; they show when these are fixed");
  });

  it.each<[string, Record<string, unknown>]>([
    ["a wrong value", { tags: Array.from({ length: 100_000 }, () => 1) }],
    ["an unknown key", Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, 1]))],
    ["an entry with both", { toolsUsed: Array.from({ length: 10_000 }, () => ({ hsh: 1 })) }],
  ])("has %s as often as fits, and is refused in time", (_, change) => {
    const text = withHeader(change).replaceAll(/\n +/g, "");
    expect(workedMs(() => expect(problemsOf(text)).toHaveLength(51))).toBeLessThan(IN_TIME_MS);
  });

  it("forges no line of the message", () => {
    expect(problemsOf(withHeader({ "a\nb\u202e": 1 }))).toHaveLength(1);
    expect(problemsOf("", "a\nb/c.ts")).toHaveLength(1);
  });
});

// ── anything that a capability can be ───────────────────────────────────────────────────────────────────────────────

const PIECE = fc.constantFrom(
  "*/",
  "/*",
  "*",
  "/",
  "\\",
  '"',
  "\r\n",
  "\n",
  "\r",
  "\0",
  "\uFEFF",
  "\u2028",
  "\u202e",
  "\u{1f600}",
  "/* repertoire\n",
  "\n*/\n",
  "__proto__",
);
const TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.oneof(PIECE, fc.string({ maxLength: 3 })), { maxLength: 12 }).map((parts) => parts.join("")),
);
// JSON has one zero only, as the store does.
const JSON_VALUE = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
const OBJECT = fc
  .dictionary(TEXT, JSON_VALUE, { maxKeys: 4, noNullPrototype: true })
  .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);
const PART = fc
  .stringMatching(/^[a-z][a-z0-9]{0,9}(_[a-z0-9]{1,5})?$/)
  .filter((part) => !/^(con|prn|aux|nul|constructor|prototype|(com|lpt)\d)$/.test(part));
const NAME = { namespace: PART, action: PART };

const CAPABILITY: fc.Arbitrary<PortableCapability> = fc.record(
  {
    ...NAME,
    kind: fc.constantFrom("code" as const, "workflow" as const),
    description: TEXT,
    tags: fc.array(TEXT),
    visibility: fc.constantFrom(...VISIBILITIES),
    author: TEXT,
    source: TEXT,
    inputSchema: OBJECT,
    outputSchema: fc.option(OBJECT),
    toolsUsed: fc.array(
      fc.record(
        {
          tool: TEXT,
          hash: TEXT,
          definition: OBJECT,
          source: fc.record({ kind: fc.constant("program" as const), id: TEXT }),
        },
        { requiredKeys: ["tool", "hash"] },
      ),
    ),
    aliases: fc.array(fc.record(NAME)),
    example: fc.option(
      fc.record({
        inputs: OBJECT,
        calls: fc.array(
          fc.record(
            { tool: TEXT, args: OBJECT, result: JSON_VALUE, error: OBJECT },
            { requiredKeys: ["tool", "args"] },
          ),
        ),
        result: JSON_VALUE,
      }),
    ),
  },
  { noNullPrototype: true },
);
