import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { readEnvironmentToken } from "./environment-token.ts";
import { createGate } from "./gate.ts";
import { watchTokens } from "./token-principals.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

const read = (token: string) => readEnvironmentToken({ REPERTOIRE_TOKEN: token });

describe("the token of the environment", () => {
  it("is none where the variable is not set or empty", () => {
    expect(readEnvironmentToken({})).toBeUndefined();
    expect(read("  ")).toBeUndefined();
  });

  it.each(["hex", "base64", "base64url"] as const)("may be random bytes in %s", (encoding) => {
    for (let i = 0; i < 100; i++) expect(read(randomBytes(24).toString(encoding))).toBeDefined();
  });

  it.each([
    ["secret", "32 at least"],
    ["a".repeat(64), "does not look random"],
    ["change-me-change-me-change-me-change-me", "does not look random"],
    ["passwordpasswordpasswordpassword", "does not look random"],
    ["0123456789".repeat(5), "does not look random"],
    ["ein Satz mit Leerzeichen, lang genug und bunt", "characters other than"],
  ])("that could be guessed is refused: %s", (token, why) => {
    expect(() => read(token)).toThrow(why);
    expect(() => read(token)).not.toThrow(token);
  });

  it("comes in with every permission, beside the tokens on record, of which none has its name", async () => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    const { token: ofHome } = tokens.showDefault();
    expect(tokens.create("environment", ["read"])).toMatchObject({
      success: false,
      error: { field: "name" },
    });
    const text = randomBytes(32).toString("hex");
    const principals = watchTokens(home, silentLog, { environment: read(text) });
    const gate = createGate({ tokens: principals, log: silentLog });
    const admit = (token: string) =>
      gate.admit({ authorization: `Bearer ${token}`, remote: "127.0.0.1", resource: "/mcp" });
    const permissions = new Set(["read", "call", "write", "admin"]);
    expect(await admit(text)).toMatchObject({ principal: { id: "token:environment", permissions } });
    expect(await admit(ofHome)).toMatchObject({ principal: { id: "token:default" } });
    tokens.revoke("default");
    principals.look();
    expect(await admit(text)).toMatchObject({ kind: "admitted" });
    expect(await admit(ofHome)).toMatchObject({ kind: "refused" });
    await gate.close();
  });
});
