import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { createCallDispatcher } from "./call-dispatcher.ts";
import { ANSWER_BYTES_MAX } from "./limits.ts";
import { CLOCK_AT, failed, guestRun, returned, whenAborted } from "../sandbox.testkit.ts";
import type { CallReply, GuestRun } from "../guest-contract.ts";

/** A dispatcher whose calls wait until the test answers them. */
function openDispatcher(options: Partial<GuestRun> = {}) {
  const sent: string[] = [];
  const calls: { index: number; args: JsonObject; signal: AbortSignal; answer(reply: CallReply): void }[] =
    [];
  const run = guestRun("", {
    call: (index, args, signal) => new Promise((answer) => void calls.push({ index, args, signal, answer })),
    ...options,
  });
  const sink = { isClogged: false, send: (frame: string) => void sent.push(frame) };
  return { dispatcher: createCallDispatcher(run, sink), sink, sent, calls };
}

/** Lets everything happen that is not waiting for the test. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("createCallDispatcher", () => {
  test("makes a call with its arguments and sends the answer with the clock", async () => {
    const { dispatcher, sent, calls } = openDispatcher();
    expect(dispatcher.take(`C 1 0 {"a":" b  c"}`)).toBe(true);
    expect(calls.map(({ index, args }) => ({ index, args }))).toEqual([{ index: 0, args: { a: " b  c" } }]);
    calls[0]!.answer(returned({ sum: 3 }, CLOCK_AT + 7));
    await settle();
    expect(sent).toEqual([`R 1 ${CLOCK_AT + 7} {"sum":3}`]);
  });

  test("sends an answer of nothing as nothing, and a failure as a failure", async () => {
    const { dispatcher, sent, calls } = openDispatcher();
    for (const id of [1, 2]) dispatcher.take(`C ${id} 0 {}`);
    calls[0]!.answer(returned(undefined));
    calls[1]!.answer(failed({ code: "TOOL_EXECUTION_FAILED", message: "no" }));
    await settle();
    expect(sent).toEqual([
      `R 1 ${CLOCK_AT} `,
      `E 2 ${CLOCK_AT} {"code":"TOOL_EXECUTION_FAILED","message":"no"}`,
    ]);
  });

  test("makes so many at a time, and the next when one is answered", async () => {
    const { dispatcher, calls } = openDispatcher({ callsAtOnceMax: 2 });
    for (const id of [1, 2, 3]) dispatcher.take(`C ${id} 0 {}`);
    await settle();
    expect(calls).toHaveLength(2);
    calls[1]!.answer(returned(1));
    await settle();
    expect(calls).toHaveLength(3);
  });

  test("makes no call while the runner has not read its answers, and goes on when it has", async () => {
    const { dispatcher, sink, calls } = openDispatcher({ callsAtOnceMax: 2 });
    for (const id of [1, 2, 3]) dispatcher.take(`C ${id} 0 {}`);
    sink.isClogged = true;
    calls[0]!.answer(returned(1));
    await settle();
    expect(calls).toHaveLength(2);
    sink.isClogged = false;
    dispatcher.resume();
    expect(calls).toHaveLength(3);
  });

  test.each([
    ["a function that was not granted", "C 1 2 {}"],
    ["a namespace without a function", "C 1 1 {}"],
    ["a negative function", "C 1 -1 {}"],
    ["a function that is a member of lists", "C 1 length {}"],
    ["a number that is none of a call", "C 0 0 {}"],
    ["no number", "C x 0 {}"],
  ])("refuses %s: only a broken runner sends it", (_, line) => {
    const functions = [
      { namespace: "math", name: "sum" },
      { namespace: "slow", name: null },
    ];
    const { dispatcher, calls } = openDispatcher({ functions });
    expect(dispatcher.take(line)).toBe(false);
    expect(calls).toEqual([]);
  });

  test("refuses one call more than the run may make", () => {
    const { dispatcher, calls } = openDispatcher({ callsMax: 2 });
    expect([1, 2, 3].map((id) => dispatcher.take(`C ${id} 0 {}`))).toEqual([true, true, false]);
    expect(calls).toHaveLength(2);
  });

  test.each([
    ["no object", "5", "must be an object"],
    ["a list", "[]", "must be an object"],
    ["no JSON", "{", "Not valid JSON"],
    ["too deep", `${'{"d":'.repeat(65)}1${"}".repeat(65)}`, "nests deeper than 64 levels"],
  ])("answers arguments that are %s with a failure, and makes no call", (_, body, words) => {
    const { dispatcher, sent, calls } = openDispatcher();
    expect(dispatcher.take(`C 1 0 ${body}`)).toBe(true);
    expect(sent[0]).toMatch(/^E 1 \d+ \{"code":"TOOL_INVALID_INPUT"/);
    expect(sent[0]).toContain(words);
    expect(calls).toEqual([]);
  });

  test("turns the clock back for no answer, not even for a refusal", async () => {
    const { dispatcher, sent, calls } = openDispatcher();
    dispatcher.take("C 1 0 {}");
    calls[0]!.answer(returned(1, CLOCK_AT + 5000));
    await settle();
    dispatcher.take("C 2 0 []");
    expect(Number(sent[1]!.split(" ")[2])).toBe(CLOCK_AT + 5000);
  });

  test.each([
    ["at", 0, "R"],
    ["just over", 1, "E"],
  ])("an answer %s the limit is passed or refused", async (_, excess, letter) => {
    const { dispatcher, sent, calls } = openDispatcher();
    dispatcher.take("C 1 0 {}");
    calls[0]!.answer(returned("x".repeat(ANSWER_BYTES_MAX - 2 + excess)));
    await settle();
    expect(sent[0]![0]).toBe(letter);
    if (letter === "E") {
      expect(sent[0]).toContain(
        `The answer has ${ANSWER_BYTES_MAX + 1} characters; code can read ${ANSWER_BYTES_MAX}.`,
      );
      expect(sent[0]).toContain(`"reason":"answer_limit"`);
    }
  });

  test("when it closes, drops what waits, waits for what is under way, and sends nothing more", async () => {
    const { dispatcher, sent, calls } = openDispatcher({ callsAtOnceMax: 1 });
    for (const id of [1, 2, 3]) dispatcher.take(`C ${id} 0 {}`);
    const closed = dispatcher.close(new AbortController().signal);
    calls[0]!.answer(returned(1));
    expect(await closed).toBe(2);
    await settle();
    expect(calls).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  test.each(["before", "after"])(
    "cancels what is under way when the signal comes %s the close",
    async (when) => {
      const stop = new AbortController();
      const { dispatcher } = openDispatcher({ call: (_index, _args, signal) => whenAborted(signal) });
      dispatcher.take("C 1 0 {}");
      if (when === "before") stop.abort();
      const closed = dispatcher.close(stop.signal);
      stop.abort();
      expect(await closed).toBe(0);
    },
  );
});
