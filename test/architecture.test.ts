import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, it } from "vitest";

/**
 * Who may import whom. The order is one-way: a room may import only those in its row. Tests and test suites stand outside.
 * `console` is browser code and will see only the types of the server's API.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ["core"],
  store: ["core"],
  upstream: ["core"],
  sandbox: ["core"],
  workflows: ["core"],
  nodes: ["core"],
  registry: ["core"],
  runs: ["core", "sandbox", "workflows"],
  library: ["core", "runs"],
  gateway: ["core", "registry", "runs", "library"],
  server: ["core", "gateway"],
  tokens: ["core"],
  embeddings: ["core"],
  cli: ["core", "config", "app.ts", "inputs.ts", "log.ts", "stdout.ts", "version.ts"],
  "log.ts": ["core", "log-text.ts"],
  "log-text.ts": ["core"],
  "live.ts": ["core", "config", "runs"],
  "otel.ts": ["core"],
  "servers.ts": ["core", "config", "registry", "upstream", "waiting-server.ts"],
  "waiting-server.ts": ["core", "config"],
  "inputs.ts": ["core", "config", "secrets.ts"],
  "logins.ts": ["core", "config", "upstream", "waiting-server.ts"],
  "secrets.ts": ["core", "keyring.ts", "process-lock.ts"],
  "keyring.ts": [],
  "process-lock.ts": ["core"],
  "audit-trail.ts": ["core", "registry"],
  "experience.ts": ["core"],
  "code-directory.ts": ["core", "registry", "runs", "sandbox", "library"],
  "profiles.ts": ["core", "config", "gateway"],
  "config-view.ts": ["core", "config", "nodes"],
  "watching.ts": ["core", "config", "server", "otel.ts", "version.ts"],
  "http-front.ts": ["core", "config", "server", "log.ts", "version.ts", "watching.ts"],
  "sandbox-check.ts": ["sandbox", "upstream"],
  "token-counts.ts": ["core", "gateway", "tokens"],
  "token-report.ts": ["core", "gateway", "registry", "token-counts.ts"],
  "server-view.ts": ["config", "registry", "upstream", "live.ts"],
  "stdout.ts": ["core"],
  "compile-cache.ts": [],
  "version.ts": [],
  "app.ts": [
    "core",
    "config",
    "store",
    "upstream",
    "sandbox",
    "workflows",
    "nodes",
    "registry",
    "runs",
    "library",
    "gateway",
    "server",
    "embeddings",
    "audit-trail.ts",
    "experience.ts",
    "code-directory.ts",
    "config-view.ts",
    "profiles.ts",
    "http-front.ts",
    "live.ts",
    "log.ts",
    "sandbox-check.ts",
    "servers.ts",
    "logins.ts",
    "secrets.ts",
    "server-view.ts",
    "token-counts.ts",
    "token-report.ts",
    "version.ts",
    "watching.ts",
  ],
  api: ["core", "config", "gateway", "registry", "runs", "sandbox", "app.ts", "inputs.ts", "log.ts"],
  "node-version.ts": [],
  "index.ts": ["api", "core", "node-version.ts", "version.ts"],
  "main.ts": ["cli", "stdout.ts", "compile-cache.ts", "node-version.ts"],
};

const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|shared|common|lib|misc)(\.ts|\/)/;

const root = join(import.meta.dirname, "../src");
const files = globSync("**/*.ts", { cwd: root }).filter(
  (file) => !/\.(test|testsuite|testkit)\.ts$/.test(file),
);

/** The room of a file, or its name for a file at the top. */
function roomOf(file: string): string {
  return file.split("/")[0]!;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].map((match) => relative(root, normalize(join(root, dirname(file), match[1]!))));
}

it("looks at the whole of src", () => {
  expect(files.length).toBeGreaterThan(60);
  expect(files.flatMap(importsOf).length).toBeGreaterThan(200);
  for (const room of ["core", "config", "store", "registry", "library", "gateway", "server", "cli"]) {
    expect(files.some((file) => roomOf(file) === room)).toBe(true);
  }
});

it("knows every room, and no room is a drawer for odds and ends", () => {
  expect(files.filter((file) => !Object.hasOwn(MAY_IMPORT, roomOf(file)))).toEqual([]);
  expect(files.filter((file) => FORBIDDEN_NAMES.test(file))).toEqual([]);
});

it("keeps the one-way order of the rooms", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith(".."))
      .filter(
        (target) => roomOf(target) !== roomOf(file) && !MAY_IMPORT[roomOf(file)]!.includes(roomOf(target)),
      )
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

it("has no way back: the table itself is free of cycles", () => {
  const reaches = (from: string, seen: string[]): void => {
    expect(seen).not.toContain(from);
    for (const next of MAY_IMPORT[from]!) reaches(next, [...seen, from]);
  };
  for (const room of Object.keys(MAY_IMPORT)) reaches(room, []);
});

it("finds an import that breaks the order", () => {
  const text = `import { x } from "../cli/x.ts"; const y = await import("../store/y.ts");`;
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]);
  expect(found).toEqual(["../cli/x.ts", "../store/y.ts"]);
});
