import { describe, expect, it } from "vitest";
import { foldedWith, groupTools, rowKeyOf, rowsOf, type ToolRow } from "./tool-groups.ts";

function tool(name: string, more: Partial<ToolRow> = {}): ToolRow {
  const server = name.split("__")[0]!;
  return {
    name,
    written: name,
    kind: "tool",
    server,
    description: "",
    signature: "",
    effect: "read",
    listed: false,
    ...more,
  };
}

const { server: _, effect: __, ...META } = tool("execute", { kind: "meta_tool", listed: true });
const KNOWN = {
  tools: [META, tool("zoo__a"), tool("files__read"), tool("files__drop", { effect: "destroy" })],
  pending: ["mail", "files"],
  failed: [{ server: "db", reason: "It ended." }],
};
const shown = (search: Parameters<typeof rowsOf>[1]) => rowsOf(groupTools(KNOWN), search).map(rowKeyOf);

describe("the list of tools", () => {
  it("has our own tools first, then the servers by name, also those that listed nothing", () => {
    expect(groupTools(KNOWN).map(({ key, state }) => [key, state])).toEqual([
      [":meta", undefined],
      ["db", "failed"],
      ["files", undefined],
      ["mail", "pending"],
      ["zoo", undefined],
    ]);
  });

  it("shows a folded group without its tools", () => {
    expect(shown({ closed: "files,:meta" })).toEqual([
      "group :meta",
      "group db",
      "group files",
      "group mail",
      "group zoo",
      "tool zoo__a",
    ]);
  });

  it("leaves out groups in which nothing passes a filter", () => {
    expect(shown({ effect: "destroy,write" })).toEqual(["group files", "tool files__drop"]);
    expect(shown({ listed: "yes" })).toEqual(["group :meta", "tool execute"]);
  });

  it("keeps a chosen server that has listed nothing, which says why", () => {
    expect(shown({ server: "db" })).toEqual(["group db"]);
  });

  it("folds and unfolds by key", () => {
    expect(foldedWith(undefined, "a")).toBe("a");
    expect(foldedWith("a", "b")).toBe("a,b");
    expect(foldedWith("a", "a")).toBeUndefined();
  });
});
