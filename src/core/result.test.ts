import { expect, it } from "vitest";
import { RepertoireError, TOOL_ERROR_CODES } from "./errors.ts";
import { fail, succeed } from "./result.ts";

it("pins the codes that a client can see", () => {
  expect(TOOL_ERROR_CODES).toEqual([
    "TOOL_NOT_IMPLEMENTED",
    "TOOL_INVALID_INPUT",
    "TOOL_UNAVAILABLE",
    "TOOL_EXECUTION_FAILED",
    "TOOL_NOT_FOUND",
    "TOOL_TIMEOUT",
    "RATE_LIMITED",
    "SECURITY_ERROR",
    "APPROVAL_REQUIRED",
    "CANCELLED",
  ]);
});

it("says for each code whether the same call may work later", () => {
  const retryable = TOOL_ERROR_CODES.filter((code) => fail(code, "x").error.retryable);
  expect(retryable).toEqual(["TOOL_UNAVAILABLE", "TOOL_TIMEOUT", "RATE_LIMITED"]);
  expect(fail("TOOL_UNAVAILABLE", "x", { retryable: false }).error.retryable).toBe(false);
});

it("carries data or an error with its details", () => {
  expect(succeed(1)).toEqual({ success: true, data: 1 });
  expect(fail("TOOL_NOT_FOUND", "no", { nearest: ["a"], hint: "b" })).toEqual({
    success: false,
    error: { code: "TOOL_NOT_FOUND", message: "no", retryable: false, nearest: ["a"], hint: "b" },
  });
});

it("keeps code, hint and cause of a broken world", () => {
  const cause = new Error("inner");
  const error = new RepertoireError("STORE_FULL", "no room", { hint: "free some", cause });
  expect(error).toMatchObject({ code: "STORE_FULL", message: "no room", hint: "free some", cause });
});
