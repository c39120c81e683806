import { expect, it } from "vitest";
import type { TokenReport } from "../../app/app.ts";
import { describeCosts } from "./cost-summary.ts";

function reportOf(mode: "lean" | "full", tokens: Record<string, number>, unread: string[] = []): TokenReport {
  const toolTokens = Object.values(tokens).reduce((sum, count) => sum + count, 0);
  return {
    tokenizer: "o200k_base",
    servers: Object.entries(tokens).map(([id, count]) => ({
      id,
      toolCount: 1,
      tokens: count,
      meanTokens: count,
      tools: [],
    })),
    unread: unread.map((id) => ({ id })),
    faces: [
      {
        profile: null,
        exposure: "auto",
        mode,
        why: "",
        toolTokens,
        toolCount: 1,
        autoTokensMax: 700,
        lean: { startTokens: 977, taskTokens: 0 },
        full: { startTokens: 977 + toolTokens, taskTokens: 0 },
        search: { tokens: 0, queryCount: 0 },
      },
    ],
  };
}

it("compares what was taken out of a client with what it has now", () => {
  const connected = [{ client: "cursor", isNew: true, serverIds: ["a", "b"] } as const];
  expect(describeCosts(reportOf("lean", { a: 9000, b: 388, c: 5 }), connected, 3)).toEqual([
    "Cursor: before 9,388 tokens in every conversation, now 977.",
  ]);
});

it("says so where it is more than before, and why", () => {
  const connected = [{ client: "cursor", isNew: true, serverIds: ["a"] } as const];
  expect(describeCosts(reportOf("full", { a: 60 }), connected, 1)).toEqual([
    "Cursor: before 60 tokens in every conversation, now 1,037.",
    expect.stringContaining("With so few tools"),
  ]);
});

it("names what was not counted, and counts nothing where no server has answered", () => {
  expect(describeCosts(reportOf("lean", { a: 3000 }, ["slow"]), [], 2)).toEqual([
    "The tools of 1 server cost 3,000 tokens in every conversation; through Repertoire, 977.",
    "Not counted, because they did not answer: slow.",
  ]);
  expect(describeCosts(reportOf("full", {}, ["slow"]), [], 1)).toEqual([
    "The token cost of the tools is unknown: the server has not answered.",
  ]);
});
