import { describe, expect, test } from "vitest";
import { ANSWER_BYTES_MAX, ARGUMENTS_BYTES_MAX } from "./runner/limits.ts";
import { createTestSandbox, failed, returned, valueOf } from "./sandbox.testkit.ts";

const { run } = createTestSandbox();

describe("calls", () => {
  test("pass their arguments and return the answer", async () => {
    const outcome = await run(
      "return [await mcp.math.sum({ a: [1] }), await mcp.slow.wait(), typeof (await mcp.math.sum({}))];",
      {
        call: (index, args) =>
          Promise.resolve(returned(args["a"] === undefined && index === 0 ? undefined : { index, args })),
      },
    );
    expect(valueOf(outcome)).toEqual([{ index: 0, args: { a: [1] } }, { index: 1, args: {} }, "undefined"]);
  });

  test("throw what the tool failed with, at the place of the call", async () => {
    const error = {
      code: "TOOL_EXECUTION_FAILED",
      tool: "math__sum",
      message: "no",
      hint: "try",
      retryable: true,
      details: { a: 1 },
    };
    const outcome = await run(
      `try { await mcp.math.sum({}); } catch (error) {
         return { own: { ...error }, name: error.name, message: error.message, isError: error instanceof Error, stack: error.stack.includes("code.ts") };
       }`,
      { call: () => Promise.resolve(failed(error)) },
    );
    const { message, ...own } = error;
    expect(valueOf(outcome)).toEqual({ own, name: "ToolError", message, isError: true, stack: true });
  });

  test("that fail and are not caught end the run with their code and hint", async () => {
    const outcome = await run("await mcp.math.sum({});", {
      call: () =>
        Promise.resolve(
          failed({ code: "TOOL_EXECUTION_FAILED", tool: "math__sum", message: "no", hint: "try" }),
        ),
    });
    expect(outcome).toMatchObject({
      kind: "threw",
      thrown: {
        name: "ToolError",
        code: "TOOL_EXECUTION_FAILED",
        tool: "math__sum",
        message: "no",
        hint: "try",
      },
    });
  });

  test.each(["5", "'text'", "null", "[]", "() => 1"])("refuse %s as arguments", async (input) => {
    const outcome = await run(`await mcp.math.sum(${input});`);
    expect(outcome).toMatchObject({
      kind: "threw",
      thrown: {
        name: "TypeError",
        message: "mcp.math.sum takes one object of arguments, such as mcp.math.sum({ key: value }).",
      },
    });
  });

  test("answers come back in the order in which they are given", async () => {
    const first = Promise.withResolvers<void>();
    const outcome = await run(
      "const order = []; await Promise.all([0, 1].map(async (i) => { await mcp.math.sum({ i }); order.push(i); })); return order;",
      {
        call: async (_index, args) => {
          if (args["i"] === 0) await first.promise;
          else first.resolve();
          return returned(null);
        },
      },
    );
    expect(valueOf(outcome)).toEqual([1, 0]);
  });

  test.each([
    ["at the limit are passed", 0, 0, "passed"],
    ["just over the limit are a TypeError that says it", 1, 0, `have ${ARGUMENTS_BYTES_MAX + 1} `],
    [
      "that are over the limit as bytes alone are a TypeError too",
      0,
      ARGUMENTS_BYTES_MAX / 2,
      `limit is ${ARGUMENTS_BYTES_MAX}`,
    ],
  ])("arguments %s", async (_, excess, wideCount, words) => {
    const length = ARGUMENTS_BYTES_MAX - '{"t":""}'.length + excess - wideCount;
    const outcome = await run(
      `try { return await mcp.math.sum({ t: "x".repeat(${length}) + "€".repeat(${wideCount}) }); } catch (error) { return error.name + " " + error.message; }`,
      { call: () => Promise.resolve(returned("passed")) },
    );
    expect(valueOf(outcome)).toContain(words);
  });

  test("an answer just over the limit is a failure that says it", async () => {
    const outcome = await run(
      "try { await mcp.math.sum({}); } catch ({ message, reason }) { return [message, reason]; }",
      {
        call: () => Promise.resolve(returned("x".repeat(ANSWER_BYTES_MAX - 1))),
      },
    );
    expect(valueOf(outcome)).toEqual([
      `The answer has ${ANSWER_BYTES_MAX + 1} characters; code can read ${ANSWER_BYTES_MAX}. Ask the tool for less.`,
      "answer_limit",
    ]);
  });

  test("one more than the run may make fails in the guest, and the run goes on", async () => {
    let count = 0;
    const outcome = await run(
      `const done = []; for (let i = 0; i < 4; i++) try { done.push(await mcp.math.sum({})); } catch (error) { done.push(error.reason + " " + error.code); } return done;`,
      { callsMax: 3, call: () => Promise.resolve(returned(++count)) },
    );
    expect(valueOf(outcome)).toEqual([1, 2, 3, "call_limit RATE_LIMITED"]);
    expect(count).toBe(3);
  });
});

test("a call that is refused for its size is not in the way of the next", async () => {
  const outcome = await run(
    "const big = await mcp.math.sum({ text: '€'.repeat(500000) }).catch((e) => e.name); return [big, await mcp.math.sum()]",
  );
  expect(outcome).toMatchObject({ kind: "returned", value: ["TypeError", 15] });
});
