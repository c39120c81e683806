import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meantTools, nearestTools, respeltTools } from "./tool-spelling.ts";

const TOOLS = [
  "files__read_text_file",
  "files__write_file",
  "notes__get-sum",
  "notes__list",
  "other__list",
  "mcp__math__sum",
  "mcp__workflow__pr_analyzer",
  "execute",
];

describe("D3: the names that were meant", () => {
  it.each([
    ["files_read_text_file", ["files__read_text_file"]],
    ["files.read_text_file", ["files__read_text_file"]],
    ["filesReadTextFile", ["files__read_text_file"]],
    ["files/read_text_file", ["files__read_text_file"]],
    ["read_text_file", ["files__read_text_file"]],
    ["readTextFile", ["files__read_text_file"]],
    ["mcp__files__read_text_file", ["files__read_text_file"]],
    ["mcp.files.read_text_file", ["files__read_text_file"]],
    ["list", ["notes__list", "other__list"]],
    ["math__sum", ["mcp__math__sum"]],
    ["math.sum", ["mcp__math__sum"]],
    ["pr-analyzer", ["mcp__workflow__pr_analyzer"]],
  ])("%s is another spelling of %j", (word, names) => {
    expect(respeltTools(word, TOOLS)).toEqual(names);
    expect(nearestTools(word, TOOLS)).toEqual(names);
    expect(meantTools(word, names)).toBe(` It is called ${names.join(" or ")}.`);
  });

  it.each([
    ["mcp__maths__sum", "mcp__math__sum"],
    ["mcp__math__summ", "mcp__math__sum"],
    ["pr-analyser", "mcp__workflow__pr_analyzer"],
    ["notes.sum", "notes__get-sum"],
    ["notes__sum", "notes__get-sum"],
    ["file__read_text_fil", "files__read_text_file"],
    ["read_txt_file", "files__read_text_file"],
    ["exceute", "execute"],
  ])("%s is near %s", (word, name) => {
    expect(respeltTools(word, TOOLS)).toEqual([]);
    expect(nearestTools(word, TOOLS)[0]).toBe(name);
    expect(meantTools(word, [name])).toBe(` Did you mean ${name}?`);
  });

  it("are names of the library as it writes them, too", () => {
    const names = ["workflow:pr_analyzer", "math:sum", "my-draft"];
    expect(nearestTools("pr-analyser", names)).toEqual(["workflow:pr_analyzer"]);
    expect(nearestTools("prAnalyzer", names)).toEqual(["workflow:pr_analyzer"]);
    expect(nearestTools("mcp__maths__sum", names)).toEqual(["math:sum"]);
    expect(nearestTools("my_drft", names)).toEqual(["my-draft"]);
  });

  it("are always among the names, at most ten, whatever the word", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}__[a-z_]{1,12}$/);
    fc.assert(
      fc.property(fc.string(), fc.array(name, { maxLength: 30 }), (word, names) => {
        const near = nearestTools(word, names);
        expect(near.length).toBeLessThanOrEqual(10);
        expect(near.every((one) => names.includes(one))).toBe(true);
      }),
    );
    expect(nearestTools("", TOOLS)).toEqual([]);
    expect(nearestTools("__", TOOLS)).toEqual([]);
    expect(nearestTools("zzzzqqqq", TOOLS)).toEqual([]);
  });
});
