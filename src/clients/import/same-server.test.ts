import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { isSameServer } from "./same-server.ts";

const env = { SET: "one" };

describe("in our own file an input stands for any text", () => {
  test.each<[JsonObject, JsonObject, boolean]>([
    [{ command: "x", args: ["--key=abc"] }, { command: "x", args: ["--key=${input:k}"] }, true],
    [{ command: "x", args: ["--key=abc"] }, { command: "x", args: ["--token=${input:k}"] }, false],
    [{ command: "x", args: ["a-b-c"] }, { command: "x", args: ["a${input:1}b${input:2}c"] }, true],
    [{ command: "x", args: ["ac"] }, { command: "x", args: ["ac${input:1}c"] }, false],
    [{ url: "https://h/?k=abc" }, { url: "https://h/?k=${input:k}" }, true],
  ])("%j and %j: %s", (found, kept, expected) => {
    expect(isSameServer(found, kept, { env, isKept: true })).toBe(expected);
    expect(isSameServer(found, kept, { env, isKept: false })).toBe(false);
  });
});

test.each<[JsonObject, JsonObject, boolean]>([
  [{ command: "x" }, { command: "x", env: {} }, true],
  [{ command: "x", cwd: "/a" }, { command: "x" }, false],
  [{ command: "x", env: { A: "one" } }, { command: "x", env: { A: "${SET}" } }, true],
  [{ command: "x", env: { A: "${NO}" } }, { command: "x", env: { A: "${NO}" } }, true],
  [{ command: "x", env: { A: "1" } }, { command: "x", env: { A: "2" } }, false],
  [{ command: "x" }, { url: "https://h/" }, false],
  [{ command: "x" }, { command: "x", sandboxEnabled: false, sandbox: {} }, true],
  [{ command: "x" }, { command: "x", sandboxEnabled: true }, false],
  [
    { command: "x", sandbox: { network: {} } },
    { command: "x", sandboxEnabled: true, sandbox: { filesystem: { allowWrite: [] } } },
    true,
  ],
  [
    { command: "x", sandbox: { filesystem: { allowWrite: ["${SET}"] } } },
    { command: "x", sandbox: { filesystem: { allowWrite: ["one"] } } },
    true,
  ],
  [
    { command: "x", sandbox: { filesystem: { allowWrite: ["a"] } } },
    { command: "x", sandbox: { filesystem: { denyWrite: ["a"] } } },
    false,
  ],
  [{ command: "x", sandbox: { network: { allowedDomains: ["*"] } } }, { command: "x", sandbox: {} }, false],
  [{ url: "https://h/mcp/" }, { url: "HTTPS://H/mcp" }, true],
  [{ url: "https://h/" }, { url: "https://h/", headers: { A: "1" } }, true],
  [{ url: "https://h/", headers: { a: "1" } }, { url: "https://h/", headers: { A: "2" } }, false],
  [{}, {}, false],
  [{ command: 5 }, { command: 5 }, false],
])("%j and %j: %s", (a, b, expected) => {
  expect(isSameServer(a, b, { env, isKept: false })).toBe(expected);
  expect(isSameServer(b, a, { env, isKept: false })).toBe(expected);
});
