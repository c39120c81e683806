/** No example in the pages is only text: each is read, checked or run by what reads, checks or runs it in the product. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBlocks, readPages, ROOT, type Block } from "./fixtures/docs/blocks.ts";
import { problemsOfMention, problemsOfScript } from "./fixtures/docs/command-check.ts";
import { openDocsGateway, type DocsGateway } from "./fixtures/docs/docs-gateway.ts";
import { problemsOfProgram } from "./fixtures/docs/program-run.ts";
import { problemsOfScriptRun } from "./fixtures/docs/script-run.ts";
import { problemsOfJson, problemsOfRun } from "./fixtures/docs/json-check.ts";
import type { JsonObject } from "../src/core/json.ts";

/** What code in the pages is given, as the commands beside it say. */
const USUAL_INPUTS = { repo: "me/it", before: "2026-01-01", city: "Rome" };

const pages = readPages();
let gateway: DocsGateway;
beforeAll(async () => {
  gateway = await openDocsGateway();
});
afterAll(() => gateway.close());

async function problemsOf(block: Block): Promise<string[]> {
  // Those of the page about clients are run by real-clients.test.ts, the story of trust by trust-story.test.ts.
  if (block.notRun !== undefined || ["real-clients", "trust-story"].includes(String(block.run?.["by"])))
    return [];
  switch (block.language) {
    case "text":
      return problemsOfScript(transcriptCommands(block.text));
    case "sh":
      return block.run === undefined ? problemsOfScript(block.text) : problemsOfScriptRun(block, gateway);
    case "ts":
      return problemsOfCode(block);
    case "js":
      return problemsOfProgram(block, gateway);
    case "json":
    case "jsonc":
      return problemsOfJson(block, gateway);
    default:
      return [`Nothing checks ${block.language}. Say why above it: <!-- not run: why -->`];
  }
}

/** What is typed in a transcript; the rest of it is output. */
function transcriptCommands(text: string): string {
  const typed = text.split("\n").filter((line) => /^\s*\$ repertoire /.test(line));
  return typed.map((line) => line.replace(/^\s*\$ /, "")).join("\n");
}

async function problemsOfCode({ text, run = {} }: Block): Promise<string[]> {
  const inputs = (run["inputs"] ?? USUAL_INPUTS) as JsonObject;
  const answer = await gateway.call("execute", { code: text, inputs });
  if (run["fails"] === undefined) return problemsOfRun(answer, run["gives"]);
  const { message } = (answer["error"] ?? {}) as { message?: string };
  return message === run["fails"] ? [] : [`Its error is ${message}.`];
}

describe("every example works", () => {
  it.each(pages.filter(({ blocks }) => blocks.length > 0))("$path", async ({ blocks }) => {
    const problems: string[] = [];
    for (const block of blocks)
      problems.push(...(await problemsOf(block)).map((problem) => `${block.place}: ${problem}`));
    expect(problems).toEqual([]);
  });
});

it("what is not run is known, with its reason", () => {
  const blocks = pages.flatMap((page) => page.blocks);
  expect(blocks.length).toBeGreaterThan(40);
  const notRun = blocks.filter((block) => block.notRun !== undefined);
  expect(notRun.map(({ page, notRun: reason }) => `${page}: ${reason}`)).toEqual([
    "docs/background.md: arguments of execute; test/background.test.ts runs such a call",
    "docs/background.md: the answer to it",
    "docs/background.md: the answer to such a call; test/tasks.test.ts runs one",
    "docs/background.md: the sender's side; test/starters.test.ts signs requests",
    "docs/console.md: needs a gateway that listens",
    "docs/operating.md: needs a gateway at this address",
    "docs/operating.md: part of an answer",
    "docs/operating.md: a setting of Prometheus",
    "docs/scale.md: a picture",
    "docs/scale.md: needs Docker",
    "docs/scale.md: needs a cluster",
    "docs/scale.md: needs a PostgreSQL",
    "docs/scale.md: needs a PostgreSQL",
    "docs/scale.md: needs a PostgreSQL",
    "docs/servers.md: there is no registry on the machine of the test",
    "docs/servers.md: there is no registry on the machine of the test",
    "docs/servers.md: there is no bundle on the machine of the test",
  ]);
});

it("every command that a sentence names exists, with its options", () => {
  const mentions = pages.flatMap(({ path, prose }) =>
    [...prose.matchAll(/`(repertoire [^`]+)`/g)].map(([, text]) => ({ path, text: text! })),
  );
  expect(mentions.length).toBeGreaterThan(40);
  const problems = mentions.flatMap(({ path, text }) =>
    problemsOfMention(text).map((problem) => `${path}: \`${text}\`: ${problem}`),
  );
  expect(problems).toEqual([]);
});

it("the folder for an editor type-checks against the tools, and finds a name that is wrong", async () => {
  const folder = join(gateway.folder, "editor");
  cpSync(join(ROOT, "examples/editor"), folder, { recursive: true });
  const { text, missing } = await gateway.app.declareTools(["notes"]);
  expect(missing).toEqual([]);
  writeFileSync(join(folder, "mcp.d.ts"), text);
  const script = readFileSync(join(folder, "script.ts"), "utf8");
  const wrong = {
    "misspelt.ts": script.replace("mcp.notes.add", "mcp.notes.ad"),
    "incomplete.ts": script.replace("{ text: args.text }", "{}"),
    "unmarked.ts": script.replace(/^\/\/ @ts-ignore.*\n/m, ""),
  };
  for (const [file, code] of Object.entries(wrong)) writeFileSync(join(folder, file), code);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", folder], {
    cwd: folder,
    encoding: "utf8",
    timeout: 20_000,
  });
  const complaints = stdout.split("\n").filter((line) => /^\S/.test(line));
  expect(complaints).toEqual([
    expect.stringMatching(/^incomplete\.ts\(1,21\): error TS2741: Property 'text' is missing/),
    expect.stringMatching(/^misspelt\.ts\(1,17\): error TS2339: Property 'ad' does not exist/),
    expect.stringMatching(/^unmarked\.ts\(4,1\): error TS1108: /),
  ]);
  const inputs = { text: "Try an editor" };
  expect(problemsOfRun(await gateway.call("execute", { code: script, inputs }), undefined)).toEqual([]);
});

it.each([
  ["sh", "repertoire tols", /tols/],
  ["sh", "repertoire tools --al", /--al/],
  ["sh", 'curl -H "x" | repertoire frobnicate', /curl[\s\S]*frobnicate/],
  ["sh", "npm run no-such-script", /no-such-script/],
  ["ts", "return await mcp.notes.ad({ text: 'x' });", /notes\.add/],
  ["ts", "return await mcp.notes.add({ txt: 'x' });", /text is missing/],
  ["js", 'import { createGatway } from "repertoire";', /createGatway/],
  ["json", '{ "mcpServer": {} }', /mcpServer/],
  ["json", '{ "mcpServers": { "a": { "comand": "x" } } }', /command/],
  ["json", '{ "ir_version": "1.0", "nodes": [{ "id": "a", "type": "notes__ad" }] }', /notes__ad/],
  ["yaml", "a: 1", /not run/],
])("a wrong example of %s is found: %s", async (language, text, problem) => {
  const { blocks } = readBlocks("page.md", `# Page\n\n\`\`\`${language}\n${text}\n\`\`\`\n`);
  expect(blocks).toHaveLength(1);
  expect((await problemsOf(blocks[0]!)).join("\n")).toMatch(problem);
});
