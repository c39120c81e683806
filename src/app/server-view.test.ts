import { expect, it } from "vitest";
import type { ServerConfig } from "../config/config.ts";
import { createRedactor } from "../text/redaction.ts";
import { createRegistry } from "../registry/registry.ts";
import { liveServerOf, viewServer, withGateways, withLatency, type ServerView } from "./server-view.ts";

const CANARY = "c4nary".repeat(4);

const transport = { kind: "stdio" as const, command: "run", args: ["${input:key}"], env: {} };
const server: ServerConfig = {
  id: "a",
  key: "a",
  declaredIn: "file",
  enabled: true,
  trusted: true,
  timeoutMs: 1,
  tools: {},
  trust: "allow",
  isPrivate: false,
  fromEnvironment: [],
  inputs: ["key"],
  missingInputs: [],
  problems: [],
  transport: { ...transport, args: [CANARY] },
  written: transport,
};

it("T136: what a failing server printed is shown without the values that it was given", () => {
  const status = {
    state: "broken" as const,
    callCount: 0,
    ownChannelCount: 0,
    failureCount: 1,
    lastError: { reason: `bad key ${CANARY}`, cause: "exited" as const, stderr: [`key=${CANARY}`], at: 0 },
  };
  const redactor = createRedactor([CANARY]);
  const catalogue = createRegistry().catalogue();
  const view = viewServer(server, status, catalogue, (text) => redactor.text(text));
  expect(view).toMatchObject({
    state: "failed",
    target: "run ${input:key}",
    error: "bad key [redacted]",
    cause: "exited",
  });
  expect(JSON.stringify(view)).not.toContain(CANARY);
});

it("a server that is switched off or not trusted is that first, whatever it lacks", () => {
  const lacksInput = { file: "f", path: "mcpServers.a.args[0]", message: "", missing: { input: "key" } };
  const lacksVariable = { file: "f", path: "mcpServers.a.args[0]", message: "", missing: { variable: "V" } };
  const stateOf = (more: Partial<ServerConfig>) =>
    viewServer({ ...server, problems: [lacksInput], ...more }, undefined, createRegistry().catalogue()).state;
  expect([stateOf({}), stateOf({ enabled: false }), stateOf({ trusted: false })]).toEqual([
    "needs_input",
    "disabled",
    "untrusted",
  ]);
  expect(stateOf({ problems: [lacksInput, lacksVariable] })).toBe("unusable");
});

it("C1: a server that is starting shows for how long and its last line, and a crashed one what cures it", () => {
  const status = { callCount: 0, ownChannelCount: 0, failureCount: 0 };
  const starting = { forMs: 1234.5, said: "added 3 packages" };
  const catalogue = createRegistry().catalogue();
  const view = viewServer(server, { ...status, state: "starting", starting }, catalogue);
  expect(view).toMatchObject({ state: "starting", starting: { forMs: 1235, said: "added 3 packages" } });
  const crash = { line: "Error: no", hint: `Set ${CANARY}` };
  const lastError = { reason: "Error: no", cause: "exited" as const, stderr: [], crash, at: 0 };
  const redactor = createRedactor([CANARY]);
  const crashed = viewServer(server, { ...status, state: "broken", lastError }, catalogue, (text) =>
    redactor.text(text),
  );
  expect(crashed).toMatchObject({ state: "failed", hint: "Set [redacted]" });
});

it("a server that is up and does not list its tools has a cause, and one that is well has none", () => {
  const registry = createRegistry();
  const status = { state: "ready" as const, callCount: 0, ownChannelCount: 0, failureCount: 0 };
  const failed = [{ source: "a", code: "TOOL_TIMEOUT" as const, reason: "no tools in time" }];
  const catalogue = { ...registry.catalogue(), failed };
  expect(viewServer(server, status, catalogue)).toMatchObject({
    state: "ready",
    cause: "list_failed",
    error: "no tools in time",
  });
  const lastError = { reason: "gone", cause: "lost" as const, stderr: [], at: 0 };
  expect(viewServer(server, { ...status, lastError }, registry.catalogue()).cause).toBeUndefined();
});

it("a server is timed by a question of its era, and only while it is up", async () => {
  const view = { id: "a", state: "ready" as const, target: "", rejected: [], findings: [] };
  const asked: string[] = [];
  const ask = async (method: string) => ({ success: asked.push(method) > 0 });
  expect(await withLatency({ ...view, era: "legacy" }, ask)).toHaveProperty("latencyMs");
  expect(await withLatency({ ...view, era: "modern" }, ask)).toHaveProperty("latencyMs");
  expect(await withLatency({ ...view, state: "failed" }, ask)).not.toHaveProperty("latencyMs");
  expect(asked).toEqual(["ping", "ping", "ping", "tools/list", "tools/list", "tools/list"]);
  expect(await withLatency(view, async () => ({ success: false }))).not.toHaveProperty("latencyMs");
});

it("C10: a server is as the best of the gateways has it, and only where it is the same server", () => {
  const idle = { id: "a", state: "idle", target: "node x", rejected: [], findings: [] } as const;
  const inGateway = (pid: number, state: string, target = "node x") => ({
    pid,
    startedAt: pid,
    serves: "stdio" as const,
    servers: [
      { id: "a", target, state, since: 0, ...(state === "failed" && { error: "gone", said: "bye" }) },
    ],
    calls: [],
  });
  const stateOf = (view: ServerView, ...processes: ReturnType<typeof inGateway>[]) => {
    const [{ state, gateways }] = withGateways([view], processes) as [ServerView];
    return [state, gateways?.map(({ pid }) => pid)];
  };
  expect(stateOf(idle)).toEqual(["idle", undefined]);
  expect(stateOf(idle, inGateway(1, "failed"), inGateway(2, "ready"))).toEqual(["ready", [1, 2]]);
  expect(stateOf(idle, inGateway(1, "failed"), inGateway(2, "connecting"))).toEqual(["connecting", [1, 2]]);
  expect(stateOf(idle, inGateway(1, "ready", "node other"))).toEqual(["idle", undefined]);
  expect(stateOf({ ...idle, state: "disabled" }, inGateway(1, "ready"))).toEqual(["disabled", undefined]);
  expect(withGateways([idle], [inGateway(1, "failed")])).toMatchObject([
    { state: "failed", error: "gone", gateways: [{ since: "1970-01-01T00:00:00.000Z", said: "bye" }] },
  ]);
});

it("C10: what other processes are told of a server has no secret in it", () => {
  const status = { callCount: 0, ownChannelCount: 0, failureCount: 1 };
  const lastError = {
    reason: `bad key ${CANARY}`,
    cause: "exited" as const,
    stderr: ["one", `key=${CANARY}`],
    at: 7,
  };
  const redactor = createRedactor([CANARY]);
  const told = liveServerOf(server, { ...status, state: "waiting", lastError }, (text) =>
    redactor.text(text),
  );
  expect(told).toEqual({
    id: "a",
    target: "run ${input:key}",
    state: "failed",
    error: "bad key [redacted]",
    cause: "exited",
    failedAt: 7,
    said: "key=[redacted]",
  });
  expect(liveServerOf(server, { ...status, state: "idle" }, (text) => text)).toBeUndefined();
});
