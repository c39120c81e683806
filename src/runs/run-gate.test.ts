import { expect, it } from "vitest";
import { createRunGate } from "./run-gate.ts";
import { createShutdown } from "./shutdown.ts";

const never = new AbortController().signal;
const LONG_MS = 60_000;

it("lets calls begin until it closes, and waits for those under way", async () => {
  const gate = createRunGate(createShutdown());
  expect(await gate.enter(never)).toBe(true);
  const { promise, resolve } = Promise.withResolvers<string>();
  const tracked = gate.track(promise);
  let isClosed = false;
  const closing = gate.close(LONG_MS).then(() => (isClosed = true));
  const end = new AbortController();
  const entering = gate.enter(end.signal);
  await new Promise((done) => setImmediate(done));
  expect(isClosed).toBe(false);
  resolve("ended");
  expect(await tracked).toBe("ended");
  await closing;
  end.abort();
  expect(await entering).toBe(false);
});

it("closes the gates of the runs below, and waits for their calls", async () => {
  const outer = createRunGate(createShutdown());
  const inner = createRunGate(outer);
  const { promise, resolve } = Promise.withResolvers<void>();
  void inner.track(promise);
  const closing = outer.close(LONG_MS);
  const end = new AbortController();
  const entering = inner.enter(end.signal);
  resolve();
  await closing;
  end.abort();
  expect(await entering).toBe(false);
});

it("waits for a call no longer than its grace, and for one that failed not at all", async () => {
  const gate = createRunGate(createShutdown());
  await expect(gate.track(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  void gate.track(new Promise(() => {}));
  await gate.close(1);
});
