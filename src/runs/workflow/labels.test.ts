import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashText } from "../../core/json.ts";
import { codeKey, isNodeKey, labelOf, namesOf, nodeKey } from "./labels.ts";

const HASH = hashText("{}");

describe("the key of a call in code", () => {
  it("is its own label, because the hash of the arguments is all that tells it from others", () => {
    const key = codeKey("notes__add", HASH, 2);
    expect(isNodeKey(key)).toBe(false);
    expect(labelOf(key)).toBe(key);
  });

  it("differs by tool, by arguments and by how many equal calls came before", () => {
    const keys = [
      codeKey("notes__add", HASH, 1),
      codeKey("notes__add", HASH, 2),
      codeKey("notes__get", HASH, 1),
      codeKey("notes__add", hashText("[]"), 1),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the key of a node", () => {
  it("gives its label back, whatever the label is made of", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z_][\w-]{0,20}(\[\d+\])?(~\d)?$/), (label) => {
        const key = nodeKey(label, HASH);
        expect(isNodeKey(key)).toBe(true);
        expect(labelOf(key)).toBe(label);
      }),
    );
  });

  it("keeps an @ in the label: only the last one begins the hash", () => {
    expect(labelOf(nodeKey("a@b", HASH))).toBe("a@b");
  });
});

describe("names", () => {
  it("number the calls of one tool in the order in which they began, the first without a number", () => {
    const keys = [1, 2, 3].map((count) => codeKey("notes__add", HASH, count));
    const other = codeKey("notes__get", HASH, 1);
    const steps = [keys[0]!, other, keys[1]!, keys[2]!].map((key) => ({ key, tool: key.split(" ")[0]! }));
    expect([...namesOf(steps).values()]).toEqual([
      "notes__add",
      "notes__get",
      "notes__add#2",
      "notes__add#3",
    ]);
  });

  it("of nodes are their labels", () => {
    const steps = ["fetch", "fetch[3]", "fetch[3]~2"].map((label) => ({
      key: nodeKey(label, HASH),
      tool: "http",
    }));
    expect([...namesOf(steps).values()]).toEqual(["fetch", "fetch[3]", "fetch[3]~2"]);
  });
});
