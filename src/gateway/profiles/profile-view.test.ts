import { describe, expect, it } from "vitest";
import { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { closedView, createProfileView, present, type ProfileRules } from "./profile-view.ts";

const NAMES = [
  "github__create_issue",
  "github__delete_repo",
  "files__read_file",
  "mcp__math__sum",
  "mcp__admin__purge",
  "execute",
  "browse_components",
];

function visible(rules: ProfileRules): string[] {
  const view = createProfileView("p", rules);
  return NAMES.filter((name) => view.allows(name));
}

describe("what a profile shows", () => {
  it.each<[string, ProfileRules, string[]]>([
    ["everything without a rule", {}, NAMES],
    [
      "the tools of its servers, and all that was kept",
      { servers: ["files"] },
      ["files__read_file", "mcp__math__sum", "mcp__admin__purge", "execute", "browse_components"],
    ],
    [
      "no tool of a server",
      { servers: [] },
      ["mcp__math__sum", "mcp__admin__purge", "execute", "browse_components"],
    ],
    [
      "what is allowed and not denied",
      { tools: { allow: ["github__*"], deny: ["*__delete_*"] } },
      ["github__create_issue", "mcp__math__sum", "mcp__admin__purge", "execute", "browse_components"],
    ],
    [
      "the meta-tools, whatever a pattern denies",
      { tools: { deny: ["*"] } },
      ["mcp__math__sum", "mcp__admin__purge", "execute", "browse_components"],
    ],
    [
      "the meta-tools without one that is denied by its name",
      { tools: { deny: ["execute"] }, capabilities: { deny: ["*"] }, servers: [] },
      ["browse_components"],
    ],
    [
      "only the meta-tools that are named, and no tool beside them",
      { tools: { allow: ["execute"] }, capabilities: { allow: [] } },
      ["execute"],
    ],
    [
      "what was kept, by its own rule",
      { servers: [], tools: { allow: ["execute"] }, capabilities: { allow: ["*"], deny: ["admin:*"] } },
      ["mcp__math__sum", "execute"],
    ],
  ])("is %s", (_, rules, expected) => {
    expect(visible(rules)).toEqual(expected);
  });

  it("is nothing that is no name, whatever is allowed", () => {
    const view = createProfileView("p", {});
    for (const name of ["", "__x", "github__", "mcp__Math__sum", "unknown", "__proto__", "toString"]) {
      expect([name, view.allows(name)]).toEqual([name, false]);
    }
  });

  it("is nothing when the profile is gone", () => {
    const view = closedView("p");
    expect([...NAMES, ...META_TOOL_NAMES].filter((name) => view.allows(name))).toEqual([]);
    expect(view.allowsServer("github")).toBe(false);
  });
});

describe("what a profile calls its tools", () => {
  const view = createProfileView("p", {
    tools: { deny: ["files__*"] },
    rename: { github__create_issue: "file_bug", mcp__math__sum: "add", files__read_file: "read" },
    describe: { github__create_issue: "Files a bug." },
  });

  it.each([
    ["file_bug", "github__create_issue"],
    ["github__create_issue", undefined],
    ["add", "mcp__math__sum"],
    ["mcp__math__sum", undefined],
    ["github__delete_repo", "github__delete_repo"],
    ["execute", "execute"],
    ["read", undefined],
    ["nothing", undefined],
    ["constructor", undefined],
  ])("%s is %s", (called, expected) => {
    expect(view.exposedName(called)).toBe(expected);
  });

  it("is what is listed, with its own description and everything else as it was", () => {
    const definition = { name: "create_issue", description: "Old.", inputSchema: {}, _meta: { a: 1 } };
    expect(present(view, "github__create_issue", definition)).toEqual({
      name: "file_bug",
      description: "Files a bug.",
      inputSchema: {},
      _meta: { a: 1 },
    });
    expect(present(view, "github__other", definition)).toEqual({ ...definition, name: "github__other" });
  });
});
