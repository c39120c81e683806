import type { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { untilAnswered } from "./demo-story.ts";

it("N3: the search is shown when every server has answered, also on a slow machine", async () => {
  const pending = [["notes (still starting, for 1 s)"], ["notes"], []];
  const client = {
    callTool: () =>
      Promise.resolve({ content: [], structuredContent: { nodes: [], pending: pending.shift() } }),
  } as unknown as Pick<Client, "callTool">;
  await untilAnswered(client, { query: "x" });
  expect(pending).toEqual([]);
});
