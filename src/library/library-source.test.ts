import { onTestFinished } from "vitest";
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
