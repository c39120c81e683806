import { expect, it } from "vitest";
import { isWholePaste, readPastedServers } from "./pasted-servers.ts";

it.each<[text: string, servers: object[]]>([
  [
    "npx -y @modelcontextprotocol/server-filesystem@1.2 '/my files'",
    [
      {
        entry: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem@1.2", "/my files"] },
        proposal: "filesystem",
      },
    ],
  ],
  [
    'KEY="a b" uvx mcp-server-time',
    [{ entry: { command: "uvx", args: ["mcp-server-time"], env: { KEY: "a b" } }, proposal: "time" }],
  ],
  [
    "https://mcp.linear.app/mcp",
    [{ entry: { type: "http", url: "https://mcp.linear.app/mcp" }, proposal: "linear" }],
  ],
  ['{"mcpServers": {"a": {"command": "x"}}}', [{ key: "a", entry: { command: "x" }, proposal: "a" }]],
  [
    '{"command": "node", "args": ["/x/notes-mcp.js"]}',
    [{ entry: { command: "node", args: ["/x/notes-mcp.js"] }, proposal: "notes" }],
  ],
  [String.raw`a\ b "c\"d"`, [{ entry: { command: "a b", args: ['c"d'] }, proposal: "a b" }]],
])("understands %s", (text, servers) => {
  expect(readPastedServers(text)).toEqual(servers);
});

it.each([
  ['npx "open', "a quote is not closed"],
  ["", "it has no command"],
  ["KEY=only", "it has no command"],
  ["http://", "this is not a valid address"],
  ['{"mcpServers": {}}', expect.stringContaining("has no server")],
  ['{"a": ', expect.stringContaining("not valid JSON")],
])("says what is wrong with %j", (text, message) => {
  expect(readPastedServers(text)).toEqual(message);
});

it("wants more lines only of JSON that is not whole yet", () => {
  expect(["npx x", "https://a.example/", '{"a": {"command": "x"}}'].map(isWholePaste)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["{", '{"mcpServers": {', '"a": {'].map(isWholePaste)).toEqual([false, false, false]);
});
