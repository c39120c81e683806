import { describe, expect, it } from "vitest";
import { audiencesOf, baseFor, basesOf, metadataUrlOf, resourceMetadata } from "./resource-metadata.ts";

const oauth = { issuer: "https://login.example.com", scopes: { call: "tools.call" } };

describe("the metadata of the resource", () => {
  it("name it, whose tokens it takes, and the scopes to begin with", () => {
    expect(resourceMetadata("https://mcp.example.com", "/mcp", oauth)).toEqual({
      resource: "https://mcp.example.com/mcp",
      authorization_servers: ["https://login.example.com"],
      scopes_supported: ["read", "tools.call"],
      bearer_methods_supported: ["header"],
      resource_name: "Repertoire",
    });
  });

  it("of a profile name the profile", () => {
    expect(resourceMetadata("https://mcp.example.com", "/mcp/work", oauth)["resource"]).toBe(
      "https://mcp.example.com/mcp/work",
    );
  });

  it.each([
    ["/mcp", "/.well-known/oauth-protected-resource/mcp"],
    ["/mcp/", "/.well-known/oauth-protected-resource/mcp"],
    ["/mcp/work", "/.well-known/oauth-protected-resource/mcp/work"],
    ["/metrics", "/.well-known/oauth-protected-resource/mcp"],
    ["/mcpx", "/.well-known/oauth-protected-resource/mcp"],
  ])("for %s are at %s", (path, url) => {
    expect(metadataUrlOf("https://mcp.example.com", path)).toBe(`https://mcp.example.com${url}`);
  });
});

describe("the addresses of the gateway", () => {
  it.each([
    [
      { host: "127.0.0.1", port: 7373 },
      ["http://127.0.0.1:7373", "http://localhost:7373", "http://[::1]:7373"],
    ],
    [{ host: "::1", port: 80 }, ["http://[::1]", "http://127.0.0.1", "http://localhost"]],
    [{ host: "0.0.0.0", port: 1 }, ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"]],
    [{ host: "192.168.1.5", port: 7373 }, ["http://192.168.1.5:7373"]],
    [{ host: "0.0.0.0", port: 1, publicUrl: "https://mcp.example.com/" }, ["https://mcp.example.com"]],
  ])("of %j", (address, bases) => {
    expect(basesOf(address)).toEqual(bases);
  });

  it("have the one that the client used, and no other that it names", () => {
    const bases = basesOf({ host: "127.0.0.1", port: 7373 });
    expect(baseFor("LOCALHOST:7373", bases)).toBe("http://localhost:7373");
    expect(baseFor("evil.example.com", bases)).toBe("http://127.0.0.1:7373");
    expect(baseFor(undefined, bases)).toBe("http://127.0.0.1:7373");
  });
});

describe("whom a token is meant for", () => {
  const bases = ["https://mcp.example.com"];
  it("is the endpoint; a profile may be meant alone, and is good for itself only", () => {
    const whole = ["https://mcp.example.com", "https://mcp.example.com/", "https://mcp.example.com/mcp"];
    expect(audiencesOf("/mcp", bases)).toEqual(whole);
    expect(audiencesOf("/metrics", bases)).toEqual(whole);
    expect(audiencesOf("/mcp/work", bases)).toEqual([...whole, "https://mcp.example.com/mcp/work"]);
  });

  it("is the configured one and nobody else, where there is one", () => {
    expect(audiencesOf("/mcp/work", bases, "api://repertoire")).toEqual(["api://repertoire"]);
  });
});
