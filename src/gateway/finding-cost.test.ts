import { expect, it } from "vitest";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import { estimateTokens } from "../text/token-estimate.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { ASKING_TOKENS, findingTokens, longestAnswer } from "./finding-cost.ts";

function wide(name: string, fieldCount: number): ToolDefinition {
  const fields = Array.from({ length: fieldCount }, (_, at) => [`field_${at}`, { type: "string" }]);
  return {
    ...toolOf(name, "Does it."),
    inputSchema: { type: "object", properties: Object.fromEntries(fields) },
  };
}

const nodesOf = (tools: readonly ToolDefinition[]) =>
  (JSON.parse(longestAnswer(tools)) as { nodes: { type: string; signature?: string; description: string }[] })
    .nodes;

it("gives the five dearest tools with their signature and fifteen others in a line", () => {
  const tools = Array.from({ length: 30 }, (_, at) => wide(`srv__t${at}`, at));
  const nodes = nodesOf(tools);
  expect(nodes).toHaveLength(20);
  const withSignature = nodes.filter(({ signature }) => signature !== undefined).map(({ type }) => type);
  expect(withSignature.toSorted()).toEqual(["srv__t25", "srv__t26", "srv__t27", "srv__t28", "srv__t29"]);
  expect(nodes[0]!.signature).toContain("mcp.srv.t29(args?: { field_0?: string;");
});

it("costs what the answer and the asking cost, and no more for longer texts than an answer has", () => {
  const tools = [wide("srv__t", 3)];
  expect(findingTokens(tools)).toBe(ASKING_TOKENS + estimateTokens(longestAnswer(tools).length));
  expect(findingTokens([])).toBeGreaterThan(ASKING_TOKENS);
  const endless = Array.from({ length: 5 }, (_, at) => ({
    ...wide(`srv__t${at}`, 1_000),
    description: "word ".repeat(10_000),
  }));
  expect(findingTokens(endless)).toBeLessThan(1_300);
});
