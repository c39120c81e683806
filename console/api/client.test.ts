import { expect, it } from "vitest";
import { ApiError, errorOfBody, toolErrorOf } from "./api-error.ts";
import { urlOf } from "./client.ts";

it("writes names of the path and the query as the gateway reads them", () => {
  expect(urlOf("getStep", { params: { run: "r/1", step: "2" } })).toBe("/api/v1/runs/r%2F1/steps/2");
  expect(
    urlOf("listRuns", { query: { status: "failed,paused", text: "a b", tool: undefined, limit: 50 } }),
  ).toBe("/api/v1/runs?status=failed%2Cpaused&text=a+b&limit=50");
});

it("finds the error in the body of an answer, and says so where there is none", () => {
  const error = { code: "TOOL_NOT_FOUND", message: "There is no run r1.", retryable: false };
  expect(errorOfBody(404, { error })).toEqual(error);
  expect(errorOfBody(404, error)).toEqual(error);
  expect(errorOfBody(502, "<html>").message).toContain("502");
});

it("tells a session that ended from a gateway that is gone", () => {
  const error = { code: "SECURITY_ERROR", message: "", retryable: false } as const;
  expect(new ApiError(401, error)).toMatchObject({ isSignedOut: true, isUnreachable: false });
  expect(new ApiError(0, error)).toMatchObject({ isSignedOut: false, isUnreachable: true });
  expect(toolErrorOf(new TypeError("x is not a function")).message).toBe("x is not a function");
});
