import { expect, it } from "vitest";
import { identityOf } from "./configured-servers.ts";
import { requireConfig } from "../config/temp-project.testkit.ts";

function identityIn(entry: object) {
  return identityOf(requireConfig({ mcpServers: { a: entry } }).servers[0]!);
}

it("is the command line as written, with the version of the package that it names", () => {
  expect(
    identityIn({ command: "npx", args: ["-y", "@scope/server@1.2.3", "${HOME:-/}"], env: { A: "b" } }),
  ).toEqual({
    command: "npx",
    args: ["-y", "@scope/server@1.2.3", "${HOME:-/}"],
    package: { name: "@scope/server", version: "1.2.3" },
  });
  expect(identityIn({ command: "uvx", args: ["mcp-server==2.0"] })).toMatchObject({
    package: { name: "mcp-server", version: "2.0" },
  });
  expect(identityIn({ command: "node", args: ["server.mjs"] })).toEqual({
    command: "node",
    args: ["server.mjs"],
  });
});

it("is the address of a remote server", () => {
  expect(identityIn({ url: "https://example.com/mcp", headers: { "X-Team": "a" } })).toEqual({
    url: "https://example.com/mcp",
  });
});

it("has no secret in it", () => {
  const text = JSON.stringify([
    identityIn({ command: "x", args: ["--token", "s3cr3t-value-1"] }),
    identityIn({ url: "https://example.com/mcp?api_key=s3cr3t-value-2" }),
  ]);
  expect(text).not.toContain("s3cr3t");
});

it("is the place of an API's description, and its baseUrl, without its login", () => {
  const entry = { openapi: "api.json", baseUrl: "${BASE:-https://a.example}", auth: { key: "s3cret" } };
  expect(identityIn(entry)).toEqual({ openapi: "api.json", baseUrl: "${BASE:-https://a.example}" });
  expect(identityIn({ openapi: "https://a.example/o.json?token=abc" })).toEqual({
    openapi: "https://a.example/o.json?token=[redacted]",
  });
});
