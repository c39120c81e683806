import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { describeToolSource } from "./tool-source.testsuite.ts";

describeToolSource("the source that other tests use", async () => {
  const source = createFixtureSource("box", [toolOf("echo")]);
  return { source, works: { tool: "echo", args: {} }, change: async () => source.announce() };
});
