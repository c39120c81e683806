import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { silentLog, type Log } from "../core/log.ts";
import { createLog } from "../telemetry/log.ts";
import { logRequest, type HttpOutcome } from "./access-log.ts";

const outcome: HttpOutcome = {
  method: "POST",
  route: "/mcp",
  status: 200,
  elapsedMs: 1.2345,
  bytesIn: 10,
  bytesOut: 20,
  remote: "127.0.0.1",
  principal: "token:laptop",
  era: "modern",
  mcpMethod: "tools/call",
  tool: "git__log",
  outcome: "ok",
  traceId: "t-1",
};

function written(given: Partial<HttpOutcome>): [string, string, Record<string, unknown>] {
  let line: [string, string, Record<string, unknown>] | undefined;
  const note = (level: string) => (event: string, fields?: Record<string, unknown>) => {
    line = [level, event, fields ?? {}];
  };
  const log: Log = { ...silentLog, warn: note("warn"), info: note("info"), debug: note("debug") };
  logRequest(log, { ...outcome, ...given });
  return line!;
}

it("tells who asked for what and what came of it, in one line", () => {
  expect(written({})).toEqual(["info", "http.request", { ...outcome, elapsedMs: 1.2 }]);
  expect(written({ tool: undefined, profile: "work", otelTraceId: "a".repeat(32) })[2]).toEqual({
    ...outcome,
    elapsedMs: 1.2,
    profile: "work",
    otelTraceId: "a".repeat(32),
    tool: undefined,
  });
});

it.each([
  ["/mcp", 200, "info"],
  ["/mcp", 401, "info"],
  ["/mcp", 503, "warn"],
  ["/health/ready", 200, "debug"],
  ["/metrics", 200, "debug"],
  ["/metrics", 403, "info"],
  ["/health", 503, "warn"],
])("%s with %d is of level %s", (route, status, level) => {
  expect(written({ route, status })[0]).toBe(level);
});

it("T156: a name that a client chose is cut, escaped and stays in its field", () => {
  const tool = `x\r\n{"level":"error"}\u001b[31m\u2028${"y".repeat(10_000)}`;
  const [, , fields] = written({ tool });
  expect(fields["tool"]).toMatch(/^x\\u\{d\}\\u\{a\}\{"level":"error"\}\\u\{1b\}\[31m\\u\{2028\}y+$/);
  expect((fields["tool"] as string).length).toBeLessThan(256);
});

it("has no field but the named ones: a header or a body has no way in", () => {
  const more = { authorization: "Bearer x", body: "secret", url: "/mcp?key=1", headers: {} };
  expect(Object.keys(written(more as object)[2])).toEqual(
    Object.keys(outcome).filter((key) => key !== "profile"),
  );
});

it("T156: the real log writes one line of JSON, without the secrets that it knows", async () => {
  const file = join(temporaryFolder(), "access.log");
  const secret = "s".repeat(12);
  const log = createLog({ level: "info", file, secrets: [secret] });
  logRequest(log, { ...outcome, tool: `a\nb${secret}` });
  await log.close();
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ event: "http.request", tool: "a\\u{a}b[redacted]" });
});
