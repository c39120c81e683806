/** A server as a source of tools, over each transport: a real process, and a real server on loopback. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { evilCommand, linesOf, startEvilHttp } from "../../test/rig/evil-process.ts";
import type { EvilScript } from "../../test/rig/evil-script.ts";
import { silentLog } from "../core/log.ts";
import { describeToolSource, type SourceFixture } from "../registry/tool-source.testsuite.ts";
import { CONFIG, contextOf } from "./many-clients.testkit.ts";
import type { TransportConfig } from "./upstream-config.ts";
import { createUpstreamServer } from "./upstream-server.ts";

const NOTICE = { method: "notifications/tools/list_changed" };

async function openServer(
  script: EvilScript,
  transportOf: (script: EvilScript) => Promise<TransportConfig>,
): Promise<SourceFixture> {
  const countFile = join(temporaryFolder(), "calls");
  const rules = [{ tool: "add", notify: [NOTICE] }];
  const transport = await transportOf({ ...script, countFile, rules });
  const config = { ...CONFIG, id: "box", connectTimeoutMs: 30_000, transport };
  const source = createUpstreamServer(config, { clientInfo: { name: "t", version: "0" }, log: silentLog });
  onTestFinished(() => source.close());
  return {
    source,
    works: { tool: "echo", args: { text: "hello" } },
    hangs: { tool: "slow", args: { ms: 60_000 }, hasBegun: () => linesOf(countFile).length > 0 },
    change: () => source.call("add", { a: 1, b: 2 }, contextOf()),
  };
}

const openProcess = async (script: EvilScript): Promise<TransportConfig> => ({
  kind: "stdio",
  ...evilCommand(script),
  env: {},
});

const openHttp = async (script: EvilScript): Promise<TransportConfig> => {
  const { url } = await startEvilHttp({ ...script, http: { sse: true } });
  return { kind: "http", url, headers: {} };
};

for (const era of ["legacy", "modern"] as const) {
  describeToolSource(`a ${era} server in a process`, () => openServer({ era }, openProcess));
  describeToolSource(`a ${era} server over HTTP`, () => openServer({ era }, openHttp));
}
