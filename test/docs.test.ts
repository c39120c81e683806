import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createJsonSchema } from "../src/config/json-schema.ts";
import { formatConfigurationPage } from "../scripts/configuration-page.ts";
import { BIN, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { writeFileSync } from "node:fs";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

it("the configuration page is the generated one (npm run schema)", () => {
  expect(read("docs/configuration.md")).toBe(formatConfigurationPage(createJsonSchema()));
});

it("the config in the README is valid", () => {
  const example = /```jsonc\n([\s\S]*?)```/.exec(read("README.md"))![1]!;
  const folder = temporaryFolder();
  writeFileSync(join(folder, "repertoire.json"), example);
  const env = { GITHUB_TOKEN: "x", SEARCH_TOKEN: "y" };
  const { status, stdout } = runCli(["config", "check"], { folder, env });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("2 servers") });
});

it("the README knows every command and every exit code", () => {
  const help = runCli(["--help"]).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)]
    .map((match) => match[1]!)
    .filter((name) => !["help", "demo"].includes(name));
  expect(commands.length).toBeGreaterThan(6);
  for (const command of commands) expect(read("README.md")).toContain(`repertoire ${command}`);
});

it("pages link to files that exist", () => {
  for (const page of [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/code.md",
    "docs/configuration.md",
    "docs/conformance.md",
    "docs/http.md",
    "docs/operating.md",
    "docs/library.md",
    "docs/profiles.md",
    "docs/runs.md",
    "docs/security.md",
    "docs/servers.md",
    "docs/workflows.md",
  ]) {
    for (const [, target] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)) {
      expect(() => read(join(page, "..", target!)), `${page} → ${target}`).not.toThrow();
    }
  }
});

it("the workflow in docs/workflows.md is valid and does what the page says", () => {
  const text = /```json\n([\s\S]*?)```/.exec(read("docs/workflows.md"))![1]!;
  const folder = temporaryFolder();
  const notes = { command: process.execPath, args: [BIN, "demo-server"] };
  writeFileSync(join(folder, "servers.json"), JSON.stringify({ mcpServers: { notes } }));
  writeFileSync(join(folder, "week.json"), text);
  const config = ["--config", join(folder, "servers.json")];
  expect(runCli(["validate", "week.json", ...config], { folder })).toMatchObject({ status: 0 });
  const { status, stdout } = runCli(["run", "week.json", "--input", "who=ann", ...config], { folder });
  expect({ status, outputs: JSON.parse(stdout) as unknown }).toEqual({ status: 0, outputs: { count: 2 } });
});
