import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { RunStore } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { INTERRUPTED_REASON, leaseOf } from "../run-end.ts";
import { createTestRuns, LIMITS } from "../runs.testkit.ts";

const CONTEXT: CallContext = { traceId: "test", signal: new AbortController().signal };
const INTERRUPTED = {
  status: "failed",
  error: { code: "TOOL_EXECUTION_FAILED", reason: INTERRUPTED_REASON, message: "Its process ended." },
} as const;

it("does not take a run for ended that goes on elsewhere just after its successor was looked for", async () => {
  let goOn: (() => Promise<void>) | undefined;
  const around = (store: RunStore): RunStore => ({
    ...store,
    async successor(id) {
      const found = await store.successor(id);
      const now = goOn;
      goOn = undefined;
      await now?.();
      return found;
    },
  });
  const kit = await createTestRuns(temporaryFolder(), () => LIMITS, undefined, undefined, { around });
  onTestFinished(() => kit.close());
  const { runs } = kit.store;
  const queued = await kit.runs.enqueue({ kind: "code", source: "return 7", inputs: {} }, CONTEXT);
  if (!queued.success) throw new Error(queued.error.message);
  const { id } = queued.data.run;
  const claimed = await runs.claim(id, "dead", 60_000);
  await runs.finish(leaseOf(claimed!), { ...INTERRUPTED, wakeAt: Date.now() });
  const deliver = () => kit.runs.deliver(id, { attempt: 1, signal: CONTEXT.signal });
  // Finding out which run is meant looks once; following it is the second look.
  goOn = async () => {
    goOn = deliver;
  };
  expect(await kit.resume(id)).toMatchObject({ result: { success: true, data: 7 } });
});
