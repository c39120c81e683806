import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { PERMISSIONS } from "../../core/principal.ts";
import type { ToolResult } from "../../core/result.ts";
import { TOKEN_COUNT_MAX, type TokenLimits } from "./token.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

function requireData<T>(result: ToolResult<T>): T {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

function requireError(result: ToolResult<unknown>) {
  if (result.success) throw new Error("it succeeded");
  return result.error;
}

describe("tokens", () => {
  it("begin with the default one, which may do everything and is shown again", () => {
    const tokens = openHomeTokens(temporaryFolder());
    const first = tokens.begin();
    expect(first).toMatchObject({ name: "default", permissions: PERMISSIONS, isNew: true });
    expect(tokens.begin()).toBeUndefined();
    expect(tokens.showDefault()).toEqual({ ...first, isNew: false });
  });

  it("that were all revoked do not come back with the next start", () => {
    const tokens = openHomeTokens(temporaryFolder());
    tokens.begin();
    requireData(tokens.revoke("default"));
    expect(tokens.begin()).toBeUndefined();
    expect(tokens.list()).toEqual([]);
    expect(tokens.showDefault().isNew).toBe(true);
  });

  it("are 32 random bytes behind a beginning that scanners know", () => {
    const random = (count: number) => new Uint8Array(count).fill(255);
    const clock = { now: () => 0, elapsed: () => 0 };
    const tokens = openHomeTokens(temporaryFolder(), { random, clock });
    expect(tokens.showDefault().token).toBe(`rpt_${"_".repeat(42)}8`);
    expect(tokens.list()[0]!.createdAt).toBe("1970-01-01T00:00:00.000Z");
    const [a, b] = [
      openHomeTokens(temporaryFolder()).showDefault(),
      openHomeTokens(temporaryFolder()).showDefault(),
    ];
    expect(a.token).not.toBe(b.token);
    expect(a.token).toMatch(/^rpt_[\w-]{43}$/);
  });

  it("are made with a name and scopes, and replaced with the same", () => {
    const tokens = openHomeTokens(temporaryFolder());
    const made = requireData(tokens.create("ci-2", ["read", "call"]));
    const replaced = requireData(tokens.rotate("ci-2"));
    expect(replaced).toMatchObject({ name: "ci-2", permissions: ["read", "call"] });
    expect(replaced.token).not.toBe(made.token);
    expect(tokens.list()).toHaveLength(1);
    const before = tokens.showDefault();
    expect(requireData(tokens.rotate("default")).token).toBe(tokens.showDefault().token);
    expect(tokens.showDefault().token).not.toBe(before.token);
  });

  it.each(["", "A", "a b", "../x", "a/b", "con", "a".repeat(33), "-a", "default", "__proto__"])(
    "are not called %j",
    (name) => {
      const tokens = openHomeTokens(temporaryFolder());
      const error = requireError(tokens.create(name, ["read"]));
      expect(error).toMatchObject({ code: "TOOL_INVALID_INPUT", field: "name", hint: expect.any(String) });
      expect(tokens.list()).toEqual([]);
    },
  );

  it("S13: may be limited to profiles, which they keep when they are replaced; without, they open all", () => {
    const tokens = openHomeTokens(temporaryFolder());
    const made = requireData(tokens.create("bot", ["read"], { profiles: ["triage", "ops", "triage"] }));
    expect(made).toMatchObject({ profiles: ["triage", "ops"] });
    expect(requireData(tokens.rotate("bot"))).toMatchObject({ profiles: ["triage", "ops"] });
    expect(requireData(tokens.create("all", ["read"]))).not.toHaveProperty("profiles");
    expect(tokens.list().map(({ profiles }) => profiles)).toEqual([["triage", "ops"], undefined]);
    for (const profile of ["", "../x", "A", "a".repeat(65)]) {
      expect(requireError(tokens.create("x", ["read"], { profiles: [profile] }))).toMatchObject({
        field: "profile",
      });
    }
  });

  it("keep every limit when they are replaced, and get a new expiry only where one is given", () => {
    const time = { nowMs: 0 };
    const tokens = openHomeTokens(temporaryFolder(), { clock: { now: () => time.nowMs, elapsed: () => 0 } });
    const limits = {
      profiles: ["ops"],
      effects: ["read"],
      tools: ["github__*", "mcp__math__*"],
      expiresAt: "1970-01-02T00:00:00.000Z",
    } as const;
    expect(requireData(tokens.create("bot", ["read", "call"], limits))).toMatchObject(limits);
    expect(requireData(tokens.rotate("bot"))).toMatchObject(limits);
    expect(tokens.list()).toMatchObject([limits]);
    const expiresAt = "1970-02-01T00:00:00.000Z";
    expect(requireData(tokens.rotate("bot", expiresAt))).toMatchObject({ ...limits, expiresAt });
    time.nowMs = Date.parse(expiresAt);
    expect(requireError(tokens.rotate("bot"))).toMatchObject({
      field: "expires",
      hint: expect.stringContaining("--expires 30d"),
    });
    expect(requireData(tokens.rotate("bot", null))).not.toHaveProperty("expiresAt");
    expect(tokens.list()[0]).toMatchObject({ tools: limits.tools });
  });

  it.each([
    ["effects", { effects: ["destory"] }],
    ["tools", { tools: ["github__*,gitlab__*"] }],
    ["tools", { tools: ["a b"] }],
    ["tools", { tools: [""] }],
    ["tools", { tools: ["a".repeat(257)] }],
    ["tools", { tools: Array.from({ length: 101 }, (_, i) => `t${i}`) }],
    ["expires", { expiresAt: "1970-01-01T00:00:00.000Z" }],
    ["expires", { expiresAt: "tomorrow" }],
  ])("are not made with wrong %s: %j", (field, limits) => {
    const tokens = openHomeTokens(temporaryFolder());
    expect(requireError(tokens.create("x", ["read"], limits as TokenLimits))).toMatchObject({ field });
    expect(tokens.list()).toEqual([]);
  });

  it("have names of their own, and at least one scope", () => {
    const tokens = openHomeTokens(temporaryFolder());
    tokens.create("laptop", ["read"]);
    expect(requireError(tokens.create("laptop", ["read"]))).toMatchObject({ reason: "taken" });
    expect(requireError(tokens.create("other", []))).toMatchObject({ field: "scope" });
  });

  it("that are not there are named with the nearest", () => {
    const tokens = openHomeTokens(temporaryFolder());
    tokens.create("laptop", ["read"]);
    expect(requireError(tokens.revoke("labtop"))).toMatchObject({
      code: "TOOL_NOT_FOUND",
      nearest: ["laptop"],
    });
    expect(requireError(tokens.rotate("nothing")).hint).toContain("repertoire token list");
  });

  it("are bounded in number", () => {
    const tokens = openHomeTokens(temporaryFolder());
    for (let i = 0; i < TOKEN_COUNT_MAX; i++) requireData(tokens.create(`t${i}`, ["read"]));
    expect(requireError(tokens.create("more", ["read"])).hint).toContain("revoke");
    expect(tokens.list()).toHaveLength(TOKEN_COUNT_MAX);
  });
});
