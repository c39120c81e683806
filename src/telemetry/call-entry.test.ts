import { createSecretKey, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import type { PassedCall } from "../core/guard.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import { createRedactors, NO_SECRETS } from "../text/redactors.ts";
import { createCallEntry, KEPT_ARGUMENTS_LENGTH_MAX, type CallEntryOptions } from "./call-entry.ts";

const OPTIONS: CallEntryOptions = {
  key: createSecretKey(randomBytes(32)),
  keepsArguments: true,
  redactors: NO_SECRETS,
};

function passedOf(
  args: JsonObject,
  result: ToolResult<unknown> = succeed({ content: [] }),
  context: Partial<CallContext> = {},
): PassedCall {
  return {
    call: { kind: "tool", name: "mail__send", source: "mail", args },
    context: { traceId: "trace", signal: new AbortController().signal, ...context },
    decision: { do: "allow", effect: "write", rule: { id: "1", name: "rules[0]" } },
    result,
    elapsedMs: 12.3456,
  };
}

const entryOf = (passed: PassedCall, options: Partial<CallEntryOptions> = {}) =>
  createCallEntry(passed, 1_000, { ...OPTIONS, ...options }).entry;
const argsOf = (...given: Parameters<typeof passedOf>) => entryOf(passedOf(...given)).args;

it("says who called what, when it began and how it ended", () => {
  const principal = {
    id: "token:ci",
    name: "ci",
    permissions: new Set<never>(),
    revoked: AbortSignal.any([]),
  };
  const context = { principal, clientName: "cursor 1.2", runId: "run" };
  expect(entryOf(passedOf({ a: 1 }, undefined, context))).toMatchObject({
    at: 988,
    principal: "token:ci",
    client: "cursor 1.2",
    profile: null,
    kind: "tool",
    tool: "mail__send",
    effect: "write",
    decision: "allow",
    rule: "rules[0]",
    outcome: "ok",
    elapsedMs: 12.35,
    runId: "run",
    traceId: "trace",
  });
  expect(entryOf(passedOf({}))).toMatchObject({ principal: "local", client: null, runId: null });
});

it.each([
  [succeed({ content: [], isError: true }), "tool_error"],
  [succeed("text of a node"), "ok"],
  [fail("TOOL_TIMEOUT", "late"), "TOOL_TIMEOUT"],
  [fail("SECURITY_ERROR", "no", { reason: "refused" }), "SECURITY_ERROR refused"],
])("names the outcome", (result, outcome) => {
  expect(entryOf(passedOf({}, result)).outcome).toBe(outcome);
});

it.each<[unknown, number]>([
  [
    {
      content: [
        { type: "text", text: "äb" },
        { type: "image", data: "1234" },
      ],
      structuredContent: { a: 1 },
    },
    7,
  ],
  [{ content: [{ type: "resource", resource: { uri: "x", blob: "12345" } }] }, 5],
  [{ content: [], structuredContent: { a: 1 } }, 7],
  [
    {
      contents: [
        { uri: "x", text: "abc" },
        { uri: "y", blob: "de" },
      ],
    },
    5,
  ],
  [{ messages: [{ role: "user", content: { type: "text", text: "hello" } }] }, 5],
  [{ content: [] }, 0],
  ["äb", 3],
  [[1, 2], 5],
  [null, 4],
])("counts the bytes of the texts of %j", (answer, bytes) => {
  expect(entryOf(passedOf({}, succeed(answer))).bytes).toBe(bytes);
});

it("has the same digest for the same arguments, and another with another key", () => {
  const one = entryOf(passedOf({ a: 1, b: 2 })).argsDigest;
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(entryOf(passedOf({ b: 2, a: 1 })).argsDigest).toBe(one);
  expect(entryOf(passedOf({ b: 2, a: 2 })).argsDigest).not.toBe(one);
  expect(entryOf(passedOf({ a: 1, b: 2 }), { key: createSecretKey(randomBytes(32)) }).argsDigest).not.toBe(
    one,
  );
});

it("keeps no arguments unless the config says so, and then none that are secret", () => {
  const secret = "correct horse battery";
  const redactors = createRedactors(() => [secret]);
  const args = { to: "ann", password: "hunter2", text: `the key is ${secret}` };
  expect(entryOf(passedOf(args), { keepsArguments: false }).args).toBeNull();
  expect(entryOf(passedOf(args), { redactors }).args).toEqual({
    to: "ann",
    password: "[redacted]",
    text: "the key is [redacted]",
  });
});

it("keeps no value of a sensitive input, and no arguments where it cannot be told from other text", () => {
  const sensitive = [{ name: "code", value: "long enough" }];
  expect(argsOf({ x: "it is long enough" }, undefined, { sensitive })).toEqual({ x: "it is [redacted]" });
  expect(argsOf({ x: "123" }, undefined, { sensitive: [{ name: "pin", value: "1" }] })).toBeNull();
});

it("keeps no large arguments, and no secret in the address of a resource", () => {
  const large = "x".repeat(KEPT_ARGUMENTS_LENGTH_MAX);
  expect(argsOf({ large })).toEqual({ "repertoire/notKept": `${large.length + 12} characters` });
  const passed = passedOf({});
  const name = "files+db://user:pass1234@host/x";
  expect(entryOf({ ...passed, call: { ...passed.call, kind: "resource", name } }).tool).not.toContain(
    "pass1234",
  );
});

it("T157: is made also of what is no JSON", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const entry = entryOf(passedOf({ a: undefined } as never, succeed(loop)));
  expect(entry).toMatchObject({ outcome: "ok" });
  expect(entry.bytes).toBeLessThan(1_000_000);
});
