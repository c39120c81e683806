/** What the guest's side does wherever its text comes from: the source, or the bundle. */
import { expect, it } from "vitest";
import { openPrelude } from "./prelude.testkit.ts";

export function describePrelude(programText: () => string): void {
  it("calls, prints and returns, and needs nothing that a guest can take away", async () => {
    const { side, frames, run } = openPrelude(programText());
    await run(`
      console.log("hi", { n: 1n, big: 9007199254740993n });
      const found = await mcp.notes.add({ m: new MapOf([["k", 1]]), s: new SetOf([2]), r: /x/g });
      return { found, args, bytes: new Bytes([3]), nothing: undefined };
    `);
    side.deliver("R", "1", '{"ok":true}');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(frames).toEqual([
      `L info 35 ${JSON.stringify('hi {"n":1,"big":"9007199254740993"}')}`,
      'C 1 0 {"m":{"k":1},"s":[2],"r":"/x/g"}',
      'V {"found":{"ok":true},"args":{"a":1},"bytes":[3]}',
    ]);
  });

  it("tells the code of a failed call, of a tool that is not granted, and of too many calls", async () => {
    const { side, frames, run } = openPrelude(programText());
    await run(`
      const told = [];
      const note = (error) => told.push(error.name + " " + error.code + " " + error.message);
      try { await mcp.notes.add({}); } catch (error) { note(error); }
      try { mcp.notes.gone; } catch (error) { note(error); }
      try { await mcp.notes.add(1); } catch (error) { note(error); }
      try { await mcp.notes.add({ long: "x".repeat(2000) }); } catch (error) { note(error); }
      mcp.notes.add({});
      try { await mcp.notes.add({}); } catch (error) { note(error); }
      return told;
    `);
    side.deliver("E", "1", '{"code":"TOOL_EXECUTION_FAILED","message":"no","step":4}');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const told = JSON.parse(frames.at(-1)!.slice(2)) as string[];
    expect(told).toEqual([
      "ToolError TOOL_EXECUTION_FAILED no",
      "ToolError SECURITY_ERROR not_granted: mcp.notes.gone is not among the tools that this code names.",
      "TypeError undefined mcp.notes.add takes one object of arguments, such as mcp.notes.add({ key: value }).",
      "TypeError undefined The arguments have 2011 characters as JSON; the limit is 1000 bytes.",
      "ToolError RATE_LIMITED call_limit: a run may make 2 tool calls, and this one has.",
    ]);
  });

  it("shows cycles, and what was thrown, however hard it is to look at", async () => {
    const { side, frames, run, evaluate } = openPrelude(programText());
    await run(`const ring = { name: "ring" }; ring.self = ring; console.warn(ring); throw ring;`);
    expect(frames).toEqual([
      `L warn 35 ${JSON.stringify('{"name":"ring","self":"[Circular]"}')}`,
      expect.stringMatching(/^X \{"name":"ring","message":/),
    ]);
    expect(side.describe("words")).toBe('{"message":"The code threw \\"words\\""}');
    expect(side.describe(evaluate("({ get message() { throw 1; }, toJSON() { throw 2; } })"))).toBe(
      '{"message":"A value that cannot be shown was thrown."}',
    );
  });

  it("draws the same numbers from the same seed", () => {
    const draw = () => openPrelude(programText()).evaluate("[Math.random(), Math.random()].join()");
    expect(draw()).toBe(draw());
  });

  it("leaves nothing by which a guest could measure time or share memory", () => {
    const { evaluate } = openPrelude(programText());
    const names = ["SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry", "escape", "unescape"];
    expect(names.filter((name) => evaluate(`typeof ${name}`) !== "undefined")).toEqual([]);
  });
}
