import { describe, expect, it } from "vitest";
import { bodyOf, EMPTY_DRAFT, findProblem, withChoice, type TokenDraft } from "./token-draft.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const draft = (given: Partial<TokenDraft>): TokenDraft => ({ ...EMPTY_DRAFT, name: " ci ", ...given });

describe("a new token", () => {
  it("leaves out every limit that it does not have", () => {
    expect(bodyOf(draft({ expires: "" }), NOW)).toEqual({ name: "ci", scopes: ["read", "call"] });
  });

  it("has its limits in the order of the gateway", () => {
    const body = bodyOf(
      draft({
        scopes: ["call", "read"],
        profiles: ["triage"],
        effects: ["write", "read"],
        tools: "github__*, mail__*\ndesk__read",
      }),
      NOW,
    );
    expect(body).toEqual({
      name: "ci",
      scopes: ["read", "call"],
      profiles: ["triage"],
      effects: ["read", "write"],
      tools: ["github__*", "mail__*", "desk__read"],
      expires_at: "2026-12-18T12:00:00.000Z",
    });
  });

  it("ends at the end of the day that was chosen", () => {
    const { expires_at = "" } = bodyOf(draft({ expires: "date", date: "2027-01-31" }), NOW);
    expect(new Date(expires_at).getTime()).toBe(new Date(2027, 0, 31, 23, 59, 59).getTime());
  });

  it.each([
    [{ name: " " }, "Give it a name."],
    [{ scopes: [] }, "Give it at least one scope."],
    [{ effects: [] }, "A token without an effect may call nothing."],
    [{ expires: "date" }, "Choose the day on which it ends."],
    [{}, undefined],
  ] as const)("with %j needs: %s", (given, problem) => {
    expect(findProblem(draft(given))).toBe(problem);
  });

  it("takes and leaves choices", () => {
    expect(withChoice(["a"], "b", true)).toEqual(["a", "b"]);
    expect(withChoice(["a", "b"], "a", false)).toEqual(["b"]);
  });
});
