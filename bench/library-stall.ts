/** How long a gateway answers nothing while it reads a huge library again, because another process saved into it. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import type { Store } from "../src/core/store.ts";
import { quantile } from "./figures.ts";
import { earlyName, save, type LibraryHome } from "./library-home.ts";
import { LOOK_MS, withListener, type Listener } from "./library-listener.ts";

const ROUNDS = 4;
const PING_MS = 10;
/** Longer than what follows a notice. */
const AFTER_NEWS_MS = 100;
const GOAL_MS = 200;

const LAST_NAME = { namespace: "zz", action: "last" };

export async function benchStall(home: LibraryHome): Promise<void> {
  console.log(
    `\nThe worst answer to a ping, one every ${PING_MS} ms, while a gateway reads a library of 10,000 again`,
  );
  await withListener(home, async (listener, store) => {
    const quiet = await worstPing(listener, () => pause(LOOK_MS * 2));
    console.log(`  nothing saved: ${quiet.toFixed(1)} ms`);
    console.log(
      `  the store alone reads it in ${(await timeStore(store)).toFixed(0)} ms (p50, in the bench)`,
    );
    await benchChange("a new capability", listener, (round) =>
      save(store, earlyName(`stall${round}`), "New."),
    );
    await useLast(store);
    // As many as before, and the last of them is different: all are compared.
    await benchChange("a new version of the last by name", listener, (round) =>
      save(store, LAST_NAME, `Version of round ${round}.`),
    );
  });
}

/** What no way of reading all of it can be faster than, on this machine at this moment. */
async function timeStore(store: Store): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await store.capabilities.listCurrent(DEFAULT_SCOPE);
    values.push(performance.now() - startedAt);
  }
  return quantile(values, 0.5);
}

/** Of a huge library only what is used is listed, and only what is listed is news. */
async function useLast(store: Store): Promise<void> {
  await save(store, LAST_NAME, "The last.");
  const last = await store.capabilities.find(DEFAULT_SCOPE, LAST_NAME);
  await store.capabilities.recordUse(last!.id, { success: true, elapsedMs: 1 });
}

async function benchChange(
  what: string,
  listener: Listener,
  change: (round: number) => Promise<void>,
): Promise<void> {
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const heard = listener.news();
    // Saved first: the save holds up this process too, and with it the clock of a ping.
    await change(round);
    values.push(await worstPing(listener, () => heard));
    await listener.list();
  }
  const [p50, max] = [quantile(values, 0.5), Math.max(...values)];
  console.log(
    `  goal: ${what}, at most ${GOAL_MS} ms: ${max <= GOAL_MS ? "met" : "MISSED"} (p50 ${p50.toFixed(0)} ms, max ${max.toFixed(0)} ms of ${ROUNDS} rounds)`,
  );
}

/** Pings go out whether or not the last one was answered. */
async function worstPing({ client }: Listener, until: () => Promise<unknown>): Promise<number> {
  const pings: Promise<number>[] = [];
  const timer = setInterval(() => pings.push(timePing(client)), PING_MS);
  try {
    await until();
    await pause(AFTER_NEWS_MS);
  } finally {
    clearInterval(timer);
  }
  return Math.max(...(await Promise.all(pings)));
}

async function timePing(client: Client): Promise<number> {
  const startedAt = performance.now();
  await client.ping();
  return performance.now() - startedAt;
}
