import { describe, expect, test } from "vitest";
import type { ClientId } from "../client.ts";
import { translateEntry } from "./entry.ts";

const place = { platform: "linux", env: {}, homedir: "/home/dev", cwd: "/shop" } as const;

function translate(value: unknown, client: ClientId = "cursor", scope: "user" | "project" = "user") {
  const written = { key: "a", value, scope, folder: "/shop", isEnabled: true, notes: [] };
  return translateEntry(written, { client, place });
}

describe("transports", () => {
  test.each([
    [{ type: "streamable-http", url: "https://h/" }, "http"],
    [{ type: "streamableHttp", url: "https://h/" }, "http"],
    [{ transport: "streamable_http", url: "https://h/" }, "http"],
    [{ type: "remote", url: "https://h/" }, "http"],
    [{ transport: { type: "sse" }, url: "https://h/" }, "sse"],
    [{ transportType: "sse", serverUrl: "https://h/" }, "sse"],
    [{ type: "http", url: "https://h/sse" }, "http"],
    [{ url: "https://h/sse" }, "sse"],
    [{ httpUrl: "https://h/sse", url: "https://other/" }, "http"],
  ])("%j is reached over %s's transport", (value, type) => {
    expect(translate(value).entry).toMatchObject({ type, url: expect.stringContaining("https://h/") });
  });

  test.each([
    [{ type: "local", command: "x" }, { command: "x" }],
    [
      { command: ["x", "-a"], args: ["-b", 5, true] },
      { command: "x", args: ["-a", "-b", "5", "true"] },
    ],
    [
      { command: "x", args: "one" },
      { command: "x", args: ["one"] },
    ],
    [{ command: "x", url: "https://h/" }, { command: "x" }],
    [
      { command: "x", env: { PORT: 80, BAD: null, "A=B": "c" } },
      { command: "x", env: { PORT: "80" } },
    ],
  ])("%j is started", (value, entry) => {
    expect(translate(value).entry).toEqual(entry);
  });

  test.each([
    [5, "It is not an object."],
    [{}, "It has neither a command nor a url."],
    [{ command: " " }, "It has neither a command nor a url."],
    [{ command: {} }, "Its command is neither a string nor a list of strings."],
    [{ command: "x", args: [{}] }, "Its args are not a list of strings."],
    [{ type: "ws", url: "wss://h/" }, "Its transport is unknown. Repertoire knows stdio, http and sse."],
  ])("%j is no server", (value, reason) => {
    expect(translate(value)).toEqual({ entry: {}, isEnabled: false, notes: [reason], inputIds: [] });
  });
});

test("a login in a url goes into a header, which our config asks for", () => {
  const basic = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
  expect(translate({ url: "https://me:p%40ss@h/mcp" })).toMatchObject({
    entry: { type: "http", url: "https://h/mcp", headers: { Authorization: basic } },
    notes: ["The user name and password in its url are sent in a header instead."],
  });
});

test("a header that stands twice in another case, or has no valid name, is left out with a note", () => {
  const { entry, notes } = translate({
    url: "https://h/",
    headers: { "X-A": "1", "x-a": "2", "no good": "3" },
  });
  expect(entry["headers"]).toEqual({ "X-A": "1" });
  expect(notes).toHaveLength(2);
});

test.each(["disabled", "enabled"])("%s switches a server off", (key) => {
  const { entry, isEnabled } = translate({ command: "x", [key]: key === "disabled" });
  expect({ entry, isEnabled }).toEqual({ entry: { command: "x", enabled: false }, isEnabled: false });
});

test.each([
  { alwaysAllow: ["a"] },
  { autoApprove: ["a"] },
  { trust: true },
  { tools: { a: { approval_mode: "approve" } } },
])("%j grants nothing here", (grant) => {
  expect(translate({ command: "x", ...grant })).toMatchObject({
    entry: { command: "x" },
    notes: ["Its approvals are left out: Repertoire does not take them over."],
  });
});

test("what has no meaning here is named, a few of many", () => {
  const odd = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`k${index}`, 1]));
  expect(translate({ command: "x", description: "d", ...odd }).notes).toEqual([
    'Left out, because Repertoire has no such setting: "k0", "k1", "k2", "k3", "k4" and 3 more.',
  ]);
});

test("C1: Codex's time to start is taken over", () => {
  const sec = translate({ command: "x", startup_timeout_sec: 20.5 }, "codex");
  expect(sec).toMatchObject({ entry: { startTimeoutMs: 20_500 }, notes: [] });
  expect(translate({ command: "x", startup_timeout_ms: 700 }, "codex").entry["startTimeoutMs"]).toBe(700);
  expect(
    translate({ command: "x", startup_timeout_sec: "a" }, "codex").entry["startTimeoutMs"],
  ).toBeUndefined();
});

test("a number of seconds or milliseconds counts only where the client says which", () => {
  expect(translate({ command: "x", tool_timeout_sec: 0.5 }, "codex").entry["timeoutMs"]).toBe(500);
  expect(translate({ command: "x", timeout: 700 }, "gemini").entry["timeoutMs"]).toBe(700);
  expect(translate({ command: "x", timeout: 1e12 }, "gemini").entry["timeoutMs"]).toBe(3_600_000);
  expect(translate({ command: "x", timeout: 60 }).entry["timeoutMs"]).toBeUndefined();
});

test("an allow list of everything is none", () => {
  expect(translate({ command: "x", tools: ["*"] }).entry).toEqual({ command: "x" });
  expect(translate({ command: "x", tools: ["a"], disabledTools: [] }).entry["tools"]).toEqual({
    allow: ["a"],
  });
});

describe("folders", () => {
  test.each([
    ["/abs", "/abs"],
    ["tools", "/shop/tools"],
    ["~/x", "/home/dev/x"],
    ["${workspaceFolder}/x", "/shop/x"],
  ])("cwd %s is %s", (cwd, expected) => {
    expect(translate({ command: "x", cwd }).entry["cwd"]).toBe(expected);
  });

  test("a project's relative paths begin in the project", () => {
    expect(translate({ command: "./x" }, "claude", "project").entry["cwd"]).toBe("/shop");
    expect(translate({ command: "x", args: ["y"] }, "claude", "project").entry["cwd"]).toBeUndefined();
  });
});

test("what a login needs to know is kept, in every spelling", () => {
  const auth = { CLIENT_ID: "id", CLIENT_SECRET: "${env:SECRET}", scopes: ["read"] };
  expect(translate({ url: "https://h/", auth }).entry["oauth"]).toEqual({
    clientId: "id",
    clientSecret: "${SECRET}",
    scopes: ["read"],
  });
});
