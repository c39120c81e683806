/** T146, T153: how long links and sessions are good, to the millisecond. */
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createConsoleSessions } from "./console-session.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OWNER = { digest: "ab".repeat(32), profile: "triage" };

async function open() {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  const clock = { at: 1_800_000_000_000 };
  const sessions = createConsoleSessions(store.seals, { now: () => clock.at });
  const signIn = async () => {
    const opened = await sessions.redeem((await sessions.makeLink(OWNER)).link);
    if (!opened.success) throw new Error(opened.error.message);
    return opened.data;
  };
  return { clock, sessions, signIn };
}

it.each([
  [MINUTE_MS - 1, true],
  [MINUTE_MS, false],
])("a link that is %d ms old opens a session: %s", async (ms, isGood) => {
  const { clock, sessions } = await open();
  const { link } = await sessions.makeLink(OWNER);
  clock.at += ms;
  expect((await sessions.redeem(link)).success).toBe(isGood);
});

it("a session speaks for the owner of its link, and a link is no cookie, nor a cookie a link", async () => {
  const { sessions, signIn } = await open();
  const session = await signIn();
  const cookie = await sessions.seal(session);
  expect(await sessions.read(cookie)).toEqual(session);
  expect(session).toMatchObject(OWNER);
  expect(await sessions.read((await sessions.makeLink(OWNER)).link)).toBeUndefined();
  expect((await sessions.redeem(cookie)).success).toBe(false);
});

it.each([
  [2 * HOUR_MS - 1, true],
  [2 * HOUR_MS, false],
])("a session that was not seen for %d ms is good: %s", async (ms, isGood) => {
  const { clock, sessions, signIn } = await open();
  const cookie = await sessions.seal(await signIn());
  clock.at += ms;
  expect((await sessions.read(cookie)) !== undefined).toBe(isGood);
});

it.each([
  [12 * HOUR_MS - 1, true],
  [12 * HOUR_MS, false],
])("a session that is used all the time is good after %d ms: %s", async (ms, isGood) => {
  const { clock, sessions, signIn } = await open();
  const session = await signIn();
  clock.at += ms;
  const cookie = await sessions.seal({ ...session, seenAt: clock.at });
  expect((await sessions.read(cookie)) !== undefined).toBe(isGood);
  expect(await sessions.isOpen(session)).toBe(isGood);
});

it("a cookie is written again once a minute, and its session keeps its end", async () => {
  const { clock, sessions, signIn } = await open();
  const session = await signIn();
  clock.at += MINUTE_MS - 1;
  expect(sessions.renewed(session)).toBeUndefined();
  clock.at += 1;
  expect(sessions.renewed(session)).toEqual({ ...session, seenAt: clock.at });
});

it("a session that was closed is closed for every copy of its cookie, and no other is", async () => {
  const { sessions, signIn } = await open();
  const [one, other] = [await signIn(), await signIn()];
  const cookies = [await sessions.seal(one), await sessions.seal({ ...one, seenAt: one.seenAt + 1 })];
  await sessions.close(one);
  for (const cookie of cookies) expect(await sessions.read(cookie)).toBeUndefined();
  expect(await sessions.read(await sessions.seal(other))).toEqual(other);
});
