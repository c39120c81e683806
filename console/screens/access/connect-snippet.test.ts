import { expect, it } from "vitest";
import { connectSnippets, endpointOf } from "./connect-snippet.ts";

it("comes in through the profile to which a token is limited", () => {
  expect(endpointOf("http://127.0.0.1:7373")).toBe("http://127.0.0.1:7373/mcp");
  expect(endpointOf("http://127.0.0.1:7373", ["triage", "all"])).toBe("http://127.0.0.1:7373/mcp/triage");
});

it("gives the address and the token to clients of both kinds", () => {
  for (const { text } of connectSnippets("http://127.0.0.1:7373/mcp", "rpt_secret")) {
    expect(text).toContain("http://127.0.0.1:7373/mcp");
    expect(text).toContain("Bearer rpt_secret");
  }
});
