import { expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../core/log.ts";
import { principalOf } from "./http.testkit.ts";
import { SESSION_COUNT_MAX, SESSION_IDLE_MS, SESSION_RESERVED_COUNT } from "./limits.ts";
import { Sessions } from "./sessions.ts";

function openSessions() {
  let now = 0;
  const sessions = new Sessions(silentLog, () => now);
  onTestFinished(() => sessions.close());
  return { sessions, pass: (ms: number) => (now += ms) };
}

it("a session that nobody uses ends after the limit, and not at it", () => {
  const { sessions, pass } = openSessions();
  const session = sessions.open(undefined)!;
  pass(SESSION_IDLE_MS);
  sessions.tick();
  expect(sessions.find(session.sessionId, undefined)).toBe(session);
  pass(1);
  sessions.tick();
  expect(sessions.count).toBe(0);
  expect(session.gone.aborted).toBe(true);
});

it("one more than there may be ends the one that was idle for longest", () => {
  const { sessions, pass } = openSessions();
  const first = sessions.open(undefined)!;
  pass(1);
  for (let i = 1; i < SESSION_COUNT_MAX; i++) sessions.open(undefined);
  expect([sessions.count, first.gone.aborted]).toEqual([SESSION_COUNT_MAX, false]);
  pass(1);
  expect(sessions.open(undefined)).toBeDefined();
  expect([sessions.count, first.gone.aborted]).toEqual([SESSION_COUNT_MAX, true]);
});

it("T065: a session is found by its owner alone", () => {
  const { sessions } = openSessions();
  const [ann, bob] = [principalOf("ann"), principalOf("bob")];
  const { sessionId } = sessions.open(ann)!;
  expect(sessions.find(sessionId, ann)).toBeDefined();
  expect([sessions.find(sessionId, bob), sessions.find(sessionId, undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});

it("S15: sessions of one principal, all in use, leave room for others and end none of theirs", () => {
  const { sessions, pass } = openSessions();
  const [greedy, bob] = [principalOf("greedy"), principalOf("bob")];
  const bobs = sessions.open(bob)!;
  const opened = Array.from({ length: SESSION_COUNT_MAX - 1 }, () => sessions.open(greedy)!);
  pass(1);
  // One more ends the idlest of its own, although that of the other is as idle.
  expect(sessions.open(greedy)).toBeDefined();
  expect([bobs.gone.aborted, opened.filter(({ gone }) => gone.aborted).length]).toEqual([false, 1]);
  for (let i = 0; i < SESSION_RESERVED_COUNT; i++) expect(sessions.open(principalOf(`${i}`))).toBeDefined();
  expect(sessions.count).toBe(SESSION_COUNT_MAX + SESSION_RESERVED_COUNT);
});

it("S15: who has used up its share of sessions is told so", () => {
  const { sessions } = openSessions();
  const greedy = principalOf("greedy");
  // Time stands still, so none is idle.
  for (let i = 0; i < SESSION_COUNT_MAX; i++) sessions.open(greedy);
  expect(sessions.open(greedy)).toBeUndefined();
  expect(sessions.explain(greedy)).toContain("This client has used up its share of the 1100 sessions");
});
