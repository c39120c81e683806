import { expect, it } from "vitest";
import { CLIENT_IDS } from "../client.ts";
import { describeEntry, mergeEntry } from "./client-entry.ts";

const SERVE = { kind: "stdio", command: "repertoire", args: ["serve"] } as const;
const URL_TEXT = "http://127.0.0.1:7373/mcp";

it("a program is written as each client reads it", () => {
  const plain = { command: "repertoire", args: ["serve"] };
  expect(Object.fromEntries(CLIENT_IDS.map((id) => [id, describeEntry(id, SERVE)]))).toEqual({
    claude: { type: "stdio", ...plain, env: {}, alwaysLoad: true },
    "claude-desktop": plain,
    cursor: plain,
    vscode: { type: "stdio", ...plain },
    windsurf: plain,
    codex: plain,
    gemini: plain,
  });
});

it("an address is written as each client reads it, with the name of the token's variable and not the token", () => {
  const server = { kind: "http", url: URL_TEXT, tokenVariable: "TOKEN" } as const;
  const headers = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } });
  expect(Object.fromEntries(CLIENT_IDS.map((id) => [id, describeEntry(id, server)]))).toEqual({
    claude: { type: "http", url: URL_TEXT, ...headers("${TOKEN}"), alwaysLoad: true },
    "claude-desktop": undefined,
    cursor: { url: URL_TEXT, ...headers("${env:TOKEN}") },
    vscode: { type: "http", url: URL_TEXT, ...headers("${env:TOKEN}") },
    windsurf: { serverUrl: URL_TEXT, ...headers("${env:TOKEN}") },
    codex: { url: URL_TEXT, bearer_token_env_var: "TOKEN" },
    gemini: { httpUrl: URL_TEXT, ...headers("${TOKEN}") },
  });
});

it("what a person added to the entry stays", () => {
  const existing = {
    command: "old",
    args: [],
    env: { LANG: "C" },
    timeout: 9,
    alwaysAllow: ["x"],
    alwaysLoad: false,
  };
  expect(mergeEntry(existing, describeEntry("claude", SERVE)!)).toEqual({
    type: "stdio",
    command: "repertoire",
    args: ["serve"],
    env: { LANG: "C" },
    timeout: 9,
    alwaysAllow: ["x"],
    alwaysLoad: false,
  });
});

it("an entry that was switched off is on again", () => {
  expect(mergeEntry({ command: "x", disabled: true, enabled: false }, { command: "y", args: [] })).toEqual({
    command: "y",
    args: [],
  });
});

it("what belongs to the other transport goes", () => {
  const remote = describeEntry("codex", { kind: "http", url: URL_TEXT })!;
  expect(mergeEntry({ command: "x", args: [], env: { A: "b" }, startup_timeout_sec: 9 }, remote)).toEqual({
    url: URL_TEXT,
    startup_timeout_sec: 9,
  });
  expect(mergeEntry({ type: "http", url: URL_TEXT, headers: {} }, { command: "y", args: [] })).toEqual({
    command: "y",
    args: [],
  });
});

it("what is no entry is replaced as a whole", () => {
  for (const existing of [undefined, null, "x", ["y"]]) {
    expect(mergeEntry(existing, { command: "y" })).toEqual({ command: "y" });
  }
});
