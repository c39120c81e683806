import { describe, expect, it } from "vitest";
import { fixture, openOperator } from "../access.testkit.ts";

describe("tokens", () => {
  it("are created, listed, looked at, rotated and revoked, and each is on the audit trail", async () => {
    const { ask, app, viewerOf } = await openOperator({
      mcpServers: { shelf: { ...fixture("shelf-server.mjs"), tools: { effects: { picture: "read" } } } },
    });
    await app.findTools({ waitMs: 20_000 });
    const viewer = viewerOf();
    const body = {
      name: "ci",
      scopes: ["read", "call"],
      effects: ["read"],
      tools: ["shelf__*"],
      expires_at: "30d",
    };
    const made = await ask("createToken", { viewer, body });
    expect(made).toMatchObject({
      name: "ci",
      scopes: ["read", "call"],
      effects: ["read"],
      token: expect.any(String),
    });
    const { tokens } = await ask("listTokens", { viewer });
    expect(tokens).toMatchObject([{ name: "ci", tools: ["shelf__*"], last_used_at: null }]);
    expect(Date.parse(tokens[0]!.expires_at!) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(JSON.stringify(tokens)).not.toContain(made.token);
    const shown = await ask("getToken", { viewer, params: { token: "ci" } });
    const decisions = new Map(shown.reach[0]!.tools.map((tool) => [tool.name, tool.do]));
    expect([decisions.get("shelf__picture"), decisions.get("shelf__paint")]).toEqual(["allow", "refuse"]);
    const rotated = await ask("rotateToken", { viewer, params: { token: "ci" } });
    expect(rotated.token).not.toBe(made.token);
    expect(await ask("revokeToken", { viewer, params: { token: "ci" } })).toEqual({ revoked: "ci" });
    const entries = await app.store.audit.newest({ limit: 3 });
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ["token:bot", "token.revoked", "ci"],
      ["token:bot", "token.rotated", "ci"],
      ["token:bot", "token.created", "ci"],
    ]);
  });

  it.each([
    [{ name: "ci", effects: [] }, "may call nothing"],
    [{ name: "ci", expires_at: "soon" }, "no time at which"],
    [{ name: "ci", expires_at: "1999-01-01" }, "not later than now"],
    [{ name: "Not A Name" }, "name"],
  ])("%j is refused", async (body, words) => {
    const { refused } = await openOperator({});
    expect((await refused("createToken", { body })).message).toContain(words);
  });

  it("one that is not there is told so", async () => {
    const { refused } = await openOperator({});
    for (const route of ["getToken", "revokeToken", "rotateToken"] as const) {
      expect(await refused(route, { params: { token: "nobody" } })).toMatchObject({ code: "TOOL_NOT_FOUND" });
    }
  });
});

describe("rules and profiles", () => {
  it("are listed in their order, without secrets", async () => {
    const rules = [
      { tool: "shelf__paint", do: "ask", why: "paint is dear" },
      { effect: "destroy", do: "refuse" },
    ];
    const { ask, configPath } = await openOperator({
      rules,
      trust: "ask",
      profiles: { triage: { servers: [] } },
    });
    const listed = await ask("listRules");
    expect(listed.trust).toBe("ask");
    expect(listed.rules.slice(0, 2)).toMatchObject([
      { rule: "rules[0]", do: "ask", why: "paint is dear", file: configPath },
      { rule: "rules[1]", do: "refuse" },
    ]);
    expect(listed.rules.length).toBeGreaterThan(2);
    expect(await ask("listProfiles")).toEqual({
      profiles: [{ name: "triage", url: "/mcp/triage", rules: { servers: [] } }],
    });
  });

  it("a call is explained, for a token with its limits and its profile, and nothing is started", async () => {
    const { ask, refused, app } = await openOperator({
      mcpServers: { shelf: fixture("shelf-server.mjs") },
      profiles: { triage: {} },
      rules: [
        {
          who: "profile:triage",
          tool: "shelf__paint",
          when: "args.coats > 1",
          do: "refuse",
          why: "one is enough",
        },
      ],
    });
    expect(await refused("explainCall", { body: { tool: "shelf.paint" } })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    expect((await ask("listServers")).servers[0]!.state).toBe("idle");
    await app.findTools({ waitMs: 20_000 });
    await ask("createToken", { body: { name: "ci", profiles: ["triage"], effects: ["read", "write"] } });
    const explain = (body: object) => ask("explainCall", { body: { tool: "shelf.paint", ...body } });
    expect(await explain({})).toMatchObject({ name: "shelf__paint", do: "allow", who: ["local"] });
    expect(await explain({ profile: "triage", args: { coats: 2 } })).toMatchObject({
      do: "refuse",
      rule: { name: "rules[0]", why: "one is enough" },
    });
    expect(await explain({ who: ["ci"] })).toMatchObject({
      do: "refuse",
      who: ["token:ci", "profile:triage"],
    });
  });
});
