import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { silentLog } from "../core/log.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";

it("T159: keeps changes, removals and denials in order, and no first sight", async () => {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  const trail = createAuditTrail(store.audit, silentLog);
  const tool = { server: "s", name: "s__t" };
  trail.recordEvent({ kind: "capability.tool.registered", ...tool, hash: "1" });
  trail.recordEvent({ kind: "capability.cache.updated", server: "s" });
  trail.recordEvent({ kind: "capability.tool.updated", ...tool, hash: "2", previousHash: "1" });
  trail.recordDenial("s__t", { traceId: "x" });
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
  const trail = createAuditTrail(store.audit, { ...silentLog, error: (event) => failures.push(event) });
  await store.close();
  trail.recordDenial("s__t", {});
  trail.recordDenial("s__u", {});
  await trail.settle();
  expect(failures).toEqual(["audit.failed", "audit.failed"]);
});
