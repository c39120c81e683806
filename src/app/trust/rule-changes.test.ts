import { expect, it, onTestFinished } from "vitest";
import { createConfigSource, type ConfigSource } from "../../config/source.ts";
import { createTempProject, type TempProject } from "../../config/temp-project.testkit.ts";
import { silentLog } from "../../core/log.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createAuditTrail } from "../../telemetry/audit-trail.ts";
import { followRuleChanges } from "./rule-changes.ts";

function openConfig(project: TempProject): ConfigSource {
  const created = createConfigSource({ ...project.options, pollMs: 600_000, settleMs: 600_000 });
  if (!created.ok) throw new Error("the config is broken");
  onTestFinished(() => created.source.close());
  return created.source;
}

const FILE = "user/.config/repertoire/repertoire.json";
const REFUSE = { tool: "mail__*", do: "refuse" };
const LIMIT = { do: "allow", limit: "5/min" };

/** Two gateways on one home, as when two clients are open. */
async function openTwo() {
  const project = createTempProject();
  project.write(FILE, { rules: [LIMIT] });
  const store = await openSqliteStore({ home: project.home });
  onTestFinished(() => store.close());
  const trail = createAuditTrail({ audit: store.audit, log: silentLog, person: () => "ada" });
  const configs = [openConfig(project), openConfig(project)];
  for (const config of configs) followRuleChanges({ config, trail, store, log: silentLog });
  const change = async (content: object) => {
    project.write(FILE, content);
    await Promise.all(configs.map((config) => config.check()));
    // Whoever records it has asked the store before this.
    await store.seals.spend(crypto.randomUUID(), 0);
    await trail.settle();
    return store.audit.newest({ limit: 9 });
  };
  return { change };
}

it("T159: other rules are on the audit trail once, with the ids that came and went", async () => {
  const { change } = await openTwo();
  const [entry, ...others] = await change({ rules: [REFUSE] });
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    actor: "gateway",
    action: "rules.changed",
    details: { added: [expect.any(String)], removed: [expect.any(String)], trust: "allow" },
  });
});

it("other trust is on the trail as well, and another setting is not", async () => {
  const { change } = await openTwo();
  expect(await change({ rules: [LIMIT], exposure: "full" })).toEqual([]);
  const [trust] = await change({ rules: [LIMIT], trust: "ask" });
  expect(trust?.details).toMatchObject({ added: [], removed: [], trust: "ask", trustBefore: "allow" });
  const [server] = await change({
    trust: "ask",
    mcpServers: { files: { command: "files", trust: "allow" } },
  });
  expect(server?.details).toMatchObject({ removed: [expect.any(String)] });
  const [changed] = await change({ trust: "ask", mcpServers: { files: { command: "files" } } });
  expect(changed?.details).toMatchObject({ added: [], removed: [], servers: { files: "ask" } });
});
