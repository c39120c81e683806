import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, it } from "vitest";

/**
 * Who may import whom. The order is one-way: a room may import only those in its row. Tests and test suites stand outside.
 * `console` is browser code and will see only the types of the server's API.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  net: ["core", "text"],
  text: ["core"],
  timing: ["core"],
  admission: ["core", "text"],
  nodes: ["core", "net", "text"],
  published: ["core", "net", "text", "process"],
  process: ["core", "text"],
  store: ["core", "text", "timing"],
  telemetry: ["core", "text", "timing"],
  workflows: ["core", "text"],
  trust: ["core", "text", "timing"],
  config: ["core", "text", "timing", "process", "trust"],
  sandbox: ["core", "text", "timing", "process"],
  search: ["core", "net", "text", "timing", "process"],
  upstream: ["core", "net", "text", "timing", "process"],
  openapi: ["core", "net", "text", "timing", "process"],
  clients: ["core", "text", "process", "config"],
  registry: ["core", "net", "text", "timing", "admission", "process", "telemetry", "search"],
  runs: ["core", "text", "timing", "process", "telemetry", "workflows", "sandbox"],
  secrets: ["core", "text", "timing", "process", "config"],
  library: ["core", "text", "process", "runs"],
  servers: ["core", "text", "config", "upstream", "openapi", "registry", "published"],
  gateway: ["core", "net", "text", "timing", "admission", "process", "search", "registry", "runs", "library"],
  server: ["core", "net", "text", "timing", "process", "telemetry", "gateway"],
  app: [
    "core",
    "net",
    "text",
    "timing",
    "admission",
    "nodes",
    "process",
    "store",
    "telemetry",
    "workflows",
    "config",
    "sandbox",
    "search",
    "upstream",
    "registry",
    "runs",
    "secrets",
    "library",
    "servers",
    "gateway",
    "server",
    "trust",
  ],
  api: ["core", "telemetry", "config", "sandbox", "registry", "runs", "secrets", "gateway", "app"],
  operator: [
    "core",
    "text",
    "timing",
    "process",
    "telemetry",
    "trust",
    "config",
    "clients",
    "secrets",
    "published",
    "gateway",
    "app",
  ],
  cli: [
    "core",
    "text",
    "timing",
    "process",
    "telemetry",
    "config",
    "clients",
    "secrets",
    "published",
    "app",
    "operator",
  ],
  "index.ts": ["core", "process", "api"],
  "main.ts": ["process", "cli"],
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
