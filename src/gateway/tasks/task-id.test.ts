import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { CallContext } from "../../core/tool.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { principalOf } from "../../upstream/many-clients.testkit.ts";
import { createTaskIds } from "./task-id.ts";

const TASK = { server: "jobs", taskId: "b4c7:7/ü", tool: "jobs__slow" };
const ANN: Pick<CallContext, "principal" | "view"> = { principal: principalOf("ann") };

async function openIds() {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  // Each is another process on the store.
  return () => createTaskIds(store.seals);
}

it("is opened by another process, can be a header, and does not show what is in it", async () => {
  const ids = await openIds();
  const id = await ids().seal(TASK, ANN);
  expect(id).toMatch(/^[\w-]+$/);
  expect(Buffer.from(id, "base64url").toString("latin1")).not.toMatch(/jobs|b4c7/);
  expect(await ids().open(id, ANN)).toEqual(TASK);
});

it("is another one each time", async () => {
  const ids = (await openIds())();
  expect(await ids.seal(TASK, ANN)).not.toBe(await ids.seal(TASK, ANN));
});

it("opens for whom it was given to, through the same profile, and for nobody else", async () => {
  const ids = (await openIds())();
  const view = { profile: "work" } as never;
  const own = await ids.seal(TASK, ANN);
  const inProfile = await ids.seal(TASK, { ...ANN, view });
  expect(await ids.open(inProfile, { ...ANN, view })).toEqual(TASK);
  for (const [id, caller] of [
    [own, { principal: principalOf("bob") }],
    [own, {}],
    [own, { ...ANN, view }],
    [inProfile, ANN],
    [inProfile, { ...ANN, view: { profile: "play" } as never }],
  ] as const)
    expect(await ids.open(id, caller)).toBeUndefined();
});

it("opens only as it was made", async () => {
  const ids = (await openIds())();
  const id = await ids.seal(TASK, ANN);
  const flipped = Array.from(id, (_, at) => at).map(
    (at) => `${id.slice(0, at)}${id[at] === "A" ? "B" : "A"}${id.slice(at + 1)}`,
  );
  const wrong = [...flipped, "", " ", `${id}A`, id.slice(1), "01980f0e-6c3a-7000-8000-0000000000aa", "\0"];
  for (const text of wrong) expect(await ids.open(text, ANN)).toBeUndefined();
});
