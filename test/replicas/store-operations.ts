/**
 * Operations of the store, each with what must be there when it was made once, however often its connection was lost. `mayDouble` marks
 * what may be there twice: a rare double entry beats a missing one. `isOnce` marks what the store does not repeat: the caller hears that
 * the outcome is not known.
 */
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import { INLINE_RESULT_BYTES_MAX, type Lease, type Store } from "../../src/core/store.ts";
import { LEASE_MS, leaseOf, newRunOf, recordedStep } from "./journal-work.ts";

export interface Operation {
  readonly name: string;
  readonly isOnce?: boolean;
  /** Makes what the operation needs. `id` is of this try alone. */
  prepare(store: Store, id: string): Promise<Prepared>;
}

interface Prepared {
  act(store: Store): Promise<unknown>;
  /** What is wrong, seen from another connection; undefined where it was done once and answered truly. */
  check(store: Store, answer: unknown): Promise<string | undefined>;
}

const END = { status: "succeeded", result: 1, endSeq: 2, clockAt: 1, finishedAt: 2 } as const;
const LARGE = { text: "x".repeat(INLINE_RESULT_BYTES_MAX) };
const OPENED = { key: "opened", seq: 1, tool: "t", args: {} };

/** Compares as text; undefined where the two are equal. */
function differs(what: string, seen: unknown, expected: unknown): string | undefined {
  const [is, should] = [JSON.stringify(seen), JSON.stringify(expected)];
  return is === should ? undefined : `${what} is ${is}, not ${should}`;
}

async function startRun(store: Store, id: string): Promise<Lease> {
  const lease = leaseOf(await store.runs.start(newRunOf(id), "owner", LEASE_MS));
  await store.runs.openStep(lease, OPENED);
  return lease;
}

/** An operation on a run that its owner has, with one step open. */
function onRun(
  name: string,
  act: (store: Store, lease: Lease) => Promise<boolean>,
  expected: Readonly<Record<string, string>>,
  status = "running",
): Operation {
  return {
    name,
    async prepare(store, id) {
      const lease = await startRun(store, id);
      return {
        act: (faulty) => act(faulty, lease),
        async check(other, answer) {
          const steps = await other.runs.steps(lease.runId);
          const run = await other.runs.find(lease.runId);
          const seen = {
            answer,
            status: run?.status,
            steps: Object.fromEntries(steps.map((s) => [s.key, s.status])),
          };
          return differs(name, seen, { answer: true, status, steps: { opened: "sent", ...expected } });
        },
      };
    },
  };
}

const ON_RUNS: readonly Operation[] = [
  onRun("openStep", (store, lease) => store.runs.openStep(lease, { ...OPENED, key: "k", seq: 3 }), {
    k: "sent",
  }),
  onRun("closeStep", (store, lease) => store.runs.closeStep(lease, OPENED.key, END), { opened: "succeeded" }),
  onRun(
    "closeStep, large",
    (store, lease) => store.runs.closeStep(lease, OPENED.key, { ...END, result: LARGE }),
    {
      opened: "succeeded",
    },
  ),
  onRun("recordStep", (store, lease) => store.runs.recordStep(lease, recordedStep("k", 3)), {
    k: "succeeded",
  }),
  onRun(
    "recordStep, large",
    (store, lease) => store.runs.recordStep(lease, { ...recordedStep("k", 3), result: LARGE }),
    { k: "succeeded" },
  ),
  onRun(
    "recordSteps",
    (store, lease) =>
      store.runs.recordSteps(lease, [recordedStep("k", 3), { ...recordedStep("l", 5), result: LARGE }]),
    { k: "succeeded", l: "succeeded" },
  ),
  onRun("renew", (store, lease) => store.runs.renew(lease, LEASE_MS), {}),
  onRun(
    "finish",
    (store, lease) => store.runs.finish(lease, { status: "succeeded", result: 1 }),
    {},
    "succeeded",
  ),
  onRun("finish, paused", (store, lease) => store.runs.finish(lease, { status: "paused" }), {}, "paused"),
  onRun("requestCancel", (store, { runId }) => store.runs.requestCancel(runId, "ada"), {}),
];

const START: Operation = {
  name: "start",
  async prepare(_store, id) {
    return {
      act: (store) => store.runs.start(newRunOf(id), "owner", LEASE_MS),
      async check(store, answer) {
        const listed = await store.runs.list(DEFAULT_SCOPE, { limit: 1_000, text: id });
        const { id: runId } = answer as { id: string };
        return differs(
          "runs",
          listed.map((run) => [run.id, run.fence]),
          [[runId, 1]],
        );
      },
    };
  },
};

