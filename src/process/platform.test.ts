import { expect, it } from "vitest";
import { findPlatformProblem } from "./platform.ts";

it("C11: says where the gateway is not supported, and what to use instead", () => {
  expect(findPlatformProblem("linux")).toBeUndefined();
  expect(findPlatformProblem("darwin")).toBeUndefined();
  expect(findPlatformProblem("win32")).toContain("Use WSL 2");
  expect(findPlatformProblem("freebsd")).toContain("freebsd");
});
