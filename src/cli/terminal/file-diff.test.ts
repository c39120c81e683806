import { describe, expect, it } from "vitest";
import { findFileSecrets } from "../../clients/connect/file-secrets.ts";
import { diffFile } from "./file-diff.ts";

const PATH = "/home/ada/.cursor/mcp.json";

describe("the difference that is shown", () => {
  it("is a unified diff with the file's name", () => {
    expect(diffFile({ path: PATH, before: "{\n}\n", after: '{\n  "a": 1\n}\n', secrets: [] })).toBe(
      `--- ${PATH}\n+++ ${PATH}\n@@ -1,2 +1,3 @@\n {\n+  "a": 1\n }\n`,
    );
    expect(diffFile({ path: PATH, before: undefined, after: "{}\n", secrets: [] })).toBe(
      `--- /dev/null\n+++ ${PATH}\n@@ -0,0 +1,1 @@\n+{}\n`,
    );
  });

  it("shows no secret of a neighbour, in JSON and in TOML", () => {
    const secrets = [
      "plain-looking-words",
      `quo"ted-value`,
      "9".repeat(4),
      "as-an-argument",
      "in-an-address",
    ];
    const [inEnv, inHeader, short, inArgs, inUrl] = secrets as [string, string, string, string, string];
    const server = {
      command: "x",
      args: ["--token", inArgs],
      url: `https://example.test/mcp?apiKey=${inUrl}`,
      env: { INNOCENT: inEnv, API_KEY: short },
      headers: { "X-Own": inHeader },
    };
    const json = JSON.stringify({ mcpServers: { server } }, null, 2);
    const toml = `[mcp_servers.x]\nargs = ["--token", "${inArgs}"]\nurl = "https://a:${inUrl}@example.test"\nenv = { INNOCENT = "${inEnv}", API_KEY = "${short}" }\nhttp_headers = { X = ${JSON.stringify(inHeader)} }\n`;
    for (const [before, format] of [
      [json, "jsonc"],
      [toml, "toml"],
    ] as const) {
      const after = before.replaceAll("\n", " \n");
      const diff = diffFile({ path: PATH, before, after, secrets: findFileSecrets(before, format) });
      for (const secret of secrets) {
        expect(diff).not.toContain(secret);
        expect(diff).not.toContain(JSON.stringify(secret).slice(1, -1));
      }
      expect(diff).toContain("INNOCENT");
    }
  });

  it("shows what only names a variable", () => {
    const after = JSON.stringify({ headers: { Authorization: "Bearer ${env:REPERTOIRE_TOKEN}" } });
    expect(findFileSecrets(after, "jsonc")).toEqual([]);
    expect(diffFile({ path: PATH, before: "", after, secrets: [] })).toContain(
      "Bearer ${env:REPERTOIRE_TOKEN}",
    );
  });

  it("cuts a file that stands on one line", () => {
    const diff = diffFile({ path: PATH, before: "x".repeat(9_999), after: "y".repeat(9_999), secrets: [] });
    expect(diff.length).toBeLessThan(5_000);
    expect(diff).toContain("… (10000 characters)");
  });
});
