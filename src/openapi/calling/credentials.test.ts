import { describe, expect, it } from "vitest";
import type { SecurityScheme } from "../api-description.ts";
import { credentialsFor, unknownSchemes } from "./credentials.ts";

const SCHEMES = new Map<string, SecurityScheme>([
  ["token", { kind: "bearer" }],
  ["login", { kind: "basic" }],
  ["digest", { kind: "http", scheme: "Digest" }],
  ["key", { kind: "apiKey", in: "header", name: "X-Key" }],
  ["queryKey", { kind: "apiKey", in: "query", name: "key" }],
  ["session", { kind: "apiKey", in: "cookie", name: "sid" }],
  ["tls", { kind: "unknown", type: "mutualTLS" }],
]);

function find(security: string[][], auth: Record<string, string>, headers: Record<string, string> = {}) {
  const found = credentialsFor(security, { server: "api", auth, headers, schemes: SCHEMES });
  if (!found.success) return found.error.hint;
  const { headers: sent, query, cookies } = found.data;
  return [...sent, ...query, ...cookies].map(([name, value]) => `${name}=${value}`).join(" ");
}

describe("values by the names of schemes", () => {
  it.each([
    ["token", "t", "authorization=Bearer t"],
    ["login", "me:pw", "authorization=Basic bWU6cHc="],
    ["digest", "d", "authorization=Digest d"],
    ["key", "k", "x-key=k"],
    ["queryKey", "q", "key=q"],
    ["session", "s", "sid=s"],
  ])("%s says where its value goes", (name, value, sent) => {
    expect(find([[name]], { [name]: value })).toBe(sent);
  });

  it("several that are needed together go together, and of alternatives the first that is whole", () => {
    expect(find([["key", "session"]], { key: "k", session: "s" })).toBe("x-key=k sid=s");
    expect(find([["token"], ["key", "session"], ["login"]], { key: "k", login: "a:b" })).toBe(
      "authorization=Basic YTpi",
    );
  });

  it("one that no alternative needs goes nowhere", () => {
    expect(find([["token"]], { token: "t", key: "k" })).toBe("authorization=Bearer t");
    expect(find([], { token: "t" })).toBe("");
  });

  it("names that the description does not have are found", () => {
    expect(unknownSchemes({ token: "t", other: "x" }, SCHEMES)).toEqual(["other"]);
    expect(unknownSchemes({ type: "bearer", token: "t" }, SCHEMES)).toEqual([]);
  });
});

describe("one kind for all operations", () => {
  it("goes where nothing is said, and where a scheme is of that kind", () => {
    const auth = { type: "bearer", token: "t" };
    expect(find([], auth)).toBe("authorization=Bearer t");
    expect(find([["key"], ["token"]], auth)).toBe("authorization=Bearer t");
    expect(find([["key"]], auth)).toContain('set "auth": {"key": "…"} of the server api');
  });

  it("is a key where it says so", () => {
    expect(find([["key"]], { type: "apiKey", in: "header", name: "x-key", value: "k" })).toBe("x-key=k");
    expect(find([], { type: "apiKey", in: "query", name: "k", value: "v" })).toBe("k=v");
    expect(find([], { type: "basic", username: "a", password: "b" })).toBe("authorization=Basic YTpi");
  });
});

describe("an operation that needs what the config has not", () => {
  it("names the scheme and the key of the config", () => {
    expect(find([["token", "key"]], { key: "k" })).toBe(
      'Ask the user to set "auth": {"token": "…", "key": "…"} of the server api in the config.',
    );
  });

  it("is called where it says that it needs none", () => {
    expect(find([["token"], []], {})).toBe("");
  });

  it("is called where a header of the config is that login", () => {
    expect(find([["token"]], {}, { Authorization: "Bearer x" })).toBe("");
    expect(find([["key"]], {}, { "x-key": "x" })).toBe("");
    expect(find([["queryKey"]], {}, { "x-key": "x" })).toContain('"queryKey"');
  });

  it("says so of a scheme that is none here", () => {
    expect(find([["tls"]], { tls: "x" })).toContain('"headers"');
    expect(find([["__proto__"]], {})).toContain('"headers"');
  });
});
