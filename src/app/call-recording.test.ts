import { expect, it, onTestFinished } from "vitest";
import { createConfigSource } from "../config/source.ts";
import { createTempProject } from "../config/temp-project.testkit.ts";
import { silentLog } from "../core/log.ts";
import { succeed } from "../core/result.ts";
import type { RuleAction } from "../core/rule.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createAuditTrail } from "../telemetry/audit-trail.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import { createGuard } from "../trust/guard.ts";
import type { RuleLimits } from "../trust/rule-limits.ts";
import { openCallRecording } from "./call-recording.ts";

const CONTEXT = { traceId: "trace", signal: new AbortController().signal };

/** A guard with one rule, and what it records. */
async function openGuard(action: RuleAction, limits: RuleLimits = { rates: [] }) {
  const project = createTempProject();
  const created = createConfigSource({ ...project.options, isWatched: false });
  if (!created.ok) throw new Error("the config is broken");
  const { source: config } = created;
  const store = await openSqliteStore({ home: project.home });
  onTestFinished(() => store.close());
  const trail = createAuditTrail({ audit: store.audit, log: silentLog, person: () => "ada" });
  const log = { ...silentLog } as never;
  const recording = openCallRecording({ config, log, store, redactors: NO_SECRETS, trail });
  const rule = { id: "12ab", name: "rules[0]", do: action, namesTools: true, limits };
  const guard = createGuard({
    rulesFor: () => ({ rules: [rule], decide: () => rule, explain: () => [] }),
    effectOf: () => "write",
    labelsOf: () => ({ isUntrusted: false, isPrivate: false, sends: false }),
    asksBeforeSending: () => false,
    limits: recording.limits,
    record: recording.record,
  });
  const call = (args = {}, source = "mail") =>
    guard.pass({ kind: "tool", name: "mail__send", source, args }, CONTEXT, async () =>
      succeed({ content: [{ type: "text", text: "sent" }] }),
    );
  const settle = async () => {
    await recording.settle();
    await trail.settle();
  };
  return { call, settle, store };
}

it("T159: a call that the rules refuse is in the call log, and once on the audit trail with the same digest", async () => {
  const { call, settle, store } = await openGuard("refuse");
  await call({ to: "bob" });
  await settle();
  const [logged, ...others] = await store.calls.list({ limit: 9 });
  expect(others).toEqual([]);
  expect(logged).toMatchObject({ decision: "refuse", rule: "rules[0]", outcome: "SECURITY_ERROR refused" });
  expect(await store.audit.list({ limit: 9 })).toMatchObject([
    {
      actor: "local:ada",
      action: "call.refused",
      subject: "mail__send",
      details: { rule: "rules[0]", ruleId: "12ab", effect: "write", argsDigest: logged?.argsDigest },
    },
  ]);
});

it("a call that is made, or is over a limit, is in the call log alone", async () => {
  const same = { countMax: 5, windowMs: 3_600_000, text: "5 in 1 h" };
  const { call, settle, store } = await openGuard("allow", { rates: [], same, atOnceMax: 1 });
  const results = [];
  for (let i = 0; i < 7; i++) results.push(await call({ to: "bob" }));
  expect(results.map(({ success }) => success)).toEqual([true, true, true, true, true, false, false]);
  await settle();
  const outcomes = (await store.calls.list({ limit: 9 })).map(({ outcome, bytes }) => `${outcome} ${bytes}`);
  expect(outcomes).toEqual([
    "RATE_LIMITED same_call 0",
    "RATE_LIMITED same_call 0",
    ...Array.from({ length: 5 }, () => "ok 4"),
  ]);
  expect(await store.audit.list({ limit: 9 })).toEqual([]);
});
