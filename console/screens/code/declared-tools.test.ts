import { describe, expect, it } from "vitest";
import { declareTools } from "../../../src/sandbox/types/declarations.ts";
import { readDeclarations, signatureText, targetOf } from "./declared-tools.ts";
import { literalsOf, membersOf, shortType, typeAt } from "./declared-type.ts";

const LABELS = {
  type: "array",
  items: {
    type: "object",
    properties: { name: { type: "string", description: "; } */ {" }, "a-b": { enum: ["x", "y}"] } },
  },
};
const TEXT = declareTools(
  [
    {
      namespace: "git-hub",
      tool: "create_issue",
      description: "Create an issue.\nAlso */ with {odd; text",
      inputSchema: {
        type: "object",
        properties: {
          title: { type: "string", description: "What it is about" },
          labels: LABELS,
          state: { enum: ["open", "closed"] },
        },
        required: ["title"],
      },
      outputSchema: {
        type: "object",
        properties: {
          items: { type: "array", items: { type: "object", properties: { id: { type: "number" } } } },
        },
      },
    },
    { namespace: "git-hub", tool: "close-issue", inputSchema: { type: "object" } },
    { namespace: "time", tool: "now", inputSchema: { type: "object" } },
    { namespace: "time", tool: "a-b", inputSchema: { type: "object" } },
    { namespace: "time", tool: "a_b", inputSchema: { type: "object" } },
  ],
  { docs: true },
);
const declared = readDeclarations(TEXT);

describe("the declarations of the gateway", () => {
  it("give every namespace once, with the member that code writes", () => {
    expect(declared.namespaces).toEqual([
      { exact: "git-hub", member: "git_hub" },
      { exact: "time", member: "time" },
    ]);
  });

  it("give the tools of a namespace by both of its names", () => {
    const names = [
      { exact: "create_issue", member: "create_issue" },
      { exact: "close-issue", member: "close_issue" },
    ];
    expect(declared.toolsOf("git_hub")).toMatchObject(names);
    expect(declared.toolsOf("git-hub")).toMatchObject(names);
    expect(declared.toolsOf("nothing")).toEqual([]);
  });

  it("leave a tool without a member where another tool has that name", () => {
    const tools = declared.toolsOf("time");
    expect(tools.map(({ exact, member }) => [exact, member])).toEqual([
      ["now", "now"],
      ["a-b", undefined],
      ["a_b", "a_b"],
    ]);
    expect(targetOf(tools[1]!, declared.namespaces)).toBe('mcp.time["a-b"]');
    expect(targetOf(declared.find("git-hub", "close_issue")!, declared.namespaces)).toBe(
      "mcp.git_hub.close_issue",
    );
  });

  it("give descriptions as they were written", () => {
    expect(declared.find("git_hub", "create_issue")!.doc).toBe("Create an issue.\nAlso */ with {odd; text");
  });

  it("give parameters with their types, also nested ones in lists", () => {
    const { args } = declared.find("git_hub", "create_issue")!;
    expect(membersOf(args)).toMatchObject([
      { name: "title", type: "string", isOptional: false, doc: "What it is about" },
      { name: "labels", isOptional: true },
      { name: "state", type: '"open" | "closed"', isOptional: true },
    ]);
    const label = typeAt(args, ["labels", "[]"]);
    expect(membersOf(label!).map(({ name, doc }) => [name, doc])).toEqual([
      ["name", "; } */ {"],
      ["a-b", ""],
    ]);
    expect(literalsOf(typeAt(args, ["labels", "[]", "a-b"])!)).toEqual(["x", "y}"]);
    expect(typeAt(args, ["labels", "nothing", "more"])).toBeUndefined();
  });

  it("give what a tool answers", () => {
    const { answer } = declared.find("git_hub", "create_issue")!;
    expect(membersOf(typeAt(answer, ["items", "[]"])!)).toMatchObject([{ name: "id", type: "number" }]);
    expect(declared.find("time", "now")).toMatchObject({ isArgsOptional: true, answer: "any" });
  });

  it("give a signature in one line", () => {
    const signature = signatureText(declared.find("git_hub", "create_issue")!);
    expect(signature).toBe(
      '(args: { title: string; labels?: ({ name?: string; "a-b"?: "x" | "y}" })[]; state?: "open" | "closed" }) => Promise<{ items?: ({ id?: number })[] }>',
    );
  });

  it("may be empty or something else", () => {
    expect(readDeclarations("").namespaces).toEqual([]);
    expect(readDeclarations(declareTools([], { docs: true })).namespaces).toEqual([]);
    expect(shortType("")).toBe("");
  });

  it("are read in time where there are thousands of tools", () => {
    const tools = Array.from({ length: 3_000 }, (_, at) => ({
      namespace: `server${at % 50}`,
      tool: `tool_${at}`,
      description: "Something that it does. ".repeat(10),
      inputSchema: {
        type: "object",
        properties: { a: { type: "string", description: "An argument" }, labels: LABELS },
      },
    }));
    const large = declareTools(tools, { docs: true });
    const startedAt = performance.now();
    const read = readDeclarations(large);
    expect(read.namespaces).toHaveLength(50);
    expect(read.toolsOf("server7")).toHaveLength(60);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
