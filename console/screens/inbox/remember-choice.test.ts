import { expect, it } from "vitest";
import { proposalQuery, REMEMBER_ALL, rememberBody, sameArguments, timesProblem } from "./remember-choice.ts";

it("asks for and sends the same choice", () => {
  const choice = { same: ["repo", "branch"], times: "20", isScript: true };
  expect(proposalQuery(choice)).toEqual({ same: "repo,branch", times: 20, script: "true" });
  expect(rememberBody(choice)).toEqual({ same: ["repo", "branch"], times: 20, script: true });
});

it("sends nothing of what is not chosen", () => {
  expect(proposalQuery(REMEMBER_ALL)).toEqual({});
  expect(rememberBody(REMEMBER_ALL)).toEqual({});
});

it.each(["0", "-1", "1.5", "abc", "1000001"])("says that %s is no number of times", (times) => {
  expect(timesProblem({ ...REMEMBER_ALL, times })).toBe("A whole number from 1 to 1,000,000.");
});

it("binds a rule to plain values only", () => {
  const found = sameArguments({ repo: "a", labels: ["x"], "a,b": 1, none: null });
  expect(found.filter(({ problem }) => problem === undefined).map(({ name }) => name)).toEqual([
    "repo",
    "none",
  ]);
  expect(sameArguments("text")).toEqual([]);
});
