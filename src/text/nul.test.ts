import { expect, it } from "vitest";
import { hasNul, refuseNul } from "./nul.ts";

it("says where the character is and what to do", () => {
  expect(refuseNul("ab\0c", "The intent", "intent")).toMatchObject({
    error: {
      code: "TOOL_INVALID_INPUT",
      reason: "nul_character",
      field: "intent",
      message: "The intent has a NUL character (U+0000) at character 3, which cannot be stored.",
      hint: expect.stringContaining(String.raw`"\u0000"`),
    },
  });
  expect(refuseNul("a\nb\0", "The code")).toMatchObject({
    error: { message: expect.stringContaining("in line 2") },
  });
});

it("passes any other text, also one that writes the character as an escape", () => {
  for (const text of ["", "a\u0001b", String.raw`"\0\u0000"`, "\u2400"]) {
    expect([hasNul(text), refuseNul(text, "The code")]).toEqual([false, undefined]);
  }
});
