import { describe, expect, it } from "vitest";
import { ApiError } from "../../../api/api-error.ts";
import { sendTry, triesOf, type CallAnswer } from "./try-store.ts";

const ANSWER: CallAnswer = { content: [], elapsed_ms: 1 };

describe("the tries of a tool", () => {
  it("send once, however often the button is pressed", async () => {
    const sent: string[] = [];
    const gate = Promise.withResolvers<CallAnswer>();
    const send = (_: unknown, id: string) => {
      sent.push(id);
      return gate.promise;
    };
    const first = sendTry("a", { x: 1 }, send);
    const second = sendTry("a", { x: 1 }, send);
    gate.resolve(ANSWER);
    await Promise.all([first, second]);
    expect(sent).toHaveLength(1);
    expect(triesOf("a")).toMatchObject([{ state: "answered", args: { x: 1 }, answer: ANSWER }]);
  });

  it("name the same attempt after a lost answer, and another one after a failure", async () => {
    const ids: string[] = [];
    const fail = (status: number) => (_: unknown, id: string) => {
      ids.push(id);
      return Promise.reject(
        new ApiError(status, { code: "TOOL_UNAVAILABLE", message: "No.", retryable: true }),
      );
    };
    await sendTry("b", { x: 1 }, fail(0));
    await sendTry("b", { x: 1 }, fail(0));
    await sendTry("b", { x: 1 }, fail(403));
    await sendTry("b", { x: 1 }, fail(403));
    await sendTry("b", { x: 2 }, fail(0));
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
    expect(triesOf("b")).toHaveLength(3);
  });

  it("are kept for each tool, newest first", async () => {
    await sendTry("c", { n: 1 }, () => Promise.resolve(ANSWER));
    await sendTry("c", { n: 2 }, () => Promise.resolve(ANSWER));
    expect(triesOf("c").map(({ args }) => args["n"])).toEqual([2, 1]);
    expect(triesOf("d")).toEqual([]);
  });
});
