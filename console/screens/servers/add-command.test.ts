import { describe, expect, it } from "vitest";
import { addCommand } from "./add-command.ts";

const files = { added: ["files"], entries: { files: { command: "npx" } } };

describe("the command that adds the same servers", () => {
  it("gives an address the name that the gateway found", () => {
    const checked = { added: ["search"], entries: { search: { type: "http" } } };
    expect(addCommand({ given: "https://mcp.search.example/mcp" }, checked)).toBe(
      "repertoire add search https://mcp.search.example/mcp",
    );
  });

  it("passes a command line on as it was pasted, after --", () => {
    expect(addCommand({ given: "npx -y server-files '/my folder'", replace: true }, files)).toBe(
      "repertoire add files --force -- npx -y server-files '/my folder'",
    );
    expect(addCommand({ given: "npx -y server-files" }, undefined)).toBe(
      "repertoire add NAME -- npx -y server-files",
    );
  });

  it("writes a command with variables in front as JSON", () => {
    expect(addCommand({ given: "A=1 npx server-files" }, files)).toBe(
      `repertoire add '{"mcpServers":{"files":{"command":"npx"}}}'`,
    );
  });

  it("leaves the names of several servers to their JSON", () => {
    const several = { added: ["a", "b"], entries: { a: {}, b: {} } };
    expect(addCommand({ given: `{"mcpServers":{"a":{},"b":{}}}` }, several)).toBe(
      `repertoire add '{"mcpServers":{"a":{},"b":{}}}'`,
    );
  });
});
