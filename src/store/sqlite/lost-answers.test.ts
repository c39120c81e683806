/** Changes of tokens whose answer was lost: they have counted, and are made again. */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { StoredToken } from "../../core/replica-store.ts";
import type { Concurrency } from "../backend.ts";
import { createTokenStore } from "../replicas/tokens.ts";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openSession } from "./sqlite-session.ts";
import { openTestStore, testHome } from "./temp-home.testkit.ts";

/** Between the two attempts, another process may do something. */
async function openForgetful(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const home = testHome();
  const store = await openTestStore(home);
  const patience = { limitMs: 1_000, elapsed: () => performance.now() };
  const session = openSession(join(home, DATABASE_NAME), { openHandle, patience });
  onTestFinished(() => session.connection.abandon());
  const attempt: Concurrency["attempt"] = async (work) => {
    await work(1);
    await meanwhile();
    return work(2);
  };
  return { tokens: createTokenStore({ db: session.db, attempt }), other: store.tokens, store };
}

const tokenOf = (name: string): StoredToken => ({ name, hash: `hash of ${name}`, entry: {} });

it("tells of a token that was made, and not that its name is taken", async () => {
  const { tokens, other, store } = await openForgetful();
  const outcome = await tokens.change((known) =>
    known.length > 0 ? { outcome: "taken" } : { tokens: [tokenOf("a")], outcome: "made" },
  );
  expect(outcome).toBe("made");
  expect(await other.list()).toEqual([tokenOf("a")]);
  expect(await store.revisions.read()).toMatchObject({ tokens: 1 });
});

it("tells of a token that was revoked, also where another was made meanwhile", async () => {
  const { tokens, other } = await openForgetful(() =>
    other.change((known) => ({ tokens: [...known, tokenOf("b")], outcome: undefined })),
  );
  await other.change(() => ({ tokens: [tokenOf("a")], outcome: undefined }));
  const outcome = await tokens.change((known) => {
    const isThere = known.some(({ name }) => name === "a");
    return isThere ? { tokens: [], outcome: "revoked" } : { outcome: "unknown" };
  });
  expect(outcome).toBe("revoked");
  expect(await other.list()).toEqual([tokenOf("b")]);
});
