import { expect, test } from "vitest";
import { arrangeProblems, formatPath, formatProblem, quoteKey } from "./problem.ts";

test("prints place, path, message and hint on one line", () => {
  const problem = {
    file: "repertoire.json",
    line: 12,
    column: 5,
    path: "a.b",
    message: "is wrong",
    hint: "fix it",
  };
  expect(formatProblem(problem)).toBe("repertoire.json:12:5  a.b: is wrong; fix it");
  expect(formatProblem({ file: "environment", path: "X_MCP_URL", message: "is not a URL" })).toBe(
    "environment  X_MCP_URL: is not a URL",
  );
  expect(formatProblem({ file: "f", path: "", message: "the file is empty" })).toBe("f  the file is empty");
});

test("writes a path as one would in code", () => {
  expect(formatPath(["mcpServers", "my server", "args", 0])).toBe('mcpServers["my server"].args[0]');
  expect(formatPath(["mcpServers", "my-server", ""])).toBe('mcpServers.my-server[""]');
});

test("lets no key forge a line, colour the terminal or flood it", () => {
  const key = "a\n\u001b[31mrepertoire.json:1:1\u202e\u2028";
  expect(formatPath([key])).toBe('["a\\n\\u001b[31mrepertoire.json:1:1\\u{202e}\\u{2028}"]');
  expect(quoteKey("x".repeat(5000)).length).toBeLessThan(100);
  expect(formatPath(["x".repeat(5000)]).length).toBeLessThan(100);
});

test("sorts by place, the environment last, and says how many are not shown", () => {
  const problem = (line: number, column: number) => ({ file: "f", line, column, path: "", message: "m" });
  const environment = { file: "environment", path: "V", message: "m" };
  const sorted = arrangeProblems([environment, problem(2, 1), problem(1, 9), problem(1, 2)]);
  expect(sorted).toEqual([problem(1, 2), problem(1, 9), problem(2, 1), environment]);
  const many = arrangeProblems(Array.from({ length: 150 }, (_, i) => problem(i, 1)));
  expect(many).toHaveLength(101);
  expect(many.at(-1)?.message).toBe("50 more problems are not shown");
});
