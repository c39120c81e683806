import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProgram } from "../src/cli/program.ts";
import { EXIT } from "../src/cli/terminal/exit-code.ts";
import { createJsonSchema } from "../src/config/json-schema.ts";
import { formatCliPage } from "../scripts/cli-page.ts";
import { formatConfigurationPage } from "../scripts/configuration-page.ts";
import { withServerLists } from "../scripts/servers-page.ts";
import { readPages } from "./fixtures/docs/blocks.ts";
import { environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

it("the configuration page is the generated one (npm run schema)", () => {
  expect(read("docs/configuration.md")).toBe(formatConfigurationPage(createJsonSchema()));
});

it("C2: the page on servers names every variable that a server sees (npm run schema)", () => {
  const page = read("docs/servers.md");
  expect(page).toBe(withServerLists(page));
  expect(page).toContain("`NODE_EXTRA_CA_CERTS`");
});

it("the page of the command line is the generated one (npm run schema)", () => {
  const page = formatCliPage(createProgram(() => {}));
  expect(read("docs/cli.md")).toBe(page);
  expect(page).not.toContain("demo-server");
});

it("the page of the command line has every command and every exit code, and the README points there", () => {
  const program = createProgram(() => {});
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name()).filter((name) => !["help", "demo"].includes(name));
  expect(names.length).toBeGreaterThan(30);
  const page = read("docs/cli.md");
  expect(names.filter((name) => !page.includes(`### repertoire ${name}\n`))).toEqual([]);
  const codes = page.slice(page.indexOf("Exit codes:")).split("\n\n")[0]!;
  for (const code of Object.values(EXIT)) expect(codes).toMatch(new RegExp(`\\b${code}\\b`));
  expect(read("README.md")).toContain("](docs/cli.md)");
});

it("pages link to files and headings that exist", () => {
  const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", ...readPages().map(({ path }) => path)];
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([link, file, heading]) => ({
      place: `${page} → ${link}`,
      target: file === "" ? page : join(page, "..", file!),
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ target, heading }) => {
    if (!existsSync(join(root, target))) return true;
    return heading !== undefined && !headingsOf(read(target)).includes(heading);
  });
  expect(broken.map(({ place }) => place)).toEqual([]);
});

/** As GitHub makes them. */
function headingsOf(text: string): string[] {
  const titles = [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)];
  return titles.map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Their sentences are in the source: the schema and the help of the commands. */
const GENERATED = new Set(["docs/cli.md", "docs/configuration.md"]);
const COLUMNS_MAX = 120;

it("the prose of the pages fits 120 columns; tables, blocks and comments may be wider", () => {
  const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: root })];
  const wide = pages
    .filter((page) => !GENERATED.has(page))
    .flatMap((page) =>
      proseLines(read(page))
        .filter((line) => line.length > COLUMNS_MAX)
        .map((line) => `${page}: ${line.slice(0, 40)}`),
    );
  expect(pages.length).toBeGreaterThan(20);
  expect(wide).toEqual([]);
});

function proseLines(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return prose.split("\n").filter((line) => !/^(?:\||<!--)/.test(line));
}

it("the index of the docs names every page", () => {
  const index = read("docs/README.md");
  const pages = globSync("docs/*.md", { cwd: root }).filter((page) => page !== "docs/README.md");
  const named = pages.filter((page) => index.includes(`| [${page.slice(5)}](${page.slice(5)}) |`));
  expect(named).toEqual(pages);
});

it("the first minute goes as it is recorded", async () => {
  const folder = realpathSync(temporaryFolder());
  const { status, stdout, stderr } = spawnSync("bash", ["examples/first-minute/first-minute.sh"], {
    cwd: root,
    env: environmentOf(folder, { TMPDIR: folder }),
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, stderr, left: readdirSync(folder) }).toEqual({
    status: 0,
    stderr: "",
    left: [],
  });
  const shown = stdout
    .replaceAll(new RegExp(`${folder}/\\w+`, "g"), "/home/you")
    .replaceAll(realpathSync(process.execPath), "/usr/bin/node")
    .replaceAll(process.execPath, "/usr/bin/node")
    .replaceAll(root, "/repertoire")
    .replaceAll(/\b\d+ ms\b/g, "12 ms");
  await expect(shown).toMatchFileSnapshot("../examples/first-minute/output.txt");
});

it("what the start page shows is what the first minute prints", () => {
  const output = read("examples/first-minute/output.txt");
  const { blocks } = readPages().find(({ path }) => path === "docs/start.md")!;
  const shown = blocks.filter(({ language }) => ["text", "ts"].includes(language));
  expect(shown.length).toBeGreaterThan(4);
  for (const { text } of shown) expect(output).toContain(text.trimEnd());
});
