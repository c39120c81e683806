import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createWorkerThread, type WorkerThread } from "./worker-thread.ts";
import type { SchemaReply, SchemaRequest } from "../sandbox/schema/argument-check.ts";

type SchemaThread = WorkerThread<SchemaRequest, SchemaReply>;

const open: SchemaThread[] = [];

function startThread(budgetMs = 5000): SchemaThread {
  const thread = createWorkerThread<SchemaRequest, SchemaReply>({
    program: "schema-worker",
    budgetMs,
    memoryMbMax: 64,
  });
  open.push(thread);
  return thread;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((thread) => thread.close()));
});

const quick: SchemaRequest = {
  hash: "quick",
  schemaText: '{"type":"object","properties":{"a":{"type":"string"}}}',
  args: { a: "b" },
  fillDefaults: false,
};
/** Every item is compared with every other: minutes. */
const endless: SchemaRequest = {
  hash: "endless",
  schemaText: '{"type":"object","properties":{"list":{"type":"array","uniqueItems":true}}}',
  args: { list: Array.from({ length: 40_000 }, (_, index) => ({ index })) },
  fillDefaults: false,
};
/** The thread does not expect a text that is no JSON, and dies. */
const breaking: SchemaRequest = { ...quick, hash: "breaking", schemaText: "{" };
const withoutText: SchemaRequest = { hash: "quick", args: {}, fillDefaults: false };

/** Work in native code that no look interrupts. */
const NATIVE = `
import { pbkdf2Sync } from "node:crypto";
import { parentPort } from "node:worker_threads";
parentPort.on("message", (rounds) => {
  pbkdf2Sync("", "", rounds, 64, "sha512");
  parentPort.postMessage({ reply: "done" });
});
parentPort.postMessage("ready");
`;

/** It sleeps for so many ms, and uses no processor meanwhile. */
const SLEEPER = `
import { parentPort } from "node:worker_threads";
parentPort.on("message", (ms) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  parentPort.postMessage({ reply: "awake" });
});
parentPort.postMessage("ready");
`;

const VALID = { kind: "answered", reply: { kind: "valid" } };

describe("createWorkerThread", () => {
  test("answers requests in the order in which they came", async () => {
    const thread = startThread();
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2].map(async (index) => {
        expect(await thread.ask(quick)).toEqual(VALID);
        order.push(index);
      }),
    );
    expect(order).toEqual([0, 1, 2]);
  });

  test("keeps one thread for all requests", async () => {
    const thread = startThread();
    await thread.ask(quick);
    expect(await thread.ask(withoutText)).toEqual(VALID);
  });

  test("ends a thread that overruns, and loses only the request that it was working on", async () => {
    const thread = startThread(1000);
    const [before, lost, after] = await Promise.all([
      thread.ask(quick),
      thread.ask(endless),
      thread.ask(quick),
    ]);
    expect([before, lost, after]).toEqual([VALID, { kind: "overran", budgetMs: 1000 }, VALID]);
  });

  /** With 500 ms of processor time, and ten times as long by the clock. */
  function startOwn(program: string, budgetMs = 500): WorkerThread<number, string> {
    const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "thread.mjs");
    writeFileSync(file, program);
    const thread = createWorkerThread<number, string>({
      program: "schema-worker",
      file,
      budgetMs,
      memoryMbMax: 64,
    });
    onTestFinished(() => thread.close());
    return thread;
  }

  test("waits for a thread that gets no processor, though not without end", async () => {
    const thread = startOwn(SLEEPER);
    expect(await thread.ask(1_000)).toEqual({ kind: "answered", reply: "awake" });
    expect(await thread.ask(600_000)).toEqual({ kind: "overran", budgetMs: 500 });
  });

  test("gives up a thread that does not say how long it worked", async () => {
    const thread = startOwn(NATIVE, 10);
    expect(await thread.ask(4_000_000)).toEqual({ kind: "overran", budgetMs: 10 });
  });

  test("does not count the wait in the queue against the budget", async () => {
    const thread = startThread(1000);
    const [first, second, third] = await Promise.all([
      thread.ask(endless),
      thread.ask(endless),
      thread.ask(quick),
    ]);
    expect([first.kind, second.kind, third]).toEqual(["overran", "overran", VALID]);
  });

  test("replaces a thread that breaks, and loses only the request that broke it", async () => {
    const thread = startThread();
    const [before, lost, after] = await Promise.all([
      thread.ask(quick),
      thread.ask(breaking),
      thread.ask(quick),
    ]);
    expect([before, lost.kind, after]).toEqual([VALID, "crashed", VALID]);
    expect(lost).toHaveProperty("reason", expect.stringContaining("JSON"));
  });

  test("starts a new thread with nothing of the old one", async () => {
    const thread = startThread();
    await thread.ask(quick);
    await thread.ask(breaking);
    expect(await thread.ask(withoutText)).toEqual({ kind: "answered", reply: { kind: "unknown schema" } });
  });

  test("replaces a thread that says that it is spent, and answers the request that spent it", async () => {
    const thread = createWorkerThread<string, { readonly kind: string }>({
      program: "analysis-worker",
      budgetMs: 5000,
      memoryMbMax: 128,
    });
    open.push(thread as unknown as SchemaThread);
    const nested = `${"(".repeat(20_000)}1${")".repeat(20_000)}`;
    const replies = await Promise.all([thread.ask(`return ${nested};`), thread.ask("return 1;")]);
    expect(replies.map((reply) => reply.kind)).toEqual(["answered", "answered"]);
  });

  test("tells those who wait that it is closed, and those who come later", async () => {
    const thread = startThread();
    const waiting = [thread.ask(endless), thread.ask(quick)];
    await thread.close();
    expect(await Promise.all(waiting)).toEqual([{ kind: "closed" }, { kind: "closed" }]);
    expect(await thread.ask(quick)).toEqual({ kind: "closed" });
  });

  test("fails each request of a program that does not start", async () => {
    const thread = createWorkerThread<string, string>({
      program: "schema-worker",
      file: join(import.meta.dirname, "no-such-program.ts"),
      budgetMs: 5000,
      memoryMbMax: 64,
    });
    onTestFinished(() => thread.close());
    const replies = await Promise.all([thread.ask("a"), thread.ask("b")]);
    expect(replies.map(({ kind }) => kind)).toEqual(["crashed", "crashed"]);
  });

  test("ends a thread that has been idle for the time that it may linger, and starts another", async () => {
    const thread = createWorkerThread<SchemaRequest, SchemaReply>({
      program: "schema-worker",
      budgetMs: 5000,
      memoryMbMax: 64,
      lingerMs: 0,
    });
    onTestFinished(() => thread.close());
    const [first, second] = await Promise.all([thread.ask(quick), thread.ask(withoutText)]);
    expect([first, second]).toEqual([VALID, VALID]);
    await setTimeout(50);
    expect(await thread.ask(withoutText)).toEqual({ kind: "answered", reply: { kind: "unknown schema" } });
  });

  test("can be closed twice, and before it started", async () => {
    const thread = startThread();
    await thread.close();
    await expect(thread.close()).resolves.toBeUndefined();
  });

  test("starts nothing when it is warmed after it was closed", async () => {
    const thread = startThread();
    await thread.close();
    thread.warm();
    expect(await thread.ask(quick)).toEqual({ kind: "closed" });
  });
});