const RESUME: Operation = {
  name: "resume",
  async prepare(store, id) {
    const lease = await startRun(store, id);
    await store.runs.recordStep(lease, recordedStep("k", 3));
    await store.runs.finish(lease, { status: "failed", error: { code: "X" } });
    const taken = { except: [], decided: [{ key: OPENED.key, result: 7 }] };
    return {
      act: (faulty) => faulty.runs.resume(lease.runId, newRunOf(`${id} again`), taken, "heir", LEASE_MS),
      async check(other, answer) {
        const { kind, run } = answer as { kind: string; run?: { id: string } };
        const successor = await other.runs.successor(lease.runId);
        const steps = successor === undefined ? [] : await other.runs.steps(successor.id);
        const seen = [kind, successor?.id === run?.id, steps.map((step) => step.key)];
        return differs("resumed", seen, ["resumed", true, [OPENED.key, "k"]]);
      },
    };
  },
};

/** Undefined means "not taken": right also where the claim was made and its answer lost, as its lease is short. */
const CLAIM: Operation = {
  name: "claim",
  async prepare(store, id) {
    const lease = await startRun(store, id);
    return {
      act: (faulty) => faulty.runs.claim(lease.runId, "heir", 1, { gone: "owner" }),
      async check(other, answer) {
        const fence = (await other.runs.find(lease.runId))?.fence;
        if (answer !== undefined) return differs("fence", fence, 2);
        const again = await claimSoon(other, lease.runId);
        return again ? undefined : `can no longer be claimed, its fence is ${fence}`;
      },
    };
  },
};

async function claimSoon(store: Store, runId: string): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    if ((await store.runs.claim(runId, "third", LEASE_MS, { gone: "owner" })) !== undefined) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

const DECIDE: Operation = {
  name: "decide",
  async prepare(store, id) {
    const lease = await startRun(store, id);
    await store.runs.openStep(lease, { ...OPENED, key: "ask", seq: 5, status: "waiting" });
    await store.runs.finish(lease, { status: "paused" });
    return {
      act: (faulty) => faulty.runs.decide(lease.runId, "ask", { isApproved: true, by: "ada" }),
      async check(other, answer) {
        const late = await other.runs.decide(lease.runId, "ask", { isApproved: false, by: "bob" });
        const result = await other.runs.stepResult(lease.runId, "ask");
        const by = (result as { by?: string } | undefined)?.by;
        return differs("decision", [answer, late, by], [{ kind: "decided" }, { kind: "late" }, "ada"]);
      },
    };
  },
};

async function saveTool(store: Store, id: string): Promise<string> {
  const saved = await store.capabilities.save({
    scope: DEFAULT_SCOPE,
    namespace: "tools",
    action: id,
    kind: "code",
    description: "d",
    author: "ada",
    source: id,
    inputSchema: {},
  });
  return saved.capability.id;
}

const FINISH_WITH_USE: Operation = {
  name: "finish, with a use",
  async prepare(store, id) {
    const capabilityId = await saveTool(store, id);
    const lease = await startRun(store, id);
    const use = { capabilityId, success: true, elapsedMs: 3 };
    return {
      act: (faulty) => faulty.runs.finish(lease, { status: "succeeded", result: 1, use }),
      async check(other, answer) {
        const count = (await other.capabilities.get(capabilityId))?.usageCount;
        const status = (await other.runs.find(lease.runId))?.status;
        return differs("end", [answer, count, status], [true, 1, "succeeded"]);
      },
    };
  },
};

const SAVE: Operation = {
  name: "save",
  isOnce: true,
  async prepare(_store, id) {
    return {
      act: (store) => saveTool(store, id),
      async check(store, answer) {
        const found = await store.capabilities.find(DEFAULT_SCOPE, { namespace: "tools", action: id });
        if (answer === undefined)
          return found === undefined ? undefined : differs("version", found.currentVersion, 1);
        return differs("saved", [found?.id, found?.currentVersion], [answer, 1]);
      },
    };
  },
};

const REMOVE: Operation = {
  name: "remove",
  isOnce: true,
  async prepare(store, id) {
    const capabilityId = await saveTool(store, id);
    return {
      act: (faulty) => faulty.capabilities.remove(capabilityId),
      async check(other, answer) {
        const found = await other.capabilities.find(DEFAULT_SCOPE, { namespace: "tools", action: id });
        return answer === undefined ? undefined : differs("removed", [answer, found], [true, undefined]);
      },
    };
  },
};

