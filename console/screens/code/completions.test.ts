import { describe, expect, it } from "vitest";
import { declareTools } from "../../../src/sandbox/types/declarations.ts";
import { optionsAt } from "./completions.ts";
import { readDeclarations } from "./declared-tools.ts";

const declared = readDeclarations(
  declareTools(
    [
      {
        namespace: "git-hub",
        tool: "create_issue",
        description: "Create an issue.",
        inputSchema: {
          type: "object",
          properties: {
            body: { type: "string" },
            title: { type: "string", description: "What it is about" },
            "due-at": { type: "string" },
            state: { enum: ["open", 'not "open"'] },
            tags: { type: "array", items: { enum: ["bug", "idea"] } },
          },
          required: ["title"],
        },
        outputSchema: { type: "object", properties: { id: { type: "number", description: "Its number" } } },
      },
      { namespace: "time", tool: "a-b", inputSchema: { type: "object" } },
      { namespace: "time", tool: "a_b", inputSchema: { type: "object" } },
    ],
    { docs: true },
  ),
);
const options = (before: string) => optionsAt(before, declared)?.options;
const labels = (before: string) => options(before)?.map(({ label }) => label);

describe("completion", () => {
  it("offers the namespaces as code writes them, with their exact names", () => {
    expect(options("mcp.")).toEqual([
      { label: "git_hub", detail: "git-hub", kind: "namespace" },
      { label: "time", kind: "namespace" },
    ]);
  });

  it("offers the tools of a namespace with signature and description", () => {
    expect(options("mcp.git_hub.cr")).toMatchObject([
      {
        label: "create_issue",
        kind: "function",
        doc: expect.stringMatching(/^\(args: \{.*\n\nCreate an issue\.$/s),
      },
    ]);
  });

  it("writes brackets in place of the dot for a name that is no member", () => {
    expect(options("mcp.time.")![0]).toMatchObject({ label: "a-b", apply: '["a-b"]', from: 8 });
  });

  it("offers the arguments that are not given yet; required ones rank first", () => {
    expect(labels("mcp.git_hub.create_issue({ body: 1, ")).toEqual(["title", "due-at", "state", "tags"]);
    expect(options("mcp.git_hub.create_issue({ ")).toContainEqual(
      expect.objectContaining({
        label: "title",
        detail: ": string",
        apply: "title: ",
        rank: 98,
        doc: "What it is about",
      }),
    );
    expect(options("mcp.git_hub.create_issue({ ")).toContainEqual(
      expect.objectContaining({ apply: '"due-at": ' }),
    );
  });

  it("offers the texts that an argument can be, and those of a list", () => {
    expect(options("mcp.git_hub.create_issue({ state: ")!.map(({ apply }) => apply)).toEqual([
      '"open"',
      '"not \\"open\\""',
    ]);
    expect(options('mcp.git_hub.create_issue({ state: "')!.map(({ apply }) => apply)).toEqual([
      "open",
      'not \\"open\\"',
    ]);
    expect(labels('mcp.git_hub.create_issue({ tags: ["')).toEqual(["bug", "idea"]);
  });

  it("offers the members of an answer", () => {
    expect(options("const made = await mcp.git_hub.create_issue({ title: 't' });\nmade.")).toEqual([
      { label: "id", kind: "property", detail: "?: number", doc: "Its number" },
    ]);
  });

  it("offers nothing elsewhere", () => {
    expect(options("const a = ")).toBeUndefined();
    expect(options("mcp.nothing.")).toBeUndefined();
    expect(options("mcp.git_hub.create_issue({ title: ")).toBeUndefined();
  });
});
