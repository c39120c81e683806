import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { openText, SEALING_KEY_BYTES, sealText } from "./sealed-text.ts";

const KEY = randomBytes(SEALING_KEY_BYTES);

it("opens what was sealed with the same key for the same place, each time in other bytes", () => {
  const sealed = ["", "text", "ä€𝄞"].map((text) => sealText(KEY, "here", text));
  expect(sealed.map((text) => openText(KEY, "here", text))).toEqual(["", "text", "ä€𝄞"]);
  expect(sealText(KEY, "here", "text")).not.toBe(sealed[1]);
});

it("opens nothing else: another key, another place, one changed character, another spelling, garbage", () => {
  const sealed = sealText(KEY, "here", "text");
  expect(openText(randomBytes(SEALING_KEY_BYTES), "here", sealed)).toBeUndefined();
  expect(openText(KEY, "there", sealed)).toBeUndefined();
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    expect(openText(KEY, "here", sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeUndefined();
  }
  for (const text of ["", "x", "garbage", `${sealed}.`, ` ${sealed}`, `${sealed}=`, sealed.slice(0, -1)])
    expect(openText(KEY, "here", text)).toBeUndefined();
});
