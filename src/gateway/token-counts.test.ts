import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import { estimateTokens } from "../text/token-estimate.ts";
import { silentLog, type Log } from "../core/log.ts";
import type { Store } from "../core/store.ts";
import { modelText } from "./exposure.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createTokenCounts, TOKENIZER } from "./token-counts.ts";
import { createTokenThread, type TokenThread } from "../search/tokens/token-thread.ts";

/** One thread for all tests that count: the tokenizer loads once. */
const shared = createTokenThread({ lingerMs: 60_000 });
afterAll(() => shared.close());

async function openStore(home = temporaryFolder()): Promise<Store> {
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  return store;
}

/** The thread, and how many texts it was asked to count. */
function watched(thread: TokenThread) {
  const asked: number[] = [];
  const count: TokenThread["count"] = (texts) => {
    asked.push(texts.length);
    return thread.count(texts);
  };
  return { asked, thread: { count, close: async () => {} } };
}

const broken: TokenThread = {
  count: async () => ({ kind: "failed", reason: "it broke" }),
  close: async () => {},
};

function collect(): { readonly log: Log; readonly events: string[] } {
  const events: string[] = [];
  return { events, log: { ...silentLog, warn: (event) => void events.push(event) } };
}

const failing = {
  tokenCounts: {
    find: () => Promise.reject(new Error("disk I/O error")),
    put: () => Promise.reject(new Error("disk I/O error")),
  },
};

it("counts each tool as a model gets it, and knows it afterwards", async () => {
  const { asked, thread } = watched(shared);
  const counts = createTokenCounts({ store: await openStore(), log: silentLog, thread });
  const tool = toolOf("srv__t", "Lists the open issues.");
  expect(await counts.countOf([])).toEqual([]);
  expect(await counts.countOf([tool])).toEqual([29]);
  // What reaches no model costs nothing; the name does.
  expect(await counts.countOf([tool, { ...tool, outputSchema: { type: "object" } }])).toEqual([29, 29]);
  expect(asked).toEqual([1]);
  await counts.countOf([{ ...tool, name: "other__t" }]);
  expect(asked).toEqual([1, 1]);
});

it("counts scripts and signs of all kinds, and text that looks like a mark of the model's own", async () => {
  const counts = createTokenCounts({ store: await openStore(), log: silentLog, thread: shared });
  const texts = ["課題を作成します", "🚀👩‍🚀", "<|endoftext|>", "\ud83d", ""];
  const counted = await counts.countTexts(texts);
  expect(counted.slice(0, 4).every((tokens) => tokens > 0 && tokens < 20)).toBe(true);
  expect(counted[4]).toBe(0);
});

it("counts the same thing once, however many ask for it at the same time", async () => {
  const { asked, thread } = watched(shared);
  const counts = createTokenCounts({ store: await openStore(), log: silentLog, thread });
  const [a, b, c] = ["a", "b", "c"].map((name) => toolOf(name));
  const [first, second, third] = await Promise.all([
    counts.countOf([a!, b!, a!]),
    counts.countOf([b!, c!]),
    counts.countOf([c!, a!]),
  ]);
  expect(asked).toEqual([2, 1]);
  expect([first[2], second[0], third[0]]).toEqual([first[0], first[1], second[1]]);
  await counts.countOf([a!, b!, c!]);
  expect(asked).toEqual([2, 1]);
});

it("shares counts between processes through the store", async () => {
  const home = temporaryFolder();
  const tools = [toolOf("a", "One."), toolOf("b", "Two.")];
  const first = createTokenCounts({ store: await openStore(home), log: silentLog, thread: shared });
  const expected = await first.countOf(tools);
  const { asked, thread } = watched(shared);
  const second = createTokenCounts({ store: await openStore(home), log: silentLog, thread });
  expect(await second.countOf(tools)).toEqual(expected);
  expect(asked).toEqual([]);
});

it("counts a hostile definition of 640 KB in a time that grows with its length alone", async () => {
  const counts = createTokenCounts({ store: await openStore(), log: silentLog, thread: shared });
  const fills = ["a", " ", "😀"].map((fill) => toolOf("t", fill.repeat(640_000 / Buffer.byteLength(fill))));
  // As a whole, each of them takes minutes.
  const counted = await counts.countOf(fills);
  expect(counted.every((tokens) => tokens > 5_000 && tokens < 200_000)).toBe(true);
});

it("estimates where the thread fails, says so once for each batch, and keeps no estimate for others", async () => {
  const { log, events } = collect();
  const store = await openStore();
  const counts = createTokenCounts({ store, log, thread: broken });
  const tool = toolOf("t", "Does it.");
  const estimate = estimateTokens(modelText(tool).length);
  expect(await counts.countOf([tool])).toEqual([estimate]);
  expect(await counts.countOf([tool])).toEqual([estimate]);
  expect(events).toEqual(["tokens.count.failed"]);
  const { asked, thread } = watched(shared);
  await createTokenCounts({ store, log: silentLog, thread }).countOf([tool]);
  expect(asked).toEqual([1]);
});

it("counts without a store that fails", async () => {
  const { log, events } = collect();
  const counts = createTokenCounts({ store: failing, log, thread: shared });
  expect(await counts.countTexts(["one two"])).toEqual([2]);
  expect(events).toEqual(["tokens.store.failed", "tokens.store.failed"]);
  expect(TOKENIZER).toBe("o200k_base");
});

it("ends while it counts, without a warning and without reaching for the store", async () => {
  const { log, events } = collect();
  const counts = createTokenCounts({ store: await openStore(), log });
  const counting = counts.countOf([toolOf("t")]);
  await counts.close();
  expect((await counting)[0]).toBeGreaterThan(0);
  expect(events).toEqual([]);
});

it("ends the thread when there is nothing to count, and starts another after one that broke or hangs", async () => {
  const file = join(temporaryFolder(), "worker.mjs");
  writeFileSync(
    file,
    `import { parentPort, threadId } from "node:worker_threads";
     parentPort.on("message", ([text]) => {
       if (text === "break") throw new Error("broken");
       if (text === "exit") process.exit(3);
       if (text !== "hang") parentPort.postMessage({ reply: [threadId] });
     });
     parentPort.postMessage("ready");`,
  );
  const thread = createTokenThread({ file, lingerMs: 0, budgetMs: 5_000 });
  onTestFinished(() => thread.close());
  const idOf = async () => {
    const reply = await thread.count(["id"]);
    return reply.kind === "counted" ? reply.counts[0]! : 0;
  };
  const [first, same] = await Promise.all([idOf(), idOf()]);
  expect(same).toBe(first);
  expect(await thread.count(["break"])).toEqual({ kind: "failed", reason: "broken" });
  expect(await idOf()).toBeGreaterThan(first);
  expect(await thread.count(["exit"])).toEqual({ kind: "failed", reason: "the thread ended with code 3" });
  const hasty = createTokenThread({ file, budgetMs: 100 });
  expect(await hasty.count(["hang"])).toEqual({ kind: "failed", reason: "it took longer than 100 ms" });
  await hasty.close();
  expect(await hasty.count(["id"])).toEqual({ kind: "failed", reason: "the gateway is stopping" });
});
