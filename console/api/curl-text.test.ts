import { describe, expect, it } from "vitest";
import { curlText } from "./curl-text.ts";

describe("a request as a curl command", () => {
  it("quotes for a shell, names the token and does not write it", () => {
    const sent = { params: { tool: "files__read" }, body: { args: { path: "it's" } } };
    expect(curlText("callTool", sent, "http://127.0.0.1:7391")).toBe(
      `curl -X POST http://127.0.0.1:7391/api/v1/tools/files__read/call -H "Authorization: Bearer $REPERTOIRE_TOKEN" ` +
        `-H 'Content-Type: application/json' -d '{"args":{"path":"it'\\''s"}}'`,
    );
  });

  it("has neither method nor body where it only reads", () => {
    expect(curlText("listRuns", { query: { limit: 5 } }, "http://h")).toBe(
      `curl 'http://h/api/v1/runs?limit=5' -H "Authorization: Bearer $REPERTOIRE_TOKEN"`,
    );
  });
});
