import { describe, expect, it } from "vitest";
import { countDecisions, filterReach, reachRows, type Reach } from "./reach.ts";

const REACH: Reach = [
  {
    profile: null,
    tools: [
      {
        name: "counter__add",
        server: "counter",
        effect: "write",
        do: "ask",
        rule: { name: "rules[0]", why: "money" },
      },
      {
        name: "counter__read",
        server: "counter",
        effect: "read",
        do: "allow",
        rule: { name: "allow reading" },
      },
    ],
    pending: [],
  },
  {
    profile: "triage",
    tools: [
      { name: "desk__close", server: "desk", effect: "destroy", do: "refuse", rule: { name: "token ci" } },
    ],
    pending: ["mail"],
  },
];
const ROWS = reachRows(REACH);
const namesOf = (filter: Parameters<typeof filterReach>[1]) =>
  filterReach(ROWS, filter).map(({ name }) => name);

describe("what a token reaches", () => {
  it("has one row for each tool of each profile", () => {
    expect(ROWS.map(({ name, profile }) => [name, profile])).toEqual([
      ["counter__add", null],
      ["counter__read", null],
      ["desk__close", "triage"],
    ]);
  });

  it("is filtered by effect, decision and profile", () => {
    expect(namesOf({ effect: "read,destroy" })).toEqual(["counter__read", "desk__close"]);
    expect(namesOf({ decision: "ask" })).toEqual(["counter__add"]);
    expect(namesOf({ profile: "triage" })).toEqual(["desk__close"]);
  });

  it("is searched in names, servers, rules and reasons", () => {
    expect(namesOf({ text: "DESK" })).toEqual(["desk__close"]);
    expect(namesOf({ text: "money" })).toEqual(["counter__add"]);
    expect(namesOf({ text: "rules[0]" })).toEqual(["counter__add"]);
  });

  it("is counted by decision", () => {
    expect(countDecisions(ROWS)).toEqual({ allow: 1, ask: 1, refuse: 1 });
  });
});
