import { describe, expect, it } from "vitest";
import { checkListener } from "./gate.ts";

const bare = { hasIssuer: false, tokenNames: ["default"] };

describe("T054: the listener", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.2",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
  ])("may be on %s, which only this machine reaches", (host) => {
    expect(checkListener({ host, ...bare })).toEqual({ kind: "allowed" });
  });

  it.each([
    "0.0.0.0",
    "::",
    "[::]",
    "",
    "192.168.1.5",
    "10.0.0.1",
    "fe80::1%eth0",
    "gateway.local",
    "localhost.example.com",
    "127.0.0.1.nip.io",
    "127.1",
    "2130706433",
    "0x7f000001",
    "128.0.0.1",
    "::ffff:10.0.0.1",
  ])("may not be on %j while nothing says who may come in", (host) => {
    const permit = checkListener({ host, ...bare });
    expect(permit).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(permit)).toContain("repertoire token create NAME");
  });

  it("may be anywhere with an issuer, or with a token that somebody made", () => {
    const host = "0.0.0.0";
    expect(checkListener({ host, hasIssuer: true, tokenNames: [] })).toEqual({ kind: "allowed" });
    expect(checkListener({ host, hasIssuer: false, tokenNames: ["default", "laptop"] })).toEqual({
      kind: "allowed",
    });
    expect(checkListener({ host, hasIssuer: false, tokenNames: [] })).toMatchObject({ kind: "refused" });
  });
});
