import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../net/retry-after.ts";
import { refuseBusyAnswers } from "./http-transport.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("T088: a server that is too busy", () => {
  it.each([
    ["5", 5_000],
    ["0", 0],
    ["1e9", undefined],
    ["1000000000", 60_000],
    ["-1", undefined],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7_000],
    ["Thu, 01 Jan 2099 00:00:00 GMT", 60_000],
    ["Thu, 01 Jan 2015 00:00:00 GMT", undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ])("says %j: the wait is %j ms", (text, waitMs) => {
    expect(parseRetryAfter(text, NOW)).toBe(waitMs);
  });

  it.each([
    [429, "RATE_LIMITED"],
    [503, "TOOL_UNAVAILABLE"],
  ])("with %i is a %s that may be tried again, and says when", async (status, code) => {
    const answer = async () => new Response("no", { status, headers: { "retry-after": "999999" } });
    await expect(refuseBusyAnswers(answer, "box")("http://x/")).rejects.toMatchObject({
      error: {
        code,
        retryable: true,
        retryAfterMs: 60_000,
        hint: "Nothing took effect. Call again in 60 s.",
      },
    });
  });

  it("any other answer is passed on", async () => {
    for (const status of [200, 404, 502]) {
      const response = await refuseBusyAnswers(async () => new Response("", { status }), "box")("http://x/");
      expect(response.status).toBe(status);
    }
  });
});
