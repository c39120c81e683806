import { describe, expect, it } from "vitest";
import { countStates, filterServers, isTroubled, reasonOf, type ServerRow } from "./server-reason.ts";

function server(id: string, given: Partial<ServerRow> = {}): ServerRow {
  return { id, state: "ready", target: `npx ${id}-server`, rejected: [], findings: [], ...given };
}

describe("the reason of a server's state", () => {
  it("names the inputs that are missing", () => {
    expect(reasonOf(server("a", { state: "needs_input", missingInputs: ["github-token", "org"] }))).toBe(
      "Needs github-token, org",
    );
  });

  it("tells everything that is wrong with an entry of the config", () => {
    const problems = [{ message: "no command" }, { message: "env is no object" }];
    expect(reasonOf(server("a", { state: "unusable", problems }))).toBe("no command; env is no object");
  });

  it("is the last output of one that starts, and the error of one that failed", () => {
    expect(reasonOf(server("a", { state: "starting", starting: { forMs: 3, said: "downloading" } }))).toBe(
      "downloading",
    );
    expect(reasonOf(server("a", { state: "failed", error: "exit code 1" }))).toBe("exit code 1");
    expect(reasonOf(server("a"))).toBeUndefined();
  });
});

describe("the list of servers", () => {
  const all = [
    server("github"),
    server("mail", { state: "failed", error: "ECONNREFUSED" }),
    server("desk", { state: "idle" }),
  ];
  const idsOf = (filter: Parameters<typeof filterServers>[1]) =>
    filterServers(all, filter).map(({ id }) => id);

  it("is filtered by state", () => {
    expect(idsOf({ state: "failed,idle" })).toEqual(["mail", "desk"]);
  });

  it("is searched in ids, targets and reasons, every word of it", () => {
    expect(idsOf({ text: "econn" })).toEqual(["mail"]);
    expect(idsOf({ text: "npx desk" })).toEqual(["desk"]);
    expect(idsOf({ text: "npx nothing" })).toEqual([]);
  });

  it("is counted by state", () => {
    expect([...countStates(all)]).toEqual([
      ["ready", 1],
      ["failed", 1],
      ["idle", 1],
    ]);
    expect(all.filter(isTroubled).map(({ id }) => id)).toEqual(["mail"]);
  });
});
