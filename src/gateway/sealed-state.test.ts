import { expect, it } from "vitest";
import type { Clock } from "../core/clock.ts";
import type { CallContext } from "../core/tool.ts";
import { contextOf, principalOf } from "../upstream/many-clients.testkit.ts";
import { HELD_MS } from "./held-call.ts";
import { checkNoState, type BoundRequest, type SealedStates, type StateContent } from "./sealed-state.ts";
import { useSealedStates } from "./sealed-state.testkit.ts";

const openStates = useSealedStates();

const REQUEST: BoundRequest = {
  method: "tools/call",
  name: "execute",
  args: { name: "flow", inputs: { a: [1] } },
};
const APPROVAL: StateContent = { kind: "approval", runId: "run-1", questionId: "q-1" };
const HELD: StateContent = { kind: "held", callId: "call-1", round: 2 };
const SERVER: StateContent = { kind: "server", server: "bank", state: "account of ann" };
const KINDS = [APPROVAL, HELD, SERVER].map((content) => [content.kind, content] as const);
const DAY_MS = 86_400_000;

const withState = (requestState: string, more: Partial<CallContext> = {}) =>
  contextOf({ ...more, modern: { capabilities: {}, requestState } });

const seal = async (states: SealedStates, content: StateContent, more: Partial<CallContext> = {}) =>
  (await states.sealer())(content, REQUEST, contextOf(more));

const refusedWith = (what: string) => ({
  success: false,
  error: { reason: "request_state_refused", field: "requestState", message: expect.stringContaining(what) },
});

function clockAt(start: number): Clock & { at: number } {
  return {
    at: start,
    now() {
      return this.at;
    },
    elapsed: () => 0,
  };
}

it.each(KINDS)(
  "%s: is opened by another process on the same store, and cannot be read",
  async (_, content) => {
    const state = await seal(openStates(), content);
    expect(Buffer.from(state, "base64url").toString("latin1")).not.toMatch(/run-1|call-1|account|flow/);
    expect(await openStates().open(REQUEST, withState(state))).toEqual({ success: true, data: content });
  },
);

it("is nothing where none came", async () => {
  expect(await openStates().open(REQUEST, contextOf())).toEqual({ success: true, data: undefined });
});

it.each(KINDS)("%s: is good for the request that it was given for, and for no other", async (_, content) => {
  const states = openStates();
  const principal = principalOf("ann");
  const view = { profile: "work" } as never;
  const state = await seal(states, content, { principal, view });
  const own = withState(state, { principal, view });
  const tries: [string, BoundRequest, CallContext][] = [
    ["another principal", REQUEST, withState(state, { view, principal: principalOf("ben") })],
    ["another principal", REQUEST, withState(state, { view })],
    ["another profile", REQUEST, withState(state, { principal })],
    ["another profile", { ...REQUEST, profile: "home" }, own],
    ["another call", { ...REQUEST, method: "prompts/get" }, own],
    ["another call", { ...REQUEST, name: "other" }, own],
    ["other arguments", { ...REQUEST, args: { name: "flow", inputs: { a: [2] } } }, own],
    [
      "not made by this gateway",
      REQUEST,
      { ...own, modern: { capabilities: {}, requestState: `${state}A` } },
    ],
    ["not made by this gateway", REQUEST, { ...own, modern: { capabilities: {}, requestState: "" } }],
  ];
  for (const [what, request, context] of tries)
    expect(await states.open(request, context)).toMatchObject(refusedWith(what));
  const reordered = { ...REQUEST, args: { inputs: { a: [1] }, name: "flow" } };
  expect(await states.open(reordered, own)).toEqual({ success: true, data: content });
});

it.each([
  ["approval", APPROVAL, 14 * DAY_MS],
  ["held", HELD, HELD_MS],
  ["server", SERVER, DAY_MS],
] as const)("%s: expires, and not before", async (_, content, lifetimeMs) => {
  const clock = clockAt(1_000);
  const states = openStates(clock);
  const [late, early] = [await seal(states, content), await seal(states, content)];
  clock.at += lifetimeMs - 1;
  expect(await states.open(REQUEST, withState(early))).toMatchObject({ success: true });
  clock.at += 1;
  expect(await states.open(REQUEST, withState(late))).toMatchObject(refusedWith("expired"));
});

it.each([
  ["approval", APPROVAL, 'execute {resume: "run-1"}'],
  ["server", SERVER, "Call again without requestState"],
] as const)(
  "%s: counts once, of all processes that try at once, and says the way on",
  async (_, content, hint) => {
    const state = await seal(openStates(), content);
    const tries = await Promise.all([1, 2, 3].map(() => openStates().open(REQUEST, withState(state))));
    expect(tries.filter(({ success }) => success)).toHaveLength(1);
    expect(await openStates().open(REQUEST, withState(state))).toMatchObject({
      error: { ...refusedWith("used already").error, hint: expect.stringContaining(hint) },
    });
  },
);

it("held: is not used up by a process that does not hold the call", async () => {
  const state = await seal(openStates(), HELD);
  await openStates().open(REQUEST, withState(state));
  expect(await openStates().open(REQUEST, withState(state))).toEqual({ success: true, data: HELD });
});

it("held: names the replica that holds the call to all others, and no other kind does", async () => {
  const [one, two] = [openStates(undefined, "one"), openStates(undefined, "two")];
  const state = await seal(one, HELD);
  expect([await one.holderOf(state), await two.holderOf(state)]).toEqual([undefined, "one"]);
  expect(await two.holderOf(await seal(one, APPROVAL))).toBeUndefined();
  expect(await two.holderOf(await seal(openStates(), HELD))).toBeUndefined();
  expect(await openStates().holderOf(state)).toBeUndefined();
  expect(await two.holderOf("made up")).toBeUndefined();
});

it("is refused with a request about which nothing is ever asked", () => {
  expect(checkNoState(withState("anything"))).toMatchObject(refusedWith("another call"));
  expect(checkNoState(contextOf())).toMatchObject({ success: true });
});
