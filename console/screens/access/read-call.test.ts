import { describe, expect, it } from "vitest";
import { readCall } from "./read-call.ts";

describe("a pasted call", () => {
  it.each([
    ['github.create_issue {"repo":"a/b"}', "github.create_issue", { repo: "a/b" }],
    ['github__create_issue({"repo":"a/b"})', "github__create_issue", { repo: "a/b" }],
    ['await mcp.github.create_issue({"repo":"a/b"});', "github.create_issue", { repo: "a/b" }],
    ["mail:digest", "mail:digest", {}],
    ["mcp.counter.add()", "counter.add", {}],
    ['counter.add{"by":2}', "counter.add", { by: 2 }],
    ["file:///etc/hosts", "file:///etc/hosts", {}],
    ['{"name":"github__create_issue","arguments":{"repo":"a/b"}}', "github__create_issue", { repo: "a/b" }],
    ['{"method":"tools/call","params":{"name":"counter__add"}}', "counter__add", {}],
    ['{"tool":"counter.add","args":{"by":1}}', "counter.add", { by: 1 }],
  ])("%s is read", (text, tool, args) => {
    expect(readCall(text)).toEqual({ ok: true, tool, args });
  });

  it.each([
    "",
    "  ",
    "(",
    "counter.add {by: 2}",
    "counter.add [1]",
    '{"arguments":{}}',
    '{"name":"a","arguments":[]}',
    "{",
  ])("%j is refused with what is wrong", (text) => {
    expect(readCall(text)).toEqual({ ok: false, problem: expect.stringMatching(/\.$/) as string });
  });
});
