import { describe, expect, it, vi } from "vitest";
import { fail, type ToolResult } from "../../core/result.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ClientHandle } from "../../core/tool.ts";
import { CallTimer } from "./call-timer.ts";
import { clientOf } from "../many-clients.testkit.ts";
import { Questions } from "./questions.ts";

/** A client that answers nothing until it is no longer asked. */
function silentClient(): ClientHandle & { asked: string[] } {
  const asked: string[] = [];
  return {
    ...clientOf("silent"),
    asked,
    request: (method, _params, signal) => {
      asked.push(method);
      return new Promise<ToolResult<JsonObject>>((resolve) =>
        signal.addEventListener("abort", () => resolve(fail("CANCELLED", "no longer asked"))),
      );
    },
  };
}

const never = () => new AbortController().signal;

describe("a question", () => {
  it("S12: pauses the calls that are under way, and none that comes later", () => {
    const questions = new Questions();
    const [before, after] = [new CallTimer(1), new CallTimer(1)];
    const pauses = [before, after].map((timer) => vi.spyOn(timer, "pause"));
    questions.callBegan(before);
    void questions.ask(silentClient(), "elicitation/create", {}, never());
    questions.callBegan(after);
    expect(pauses.map((pause) => pause.mock.calls.length)).toEqual([1, 0]);
  });

  it("S12: ends when the last call that it may belong to was given up, and the server is told", async () => {
    const questions = new Questions();
    const [one, other] = [new CallTimer(1), new CallTimer(1)].map((timer) => questions.callBegan(timer));
    let answer: object | undefined;
    const asked = questions
      .ask(silentClient(), "elicitation/create", {}, never())
      .then((given) => (answer = given));
    questions.callEnded(one!, true);
    await new Promise(setImmediate);
    expect(answer).toBeUndefined();
    questions.callEnded(other!, true);
    expect(await asked).toEqual({ error: { code: -32603, message: "no longer asked" } });
  });

  it("goes on when its call was answered: a server also asks for what no call needs", async () => {
    const questions = new Questions();
    const gate = Promise.withResolvers<ToolResult<JsonObject>>();
    const call = questions.callBegan(new CallTimer(1));
    const client = { ...clientOf("Ann", { roots: {} }), request: () => gate.promise };
    const asked = questions.ask(client, "roots/list", {}, never());
    questions.callEnded(call, false);
    gate.resolve({ success: true, data: { roots: [] } });
    expect(await asked).toEqual({ result: { roots: [] } });
  });

  it.each([
    ["elicitation/create", { roots: {}, sampling: {} }],
    ["sampling/createMessage", { roots: {}, elicitation: {} }],
    ["roots/list", {}],
    ["tools/call", { elicitation: {}, tools: {} }],
    ["toString", { elicitation: {} }],
    ["exec", { exec: {} }],
  ])("S12: %s is refused for a client that declared %o, which is not asked", async (method, capabilities) => {
    const client = clientOf("Ann", capabilities);
    expect(await new Questions().ask(client, method, {}, never())).toMatchObject({
      error: { code: -32601, message: expect.stringContaining(method) },
    });
    expect(client.asked).toEqual([]);
  });
});
