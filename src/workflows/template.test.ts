import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../core/json.ts";
import { FILLED_TEXT_LENGTH_MAX, fillTemplates, findTemplates } from "./template.ts";

const roots = new Map<string, Json>([
  ["fetch", { body: { list: [{ x: 1 }, null], "a b": "c", __proto__: 1 }, ok: true, none: null }],
  ["name", "Zoë"],
]);

const fill = (value: Json): Json => {
  const filled = fillTemplates(value, "params", roots);
  if (!filled.ok) throw new Error(JSON.stringify(filled.missing));
  return filled.value;
};

describe("finding templates", () => {
  it("tells each use with its place, and what is malformed", () => {
    const value = { url: "http://${host}/${fetch.a[0]}", list: [{ x: "${" }, "$${no}"], "a b": "${c}" };
    expect(findTemplates(value, "nodes[2].params")).toEqual({
      uses: [
        { root: "host", path: [], text: "${host}", place: "nodes[2].params.url" },
        { root: "fetch", path: ["a", 0], text: "${fetch.a[0]}", place: "nodes[2].params.url" },
        { root: "c", path: [], text: "${c}", place: 'nodes[2].params["a b"]' },
      ],
      malformed: [{ text: "${", place: "nodes[2].params.list[0].x" }],
    });
  });

  it("does not look at keys", () => {
    expect(findTemplates({ "${a}": 1 }, "")).toEqual({ uses: [], malformed: [] });
  });
});

describe("filling in", () => {
  it("keeps the type of a value that stands alone", () => {
    expect(fill("${fetch.body.list}")).toEqual([{ x: 1 }, null]);
    expect(fill("${fetch.ok}")).toBe(true);
    expect(fill("${fetch.none}")).toBeNull();
    expect(fill("${fetch.body.list[1]}")).toBeNull();
    expect(fill({ deep: ["${fetch.body.list[0].x}"] })).toEqual({ deep: [1] });
  });

  it("makes text of a value inside a text", () => {
    expect(fill("Hi ${name}!")).toBe("Hi Zoë!");
    expect(fill("${fetch.none} ${fetch.ok} ${fetch.body.list}")).toBe('null true [{"x":1},null]');
    expect(fill('${fetch.body["a b"]}${name}')).toBe("cZoë");
  });

  it("takes $${ for the characters", () => {
    expect(fill("$${name}")).toBe("${name}");
    expect(fill("$${name} is ${name}")).toBe("${name} is Zoë");
  });

  it("leaves keys and everything without a template as they are", () => {
    const value = JSON.parse('{"${name}": 1, "__proto__": {"x": "y"}, "constructor": [null]}') as Json;
    const filled = fill(value);
    expect(JSON.stringify(filled)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
  });

  it("tells all that is missing at once, with how far each leads", () => {
    const value = ["${nam}", { a: "x ${fetch.body.lisst}", b: "${fetch.body.list[2]}" }, "${name.length}"];
    expect(fillTemplates(value, "params", roots)).toEqual({
      ok: false,
      missing: [
        { text: "${nam}", place: "params[0]", root: "nam", found: "", available: ["fetch", "name"] },
        {
          text: "${fetch.body.lisst}",
          place: "params[1].a",
          root: "fetch",
          found: "fetch.body",
          available: ["list", "a b"],
        },
        {
          text: "${fetch.body.list[2]}",
          place: "params[1].b",
          root: "fetch",
          found: "fetch.body.list",
          available: ["[0]", "[1]"],
        },
        { text: "${name.length}", place: "params[2]", root: "name", found: "name", available: [] },
      ],
    });
  });

  it.each([
    "${fetch.constructor}",
    "${fetch.__proto__}",
    "${fetch.toString}",
    '${fetch.body["__proto__"]}',
    "${fetch.body.list.length}",
    "${fetch.body.list.0}",
    "${fetch[0]}",
    "${name[0]}",
    "${__proto__}",
    "${constructor.name}",
  ])("%s reaches nothing", (template) => {
    expect(fillTemplates(template, "", roots)).toMatchObject({ ok: false, missing: [{ text: template }] });
  });

  it("shows at most twenty names", () => {
    const wide = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]));
    const filled = fillTemplates("${wide.no}", "", new Map([["wide", wide]]));
    expect(filled.ok ? [] : filled.missing[0]!.available).toHaveLength(20);
  });

  it("refuses what is malformed, and a text that would grow without end", () => {
    expect(fillTemplates("${", "p", roots)).toMatchObject({
      ok: false,
      missing: [{ text: "${", place: "p", reason: "malformed" }],
    });
    const long = new Map([["long", "x".repeat(FILLED_TEXT_LENGTH_MAX / 2)]]);
    expect(fillTemplates("${long}${long}", "p", long).ok).toBe(true);
    expect(fillTemplates("${long}".repeat(1_000), "p", long)).toMatchObject({
      ok: false,
      missing: [{ place: "p", reason: "too_large" }],
    });
    expect(fillTemplates(["${long}-", "${long}-"], "p", long)).toMatchObject({ ok: false });
  });

  it("tells at most a hundred that are missing", () => {
    const filled = fillTemplates("${no}".repeat(10_000), "p", roots);
    expect(filled.ok ? [] : filled.missing).toHaveLength(100);
  });

  it("changes nothing that has no template, and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        const filled = fillTemplates(json, "", roots);
        if (JSON.stringify(json).includes("${")) return;
        expect(filled.ok && JSON.stringify(filled.value)).toBe(JSON.stringify(json));
      }),
    );
    const piece = fc.constantFrom(
      "${",
      "}",
      "$",
      "name",
      "fetch",
      ".",
      "[",
      "]",
      '"',
      "0",
      "\\",
      "body",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.jsonValue(), (pieces, value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        const text = pieces.join("");
        const { uses, malformed } = findTemplates(text, "");
        const filled = fillTemplates(text, "", new Map([...roots, ["body", json]]));
        if (uses.length + malformed.length === 0)
          expect(filled).toEqual({ ok: true, value: text.replaceAll("$${", "${") });
        if (malformed.length > 0) expect(filled.ok).toBe(false);
      }),
    );
  });
});
