import { expect, it } from "vitest";
import { correctSlips } from "./config-slips.ts";

it.each([
  [
    "an unknown key with one near one",
    '{"exposur": "lean"}',
    { exposure: "lean" },
    ["exposur is now exposure"],
  ],
  [
    "a number in quotes",
    '{"limits": {"connectTimeoutMs": "5000"}}',
    { limits: { connectTimeoutMs: 5000 } },
    ["limits.connectTimeoutMs is now a number"],
  ],
  [
    "a truth value in quotes",
    '{"mcpServers": {"a": {"command": "x", "enabled": "false"}}}',
    { mcpServers: { a: { command: "x", enabled: false } } },
    ["mcpServers.a.enabled is now a boolean"],
  ],
  [
    "a number where a text belongs",
    '{"mcpServers": {"a": {"command": "x", "env": {"PORT": 80}}}}',
    { mcpServers: { a: { command: "x", env: { PORT: "80" } } } },
    ["mcpServers.a.env.PORT is now a string"],
  ],
])("C7: corrects %s", (_, before, after, corrections) => {
  const corrected = correctSlips(before);
  expect(JSON.parse(corrected!.text)).toEqual(after);
  expect(corrected!.corrections).toEqual(corrections);
  expect(correctSlips(corrected!.text)).toBeUndefined();
});

it("C7: comments and layout stay", () => {
  expect(correctSlips('{\n  // mine\n  "log": { "level": "info", "fil": "x" }, // end\n}\n')!.text).toBe(
    '{\n  // mine\n  "log": { "level": "info", "file": "x" }, // end\n}\n',
  );
});

it.each([
  ["a good file", '{"exposure": "lean"}'],
  ["no JSON", '{"exposur": "lean"'],
  ["no object", "[1]"],
  ["a key that is near nothing", '{"zzzzzz": 1}'],
  ["a key whose near one is there already", '{"exposur": "lean", "exposure": "full"}'],
  ["a value that no other spelling makes good", '{"limits": {"connectTimeoutMs": "soon"}}'],
  ["a number out of range in quotes", '{"http": {"port": "99999999"}}'],
])("C7: leaves %s alone", (_, text) => {
  expect(correctSlips(text)).toBeUndefined();
});
