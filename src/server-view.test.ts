import { expect, it } from "vitest";
import type { ServerConfig } from "./config/config.ts";
import { createRedactor } from "./core/redaction.ts";
import { createRegistry } from "./registry/registry.ts";
import { viewServer } from "./server-view.ts";

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
  fromEnvironment: [],
  inputs: ["key"],
  missingInputs: [],
  transport: { ...transport, args: [CANARY] },
  written: transport,
};

it("T136: what a failing server printed is shown without the values that it was given", () => {
  const status = {
    state: "broken" as const,
    callCount: 0,
    ownLineCount: 0,
    failureCount: 1,
    lastError: { reason: `bad key ${CANARY}`, stderr: [`key=${CANARY}`], at: 0 },
  };
  const redactor = createRedactor([CANARY]);
  const catalogue = createRegistry().catalogue();
  const view = viewServer(server, status, catalogue, (text) => redactor.text(text));
  expect(view).toMatchObject({ state: "failed", target: "run ${input:key}", error: "bad key [redacted]" });
  expect(JSON.stringify(view)).not.toContain(CANARY);
});

it("a server that is switched off or not trusted is that first, whatever it lacks", () => {
  const stateOf = (more: Partial<ServerConfig>) =>
    viewServer({ ...server, missingInputs: ["key"], ...more }, undefined, createRegistry().catalogue()).state;
  expect([stateOf({}), stateOf({ enabled: false }), stateOf({ trusted: false })]).toEqual([
    "needs_input",
    "disabled",
    "untrusted",
  ]);
});
