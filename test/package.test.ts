/** What is published: the files of the tarball, its links, its types and its entry in the registry of MCP servers. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { beforeAll, expect, it } from "vitest";
import { writeDeclarations } from "../scripts/declarations.ts";
import { installInto } from "./fixtures/docs/program-run.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const root = join(import.meta.dirname, "..");
const readJson = (path: string) =>
  JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, never>;
const manifest = readJson("package.json");
const REPOSITORY = "https://github.com/repertoire-mcp/repertoire";

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let files: string[];
beforeAll(() => {
  // The bundle is there already; scripts of the package would build it a second time, under the feet of other tests.
  writeDeclarations();
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const answer = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })) as
    | Packed[]
    | Record<string, Packed>;
  packed = Object.values(answer)[0]!;
  files = packed.files.map(({ path }) => path);
}, 240_000);

it("C11: the tarball has what is used and read, and nothing else", () => {
  const folders = new Set(
    files.map((file) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : file)),
  );
  expect([...folders].sort()).toEqual([
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "dist",
    "docs",
    "examples",
    "package.json",
    "schema",
  ]);
  for (const file of [
    "dist/main.js",
    "dist/index.js",
    "dist/types/index.d.ts",
    "dist/quickjs.wasm",
    "dist/guest-template.bin",
    "dist/word-vectors.bin",
    "docs/README.md",
  ])
    expect(files).toContain(file);
  expect(
    files.filter((file) => /\.(test|testkit|testsuite)\.|node_modules|\.map$|\.log$/.test(file)),
  ).toEqual([]);
});

it("C11: only declarations that the public API reaches are published", () => {
  expect(files.filter((file) => file.endsWith(".d.ts")).sort()).toEqual(
    [
      "api/public-gateway",
      "core/errors",
      "core/json",
      "core/log",
      "core/principal",
      "core/registry-event",
      "core/result",
      "core/rule",
      "core/tool",
      "core/trace-context",
      "core/version",
      "index",
    ].map((name) => `dist/types/${name}.d.ts`),
  );
});

it("C11: it stays small", () => {
  // The console and its pictures are about a fifth of it, what PostgreSQL needs (pg, pg-boss) about a twentieth.
  // The word vectors of the search are 4 MB, which hardly get smaller; the sandbox's template is 1.4, packed a tenth of that.
  expect(packed.size).toBeLessThan(9_500_000);
  expect(packed.unpackedSize).toBeLessThan(22_600_000);
});

it("C11: every link of a page leads to a file of the tarball", () => {
  const pages = files.filter((file) => file.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(15);
  const links = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/!?\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, target]) => ({
        page,
        target: join(page, "..", target!),
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(
    ({ target }) => !files.includes(target) && !files.some((file) => file.startsWith(`${target}/`)),
  );
  expect(broken).toEqual([]);
});

it("C11: a strict program type-checks against the published declarations", () => {
  const folder = temporaryFolder();
  installInto(folder);
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    join(folder, "program.ts"),
    `import { createGateway, RepertoireError, VERSION, type Gateway, type StaticTool } from "repertoire";
     const add: StaticTool = { name: "add", description: "Adds.", inputSchema: { type: "object" }, call: ({ a }) => a };
     await using gateway: Gateway = await createGateway({ staticTools: [add], log: ({ event }) => void event });
     const stop = gateway.on("capability.tool.updated", ({ previousHash, name }) => void [previousHash, name.length]);
     gateway.on("capability.cache.updated", (event) => {
       // @ts-expect-error a cache has no tool
       void event.name;
     });
     // @ts-expect-error misspelt
     gateway.on("capability.tool.updatd", () => {});
     const result = await gateway.callTool("add", { a: 1 });
     const told: string = result.success ? JSON.stringify(result.data) : result.error.code;
     stop();
     export { told, RepertoireError, VERSION };`,
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", folder], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});

it("C11: the manifest says where the project is, and the registry's entry says the same", () => {
  expect(manifest).toMatchObject({
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    mcpName: "io.github.repertoire-mcp/repertoire",
  });
  const entry = readJson("server.json");
  const isValid = new Ajv({ allErrors: true }).compile(readJson("test/fixtures/registry-server.schema.json"));
  isValid(entry);
  expect(isValid.errors).toBeNull();
  const { name, version, description, mcpName } = manifest;
  expect(entry).toMatchObject({
    name: mcpName,
    version,
    description,
    repository: { url: REPOSITORY },
    packages: [{ identifier: name, version }],
  });
});

it("C11: a vulnerability has an address to be reported to", () => {
  const address = `${REPOSITORY}/security/advisories/new`;
  for (const page of ["SECURITY.md", "docs/security.md"])
    expect(readFileSync(join(root, page), "utf8")).toContain(address);
});