const SPEND: Operation = {
  name: "spend",
  async prepare(_store, id) {
    const expiresAt = Date.now() + LEASE_MS;
    return {
      act: (store) => store.seals.spend(id, expiresAt),
      async check(store, answer) {
        return differs("spent", [answer, await store.seals.spend(id, expiresAt)], [true, false]);
      },
    };
  },
};

const KEY: Operation = {
  name: "key",
  async prepare(_store, id) {
    return {
      act: async (store) => (await store.seals.key(id)).toString("hex"),
      async check(store, answer) {
        return differs("key", (await store.seals.key(id)).toString("hex"), answer);
      },
    };
  },
};

/** Counted twice is on the safe side; more often would be a fault. */
const TAKE: Operation = {
  name: "take a limit",
  async prepare(_store, id) {
    const window = { key: id, countMax: 5, windowMs: null };
    return {
      act: (store) => store.limits.take([window], []),
      async check(store, answer) {
        const used = await store.limits.used(id);
        if (used !== 1 && used !== 2) return `was counted ${used} times`;
        return differs("taken", (answer as { kind: string }).kind, "taken");
      },
    };
  },
};

const CALLS: Operation = {
  name: "append to the call log",
  async prepare(_store, id) {
    const entry = {
      at: 1,
      principal: id,
      client: null,
      profile: null,
      kind: "tool",
      tool: "t",
      effect: "read",
      decision: "allow",
      rule: "r",
      argsDigest: "d",
      args: null,
      outcome: "ok",
      elapsedMs: 1,
      bytes: 1,
      runId: null,
      traceId: "t",
    } as const;
    return {
      act: (store) => store.calls.append([entry]),
      async check(store) {
        const { length } = await store.calls.list({ limit: 10, owner: id });
        return length === 1 || length === 2 ? undefined : `is there ${length} times`;
      },
    };
  },
};

const AUDIT: Operation = {
  name: "append to the audit trail",
  async prepare(_store, id) {
    return {
      act: (store) => store.audit.append({ actor: id, action: "a", subject: "s", details: {} }),
      async check(store) {
        const newest = await store.audit.newest({ limit: 5 });
        const { length } = newest.filter(({ actor }) => actor === id);
        const gap = await store.audit.findBreak();
        if (gap !== undefined) return `the chain is broken at ${gap}`;
        return length === 1 || length === 2 ? undefined : `is there ${length} times`;
      },
    };
  },
};

const PIN: Operation = {
  name: "offer a pin",
  async prepare(store, id) {
    const key = { server: id, kind: "tool", name: "t" } as const;
    await store.pins.begin(id, [{ ...key, approved: { a: 1 } }]);
    const offer = { ...key, status: "held", offered: { a: 2 }, offeredHash: "h", reasons: ["r"] } as const;
    return {
      act: (faulty) => faulty.pins.offer(id, [offer], []),
      async check(other) {
        const pins = await other.pins.list(id);
        return differs(
          "pins",
          pins.map(({ status, offeredHash }) => [status, offeredHash]),
          [["held", "h"]],
        );
      },
    };
  },
};

const CACHE: Operation = {
  name: "cache a server",
  async prepare(_store, id) {
    return {
      act: (store) =>
        store.serverCache.put({
          server: id,
          configHash: "c",
          definitions: {},
          hash: "h",
          fetchedAt: 1,
          ttlMs: 1,
        }),
      async check(store) {
        const { length } = (await store.serverCache.list()).filter(({ server }) => server === id);
        return differs("entries", length, 1);
      },
    };
  },
};

const READ: Operation = {
  name: "read a run and its steps",
  async prepare(store, id) {
    const lease = await startRun(store, id);
    return {
      act: async (faulty) => [
        (await faulty.runs.find(lease.runId))?.id,
        (await faulty.runs.steps(lease.runId)).length,
      ],
      check: async (_other, answer) => differs("read", answer, [lease.runId, 1]),
    };
  },
};

export const OPERATIONS: readonly Operation[] = [
  START,
  RESUME,
  CLAIM,
  DECIDE,
  ...ON_RUNS,
  FINISH_WITH_USE,
  SAVE,
  REMOVE,
  SPEND,
  KEY,
  TAKE,
  CALLS,
  AUDIT,
  PIN,
  CACHE,
  READ,
];
