import { describe, expect, it } from "vitest";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import type { Guard } from "../core/guard.ts";
import type { Principal } from "../core/principal.ts";
import { succeed } from "../core/result.ts";
import type { Effect } from "../core/rule.ts";
import type { Component } from "../core/tool.ts";
import { createProfileView } from "../gateway/profiles/profile-view.ts";
import { createGuard } from "../trust/guard.ts";
import { NO_LIMITS } from "../trust/rule-limits.ts";
import type { Rule, RuleSet, RuleSubject } from "../trust/rule-set.ts";
import { describeReach } from "./token-reach.ts";

const component = (server: string, tool: string): Component => ({
  name: `${server}__${tool}`,
  source: server,
  definition: toolOf(tool),
});
const COMPONENTS = [component("mail", "list"), component("mail", "send"), component("notes", "drop")];
const EFFECTS: Readonly<Record<string, Effect>> = {
  mail__list: "read",
  mail__send: "write",
  notes__drop: "destroy",
};

const rule = (id: string, action: Rule["do"], more: Partial<Rule> = {}): Rule => ({
  id,
  name: id,
  do: action,
  namesTools: false,
  limits: NO_LIMITS,
  ...more,
});

/** Three rules: the effects of the token, then one about mail, then all the rest. */
function rulesFor({ effects }: Principal): RuleSet {
  const token = rule("token bot", "refuse", { why: "it may only read" });
  const mail = rule("rules[0]", "ask");
  const rest = rule("default", "allow");
  const decide = ({ tool, effect, who }: RuleSubject): Rule => {
    if (effects?.has(effect) === false) return token;
    return tool === "mail__send" && who.includes("token:bot") ? mail : rest;
  };
  return { rules: [token, mail, rest], decide, explain: () => [] };
}

function decideFor(principal: Principal): Guard["decide"] {
  const guard = createGuard({
    rulesFor: () => rulesFor(principal),
    effectOf: ({ name }) => EFFECTS[name]!,
    labelsOf: () => ({ isUntrusted: false, isPrivate: false, sends: false }),
    asksBeforeSending: () => false,
    limits: { isUsedUp: async () => false, enter: async () => succeed(() => {}) },
    record: () => {
      throw new Error("nothing is called");
    },
  });
  return (...call) => guard.decide(...call);
}

const principalWith = (more: Partial<Principal> = {}): Principal => ({
  id: "token:bot",
  name: "bot",
  permissions: new Set(["read", "call"]),
  revoked: new AbortController().signal,
  ...more,
});

describe("what a token can do", () => {
  it("is every tool that it sees, with the effect, what happens to a call and the rule that decides", async () => {
    const principal = principalWith();
    const decide = decideFor(principal);
    expect(await describeReach(principal, { components: COMPONENTS, decide })).toEqual([
      {
        name: "mail__list",
        server: "mail",
        effect: "read",
        do: "allow",
        rule: { id: "default", name: "default" },
      },
      {
        name: "mail__send",
        server: "mail",
        effect: "write",
        do: "ask",
        rule: { id: "rules[0]", name: "rules[0]" },
      },
      {
        name: "notes__drop",
        server: "notes",
        effect: "destroy",
        do: "allow",
        rule: { id: "default", name: "default" },
      },
    ]);
  });

  it("is what the guard says of this principal: a limit of its own decides first", async () => {
    const principal = principalWith({ effects: new Set(["read"]) });
    const decide = decideFor(principal);
    const reach = await describeReach(principal, { components: COMPONENTS, decide });
    expect(reach.map(({ name, do: action, rule: { why } }) => [name, action, why])).toEqual([
      ["mail__list", "allow", undefined],
      ["mail__send", "refuse", "it may only read"],
      ["notes__drop", "refuse", "it may only read"],
    ]);
  });

  it("has nothing that its profile hides, under the names that the profile gives", async () => {
    const principal = principalWith({ profiles: new Set(["post"]) });
    const decide = decideFor(principal);
    const view = createProfileView("post", { servers: ["mail"], rename: { mail__send: "post" } });
    const reach = await describeReach(principal, { components: COMPONENTS, view, decide });
    expect(reach.map(({ name, tool }) => [name, tool])).toEqual([
      ["mail__list", undefined],
      ["post", "mail__send"],
    ]);
  });

  it("is no call at all without the scope for calls", async () => {
    const principal = principalWith({ permissions: new Set(["read", "write", "admin"]) });
    const decide = decideFor(principal);
    const reach = await describeReach(principal, { components: COMPONENTS, decide });
    expect(new Set(reach.map(({ do: action }) => action))).toEqual(new Set(["refuse"]));
    expect(reach[0]!.rule.why).toContain("scope call");
  });
});
