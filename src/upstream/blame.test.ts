/** Whose failure it was: a call's own is told to that call, a server's counts for everybody. Real servers over HTTP. */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { linesOf, startEvilHttp } from "../../test/rig/evil-process.ts";
import type { EvilHttpFault, EvilScript } from "../../test/rig/evil-script.ts";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { silentLog } from "../core/log.ts";
import { CONFIG, contextOf, clientOf } from "./many-clients.testkit.ts";
import { createUpstreamServer } from "./upstream-server.ts";

async function openRemote(script: EvilScript) {
  const journalFile = join(temporaryFolder(), "journal");
  const { url } = await startEvilHttp({ ...script, journalFile });
  const upstream = createUpstreamServer(
    { ...CONFIG, connectTimeoutMs: 20_000, transport: { kind: "http", url, headers: {} } },
    {
      clientInfo: { name: "t", version: "0" },
      log: silentLog,
      random: () => 0,
      hasManyClients: true,
      redact: (text) => text.replaceAll("CANARY", "…"),
    },
  );
  onTestFinished(() => upstream.close());
  const call = (tool: string, who: string) =>
    upstream.call(tool, { text: "hi", message: "x" }, contextOf({ client: clientOf(who, {}) }));
  const handshakes = () =>
    linesOf(journalFile).filter((line) => line.includes(`"method":"initialize"`)).length;
  return { upstream, call, handshakes };
}

const FAULTS: Readonly<Record<string, EvilHttpFault>> = {
  "500": { status: 500, body: "oops CANARY" },
  "403": { status: 403, body: "not you" },
  "404": { status: 404, body: "not here" },
  "413": { status: 413, body: "too much" },
  "502": { status: 502, body: "bad gateway" },
  "504": { status: 504, body: "gateway timeout" },
  "a page": { status: 200, contentType: "text/html", body: "<html>log in</html>" },
  "bad JSON": { status: 200, contentType: "application/json", body: `{"jsonrpc":` },
  "no message": { status: 200, contentType: "application/json", body: `{"a":1}` },
  "too much": { gzipBomb: 20_000_000 },
};

describe("S11: an answer that is none", () => {
  it.each(Object.entries(FAULTS))(
    "(%s) is the failure of that call, and not of the server",
    async (_, http) => {
      const { upstream, call, handshakes } = await openRemote({
        era: "legacy",
        rules: [{ tool: "fail", http }],
      });
      for (let i = 0; i < 6; i++) {
        const result = await call("fail", "Ann");
        expect(result).toMatchObject({
          error: { code: "TOOL_EXECUTION_FAILED", retryable: false, mayHaveHappened: true },
        });
        expect(JSON.stringify(result)).not.toContain("CANARY");
      }
      expect(await call("echo", "Bob")).toMatchObject({ data: { content: [{ text: "hi" }] } });
      expect(upstream.status()).toMatchObject({ state: "ready", failureCount: 0 });
      expect(handshakes()).toBe(1);
    },
  );

  it.each([400, 404])(
    "(%i) to a session opens a new one with the next call, and is no failure",
    async (status) => {
      const { upstream, call, handshakes } = await openRemote({
        era: "legacy",
        http: { session: true },
        rules: [{ tool: "fail", http: { status, body: "no such session" } }],
      });
      for (let i = 0; i < 6; i++) expect(await call("fail", "Ann")).toMatchObject({ success: false });
      expect(await call("echo", "Bob")).toMatchObject({ data: { content: [{ text: "hi" }] } });
      expect(upstream.status()).toMatchObject({ state: "ready", failureCount: 0 });
      expect(handshakes()).toBe(7);
    },
  );
});

describe("what is the server's", () => {
  it.each([429, 503])("is no failure where it asks for patience (%i)", async (status) => {
    const rules = [{ tool: "fail", http: { status, retryAfter: 7 } }];
    const { upstream, call } = await openRemote({ era: "legacy", rules });
    for (let i = 0; i < 6; i++)
      expect(await call("fail", "Ann")).toMatchObject({ error: { reason: "busy", retryAfterMs: 7_000 } });
    expect(upstream.status()).toMatchObject({ state: "ready", failureCount: 0 });
  });

  it("counts where nothing comes back at all: the connection is reset", async () => {
    const { upstream, call } = await openRemote({
      era: "legacy",
      rules: [{ tool: "fail", http: { reset: true } }],
    });
    for (let i = 0; i < 5; i++) {
      expect(await call("fail", "Ann")).toMatchObject({
        error: { code: "TOOL_UNAVAILABLE", mayHaveHappened: true },
      });
    }
    expect(upstream.status()).toMatchObject({ state: "broken", failureCount: 5 });
  });
});
