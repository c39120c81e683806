import { describe, expect, it } from "vitest";
import { contextOf, toolOf } from "../../../test/fixtures/tool-source.ts";
import type { Config } from "../../config/config.ts";
import type { GuardedCall } from "../../core/guard.ts";
import type { Principal } from "../../core/principal.ts";
import { succeed } from "../../core/result.ts";
import type { WrittenRule } from "../../core/rule.ts";
import type { CallContext, ToolDefinition } from "../../core/tool.ts";
import { openGuard, type GuardingDeps } from "./guarding.ts";

function configOf(rules: readonly WrittenRule[], more: Partial<Config> = {}): Config {
  return { rules, trust: "allow", servers: [], ...more } as unknown as Config;
}

const PEEK: ToolDefinition = { ...toolOf("peek"), annotations: { readOnlyHint: true } };
const CALL: GuardedCall = { kind: "tool", name: "desk__peek", source: "desk", definition: PEEK, args: {} };

function open(first: Config, deps: Partial<GuardingDeps> = {}) {
  const state = { config: first, approved: false };
  const guarding = openGuard(
    { config: { current: () => state.config } },
    {
      registry: () => ({
        route: (name) =>
          name === CALL.name ? ({ source: { id: "desk" }, definition: PEEK } as never) : undefined,
        resolveHidden: () => undefined,
      }),
      isApproved: () => state.approved,
      ...deps,
    },
  );
  const pass = async (call: GuardedCall = CALL, context: CallContext = contextOf()) => {
    const result = await guarding.guard.pass(call, context, async () => succeed("made"));
    return result.success ? result.data : result.error.message;
  };
  return { ...guarding, state, pass };
}

function principalOf(limits: Pick<Principal, "effects" | "tools">): Principal {
  const { signal } = new AbortController();
  return { id: "token:ci", name: "ci", permissions: new Set(), revoked: signal, ...limits };
}

describe("the rules of the config", () => {
  it("hold from the next call on", async () => {
    const { pass, state } = open(configOf([]));
    expect(await pass()).toBe("made");
    state.config = configOf([{ tool: "desk__*", do: "refuse", why: "closed" }]);
    expect(await pass()).toBe('"desk__peek" (destroy) is refused by rules[0]: closed.');
    state.config = configOf([]);
    expect(await pass()).toBe("made");
  });

  it("are made once for a config", () => {
    const { rulesFor, state } = open(configOf([{ do: "ask" }]));
    const before = rulesFor({});
    expect(rulesFor({ principal: principalOf({}) })).toBe(before);
    state.config = configOf([{ do: "ask" }]);
    expect(rulesFor({})).not.toBe(before);
  });
});

describe("a token with limits", () => {
  it("is refused what is outside of them, also after the config has changed", async () => {
    const { pass, state, rulesFor } = open(configOf([]));
    const reader = { ...contextOf(), principal: principalOf({ effects: new Set(["read"]) }) };
    const refusal = '"desk__peek" (destroy) is refused by token ci: the token may only read.';
    expect(await pass(CALL, reader)).toBe(refusal);
    expect(rulesFor(reader)).toBe(rulesFor(reader));
    state.config = configOf([{ do: "allow" }]);
    expect(await pass(CALL, reader)).toBe(refusal);
    expect(await pass()).toBe("made");
  });

  it("may do what is within them, if no rule refuses it", async () => {
    const { pass, state } = open(configOf([]));
    const desk = { ...contextOf(), principal: principalOf({ tools: ["desk__*"] }) };
    expect(await pass(CALL, desk)).toBe("made");
    expect(await pass({ ...CALL, name: "mail__send" }, desk)).toMatch(/the token may only call desk__\*\.$/);
    state.config = configOf([{ who: "token:ci", do: "refuse" }]);
    expect(await pass(CALL, desk)).toMatch(/refused by rules\[0\]\.$/);
  });
});

describe("what a call does", () => {
  it("is found out again when an approval or the config changes", () => {
    const { effects, state, approvalsChanged } = open(configOf([]));
    expect(effects.of(CALL)).toBe("destroy");
    state.approved = true;
    approvalsChanged();
    expect(effects.of(CALL)).toBe("read");
    const servers = [{ id: "desk", tools: { effects: { "p*": "write" } } }] as unknown as Config["servers"];
    state.config = configOf([], { servers });
    expect(effects.of(CALL)).toBe("write");
  });

  it("is known of a capability by the library, under any of its names", () => {
    const { effects, useLibrary } = open(configOf([]));
    const call: GuardedCall = { kind: "tool", name: "mcp__a__b", source: "mcp", args: {} };
    expect(effects.of(call)).toBe("destroy");
    useLibrary({
      liveName: (tool) => (tool === "mcp__old__b" ? "mcp__a__b" : tool),
      usesOf: (tool) => (tool === "mcp__a__b" ? { tools: [], nodes: [] } : undefined),
    });
    expect(effects.of(call)).toBe("read");
    expect(effects.of({ ...call, name: "mcp__old__b" })).toBe("read");
  });
});

it("with trust ask a capability is not asked about as a whole, unless a rule names it", async () => {
  const { pass, state } = open(configOf([], { trust: "ask" }));
  const capability: GuardedCall = { kind: "tool", name: "mcp__a__b", source: "mcp", args: {} };
  expect(await pass(capability)).toBe("made");
  expect(await pass()).toMatch(/needs a person's approval \(trust: "ask"\)/);
  state.config = configOf([{ tool: "a:b", do: "ask" }]);
  expect(await pass(capability)).toMatch(/needs a person's approval \(rules\[0\]\)/);
});
