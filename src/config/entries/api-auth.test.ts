import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeConfig } from "../describe.ts";
import { problemsOf, requireConfig } from "../temp-project.testkit.ts";

describe("an API in the config", () => {
  it("has its description beside the file, or at an address", () => {
    const { servers, origin } = requireConfig({
      mcpServers: {
        file: { openapi: "apis/pets.yaml", headers: { "X-Team": "a" } },
        web: { openapi: "https://a.example/openapi.json", baseUrl: "https://b.example" },
      },
    });
    expect(servers.map(({ transport }) => transport)).toEqual([
      {
        kind: "openapi",
        location: join(origin.path!, "../apis/pets.yaml"),
        headers: { "X-Team": "a" },
        auth: {},
      },
      {
        kind: "openapi",
        location: "https://a.example/openapi.json",
        baseUrl: "https://b.example",
        headers: {},
        auth: {},
      },
    ]);
  });

  it("shows its login to nobody, and the redactor knows it", () => {
    const config = requireConfig({
      mcpServers: { api: { openapi: "a.json", auth: { type: "bearer", token: "very-secret-1" } } },
    });
    expect(config.secrets).toContain("very-secret-1");
    expect(JSON.stringify(describeConfig(config))).not.toContain("very-secret-1");
  });

  it.each<[object, string]>([
    [{ openapi: "a.json", command: "x" }, '"command": does not belong to a server with "openapi"'],
    [{ openapi: "a.json", url: "https://a.example" }, '"url": does not belong'],
    [{ openapi: "a.json", oauth: {} }, '"oauth": does not belong'],
    [{ command: "x", auth: { a: "b" } }, '"auth": belongs to a server with "openapi"'],
    [{ url: "https://a.example", baseUrl: "https://a.example" }, '"baseUrl": belongs'],
    [{ openapi: "" }, "must not be empty"],
    [{ openapi: "file:///etc/passwd" }, "must be a file or begin with http"],
    [{ openapi: "https://me:pw@a.example/x" }, "must not contain a user name or password"],
    [{ openapi: "~/a.json" }, '"~" is not expanded here'],
    [{ openapi: "a.json", baseUrl: "ftp://a.example" }, "must begin with http:// or https://"],
    [{ openapi: "a.json", auth: { type: "bearer", tokn: "x" } }, 'of type "bearer" has the keys "token"'],
    [{ openapi: "a.json", auth: { type: "basic", username: "x" } }, 'has the keys "username", "password"'],
    [
      { openapi: "a.json", auth: { type: "apiKey", in: "body", name: "x", value: "y" } },
      'has an "in" that is none of',
    ],
    [{ openapi: "a.json", auth: { key: 5 } }, "must be a string"],
    [{ openapi: "a.json", auth: "token" }, "must be an object of strings"],
  ])("%j is not used, and says why", (entry, why) => {
    const { servers } = requireConfig({ mcpServers: { api: entry } });
    const said = servers[0]!.problems.map(({ path, message }) => `${path}: ${message}`).join("\n");
    expect(said.replaceAll("mcpServers.api.", "").replace(/^(\w+):/gm, '"$1":')).toContain(why);
  });

  it("takes no address from the environment", () => {
    const loaded = problemsOf(
      { mcpServers: { api: { openapi: "a.json" } } },
      { API_MCP_URL: "https://evil.example" },
    );
    expect(loaded.join()).toContain(`which has an "openapi"`);
  });
});
