import { expect, it } from "vitest";
import { connectHints, formatHints } from "./demo.ts";

const token = `rpt_${"x".repeat(8)}`;
const hints = connectHints({ url: "http://127.0.0.1:7373/mcp", token });

it("every client is told the address and the token", () => {
  for (const { client, text } of hints) {
    expect([client, text.includes("http://127.0.0.1:7373/mcp"), text.includes(token)]).toEqual([
      client,
      true,
      true,
    ]);
  }
});

it("what goes into a file is JSON, and the file is named", () => {
  const files = hints.filter(({ where, text }) => where !== undefined && text.startsWith("{"));
  expect(files.map(({ client }) => client)).toEqual(["Cursor", "Windsurf"]);
  for (const { text } of files) {
    expect(JSON.parse(text)).toMatchObject({
      mcpServers: { repertoire: { headers: { Authorization: `Bearer ${token}` } } },
    });
  }
});

it("a hint is two lines: who it is for, and what to do", () => {
  const [first, second] = formatHints(hints.slice(0, 1), (text) => `<${text}>`).split("\n");
  expect(first).toBe("   <Claude Code>");
  expect(second).toMatch(/^ {5}claude mcp add --transport http repertoire http/);
});
