import { expect, it } from "vitest";
import { currentVersionOf, driftOf, signatureOf } from "./item-details.ts";

const field = (type: string, required: boolean) => ({ type, required, description: "" });

it("writes the signature as code calls it", () => {
  const inputs = { to: field("string", true), limit: field("number", false) };
  expect(signatureOf({ tool: "mail__digest", inputs, outputs: { text: field("string", true) } })).toBe(
    "mail__digest({ to: string; limit?: number }): { text: string }",
  );
  expect(signatureOf({ tool: "mail__digest", inputs: {}, outputs: {} })).toBe("mail__digest(): unknown");
});

it("says what became of a tool, also of a state that it does not know", () => {
  expect(driftOf({ state: "missing" })).toEqual({ word: "Gone", tone: "fail" });
  expect(driftOf({ state: "other" })).toEqual({ word: "other", tone: "idle" });
});

it("knows the current version of an item that is shown in an older one", () => {
  const version = (number: number) => ({ version: number, hash: "", author: "", created_at: "" });
  expect(currentVersionOf({ version: 1, versions: [version(1), version(3)] })).toBe(3);
});
