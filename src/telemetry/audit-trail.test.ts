import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { silentLog, type Log } from "../core/log.ts";
import type { CallContext } from "../core/tool.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";

const CONTEXT: CallContext = { traceId: "x", signal: new AbortController().signal };

it("T159: keeps changes, removals and denials in order, and no first sight", async () => {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  const trail = createAuditTrail({ audit: store.audit, log: silentLog, person: () => "ada" });
  const tool = { server: "s", name: "s__t" };
  trail.recordEvent({ kind: "capability.tool.registered", ...tool, hash: "1" });
  trail.recordEvent({ kind: "capability.cache.updated", server: "s" });
  trail.recordEvent({ kind: "capability.tool.updated", ...tool, hash: "2", previousHash: "1" });
  trail.recordDenial(CONTEXT, "s__t", { traceId: "x" });
  trail.recordEvent({ kind: "capability.tool.removed", ...tool, hash: "2" });
  await trail.settle();
  expect(await store.audit.list({ limit: 10 })).toMatchObject([
    {
      action: "capability.tool.updated",
      subject: "s__t",
      details: { server: "s", hash: "2", previousHash: "1" },
    },
    { action: "tool.denied", subject: "s__t", details: { traceId: "x" } },
    { action: "capability.tool.removed", subject: "s__t", details: { server: "s", hash: "2" } },
  ]);
  expect(await store.audit.findBreak()).toBeUndefined();
});

it("logs what cannot be written, and goes on", async () => {
  const store = await openSqliteStore({ home: temporaryFolder() });
  const failures: string[] = [];
  const log: Log = { ...silentLog, error: (event) => failures.push(event) };
  const trail = createAuditTrail({ audit: store.audit, log, person: () => "ada" });
  await store.close();
  trail.recordDenial(CONTEXT, "s__t", {});
  trail.recordDenial(CONTEXT, "s__u", {});
  await trail.settle();
  expect(failures).toEqual(["audit.failed", "audit.failed"]);
});

it("T159: names who did it: the principal, the person at this machine, or the gateway", async () => {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  const trail = createAuditTrail({ audit: store.audit, log: silentLog, person: () => "ada" });
  const principal = { id: "token:ci", name: "ci", permissions: new Set<never>(), revoked: CONTEXT.signal };
  const rule = { id: "12ab", name: "rules[2]" };
  trail.recordDenial({ ...CONTEXT, principal }, "s__t", {});
  trail.recordChange({}, "capability.removed", "a:b", {});
  trail.recordChange("gateway", "rules.changed", "config", {});
  trail.recordEvent({ kind: "capability.tool.removed", server: "s", name: "s__t", hash: "2" });
  trail.recordDecision(
    { ...CONTEXT, principal, runId: "run" },
    { action: "call.refused", tool: "s__t", rule, effect: "write", argsDigest: "00ff", details: { by: "x" } },
  );
  await trail.settle();
  const entries = await store.audit.list({ limit: 10 });
  expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    "token:ci tool.denied",
    "local:ada capability.removed",
    "gateway rules.changed",
    "gateway capability.tool.removed",
    "token:ci call.refused",
  ]);
  expect(entries.at(-1)).toMatchObject({
    subject: "s__t",
    details: {
      rule: "rules[2]",
      ruleId: "12ab",
      effect: "write",
      argsDigest: "00ff",
      by: "x",
      runId: "run",
      traceId: "x",
    },
  });
});
