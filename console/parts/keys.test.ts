import { expect, it } from "vitest";
import { keyOf } from "./keys.ts";

const pressed = (key: string, more: object = {}) => ({
  key,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

it.each([
  [pressed("j"), "j"],
  [pressed("R", { shiftKey: true }), "R"],
  [pressed("?", { shiftKey: true }), "?"],
  [pressed("Enter", { shiftKey: true }), "shift+Enter"],
  [pressed("k", { ctrlKey: true }), "mod+k"],
  [pressed("k", { metaKey: true }), "mod+k"],
  [pressed(" "), "Space"],
])("names the key", (event, name) => expect(keyOf(event)).toBe(name));
