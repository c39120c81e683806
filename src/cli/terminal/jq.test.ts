import { expect, it } from "vitest";
import { Interrupted } from "./exit-code.ts";
import { runJq } from "./jq.ts";

it.each([
  ["a string without its quotation marks", { a: "x y" }, ".a", "x y"],
  ["several values, each on its own lines", [1, "é", { b: 2 }], ".[]", '1\né\n{\n  "b": 2\n}'],
  ["nothing", [], ".[]", ""],
  ["a filter that begins with a minus", [], "-1", "-1"],
  ["what JSON cannot carry", undefined, ".", "null"],
])("C7: --jq gives %s", async (_, value, filter, output) => {
  expect(await runJq(value, filter)).toEqual({ kind: "filtered", output });
});

it.each([
  ["a filter that cannot be read", ".a[", /syntax error/],
  ["a filter that does not fit", ".a.b", /Cannot index number with string "b"/],
  ["a filter that fails after its first value", ".a, .a.b", /Cannot index number with string "b"/],
  ["a filter that eats memory", "[range(100000000)] | length", /more memory than jq has/],
])("C7: --jq says in jq's own words what is wrong with %s", async (_, filter, words) => {
  expect(await runJq({ a: 1 }, filter)).toEqual({ kind: "failed", message: expect.stringMatching(words) });
});

it("C7: Ctrl-C ends a filter that never ends", { timeout: 60_000 }, async () => {
  const endless = expect(runJq([], "last(repeat(1))")).rejects.toThrow(Interrupted);
  // A thread that was started later has been through: the first one is at work.
  await runJq([], ".");
  process.emit("SIGINT");
  await endless;
});
