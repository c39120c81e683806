import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { Json } from "../../core/json.ts";
import type { ParameterPlan } from "../api-description.ts";
import { headerText, pathText, queryParts } from "./parameter-text.ts";

function planOf(style: ParameterPlan["style"], explode: boolean): ParameterPlan {
  return { argument: "color", name: "color", in: "query", style, explode, isJson: false };
}

const LIST = ["blue", "black"];
const OBJECT = { R: 100, G: 200 };

describe("the table of styles in the standard", () => {
  it.each([
    ["simple", false, "blue", "blue"],
    ["simple", false, LIST, "blue,black"],
    ["simple", false, OBJECT, "R,100,G,200"],
    ["simple", true, LIST, "blue,black"],
    ["simple", true, OBJECT, "R=100,G=200"],
    ["label", false, "blue", ".blue"],
    ["label", false, LIST, ".blue,black"],
    ["label", true, LIST, ".blue.black"],
    ["label", true, OBJECT, ".R=100.G=200"],
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, LIST, ";color=blue,black"],
    ["matrix", true, LIST, ";color=blue;color=black"],
    ["matrix", false, OBJECT, ";color=R,100,G,200"],
    ["matrix", true, OBJECT, ";R=100;G=200"],
  ] as const)("%s in a path, exploded %s, of %j is %s", (style, explode, value, text) => {
    expect(pathText(planOf(style, explode), value as Json)).toBe(text);
  });

  it.each([
    ["form", true, "blue", "color=blue"],
    ["form", true, LIST, "color=blue&color=black"],
    ["form", false, LIST, "color=blue,black"],
    ["form", true, OBJECT, "R=100&G=200"],
    ["form", false, OBJECT, "color=R,100,G,200"],
    ["spaceDelimited", false, LIST, "color=blue%20black"],
    ["pipeDelimited", false, LIST, "color=blue%7Cblack"],
    ["deepObject", true, OBJECT, "color%5BR%5D=100&color%5BG%5D=200"],
    ["deepObject", true, { a: { b: 1 }, c: [1, 2] }, "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D=1&color%5Bc%5D=2"],
    ["form", true, [], ""],
    ["form", false, [], ""],
    ["form", true, null, ""],
    ["form", true, true, "color=true"],
  ] as const)("%s in a query, exploded %s, of %j is %s", (style, explode, value, text) => {
    expect(queryParts(planOf(style, explode), value as Json).join("&")).toBe(text);
  });

  it("a header is written as it is", () => {
    expect(headerText(planOf("simple", false), LIST)).toBe("blue,black");
    expect(headerText(planOf("simple", true), OBJECT)).toBe("R=100,G=200");
  });

  it("a parameter that is described by a media type is JSON", () => {
    const plan = { ...planOf("form", true), isJson: true };
    expect(queryParts(plan, OBJECT)).toEqual(["color=%7B%22R%22%3A100%2C%22G%22%3A200%7D"]);
  });
});

const JSON_VALUES = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const STYLES = fc.constantFrom("simple", "label", "matrix");

it("T034: no value leaves its segment, whatever it is and however it is written", () => {
  fc.assert(
    fc.property(JSON_VALUES, STYLES, fc.boolean(), (value, style, explode) => {
      expect(pathText(planOf(style, explode), value)).toMatch(/^[\w.,;=~!*'()%-]*$/);
    }),
  );
});

it("T034: no value leaves its part of a query", () => {
  const values = fc.oneof(
    JSON_VALUES,
    fc.string().map((text): Json => text),
  );
  fc.assert(
    fc.property(values, fc.boolean(), (value, explode) => {
      for (const part of queryParts(planOf("form", explode), value)) {
        expect(part.split("=")).toHaveLength(2);
        expect(part).not.toMatch(/[#&?\s]/);
      }
    }),
  );
});
