import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { describeToolSource } from "../registry/tool-source.testsuite.ts";
import { createTestLibrary } from "./library.testkit.ts";

describeToolSource("the library", async () => {
  const kit = await createTestLibrary(temporaryFolder());
  onTestFinished(() => kit.close());
  kit.addSource("notes", { wait: ({ quick }) => (quick === true ? "soon" : new Promise(() => {})) });
  await kit.keepRun("say:hello", "return { text: 'hello ' + args.name };", { name: "Ann" });
  await kit.keepRun("say:later", "return mcp.notes.wait({ quick: args.quick });", { quick: true });
  let count = 0;
  return {
    source: kit.source,
    works: { tool: "say__hello", args: { name: "Bob" } },
    hangs: {
      tool: "say__later",
      args: { quick: false },
      hasBegun: () =>
        kit.calls.some(({ tool, args }) => tool === "notes__wait" && !(args as { quick: boolean }).quick),
    },
    change: () => kit.keepRun(`say:more_${count++}`, "return 1;"),
  };
});

it("says what the current version of a capability uses: its tools, and the nodes of a workflow", async () => {
  const kit = await createTestLibrary(temporaryFolder());
  onTestFinished(() => kit.close());
  kit.addSource("notes", { add: () => "added" });
  await kit.keepRun("say:hello", "return 'hello';");
  expect(kit.source.usesOf("mcp__say__hello")).toEqual({ tools: [], nodes: [] });
  await kit.keepRun("say:hello", "return mcp.notes.add({});");
  expect(kit.source.usesOf("mcp__say__hello")).toEqual({ tools: ["notes__add"], nodes: [] });
  const nodes = [
    { id: "a", type: "notes__add", params: {} },
    { id: "b", type: "wait", params: { ms: 1 } },
    { id: "c", type: "code", params: { code: "return mcp.say.hello({});" } },
  ];
  const request = {
    kind: "workflow",
    name: { namespace: "say", action: "flow" },
    description: "Says.",
  } as const;
  const source = JSON.stringify({ ir_version: "1.0", nodes });
  expect(await kit.capabilitySaver.save({ ...request, source }, kit.context)).toMatchObject({
    success: true,
  });
  await kit.freshen();
  expect(kit.source.usesOf("mcp__say__flow")).toEqual({
    tools: ["mcp__say__hello", "notes__add"],
    nodes: [
      { type: "wait", params: { ms: 1 } },
      { type: "code", params: { code: "return mcp.say.hello({});" } },
    ],
  });
  expect(kit.source.usesOf("mcp__say__nothing")).toBeUndefined();
});
