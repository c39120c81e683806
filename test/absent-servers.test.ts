/** What is said of servers whose tools are missing: the cause and what to do, wherever somebody looks for one of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand, startEvilHttp } from "./rig/evil-process.ts";

const SLOW = join(import.meta.dirname, "fixtures/slow-server.mjs");

interface Browsed {
  readonly pending?: readonly string[];
  readonly unavailable?: readonly { readonly server: string; readonly reason: string }[];
  readonly hint?: string;
}

const errorOf = (answer: object) =>
  (answer as { structuredContent?: { error?: Record<string, unknown> } }).structuredContent?.error;

describe("D6: servers whose tools are missing", () => {
  it(
    "D6: are named with cause and cure by a search, in code and by a call",
    { timeout: 90_000 },
    async () => {
      const folder = temporaryFolder();
      const locked = await startEvilHttp({ http: { bearer: "the-only-token" } });
      const file = join(folder, "config.json");
      const mcpServers = {
        off: { ...evilCommand(), enabled: false },
        dead: { command: "sh", args: ["-c", "echo 'Error: no licence' >&2; exit 3"] },
        needs: { command: "x", env: { TOKEN: "${input:some-token}" } },
        locked: { url: locked.url },
        slow: { command: process.execPath, args: [SLOW], env: { READY: join(folder, "never") } },
      };
      writeFileSync(file, JSON.stringify({ mcpServers, exposure: "lean" }));
      const { client } = await connect("2025-11-25", {
        folder,
        args: ["--config", file, "--log-level", "error"],
      });
      const call = (name: string, args: Record<string, unknown> = {}) =>
        client.callTool({ name, arguments: args }, { timeout: 60_000 });
      const browse = async (query: string) =>
        (await call("browse_components", { query })).structuredContent as Browsed;

      // Whatever is slow to fail on this machine is asked until it has.
      let found = await browse("zzz qqq");
      for (let at = 0; at < 60 && (found.unavailable?.length ?? 0) < 4; at++) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        found = await browse("zzz qqq");
      }
      const reasons = Object.fromEntries(found.unavailable!.map(({ server, reason }) => [server, reason]));
      expect(reasons).toEqual({
        off: expect.stringContaining("repertoire enable off") as string,
        dead: expect.stringContaining("Error: no licence") as string,
        needs: expect.stringContaining("repertoire input set some-token") as string,
        locked: expect.stringContaining("repertoire login locked") as string,
      });
      expect(found.pending).toEqual(["slow"]);
      expect(found.hint).toMatch(/slow \(still starting, for \d+ s\) may have it: ask again/);
      expect(found.hint).toContain("see unavailable");

      const inCode = async (server: string) =>
        errorOf(await call("execute", { code: `return await mcp.${server}.echo({})`, timeout_ms: 1_000 }));
      expect(await inCode("off")).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "disabled" });
      expect(await inCode("slow")).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "starting" });
      expect(await inCode("needs")).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "needs_input" });

      expect(errorOf(await call("off__echo"))).toMatchObject({
        code: "TOOL_UNAVAILABLE",
        reason: "disabled",
        retryable: false,
        hint: "A person can enable it: repertoire enable off",
      });
      expect(errorOf(await call("locked__echo"))).toMatchObject({ reason: "auth_required" });
      expect(errorOf(await call("nobody__echo"))).toMatchObject({ code: "TOOL_NOT_FOUND" });
    },
  );

  it("D6: of a project that is not trusted are named by a call too", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "repertoire.json"), JSON.stringify({ mcpServers: { proj: evilCommand() } }));
    const { client } = await connect("2025-11-25", { folder, args: ["--log-level", "error"] });
    const answer = await client.callTool({ name: "proj__echo", arguments: {} });
    expect(errorOf(answer)).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "untrusted" });
    expect(String(errorOf(answer)?.["hint"])).toContain("repertoire trust");
    const { stderr, stdout } = runCli(["tools", "echo something"], { folder });
    expect(`${stdout}${stderr}`).toContain("repertoire trust");
  });
});
