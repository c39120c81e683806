import { expect, it, onTestFinished } from "vitest";
import { silentLog } from "../core/log.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createExperience, shareIntent } from "./experience.ts";
import { createManualClock } from "../store/testsuite/fixture.ts";
import { openTestStore, testHome } from "../store/sqlite/temp-home.testkit.ts";

async function open(home = testHome()) {
  const store = await openTestStore(home);
  onTestFinished(() => store.close());
  const learnt: string[][] = [];
  let elapsedMs = 0;
  const experience = createExperience({
    uses: store.pastUses,
    scope: () => DEFAULT_SCOPE,
    learnt: (tools) => learnt.push([...tools]),
    log: silentLog,
    clock: { ...createManualClock(), elapsed: () => elapsedMs },
  });
  const pass = (ms: number) => (elapsedMs += ms);
  return { home, store, experience, learnt, pass };
}

it("knows at once what a run was for, and the store knows it too", async () => {
  const { experience, learnt, store } = await open();
  experience.noteRun(["a__x", "b__y", "a__x"], "report the week");
  expect(experience.of("a__x")).toEqual({ intents: ["report the week"], useCount: 1 });
  expect(learnt).toEqual([["a__x", "b__y"]]);
  await experience.settle();
  expect(await store.pastUses.list(DEFAULT_SCOPE)).toHaveLength(2);
});

it("teaches each tool the part of a run that it did", async () => {
  const documents = [
    { id: "web__fetch", fields: { name: "fetch", description: "Fetches a page." } },
    { id: "mail__send", fields: { name: "send", description: "Sends an email." } },
    { id: "x__odd", fields: { name: "odd" } },
  ];
  const of = (intent: string, count = 3) =>
    Object.fromEntries(shareIntent(intent, documents.slice(0, count)));
  expect(of("fetch the page and mail a summary", 2)).toEqual({
    web__fetch: "fetch the page",
    mail__send: "mail a summary",
  });
  expect(of("fetch the page, mail it and print a label")).toEqual({
    web__fetch: "fetch the page",
    mail__send: "mail it",
    x__odd: "print a label",
  });
  // Nobody can tell whose it is: all of it is.
  expect(of("fetch the page and mail it")).toMatchObject({ x__odd: "fetch the page and mail it" });
  expect(of("fetch and mail and print", 1)).toEqual({ web__fetch: "fetch and mail and print" });
  const { store } = await open();
  const experience = createExperience({
    uses: store.pastUses,
    scope: () => DEFAULT_SCOPE,
    learnt: () => {},
    share: (_tools, intent) => shareIntent(intent, documents),
    log: silentLog,
  });
  experience.noteRun(["web__fetch", "mail__send"], "fetch the page and mail a summary");
  expect(experience.of("mail__send")!.intents).toEqual(["mail a summary"]);
  await experience.settle();
});

it("has an intent once, the newest first, and counts every use", async () => {
  const { experience } = await open();
  for (const intent of ["one", "two", "one", ""]) experience.noteRun(["a__x"], intent);
  expect(experience.of("a__x")).toEqual({ intents: ["one", "two"], useCount: 4 });
  await experience.settle();
});

it("learns what other processes learnt, and looks again after a while", async () => {
  const one = await open();
  const other = await open(one.home);
  one.experience.noteRun(["a__x"], "mail the report");
  await one.experience.settle();
  await other.experience.freshen();
  expect(other.experience.of("a__x")).toEqual({ intents: ["mail the report"], useCount: 1 });
  expect(other.learnt).toEqual([["a__x"]]);

  one.experience.noteRun(["a__x"], "mail it again");
  await one.experience.settle();
  await other.experience.freshen();
  expect(other.experience.of("a__x")!.useCount).toBe(1);
  other.pass(10_000);
  await other.experience.freshen();
  expect([...other.experience.of("a__x")!.intents].sort()).toEqual(["mail it again", "mail the report"]);
});

it("writes the calls that it has counted when it ends, and before it reads", async () => {
  const { experience, store, pass } = await open();
  experience.noteCall("a__x");
  experience.noteCall("a__x");
  await experience.settle();
  experience.noteCall("a__x");
  pass(10_000);
  await experience.freshen();
  expect(experience.of("a__x")).toEqual({ intents: [], useCount: 3 });
  expect(await store.pastUses.list(DEFAULT_SCOPE)).toMatchObject([{ tool: "a__x", intent: "", useCount: 3 }]);
});

it("knows nothing of another scope after a change of the config", async () => {
  const { store } = await open();
  let scope = DEFAULT_SCOPE;
  const learnt: string[][] = [];
  const experience = createExperience({
    uses: store.pastUses,
    scope: () => scope,
    learnt: (tools) => learnt.push([...tools]),
    log: silentLog,
  });
  await experience.freshen();
  experience.noteRun(["a__x"], "mine");
  await experience.settle();
  scope = { ...DEFAULT_SCOPE, project: "other" };
  await experience.freshen();
  expect(experience.of("a__x")).toBeUndefined();
  expect(learnt.slice(-2)).toEqual([["a__x"], []]);
  scope = DEFAULT_SCOPE;
  await experience.freshen();
  expect(experience.of("a__x")).toEqual({ intents: ["mine"], useCount: 1 });
});

it("goes on when the store fails", async () => {
  const { experience, store } = await open();
  await store.close();
  experience.noteRun(["a__x"], "x");
  await experience.settle();
  await experience.freshen();
  expect(experience.of("a__x")).toEqual({ intents: ["x"], useCount: 1 });
});
