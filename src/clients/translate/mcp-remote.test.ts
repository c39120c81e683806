import { expect, test } from "vitest";
import { findBridged } from "./mcp-remote.ts";

const URL = "https://mcp.example.com/mcp";

test.each([
  ["npx", ["mcp-remote", URL]],
  ["npx", ["-y", "mcp-remote@0.1.38", URL, "3334"]],
  ["C:\\Program Files\\nodejs\\npx.cmd", ["-y", "mcp-remote@latest", URL, "--allow-http"]],
  ["cmd", ["/c", "npx", "-y", "mcp-remote", URL]],
  ["pnpm", ["dlx", "mcp-remote", URL]],
  ["bunx", ["mcp-remote", "--debug", URL]],
  ["/usr/local/bin/mcp-remote", [URL]],
])("%s %j bridges to a remote server", (command, args) => {
  expect(findBridged({ command, args })).toMatchObject({ url: URL, headers: [], isSse: false, hidden: [] });
});

test("its headers, its transport and the tools that it hides are kept; its other flags are named", () => {
  const args = ["mcp-remote", URL, "8080", "--header", "Authorization:${AUTH}", "--header", "X-A: b: c"];
  const more = ["--transport", "sse-only", "--ignore-tool", "delete_all", "--host", "127.0.0.1", "--debug"];
  expect(findBridged({ command: "npx", args: [...args, ...more] })).toEqual({
    url: URL,
    headers: [
      ["Authorization", "${AUTH}"],
      ["X-A", "b: c"],
    ],
    isSse: true,
    hidden: ["delete_all"],
    dropped: ["--host", "--debug"],
  });
});

test.each([
  ["npx", ["-y", "other", "mcp-remote", URL]],
  ["node", ["mcp-remote", URL]],
  ["npx", ["mcp-remote"]],
  ["npx", ["mcp-remote", "not-a-url"]],
  ["npx", []],
])("%s %j is something else", (command, args) => {
  expect(findBridged({ command, args })).toBeUndefined();
});
